// Frames of the layers: the directions that the tokens of a text span in the residual stream at each layer, and the
// principal angles between these spaces. A. Bortolato et al., "Dissecting the frog", 2025: claims F12 to F17.
#pragma once

#include "studies/bundled_texts.h"
#include "studies/study.h"

namespace helix::studies::layer_frames {

inline constexpr Words say{"layer_frames"};

/// Which eigenvalues of the tokens' covariance count as signal. Four put the edge of Marchenko and Pastur on different
/// estimates of the noise.
enum class Criterion { mean, median, geometric, geometric_text, share, gap };
inline constexpr std::size_t kCriteria = 6;
/// What the map of the layers takes for a distance: the sum of the principal angles, their mean, or √(Σ θ²).
enum class Distance { sum, mean, geodesic };

inline constexpr double kShare = 0.9;
/// Numbers of tokens for which the text states numbers, and some between.
inline constexpr std::size_t kLengths[] = {15, 50, 150, 500, 1000};
/// What the text states for about so many tokens; 0: nothing.
struct Stated {
  double tokens, mean, most, least, dispersion, union_rank;
};
inline constexpr Stated kStated[] = {{15, 108.63, 272.95, 25.68, 0.326, 19},
                                     {150, 250.83, 607.89, 72.76, 0.302, 0},
                                     {1000, 338.82, 1824.05, 48.79, 0.260, 277}};

struct Params {
  Criterion criterion = Criterion::mean;
  double threshold = 0.9, tolerance = 1e-6;
  Distance distance = Distance::sum;
  int first = 0;
  bool ln_f = false;

  static void fields(ParamVisitor& v, Params& p) {
    v(Field{"criterion"}, p.criterion, OneOf{{"mean", "median", "geometric", "geometric_text", "share", "gap"}});
    v(Field{"threshold"}, p.threshold, Real{0, 1});
    v(Field{"distance", "", "", true}, p.distance, OneOf{{"sum", "mean", "geodesic"}});
    v(Field{"tolerance", "", "", true}, p.tolerance, Real{1e-6, 4, true});
    v(Field{"first", "position", "", true}, p.first, Whole{0, 65535, Bound::last_position});
    v(Field{"ln_f", "", "", true}, p.ln_f);
  }
};

struct Output : OutputBase {
  protocol::Quantity mean_angle, most_angle, least_angle, consecutive_angle, dispersion, random_dispersion, overlapping,
      random_overlapping, union_rank, union_effective, random_union_effective, mean_dimensions, noise_dimensions, order,
      stress, random_stress, samples, features;
  protocol::Grid dimensions, participation, gap, gap_at, edge, share, noise_share, angles, overlap, mds;
  protocol::Grid length, length_angle, length_dispersion, length_union, length_dimensions, length_random,
      length_random_angle;
  protocol::Grid rule_dimensions, rule_noise, rule_angle, rule_most, rule_least, rule_consecutive, rule_dispersion,
      rule_union;

  std::size_t layers() const { return dimensions.rows(); }

