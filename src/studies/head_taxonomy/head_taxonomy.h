// Heads by where they attend: the mean of every diagonal of every head's pattern on the prompt, and its attention to the
// token itself, the first one, the same token earlier and what followed it.
// A. Yedidia, The positional embedding matrix and previous-token heads, 2023; claims T5, T6.
#pragma once

#include <algorithm>
#include <utility>

#include "studies/bundled_texts.h"
#include "studies/measured_heads.h"
#include "studies/study.h"

namespace helix::studies::head_taxonomy {

/// The first token's row and column do not count: most heads attend to it by default.
inline constexpr int kLeftOut = 1;

/// What is gathered of every head besides its diagonals.
enum class Kind { self, first, induction, duplicate, entropy };
inline constexpr std::size_t kKinds = 5;

/// What the map shows, and what stands along the axes of the scatter. The last one is read off the diagonals.
enum class Metric { previous, self, first, induction, duplicate, entropy, ratio, lags };
inline constexpr std::size_t kMetrics = 7;  // that a run measures
inline OneOf metrics() {
  return {{{"previous", "attention to the previous token"},
           {"self", "attention to the token itself"},
           {"first", "attention to the first token"},
           {"induction", "attention to what followed the same token"},
           {"duplicate", "attention to the same token earlier"},
           {"entropy", "entropy of its attention"},
           {"ratio", "second-largest diagonal over the largest"},
           {"lags", "attention to a range of distances"}}};
}

struct Params {
  int layer = -1, head = -1;
  Metric metric = Metric::previous, beside = Metric::induction;
  int window = 0;
  int min_length = 1;
  int first_lag = 1, last_lag = 4;

  template <class V, class Self>
  static void fields(V&& v, Self& p) {
    v(Field{"layer", "Layer", "Layer of the head whose profile is drawn; −1: the clearest previous-token head.",
            "layer"},
      p.layer, Whole{-1, 999, Bound::last_layer});
    v(Field{"head", "Head", "The head whose profile is drawn; −1: the clearest previous-token head.", "head"}, p.head,
      Whole{-1, 999, Bound::last_head});
    v(Field{"metric", "Heads by", "What the map shows of each head; across in the scatter."}, p.metric, metrics());
    v(Field{"beside", "Against", "Upright in the scatter."}, p.beside, metrics());
    v(Field{"window", "Tokens in a window",
            "A longer text is cut into windows, each of which begins at position 0; 0: as many as the model reads.",
            "tokens", "", true},
      p.window, Whole{0, 65535, Bound::last_position});
    v(Field{"min_length", "Shortest diagonal",
            "Leave out diagonals with fewer entries: the mean of a short one is mostly chance.", "entries", "", true},
      p.min_length, Whole{1, 65535, Bound::last_position});
    v(Field{"first_lag", "Distances from", "The nearest distance of the range that the metric adds up.", "tokens", "",
            true},
      p.first_lag, Whole{0, 65535, Bound::last_position});
    v(Field{"last_lag", "Distances to", "The farthest one.", "tokens", "", true}, p.last_lag,
      Whole{0, 65535, Bound::last_position});
  }
};

/// The range of distances, as far as there are diagonals.
inline std::pair<std::size_t, std::size_t> lag_range(const Params& params, std::size_t lags) {
  const auto [low, high] = std::minmax({params.first_lag, params.last_lag});
  const auto last = static_cast<int>(lags) - 1;
  return {static_cast<std::size_t>(std::clamp(low, 0, last)), static_cast<std::size_t>(std::clamp(high, 0, last))};
}

struct Output : OutputBase {
  protocol::Quantity previous_token_heads, heads, even_heads, smallest_ratio, even_previous, every_window, windows,
      window;
  protocol::Grid mean_diagonal, ratio, argmax_lag, previous, even, self, first, induction, duplicate, entropy, level;
  /// Of a text in several windows: what its single windows have, and the smallest and largest of it. Empty for one window.
  protocol::Grid window_heads, in_windows, least, most, range_least, range_most, diagonal_least, diagonal_most;
  protocol::Texts metric;

