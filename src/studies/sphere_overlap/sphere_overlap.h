// Balls in many dimensions: nearly all of their volume lies in a thin shell, and overlapping balls share almost none.
// A. Bortolato et al., "Dissecting the frog", 2025: claims F18, F19.
#pragma once

#include "studies/study.h"

namespace helix::studies::sphere_overlap {

inline constexpr Words say{"sphere_overlap"};

/// Mean norms in GPT-2 small: of a position (the radius of a ball), and of a token (the distance of its centre).
inline constexpr double kRadius = 3.3901, kLength = 3.9585;
/// The values stated in the text.
inline constexpr double kStatedShell = 0.99956, kStatedMean = 0.00096;

struct Params {
  int count = 1000, seed = 0, dimension = 768;
  double epsilon = 0.01, radius = kRadius, length = kLength;

  static void fields(ParamVisitor& v, Params& p) {
    v(Field{"count", "balls"}, p.count, Whole{2, 2000});
    v(Field{"seed", "", "", true}, p.seed, Whole{0, 999'999});
    v(Field{"dimension", "dimensions"}, p.dimension, Whole{1, 4096});
    v(Field{"epsilon"}, p.epsilon, Real{1e-4, 0.9, true});
    v(Field{"radius", "", "", true}, p.radius, Real{0.01, 1000, true});
    v(Field{"length", "", "", true}, p.length, Real{0.01, 1000, true});
  }
};

struct Output : OutputBase {
  protocol::Quantity pairs_overlapping, log10_mean_fraction, shell_fraction, mean_with_self, self_share, mean_distance,
      stated_distance, shell_in_3d;
  protocol::Grid histogram, distance, log10_fraction, shell;

  static void fields(protocol::OutputVisitor& v, Output& o) {
    using protocol::Out;
    v(Out{"pairs_overlapping", "fraction"}.headline(), o.pairs_overlapping);
    v(Out{"log10_mean_fraction", "powers of ten"}, o.log10_mean_fraction);
    v(Out{"shell_fraction", "fraction"}, o.shell_fraction);
    v(Out{"mean_with_self", "fraction"}, o.mean_with_self);
    v(Out{"self_share", "fraction"}, o.self_share);
    v(Out{"mean_distance", "vector length"}, o.mean_distance);
    v(Out{"stated_distance", "vector length"}, o.stated_distance);
    v(Out{"shell_in_3d", "fraction"}, o.shell_in_3d);
    v(Out{"histogram", "pairs", {"bin"}}, o.histogram);
    v(Out{"distance", "vector length", {"bin"}}.setting(), o.distance);
    v(Out{"log10_fraction", "powers of ten", {"bin"}}, o.log10_fraction);
    v(Out{"shell", "fraction", {"dimensions"}}, o.shell);
  }
};

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "sphere_overlap";
  schema.group = "Positions";
  schema.reads = Reads::nothing;
  schema.presets = {{"default", ""},
                    {"close", "length=2.83"},
                    {"near", "length=0.566"},
                    {"three", "dimension=3"},
                    {"twelve", "dimension=12"}};
  schema.claims = {
      {"F18", kStatedShell, "fraction", "", ""},
      {"F19", kStatedMean, "fraction", "", "", {"dimension=1|2|3|768&length=1|3.9585", "mean_with_self", 0.000005}}};
  schema.leads = {{"cosine", "study=position_cosine"}, {"overlap", "study=subspace_overlap"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::sphere_overlap
