// Balls in many dimensions: nearly all of their volume lies in a thin shell, and overlapping balls share almost none.
// F. Bezzi, "Dissecting the frog", 2023: claims F18, F19.
#pragma once

#include "studies/study.h"

namespace helix::studies::sphere_overlap {

/// Mean norms in GPT-2 small: of a position (the radius of a ball), and of a token (the distance of its centre).
inline constexpr double kRadius = 3.3901, kLength = 3.9585;
/// The values stated in the text.
inline constexpr double kStatedShell = 0.99956, kStatedMean = 0.00096;

struct Params {
  int count = 1000, seed = 0, dimension = 768;
  double epsilon = 0.01, radius = kRadius, length = kLength;

  template <class V, class Self>
  static void fields(V&& v, Self& p) {
    v(Field{"count", "Balls", "How many; every pair of them is compared.", "balls"}, p.count, Whole{2, 2000});
    v(Field{"seed", "Seed", "Seed of the centres, which are Gaussian.", "", "", true}, p.seed, Whole{0, 999'999});
    v(Field{"dimension", "Dimensions", "Dimensions of the space.", "dimensions"}, p.dimension, Whole{1, 4096});
    v(Field{"epsilon", "Shell", "Thickness of the shell, as a fraction of the radius."}, p.epsilon,
      Real{1e-4, 0.9, true});
    v(Field{"radius", "Radius", "Radius of each ball; 3.3901 is the mean norm of GPT-2 small's positions.", "", "",
            true},
      p.radius, Real{0.01, 1000, true});
    v(Field{"length", "Centres", "Typical norm of a centre; 3.9585 is the mean norm of GPT-2 small's tokens.", "", "",
            true},
      p.length, Real{0.01, 1000, true});
  }
};

struct Output : OutputBase {
  protocol::Quantity pairs_overlapping, log10_mean_fraction, shell_fraction, mean_with_self, self_share, mean_distance,
      stated_distance, shell_in_3d;
  protocol::Grid histogram, distance, log10_fraction, shell;

  template <class V, class Self>
  static void fields(V&& v, Self& o) {
    using protocol::Out;
    v(Out{"pairs_overlapping", "fraction", "of pairs of different balls that overlap"}.headline(), o.pairs_overlapping);
    v(Out{"log10_mean_fraction", "powers of ten", "log₁₀ of the mean share of volume, different balls"},
      o.log10_mean_fraction);
    v(Out{"shell_fraction", "fraction", "of a ball's volume in its shell"}, o.shell_fraction);
    v(Out{"mean_with_self", "fraction", "mean share of volume, each ball also paired with itself"}, o.mean_with_self);
    v(Out{"self_share", "fraction", "of that mean if different balls shared nothing"}, o.self_share);
    v(Out{"mean_distance", "vector length", "between centres, mean"}, o.mean_distance);
    v(Out{"stated_distance", "vector length", "at which two balls share 0.00096 of their volume"}, o.stated_distance);
    v(Out{"shell_in_3d", "fraction", "of the volume in a shell of this thickness, in three dimensions"}, o.shell_in_3d);
    v(Out{"histogram", "pairs", "so far apart", {"bin"}}, o.histogram);
    v(Out{"distance", "vector length", "middle of the bin", {"bin"}}.setting(), o.distance);
    v(Out{"log10_fraction", "powers of ten", "log₁₀ of the volume shared at that distance", {"bin"}}, o.log10_fraction);
    v(Out{"shell", "fraction", "of the volume in the shell", {"dimensions"}}, o.shell);
  }
};

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "sphere_overlap";
  schema.title = "Balls in many dimensions";
  schema.group = "Positions";
  schema.question = "Can adding a position confuse one token with another?";
  schema.source = "F. Bezzi, Dissecting the frog, 2025";
  schema.reads = Reads::positions;
  schema.presets = {{"default", "768 dimensions", "1,000 balls with the mean norms of GPT-2 small", ""},
                    {"close", "Centres 4 apart", "about as far as GPT-2's tokens are", "length=2.83"},
                    {"near", "Centres 0.8 apart", "where the share would be the slides' 0.00096", "length=0.566"},
                    {"three", "Three dimensions", "where overlaps are large and shells are thin", "dimension=3"},
                    {"twelve", "Twelve dimensions", "between the two", "dimension=12"}};
  schema.claims = {
      {"F18", "In 768 dimensions, 0.99956 of a ball's volume lies in its outer 1 %.", kStatedShell, "fraction", "", ""},
      {"F19",
       "All pairs of 1,000 balls overlap, and on average they share 0.00096 of their volume.",
       kStatedMean,
       "fraction",
       "",
       "",
       {"dimension=1|2|3|768&length=1|3.9585", "mean_with_self", 0.000005}}};
  schema.leads = {
      {"cosine", "Similarity of positions", "The angles between the vectors that are added", "study=position_cosine"},
      {"overlap", "Subspaces of positions and tokens", "Whether the two share directions", "study=subspace_overlap"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::sphere_overlap