  template <class V, class Self>
  static void fields(V&& v, Self& o) {
    using protocol::Out;
    v(Out{"previous_token_heads", "heads", "heads whose largest mean diagonal is one token back"}.headline(),
      o.previous_token_heads);
    v(Out{"heads", "heads", "heads in total"}.setting(), o.heads);
    v(Out{"even_heads", "heads", "the same count, if all heads attended evenly"}, o.even_heads);
    v(Out{"smallest_ratio", "fraction", "smallest ratio of a previous-token head"}, o.smallest_ratio);
    v(Out{"even_previous", "fraction", "attention one token back, if it were even"}, o.even_previous);
    v(Out{"every_window", "heads", "previous-token heads in every window"}, o.every_window);
    v(Out{"windows", "windows", "windows of the text"}.setting(), o.windows);
    v(Out{"window", "tokens", "tokens in a window"}.setting(), o.window);
    v(Out{"ratio", "fraction", "second largest mean diagonal over the largest", {"layer", "head"}}, o.ratio);
    v(Out{"mean_diagonal", "fraction", "mean attention so many tokens back", {"layer", "head", "lag"}},
      o.mean_diagonal);
    v(Out{"argmax_lag", "tokens", "tokens back to the largest mean diagonal", {"layer", "head"}}.setting(),
      o.argmax_lag);
    v(Out{"previous", "fraction", "mean attention one token back", {"layer", "head"}}, o.previous);
    v(Out{"even", "fraction", "mean diagonal of attention that is even", {"lag"}}, o.even);
    v(Out{"self", "fraction", "mean attention to the token itself", {"layer", "head"}}, o.self);
    v(Out{"first", "fraction", "mean attention to the first token", {"layer", "head"}}, o.first);
    v(Out{"induction",
          "fraction",
          "mean attention to what followed the same token earlier, where there was one",
          {"layer", "head"}},
      o.induction);
    v(Out{"duplicate", "fraction", "mean attention to the same token earlier, where there was one", {"layer", "head"}},
      o.duplicate);
    v(Out{"entropy", "bits", "mean entropy of a query's attention", {"layer", "head"}}, o.entropy);
    v(Out{"metric", "", "what is measured", {"metric"}}.key(), o.metric);
    v(Out{"level", "", "the same of a head that attends evenly", {"metric"}}, o.level);
    v(Out{"window_heads", "heads", "previous-token heads in each window", {"window"}}, o.window_heads);
    v(Out{"in_windows", "windows", "windows in which it is a previous-token head", {"layer", "head"}}, o.in_windows);
    v(Out{"least", "", "the smallest of a window", {"metric", "layer", "head"}}, o.least);
    v(Out{"most", "", "the largest of a window", {"metric", "layer", "head"}}, o.most);
    v(Out{"range_least",
          "fraction",
          "attention to the range of distances, the smallest of a window",
          {"layer", "head"}},
      o.range_least);
    v(Out{"range_most", "fraction", "the same, the largest of a window", {"layer", "head"}}, o.range_most);
    v(Out{"diagonal_least",
          "fraction",
          "mean attention so many tokens back, the smallest of a window",
          {"layer", "head", "lag"}}
          .f32(),
      o.diagonal_least);
    v(Out{"diagonal_most", "fraction", "the same, the largest of a window", {"layer", "head", "lag"}}.f32(),
      o.diagonal_most);
  }
};

inline std::vector<ClaimSpec> declared_claims() {
  const std::string small{kGpt2Small}, prose = with_prompt("", kProse);
  std::vector<ClaimSpec> claims{
      {"T5",
       "69 of the 144 heads have their largest mean diagonal one token back.",
       69,
       "heads",
       small,
       prose,
       {"min_length=1|5|20&bos=1|0", "previous_token_heads", 0.5}},
      {"T6",
       "Head 4.11 is by far the clearest previous-token head: its second-largest mean diagonal is 1 % of its largest.",
       0.01, "fraction", small, prose}};
  declare_findings(claims, prose);
  return claims;
}

inline std::vector<Preset> declared_presets() {
  const std::string prose = with_prompt("", kProse);
  std::string repeated;
  for (int i = 0; i < 100; ++i) repeated += " a";
  return {
      {"prose", "Prose", "some 200 tokens of prose with BOS in front", prose},
      {"long_diagonals", "Prose, long diagonals alone", "diagonals of fewer than 20 entries are left out",
       prose + "&min_length=20"},
      {"averaged", "Positions averaged in tens",
       "ten neighbours share one position: which heads still find the previous token?",
       with_prompt("group_positions:10", kProse)},
      {"windows", "A longer text in windows", text_credit("darwin") + ": which heads look back in every window?",
       "window=256&" + with_prompt("", find_bundled_text("darwin")->text)},
      {"no_positions", "Without positions", "all positional embeddings are zero",
       with_prompt("zero_positions", kProse)},
      {"induction", "What followed the same word",
       "a list, twice: which heads look at what came after the word the first time?",
       "metric=induction&beside=previous&prompt= river stone window captain letter green horse summer river stone "
       "window captain letter green horse summer"},
      {"first", "The first token", "where heads look that have nothing else to do",
       "metric=first&beside=entropy&" + prose},
      {"repeated", "One token a hundred times",
       "where every token is the same, no head can tell by the token which one came before", with_prompt("", repeated)},
      {"random", "Random tokens, twice",
       "30 tokens of GPT-2's vocabulary and the same 30 again: nothing but the repetition can be predicted",
       random_tokens(2)}};
}

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "head_taxonomy";
  schema.title = "Heads by where they attend";
  schema.group = "Heads";
  schema.question = "Which heads attend most to the previous token?";
  schema.source = "A. Yedidia, The positional embedding matrix and previous-token heads, 2023";
  schema.reads = Reads::layers;
  schema.text_run = "study=predictions&top=50";
  schema.presets = declared_presets();
  schema.claims = declared_claims();
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::head_taxonomy
