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

inline constexpr Words say{"head_taxonomy"};

/// The first token's row and column do not count: most heads attend to it by default.
inline constexpr int kLeftOut = 1;

/// What is gathered of every head besides its diagonals.
enum class Kind { self, first, induction, duplicate, entropy };
inline constexpr std::size_t kKinds = 5;

/// What the map shows, and what stands along the axes of the scatter. The last one is read off the diagonals.
enum class Metric { previous, self, first, induction, duplicate, entropy, ratio, lags };
inline constexpr std::size_t kMetrics = 7;  // that a run measures
inline constexpr std::initializer_list<const char*> kMetricIds = {"previous",  "self",    "first", "induction",
                                                                  "duplicate", "entropy", "ratio", "lags"};

struct Params {
  int layer = -1, head = -1;
  Metric metric = Metric::previous, beside = Metric::induction;
  int window = 0;
  int min_length = 1;
  int first_lag = 1, last_lag = 4;

  static void fields(ParamVisitor& v, Params& p) {
    v(Field{"layer", "layer"}, p.layer, Whole{-1, 999, Bound::last_layer});
    v(Field{"head", "head"}, p.head, Whole{-1, 999, Bound::last_head});
    v(Field{"metric"}, p.metric, OneOf{kMetricIds});
    v(Field{"beside"}, p.beside, OneOf{kMetricIds});
    v(Field{"window", "tokens", "", true}, p.window, Whole{0, 65535, Bound::last_position});
    v(Field{"min_length", "entries", "", true}, p.min_length, Whole{1, 65535, Bound::last_position});
    v(Field{"first_lag", "tokens", "", true}, p.first_lag, Whole{0, 65535, Bound::last_position});
    v(Field{"last_lag", "tokens", "", true}, p.last_lag, Whole{0, 65535, Bound::last_position});
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

  static void fields(protocol::OutputVisitor& v, Output& o) {
    using protocol::Out;
    v(Out{"previous_token_heads", "heads"}.headline(), o.previous_token_heads);
    v(Out{"heads", "heads"}.setting(), o.heads);
    v(Out{"even_heads", "heads"}, o.even_heads);
    v(Out{"smallest_ratio", "fraction"}, o.smallest_ratio);
    v(Out{"even_previous", "fraction"}, o.even_previous);
    v(Out{"every_window", "heads"}, o.every_window);
    v(Out{"windows", "windows"}.setting(), o.windows);
    v(Out{"window", "tokens"}.setting(), o.window);
    v(Out{"ratio", "fraction", {"layer", "head"}}, o.ratio);
    v(Out{"mean_diagonal", "fraction", {"layer", "head", "lag"}}, o.mean_diagonal);
    v(Out{"argmax_lag", "tokens", {"layer", "head"}}.setting(), o.argmax_lag);
    v(Out{"previous", "fraction", {"layer", "head"}}, o.previous);
    v(Out{"even", "fraction", {"lag"}}, o.even);
    v(Out{"self", "fraction", {"layer", "head"}}, o.self);
    v(Out{"first", "fraction", {"layer", "head"}}, o.first);
    v(Out{"induction", "fraction", {"layer", "head"}}, o.induction);
    v(Out{"duplicate", "fraction", {"layer", "head"}}, o.duplicate);
    v(Out{"entropy", "bits", {"layer", "head"}}, o.entropy);
    v(Out{"metric", "", {"metric"}}.key(), o.metric);
    v(Out{"level", "", {"metric"}}, o.level);
    v(Out{"window_heads", "heads", {"window"}}, o.window_heads);
    v(Out{"in_windows", "windows", {"layer", "head"}}, o.in_windows);
    v(Out{"least", "", {"metric", "layer", "head"}}, o.least);
    v(Out{"most", "", {"metric", "layer", "head"}}, o.most);
    v(Out{"range_least", "fraction", {"layer", "head"}}, o.range_least);
    v(Out{"range_most", "fraction", {"layer", "head"}}, o.range_most);
    v(Out{"diagonal_least", "fraction", {"layer", "head", "lag"}}.f32(), o.diagonal_least);
    v(Out{"diagonal_most", "fraction", {"layer", "head", "lag"}}.f32(), o.diagonal_most);
  }
};

inline Claims declared_claims() {
  constexpr std::string_view small = kGpt2Small;
  const std::string prose = with_prompt("", kProse);
  Claims claims{{"T5", 69, "heads", small, prose, {"min_length=1|5|20&bos=1|0", "previous_token_heads", 0.5}},
                {"T6", 0.01, "fraction", small, prose}};
  declare_findings(claims, prose);
  return claims;
}

inline Presets declared_presets() {
  const std::string prose = with_prompt("", kProse);
  std::string repeated;
  for (int i = 0; i < 100; ++i) repeated += " a";
  return {{"prose", prose},
          {"long_diagonals", prose + "&min_length=20"},
          {"averaged", with_prompt("group_positions:10", kProse)},
          {"windows", "window=256&" + with_prompt("", find_bundled_text("darwin")->text)},
          {"no_positions", with_prompt("zero_positions", kProse)},
          {"induction",
           "metric=induction&beside=previous&prompt= river stone window captain letter green horse summer river stone "
           "window captain letter green horse summer"},
          {"first", "metric=first&beside=entropy&" + prose},
          {"repeated", with_prompt("", repeated)},
          {"random", random_tokens(2)}};
}

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "head_taxonomy";
  schema.group = "Heads";
  schema.reads = Reads::layers;
  schema.text_run = "study=predictions&top=50";
  schema.presets = declared_presets();
  schema.claims = declared_claims();
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::head_taxonomy
