// Frames of the layers: the directions that the tokens of a text span in the residual stream at each layer, and the
// principal angles between these spaces. F. Bezzi, "Dissecting the frog", 2025: claims F12 to F17.
#pragma once

#include "studies/bundled_texts.h"
#include "studies/study.h"

namespace helix::studies::layer_frames {

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

  template <class V, class Self>
  static void fields(V&& v, Self& p) {
    v(Field{"criterion", "Signal",
            "Which eigenvalues of the tokens' covariance span a layer's frame: those above the Marchenko–Pastur edge, "
            "with the noise estimated as the mean eigenvalue, from the median, or as the geometric mean of those that "
            "are not zero, with the edge's ratio as published code has it (tokens over dimensions) or as the text has "
            "it; the first that hold 90 % of the variance; or those before the largest spectral gap."},
      p.criterion,
      OneOf{{{"mean", "edge, mean eigenvalue"},
             {"median", "edge, median"},
             {"geometric", "edge, geometric mean, N/D"},
             {"geometric_text", "edge, geometric mean, D/N"},
             {"share", "90 % of the variance"},
             {"gap", "largest gap"}}});
    v(Field{"threshold", "Overlap above",
            "Two frames overlap by the fraction of their principal angles with a cosine above this; the text does not "
            "say which it took."},
      p.threshold, Real{0, 1});
    v(Field{"distance", "Distance on the map", "What the map takes for the distance of two layers.", "", "", true},
      p.distance,
      OneOf{{{"sum", "sum of angles"}, {"mean", "mean angle"}, {"geodesic", "root of the sum of squares"}}});
    v(Field{"tolerance", "Rank tolerance",
            "A direction counts for the union rank if its singular value in all frames together is above this; the "
            "text does not say which it took.",
            "", "", true},
      p.tolerance, Real{1e-6, 4, true});
    v(Field{"first", "From position",
            "Leave out the tokens before this one: in many models the first token's residual stream is far longer than "
            "all others, and decides the variance alone.",
            "position", "", true},
      p.first, Whole{0, 65535, Bound::last_position});
    v(Field{"ln_f", "ln_f at the end",
            "Normalize the residual stream after the last layer, as the hidden states of some libraries are.", "", "",
            true},
      p.ln_f);
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

  template <class V, class Self>
  static void fields(V&& v, Self& o) {
    using protocol::Out;
    v(Out{"mean_angle", "degrees", "principal angles of two layers, summed, mean over all pairs"}.digits(2),
      o.mean_angle);
    v(Out{"most_angle", "degrees", "the largest sum of two layers"}.digits(2), o.most_angle);
    v(Out{"least_angle", "degrees", "the smallest sum of two layers"}.digits(2), o.least_angle);
    v(Out{"consecutive_angle", "degrees", "the same mean, over neighbouring layers alone"}.digits(2),
      o.consecutive_angle);
    v(Out{"dispersion", "fraction", "mean principal angle, of a right angle"}.headline(), o.dispersion);
    v(Out{"random_dispersion", "fraction", "the same of random frames with as many dimensions"}, o.random_dispersion);
    v(Out{"overlapping", "fraction", "principal angles with a cosine above the threshold, mean over pairs"},
      o.overlapping);
    v(Out{"random_overlapping", "fraction", "the same of random frames"}, o.random_overlapping);
    v(Out{"union_rank", "dimensions", "rank of all frames together"}, o.union_rank);
    v(Out{"union_effective", "dimensions", "effective rank of all frames together"}.digits(1), o.union_effective);
    v(Out{"random_union_effective", "dimensions", "the same of random frames"}.digits(1), o.random_union_effective);
    v(Out{"mean_dimensions", "dimensions", "signal dimensions, mean over the layers"}.digits(1), o.mean_dimensions);
    v(Out{"noise_dimensions", "dimensions", "of Gaussian noise of the same shape, by the same criterion"}.digits(1),
      o.noise_dimensions);
    v(Out{"order", "correlation", "correlation of the mean angle with the layers between"}.digits(2), o.order);
    v(Out{"stress", "fraction", "stress of the map in two dimensions"}, o.stress);
    v(Out{"random_stress", "fraction", "the same of random frames"}, o.random_stress);
    v(Out{"samples", "tokens", "tokens that count"}.setting(), o.samples);
    v(Out{"features", "dimensions", "dimensions of the residual stream"}.setting(), o.features);
    v(Out{"dimensions", "dimensions", "signal dimensions of each layer", {"layer"}}, o.dimensions);
    v(Out{"participation", "dimensions", "effective dimension of each layer: (Σλ)² / Σλ²", {"layer"}}.digits(2),
      o.participation);
    v(Out{"gap", "", "largest spectral gap Q of each layer", {"layer"}}.digits(1), o.gap);
    v(Out{"gap_at", "dimensions", "dimensions before that gap", {"layer"}}.setting(), o.gap_at);
    v(Out{"edge", "fraction", "edge of the signal, as a share of the variance", {"layer"}}, o.edge);
    v(Out{"share", "fraction", "share of the variance of each component", {"layer", "component"}}, o.share);
    v(Out{"noise_share", "fraction", "the same of Gaussian noise of the same shape", {"component"}}, o.noise_share);
    v(Out{"angles", "degrees", "principal angles of two layers, summed", {"layer", "layer"}}.digits(1), o.angles);
    v(Out{"overlap", "fraction", "principal angles with a cosine above the threshold", {"layer", "layer"}}, o.overlap);
    v(Out{"mds", "degrees", "the layers on a map, by classical scaling", {"layer", "component"}}.coordinate(), o.mds);
    v(Out{"length", "tokens", "only the first so many tokens", {"length"}}.setting(), o.length);
    v(Out{"length_angle", "degrees", "sum of angles, mean over pairs", {"length"}}.digits(2), o.length_angle);
    v(Out{"length_random_angle", "degrees", "the same of random frames", {"length"}}.digits(2), o.length_random_angle);
    v(Out{"length_dispersion", "fraction", "mean principal angle, of a right angle", {"length"}}, o.length_dispersion);
    v(Out{"length_random", "fraction", "the same of random frames", {"length"}}, o.length_random);
    v(Out{"length_union", "dimensions", "union rank", {"length"}}, o.length_union);
    v(Out{"length_dimensions", "dimensions", "signal dimensions, mean over layers", {"length"}}.digits(1),
      o.length_dimensions);
    v(Out{"rule_dimensions", "dimensions", "signal dimensions under each criterion", {"criterion"}}.digits(1),
      o.rule_dimensions);
    v(Out{"rule_noise", "dimensions", "signal dimensions of noise", {"criterion"}}.digits(1), o.rule_noise);
    v(Out{"rule_angle", "degrees", "sum of angles, mean over pairs", {"criterion"}}.digits(2), o.rule_angle);
    v(Out{"rule_most", "degrees", "the largest sum", {"criterion"}}.digits(2), o.rule_most);
    v(Out{"rule_least", "degrees", "the smallest sum", {"criterion"}}.digits(2), o.rule_least);
    v(Out{"rule_consecutive", "degrees", "mean over neighbouring layers", {"criterion"}}.digits(2), o.rule_consecutive);
    v(Out{"rule_dispersion", "fraction", "mean principal angle, of a right angle", {"criterion"}}, o.rule_dispersion);
    v(Out{"rule_union", "dimensions", "union rank", {"criterion"}}, o.rule_union);
  }
};

inline std::string fifteen() { return text_prompt("melville", 8); }
inline std::string hundred_fifty() { return text_prompt("austen", 1000); }
inline std::string five_hundred() { return text_prompt("darwin", 425); }
inline std::string thousand() { return text_prompt("darwin", 10000); }

inline std::vector<ClaimSpec> declared_claims() {
  const std::string small{kGpt2Small};
  return {
      {"F12", "Gaussian noise has no eigenvalue above the Marchenko–Pastur edge.", 0, "dimensions", "",
       hundred_fifty()},
      {"F13", "The frames of neighbouring layers are compared by their principal angles; those of equal frames are 0.",
       std::nullopt, "degrees", small, hundred_fifty()},
      {"F14",
       "The longer the prompt, the more the principal angles of two layers add up to on average: 108.63° with 15 "
       "tokens, 250.83° with about 150, 338.82° with about 1,000.",
       338.82, "degrees", small, thousand()},
      {"F14-dispersion",
       "The longer the prompt, the less the frames disperse: 0.326 of a right angle with 15 tokens, 0.302 with about "
       "150, 0.260 with about 1,000.",
       0.260, "fraction", small, thousand()},
      {"F15", "Frames overlap by the fraction of principal angles whose cosine is above a threshold.", std::nullopt,
       "fraction", small, hundred_fifty()},
      {"F16",
       "The longer the prompt, the higher the rank of all frames together: 19 with 15 tokens, 277 with about 1,000.",
       277, "dimensions", small, thousand()},
      {"F17", "On a map by multidimensional scaling the layers lie as a cluster, an arc, a scatter or a loop.",
       std::nullopt, "stress", small, hundred_fifty()}};
}

inline std::vector<Preset> declared_presets() {
  return {
      {"default", "The prompt, layer by layer", "directions above the noise, and the angles between layers", ""},
      {"tokens_15", "About 15 tokens", text_credit("melville"), fifteen()},
      {"tokens_150", "About 150 tokens", text_credit("austen"), hundred_fifty()},
      {"tokens_500", "About 500 tokens", text_credit("darwin"), five_hundred()},
      {"tokens_1000", "About 1,000 tokens", text_credit("darwin") + "; one run for every length", thousand()},
      {"without_first", "Without the first token", "its residual stream is often far longer than all others",
       "first=1&" + hundred_fifty()},
      {"share", "90 % of the variance", "a frame without a model of the noise", "criterion=share&" + hundred_fifty()}};
}

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "layer_frames";
  schema.title = "Frames of the layers";
  schema.group = "Text";
  schema.question = "Which directions do the tokens of a text span at each layer, and how far do these turn?";
  schema.source = "F. Bezzi, Dissecting the frog, 2025: the frame of transformation";
  schema.reads = Reads::layers;
  schema.presets = declared_presets();
  schema.claims = declared_claims();
  schema.leads = {
      {"lens", "What each layer would predict", "The residual stream at each layer, read out as words",
       "study=logit_lens"},
      {"attention", "What each head looks at", "Where the layers take their changes from", "study=attention"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::layer_frames
