// The lengths of vectors: norms of the positions, of all token embeddings, or of one token added to every position.
// F. Bezzi, "Dissecting the frog", 2023: claims F8 and F9.
#pragma once

#include <string>
#include <vector>

#include "studies/position_fields.h"
#include "studies/study.h"

namespace helix::studies::position_norms {

/// In the order of the choices of `of`.
enum class Of { wpe, wte, sum };

struct Params {
  Of of = Of::wpe;
  PositionSource source = PositionSource::learned;
  double base = 10000;
  int token = 37675;  // "internet" in GPT-2's vocabulary, the example of the slides
  int first = 0, last = 1023;

  template <class V, class Self>
  static void fields(V&& v, Self& p) {
    v(Field{"of", "Norms of", "The positions, all word embeddings, or one word embedding added to every position."},
      p.of, OneOf{{{"wpe", "positions (wpe)"}, {"wte", "tokens (wte)"}, {"sum", "token + position"}}});
    position_source_fields(v, p.source, p.base);
    v(Field{"token", "Token", "The id of the token that is added to every position.", "token", "of=sum"}, p.token,
      Whole{0, 999999, Bound::last_token});
    row_range_fields(v, p.first, p.last);
  }
};

struct Output : OutputBase {
  protocol::Quantity mean, std, max, min, max_row, min_row, outliers, token_norm;
  protocol::Quantity shuffled_mean, shuffled_std, shuffled_max, shuffled_min, shuffled_outliers;
  protocol::Grid norm, orthogonal, bin_from, histogram, shuffled_histogram;

  template <class V, class Self>
  static void fields(V&& v, Self& o) {
    using protocol::Out;
    v(Out{"mean", "vector length", "mean norm"}.headline(), o.mean);
    v(Out{"std", "vector length", "standard deviation of the norms"}, o.std);
    v(Out{"max", "vector length", "largest norm"}, o.max);
    v(Out{"min", "vector length", "smallest norm"}, o.min);
    v(Out{"max_row", "row", "row with the largest norm"}.setting(), o.max_row);
    v(Out{"min_row", "row", "row with the smallest norm"}.setting(), o.min_row);
    v(Out{"outliers", "rows", "rows more than 3 standard deviations from the mean norm"}, o.outliers);
    v(Out{"token_norm", "vector length", "norm of the token's embedding"}, o.token_norm);
    v(Out{"shuffled_mean", "vector length", "mean norm, each column shuffled"}, o.shuffled_mean);
    v(Out{"shuffled_std", "vector length", "standard deviation, each column shuffled"}, o.shuffled_std);
    v(Out{"shuffled_max", "vector length", "largest norm, each column shuffled"}, o.shuffled_max);
    v(Out{"shuffled_min", "vector length", "smallest norm, each column shuffled"}, o.shuffled_min);
    v(Out{"shuffled_outliers", "rows", "rows beyond 3 standard deviations, each column shuffled"}, o.shuffled_outliers);
    v(Out{"norm", "", "norm of each row", {"row"}}, o.norm);
    v(Out{"orthogonal", "", "norm of the sum if token and position were orthogonal", {"row"}}, o.orthogonal);
    v(Out{"bin_from", "", "lower end of each bin", {"bin"}}.setting(), o.bin_from);
    v(Out{"histogram", "fraction", "share of the rows in each bin", {"bin"}}, o.histogram);
    v(Out{"shuffled_histogram", "fraction", "the same, each column shuffled", {"bin"}}, o.shuffled_histogram);
  }
};

/// What the slides print of “internet”, in float32 with six digits after the point: the norm of its embedding, and its
/// norms with the sinusoidal encoding of positions 100, 200 … 1000 added. They name neither the token's id (with or
/// without a space before it) nor the encoding's base.
inline constexpr double kInternet = 4.272682;
inline constexpr double kInternetPlus[] = {19.927237, 20.138176, 19.948368, 19.937489, 20.080328,
                                           20.260506, 20.180273, 20.289295, 20.389450, 20.077616};
inline constexpr int kInternetIds[] = {37675, 5230};

inline std::vector<ClaimSpec> declared_claims() {
  const std::string small{kGpt2Small}, unit = "vector length", sum = "of=sum&source=sinusoidal";
  return {{"F9",
           "The norms of the learned positions: mean 3.3901, standard deviation 0.2620, largest 9.8756, smallest "
           "0.1179.",
           3.3901, unit, small, ""},
          {"F8", "The embedding of “internet” has the norm 4.272682.", kInternet, unit, small, sum},
          {"F8-sum",
           "With the sinusoidal encoding of position 100 added to it the norm is 19.927237; the slides print ten such "
           "norms, up to position 1000.",
           kInternetPlus[0], unit, small, sum}};
}

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "position_norms";
  schema.title = "Norms";
  schema.group = "Positions";
  schema.question = "Do all positions have the same norm?";
  schema.source =
      "F. Bezzi, Dissecting the frog, 2025; A. Yedidia, GPT-2's positional embedding matrix is a helix, 2023";
  schema.reads = Reads::positions;
  schema.presets = {
      {"default", "All positions", "every row of wpe, the outliers included", ""},
      {"inner", "Without the outliers", "rows 6 to 1022: how alike the others are", "first=6&last=1022"},
      {"sinusoidal", "Sinusoidal positions", "sines and cosines make every row equally long", "source=sinusoidal"},
      {"tokens", "Tokens", "the norms of all word embeddings; needs the 154 MB of wte in GPT-2 small", "of=wte"},
      {"sum", "“internet” at every position", "what enters the first layer: one token plus each position", "of=sum"},
      {"sum_sinusoidal", "“internet” on sinusoids", "as the slides computed it: the encoding outweighs the token",
       "of=sum&source=sinusoidal"}};
  schema.claims = declared_claims();
  schema.without_model = {"", "",
                          "No model is at hand, so these are the sinusoidal positions, which need none. Open a GPT-2 "
                          "(.safetensors) to see the learned ones.",
                          "source=sinusoidal"};
  schema.leads = {{"helix", "See the outliers in space", "The first positions lie far from the curve of the others",
                   "study=position_helix&first=0"},
                  {"cosine", "Compare directions instead", "How alike two positions are, whatever their norms",
                   "study=position_cosine"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::position_norms
