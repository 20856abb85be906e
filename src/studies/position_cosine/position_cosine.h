// How similar positions are: the cosine of every two rows of wpe (or of the sinusoidal encoding), and its mean over all
// pairs with the same distance. A. Yedidia, 2023: claim H7; F. Bezzi, 2023: claims F7 and F10.
#pragma once

#include "studies/position_fields.h"
#include "studies/study.h"

namespace helix::studies::position_cosine {

/// Least excess of the mean cosine of near pairs over far ones, and of neighbours over all pairs, that counts.
inline constexpr double kPushed = 0.05;

/// What the vectors are: positions, a token at each position, or both added as the model adds them.
enum class Of { positions, tokens, sum };

struct Params {
  Of of = Of::positions;
  PositionSource source = PositionSource::learned;
  double base = 10000;
  int first = 0, last = 1023;
  bool centre = false;
  int token = 2000;

  template <class V, class Self>
  static void fields(V&& v, Self& p) {
    v(Field{"of", "Vectors", "The positions alone, a different token at each position, or their sum."}, p.of,
      OneOf{{{"positions", "positions"}, {"tokens", "tokens"}, {"sum", "tokens + positions"}}});
    position_source_fields(v, p.source, p.base);
    row_range_fields(v, p.first, p.last);
    v(Field{"centre", "Centred", "Subtract the mean row first, which makes all positions alike."}, p.centre);
    v(Field{"token", "Tokens from",
            "With tokens: the first id. The ids from there on, one for each position, in a fixed random order.",
            "token", "", true},
      p.token, Whole{0, 999'999, Bound::last_token});
  }
};

struct Output : OutputBase {
  protocol::Quantity adjacent_mean, adjacent_spread, shuffled_mean, period, trough, near_minus_far,
      near_minus_far_tokens, walks_rising;
  protocol::Grid cosine, by_lag, walk_adjacent, walk_lag, walk_least, walk_most;

  template <class V, class Self>
  static void fields(V&& v, Self& o) {
    using protocol::Out;
    v(Out{"adjacent_mean", "cosine", "cosine of neighbours, mean"}.headline(), o.adjacent_mean);
    v(Out{"adjacent_spread", "cosine", "cosine of neighbours, largest minus smallest"}, o.adjacent_spread);
    v(Out{"shuffled_mean", "cosine", "mean cosine at any lag, if the rows were shuffled"}, o.shuffled_mean);
    v(Out{"period", "positions", "lag at which the mean cosine rises to a maximum again"}, o.period);
    v(Out{"trough", "positions", "lag at which the mean cosine is lowest before that maximum"}, o.trough);
    v(Out{"near_minus_far", "cosine",
          "mean cosine at the nearest tenth of lags minus that at the farthest half without the last tenth"},
      o.near_minus_far);
    v(Out{"near_minus_far_tokens", "cosine", "the same of the tokens alone"}, o.near_minus_far_tokens);
    v(Out{"cosine", "", "cosine of two positions", {"position", "other"}}.f32(), o.cosine);
    v(Out{"by_lag", "", "mean cosine of positions at this distance", {"lag"}}, o.by_lag);
    v(Out{"walks_rising", "walks", "random walks with these steps whose mean cosine rises to a maximum again"},
      o.walks_rising);
    v(Out{"walk_adjacent", "cosine", "cosine of neighbours in random walks with these steps, mean", {"seed"}},
      o.walk_adjacent);
    v(Out{"walk_lag", "positions", "distances at which the walks are measured", {"place"}}.key(), o.walk_lag);
    v(Out{"walk_least", "cosine", "lowest mean cosine over the walks", {"place"}}, o.walk_least);
    v(Out{"walk_most", "cosine", "highest mean cosine over the walks", {"place"}}, o.walk_most);
  }
};

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "position_cosine";
  schema.title = "Similarity of positions";
  schema.group = "Positions";
  schema.question = "How alike are two positions, and does it depend on how far apart they are?";
  schema.source = "A. Yedidia, GPT-2's positional embedding matrix is a helix, 2023";
  schema.reads = Reads::positions;
  schema.presets = {
      {"default", "All rows", "every position with every other", ""},
      {"inner", "Without the outliers", "rows 1 to 1022", "first=1&last=1022"},
      {"centred", "Centred", "without what all positions share", "centre=true"},
      {"sinusoidal", "Sinusoidal, base 10,000", "the fixed encoding of 2017", "source=sinusoidal"},
      {"tokens", "Tokens", "a different token at each position: the distance has no effect yet", "of=tokens"},
      {"sum", "Tokens with positions", "what the first layer reads: far tokens are pushed apart", "of=sum"}};
  schema.claims = {{"H7",
                    "The cosine similarity of positions is periodic.",
                    {},
                    "positions",
                    std::string(kGpt2Small),
                    "",
                    {"first=0|1&last=1022|1023&centre=0|1", "period"}},
                   {"F7",
                    "The cosine of neighbouring sinusoidal positions is the same everywhere.",
                    {},
                    "",
                    "",
                    "source=sinusoidal"},
                   {"F10",
                    "Adding positions is not a rigid translation: tokens that stand far apart are pushed apart.",
                    {},
                    "cosine",
                    std::string(kGpt2Small),
                    "of=sum",
                    {"source=learned|sinusoidal&centre=0|1", "near_minus_far"}}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::position_cosine