  static void fields(protocol::OutputVisitor& v, Output& o) {
    using protocol::Out;
    v(Out{"mean_angle", "degrees"}.digits(2), o.mean_angle);
    v(Out{"most_angle", "degrees"}.digits(2), o.most_angle);
    v(Out{"least_angle", "degrees"}.digits(2), o.least_angle);
    v(Out{"consecutive_angle", "degrees"}.digits(2), o.consecutive_angle);
    v(Out{"dispersion", "fraction"}.headline(), o.dispersion);
    v(Out{"random_dispersion", "fraction"}, o.random_dispersion);
    v(Out{"overlapping", "fraction"}, o.overlapping);
    v(Out{"random_overlapping", "fraction"}, o.random_overlapping);
    v(Out{"union_rank", "dimensions"}, o.union_rank);
    v(Out{"union_effective", "dimensions"}.digits(1), o.union_effective);
    v(Out{"random_union_effective", "dimensions"}.digits(1), o.random_union_effective);
    v(Out{"mean_dimensions", "dimensions"}.digits(1), o.mean_dimensions);
    v(Out{"noise_dimensions", "dimensions"}.digits(1), o.noise_dimensions);
    v(Out{"order", "correlation"}.digits(2), o.order);
    v(Out{"stress", "fraction"}, o.stress);
    v(Out{"random_stress", "fraction"}, o.random_stress);
    v(Out{"samples", "tokens"}.setting(), o.samples);
    v(Out{"features", "dimensions"}.setting(), o.features);
    v(Out{"dimensions", "dimensions", {"layer"}}.brief("signal dimensions"), o.dimensions);
    v(Out{"participation", "dimensions", {"layer"}}.digits(2).brief("effective dimension"), o.participation);
    v(Out{"gap", "", {"layer"}}.digits(1), o.gap);
    v(Out{"gap_at", "dimensions", {"layer"}}.setting(), o.gap_at);
    v(Out{"edge", "fraction", {"layer"}}, o.edge);
    v(Out{"share", "fraction", {"layer", "component"}}, o.share);
    v(Out{"noise_share", "fraction", {"component"}}.brief("Gaussian noise"), o.noise_share);
    v(Out{"angles", "degrees", {"layer", "layer"}}.digits(1), o.angles);
    v(Out{"overlap", "fraction", {"layer", "layer"}}, o.overlap);
    v(Out{"mds", "degrees", {"layer", "component"}}.coordinate(), o.mds);
    v(Out{"length", "tokens", {"length"}}.setting(), o.length);
    v(Out{"length_angle", "degrees", {"length"}}.digits(2).brief("sum of angles"), o.length_angle);
    v(Out{"length_random_angle", "degrees", {"length"}}.digits(2), o.length_random_angle);
    v(Out{"length_dispersion", "fraction", {"length"}}.brief("dispersion"), o.length_dispersion);
    v(Out{"length_random", "fraction", {"length"}}, o.length_random);
    v(Out{"length_union", "dimensions", {"length"}}.brief("rank of all frames"), o.length_union);
    v(Out{"length_dimensions", "dimensions", {"length"}}.digits(1), o.length_dimensions);
    v(Out{"rule_dimensions", "dimensions", {"criterion"}}.digits(1), o.rule_dimensions);
    v(Out{"rule_noise", "dimensions", {"criterion"}}.digits(1), o.rule_noise);
    v(Out{"rule_angle", "degrees", {"criterion"}}.digits(2), o.rule_angle);
    v(Out{"rule_most", "degrees", {"criterion"}}.digits(2), o.rule_most);
    v(Out{"rule_least", "degrees", {"criterion"}}.digits(2), o.rule_least);
    v(Out{"rule_consecutive", "degrees", {"criterion"}}.digits(2), o.rule_consecutive);
    v(Out{"rule_dispersion", "fraction", {"criterion"}}, o.rule_dispersion);
    v(Out{"rule_union", "dimensions", {"criterion"}}, o.rule_union);
  }
};

inline std::string fifteen() { return text_prompt("melville", 8); }
inline std::string hundred_fifty() { return text_prompt("austen", 1000); }
inline std::string five_hundred() { return text_prompt("darwin", 425); }
inline std::string thousand() { return text_prompt("darwin", 10000); }

inline Claims declared_claims() {
  constexpr std::string_view small = kGpt2Small;
  return {{"F12", 0, "dimensions", "", hundred_fifty()},
          {"F13", std::nullopt, "degrees", small, hundred_fifty()},
          {"F14", 338.82, "degrees", small, thousand()},
          {"F14-dispersion", 0.260, "fraction", small, thousand()},
          {"F15", std::nullopt, "fraction", small, hundred_fifty()},
          {"F16", 277, "dimensions", small, thousand()},
          {"F17", std::nullopt, "stress", small, hundred_fifty()}};
}

inline Presets declared_presets() {
  return {{"default", ""},
          {"tokens_15", fifteen()},
          {"tokens_150", hundred_fifty()},
          {"tokens_500", five_hundred()},
          {"tokens_1000", thousand()},
          {"without_first", "first=1&" + hundred_fifty()},
          {"share", "criterion=share&" + hundred_fifty()}};
}

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "layer_frames";
  schema.group = "Text";
  schema.reads = Reads::layers;
  schema.presets = declared_presets();
  schema.claims = declared_claims();
  schema.leads = {{"lens", "study=logit_lens"}, {"attention", "study=attention"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::layer_frames
