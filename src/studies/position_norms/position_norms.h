// The lengths of vectors: norms of the positions, of all token embeddings, or of one token added to every position.
// A. Bortolato et al., "Dissecting the frog", 2025: claims F8 and F9.
#pragma once

#include <string>
#include <vector>

#include "studies/position_fields.h"
#include "studies/study.h"

namespace helix::studies::position_norms {

inline constexpr Words say{"position_norms"};

/// In the order of the choices of `of`.
enum class Of { wpe, wte, sum };

struct Params {
  Of of = Of::wpe;
  PositionSource source = PositionSource::learned;
  double base = 10000;
  int token = 37675;  // "internet" in GPT-2's vocabulary, the example of the slides
  int first = 0, last = 1023;

  static void fields(ParamVisitor& v, Params& p) {
    v(Field{"of"}, p.of, OneOf{{"wpe", "wte", "sum"}});
    position_source_fields(v, p.source, p.base);
    v(Field{"token", "token", "of=sum"}, p.token, Whole{0, 999999, Bound::last_token});
    row_range_fields(v, p.first, p.last);
  }
};

struct Output : OutputBase {
  protocol::Quantity mean, std, max, min, max_row, min_row, outliers, token_norm;
  protocol::Quantity shuffled_mean, shuffled_std, shuffled_max, shuffled_min, shuffled_outliers;
  protocol::Grid norm, orthogonal, bin_from, histogram, shuffled_histogram;

  static void fields(protocol::OutputVisitor& v, Output& o) {
    using protocol::Out;
    v(Out{"mean", "vector length"}.headline(), o.mean);
    v(Out{"std", "vector length"}, o.std);
    v(Out{"max", "vector length"}, o.max);
    v(Out{"min", "vector length"}, o.min);
    v(Out{"max_row", "row"}.setting(), o.max_row);
    v(Out{"min_row", "row"}.setting(), o.min_row);
    v(Out{"outliers", "rows"}, o.outliers);
    v(Out{"token_norm", "vector length"}, o.token_norm);
    v(Out{"shuffled_mean", "vector length"}, o.shuffled_mean);
    v(Out{"shuffled_std", "vector length"}, o.shuffled_std);
    v(Out{"shuffled_max", "vector length"}, o.shuffled_max);
    v(Out{"shuffled_min", "vector length"}, o.shuffled_min);
    v(Out{"shuffled_outliers", "rows"}, o.shuffled_outliers);
    v(Out{"norm", "", {"row"}}, o.norm);
    v(Out{"orthogonal", "", {"row"}}, o.orthogonal);
    v(Out{"bin_from", "", {"bin"}}.setting(), o.bin_from);
    v(Out{"histogram", "fraction", {"bin"}}, o.histogram);
    v(Out{"shuffled_histogram", "fraction", {"bin"}}, o.shuffled_histogram);
  }
};

/// What the slides print of “internet”, in float32 with six digits after the point: the norm of its embedding, and its
/// norms with the sinusoidal encoding of positions 100, 200 … 1000 added. They name neither the token's id (with or
/// without a space before it) nor the encoding's base.
inline constexpr double kInternet = 4.272682;
inline constexpr double kInternetPlus[] = {19.927237, 20.138176, 19.948368, 19.937489, 20.080328,
                                           20.260506, 20.180273, 20.289295, 20.389450, 20.077616};
inline constexpr int kInternetIds[] = {37675, 5230};

inline Claims declared_claims() {
  constexpr std::string_view small = kGpt2Small, unit = "vector length", sum = "of=sum&source=sinusoidal";
  return {{"F9", 3.3901, unit, small, ""},
          {"F8", kInternet, unit, small, sum},
          {"F8-sum", kInternetPlus[0], unit, small, sum}};
}

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "position_norms";
  schema.group = "Positions";
  schema.reads = Reads::positions;
  schema.presets = {{"default", ""},
                    {"inner", "first=6&last=1022"},
                    {"sinusoidal", "source=sinusoidal"},
                    {"tokens", "of=wte"},
                    {"sum", "of=sum"},
                    {"sum_sinusoidal", "of=sum&source=sinusoidal"}};
  schema.claims = declared_claims();
  schema.without_model = {"", "source=sinusoidal"};
  schema.leads = {{"helix", "study=position_helix&first=0"}, {"cosine", "study=position_cosine"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::position_norms
