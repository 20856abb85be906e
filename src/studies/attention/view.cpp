// One head's matrix large, all heads small beside it, and what the chosen head does most.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "studies/attention/attention.h"
#include "studies/registry_view.h"
#include "studies/token_text.h"

namespace helix::studies::attention {
namespace {

using protocol::Array;
using protocol::Result;

constexpr std::size_t kWholeTable = 64;  // tokens up to which every cell is in the table
constexpr std::size_t kTopKeys = 3;      // keys a query, for longer prompts

std::string percent(double fraction) { return std::isfinite(fraction) ? to_fixed(fraction * 100, 1) + " %" : "–"; }

/// An array where it has this many axes and as many numbers as they say; the large one is not copied.
const Array* whole(const Result& result, std::string_view name, std::size_t axes) {
  const Array* a = result.array(name);
  if (!a || a->shape.size() != axes) return nullptr;
  std::size_t size = 1;
  for (const std::size_t extent : a->shape) size *= extent;
  return size && a->data.size() == size ? a : nullptr;
}

double scalar(const Result& result, std::string_view name) {
  const protocol::Scalar* s = result.scalar(name);
  return s ? s->value : std::nan("");
}

/// What came back; the numbers stay where they are.
struct Scene {
  const Result& result;
  Params params;
  const Array* pattern;
  const Array* heads;
  double previous, self, first;

  std::size_t rows() const { return pattern ? pattern->shape[0] : 0; }
  std::size_t cols() const { return pattern ? pattern->shape[1] : 0; }
  double operator()(std::size_t q, std::size_t k) const { return pattern->data[q * cols() + k]; }
  std::string head() const { return "layer " + std::to_string(params.layer) + ", head " + std::to_string(params.head); }
  std::string what() const { return params.stage == Stage::pattern ? "attention" : "score"; }
};

Scene read(const Result& result) {
  return {result,
          read_params<Params>(result.params.empty() ? defaults(describe()) : result.params),
          whole(result, "pattern", 2),
          whole(result, "heads", 4),
          scalar(result, "previous"),
          scalar(result, "self"),
          scalar(result, "first")};
}

std::vector<std::string> labels(const Result& result) {
  std::vector<std::string> out;
  for (const protocol::Token& t : result.tokens) out.push_back(token_label(shown_bytes(t.bytes)));
  return out;
}

/// What a head does with at least half of its attention, in words.
struct Habit {
  const char* words;
  double share;
};

Habit habit(const Scene& s) {
  Habit best{"spreads its attention", 0.5};
  for (const Habit& h : {Habit{"looks at the token before", s.previous}, Habit{"looks at the first token", s.first},
                         Habit{"looks at the token itself", s.self}})
    if (h.share >= best.share) best = h;  // what is no number is not larger
  return best;
}

/// The future is zero in a pattern because it is masked: it is drawn as not being there. What an edit lets through is not.
std::vector<double> without_future(std::vector<double> values, std::size_t rows, std::size_t cols) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] == 0 && i % cols > i / cols % rows) values[i] = std::nan("");
  return values;
}

figure::Heatmap heatmap(const Scene& s, const ViewState& view) {
  figure::Heatmap m;
  m.map = view.map, m.region = view.region, m.focus = view.focus;
  if (!s.pattern) return m;
  const bool signed_scores = s.params.stage != Stage::pattern;
  m.scale = signed_scores ? figure::scale_of(s.pattern->data, true) : figure::ShadeScale{0, 1, false};
  m.cells = signed_scores
                ? figure::pyramid_of(s.pattern->data, s.rows(), s.cols(), m.scale)
                : figure::pyramid_of(without_future(s.pattern->data, s.rows(), s.cols()), s.rows(), s.cols(), m.scale);
  m.row_labels = m.col_labels = labels(s.result);
  m.what = signed_scores ? "q·k / √d" : "attention";
  m.masked = std::find(m.cells.front()->data.begin(), m.cells.front()->data.end(), 0) != m.cells.front()->data.end();
  m.masked_label = "masked";
  return m;
}

figure::HeadGrid grid(const Scene& s, const ViewState& view) {
  figure::HeadGrid g;
  g.layer = s.params.layer, g.head = s.params.head;
  g.layer_key = "layer", g.head_key = "head";
  g.map = view.map, g.focus = view.focus;
  if (!s.heads) return g;
  const auto& shape = s.heads->shape;
  g.tiles = figure::pyramid_of_tiles(without_future(s.heads->data, shape[2], shape[3]), shape[0], shape[1], shape[2],
                                     shape[3], g.scale);
  const double pooled = scalar(s.result, "pooled");
  g.pooled = std::isfinite(pooled) && pooled >= 1 && pooled < 1e6 ? static_cast<std::size_t>(pooled) : 1;
  g.cells = s.rows();
  return g;
}

figure::Headline headline(const Scene& s) {
  if (!s.pattern) return {};
  return {percent(s.previous),
          {"goes to the token before, mean", percent(s.first) + " to the first token",
           percent(s.self) + " to the token itself"},
          s.result.complete};
}

// ---- tables

figure::Table every_cell(const Scene& s) {
  figure::Table t{"Each query's " + s.what() + ", " + s.head(), {{"query", "", 0, {}}, {"token", "", 0, {}, {}}}};
  for (std::size_t q = 0; q < s.rows(); ++q) {
    t.columns[0].values.push_back(static_cast<double>(q));
    t.columns[1].texts.push_back(token_at(s.result, static_cast<int>(q)));
  }
  for (std::size_t k = 0; k < s.cols(); ++k) {
    figure::Table::Column column{
        "key " + std::to_string(k) + " " + token_label(token_at(s.result, static_cast<int>(k))), "", 4, {}};
    for (std::size_t q = 0; q < s.rows(); ++q) column.values.push_back(s(q, k));
    t.columns.push_back(std::move(column));
  }
  return t;
}

/// The keys of a query with the largest numbers, largest first.
std::vector<std::size_t> top_keys(const Scene& s, std::size_t q, std::size_t count) {
  std::vector<std::size_t> keys;
  for (std::size_t k = 0; k < s.cols(); ++k) {
    if (!std::isfinite(s(q, k))) continue;
    if (keys.size() == count && !(s(q, k) > s(q, keys.back()))) continue;
    const auto at = std::find_if(keys.begin(), keys.end(), [&](std::size_t other) { return s(q, k) > s(q, other); });
    keys.insert(at, k);
    if (keys.size() > count) keys.pop_back();
  }
  return keys;
}

figure::Table top_of_each(const Scene& s) {
  figure::Table t{"The keys each query looks at most, " + s.head(), {{"query", "", 0, {}}, {"token", "", 0, {}, {}}}};
  for (std::size_t rank = 1; rank <= kTopKeys; ++rank) {
    const std::string which = " " + std::to_string(rank);
    t.columns.push_back({"key" + which, "", 0, {}});
    t.columns.push_back({"token" + which, "", 0, {}, {}});
    t.columns.push_back({s.what() + which, "", 4, {}});
  }
  for (std::size_t q = 0; q < s.rows(); ++q) {
    t.columns[0].values.push_back(static_cast<double>(q));
    t.columns[1].texts.push_back(token_at(s.result, static_cast<int>(q)));
    const auto keys = top_keys(s, q, kTopKeys);
    for (std::size_t rank = 0; rank < kTopKeys; ++rank) {
      const bool there = rank < keys.size();
      t.columns[2 + 3 * rank].values.push_back(there ? static_cast<double>(keys[rank]) : std::nan(""));
      t.columns[3 + 3 * rank].texts.push_back(there ? token_at(s.result, static_cast<int>(keys[rank])) : "");
      t.columns[4 + 3 * rank].values.push_back(there ? s(q, keys[rank]) : std::nan(""));
    }
  }
  return t;
}

figure::Table by_head(const Result& result) {
  figure::Table t{"Attention to the token before, mean, by head", {{"layer", "", 0, {}}}};
  const Array* a = whole(result, "previous_by_head", 2);
  if (!a) return t;
  for (std::size_t l = 0; l < a->shape[0]; ++l) t.columns[0].values.push_back(static_cast<double>(l));
  for (std::size_t h = 0; h < a->shape[1]; ++h) {
    figure::Table::Column column{"head " + std::to_string(h), "", 4, {}};
    for (std::size_t l = 0; l < a->shape[0]; ++l) column.values.push_back(a->data[l * a->shape[1] + h]);
    t.columns.push_back(std::move(column));
  }
  return t;
}

// ---- words

std::string value_text(const Scene& s, double value) {
  if (std::isnan(value)) return "no number";
  if (value < 0 && std::isinf(value)) return "masked (−∞)";
  if (std::isinf(value)) return "∞";
  return s.what() + "  " + to_fixed(value, 4);
}

/// Of a cell of the grid: what all heads have in common is where it lies.
std::string head_line(const Scene& s, const Focus& f) {
  const Array* a = whole(s.result, "previous_by_head", 2);
  const auto l = static_cast<std::size_t>(f.layer), h = static_cast<std::size_t>(f.head);
  if (!a || l >= a->shape[0] || h >= a->shape[1]) return {};
  return "to the token before  " + to_fixed(a->data[l * a->shape[1] + h], 4);
}

figure::Reading reading(const Result& result, const ViewState& view) {
  const Scene s = read(result);
  const Focus& f = view.focus;
  figure::Reading r;
  const auto inside = [&](int q, int k) {
    return q >= 0 && k >= 0 && static_cast<std::size_t>(q) < s.rows() && static_cast<std::size_t>(k) < s.cols();
  };
  if (f.is_head()) {  // pointed at in the grid
    const std::string line = head_line(s, f);
    if (line.empty()) return r;
    r.title = "layer " + std::to_string(f.layer) + ", head " + std::to_string(f.head);
    r.lines = {line};
    return r;
  }
  if (f.is_cell() && inside(f.query, f.key)) {
    const double value = s(static_cast<std::size_t>(f.query), static_cast<std::size_t>(f.key));
    r.title = s.head();
    r.lines = {place_text(result, "query", f.query) + " → " + place_text(result, "key", f.key), value_text(s, value)};
  } else if (f.position >= 0 && inside(f.position, 0)) {
    r.title = place_text(result, "position", f.position);
    const auto q = static_cast<std::size_t>(f.position);
    for (const std::size_t k : top_keys(s, q, 1))
      r.lines.push_back("looks most at " + place_text(result, "key", static_cast<int>(k)) + "  " +
                        to_fixed(s(q, k), 4));
  }
  return r;
}

std::string title(const Scene& s) {
  if (!s.pattern) return "Attention";
  return "Head " + std::to_string(s.params.layer) + "." + std::to_string(s.params.head) + " " + habit(s).words;
}

std::string subtitle(const Scene& s) {
  if (!s.pattern) return "Waiting for a pattern.";
  const char* kind = s.params.stage == Stage::pattern  ? "The pattern"
                     : s.params.stage == Stage::scores ? "The scores before the mask"
                                                       : "The masked scores";
  return std::string(kind) + " of " + s.head() + ", over " + with_thousands(static_cast<long long>(s.rows())) +
         (s.rows() == 1 ? " token." : " tokens.");
}

std::string summary(const Scene& s) {
  if (!s.pattern) return "The figure waits for a pattern.";
  std::string text = "Layer " + std::to_string(s.params.layer) + ", head " + std::to_string(s.params.head) + " " +
                     habit(s).words + ": on average " + percent(s.previous) + " of it goes to the token before, " +
                     percent(s.first) + " to the first token and " + percent(s.self) + " to the token itself";
  std::size_t best_q = 0, best_k = 0;
  double best = -HUGE_VAL;
  for (std::size_t q = std::min<std::size_t>(1, s.rows() - 1); q < s.rows(); ++q)
    for (std::size_t k = 0; k < s.cols(); ++k)
      if (std::isfinite(s(q, k)) && s(q, k) > best) best = s(q, k), best_q = q, best_k = k;
  if (std::isfinite(best))
    text += ". The largest " + s.what() + " of a later token is " + to_fixed(best, 4) + ", from " +
            place_text(s.result, "query", static_cast<int>(best_q)) + " to " +
            place_text(s.result, "key", static_cast<int>(best_k));
  return text + ".";
}

std::vector<figure::Note> notes(const Scene& s) {
  using Kind = figure::Note::Kind;
  const char* stage = s.params.stage == Stage::scores   ? "S = q·kᵀ / √d_head"
                      : s.params.stage == Stage::masked ? "S = q·kᵀ / √d_head,  S = −∞ where key > query"
                                                        : "A = softmax(q·kᵀ / √d_head),  A = 0 where key > query";
  return {
      {Kind::text,
       "Each row is one token asking (its query), each column one token that can be looked at (its key). A row of the "
       "pattern adds up to 1; nothing looks ahead."},
      {Kind::equation, stage},
      {Kind::text,
       "The small matrices are all heads of all layers on the same prompt: choose one to see it large. Many heads look "
       "at the first token when there is nothing for them to do; a few look exactly one token back."},
      {Kind::caution,
       "What this does not show: what is taken from a token that is looked at. A head that looks somewhere may still "
       "add nothing."}};
}

figure::Figure view(const Result& result, const ParamValues&, const ViewState& state) {
  const Scene s = read(result);
  figure::Figure f;
  f.title = title(s), f.subtitle = subtitle(s), f.summary = summary(s);
  f.panels = {{"pattern", s.pattern ? s.head() : "", heatmap(s, state)},
              {"heads", s.heads ? "all heads" : "", grid(s, state)},
              {"number", "", headline(s)}};
  f.notes = notes(s);
  f.tables = {{"Numbers",
               {{"attention to the token before, mean", "fraction", 4, {s.previous}},
                {"to the first token", "fraction", 4, {s.first}},
                {"to the token itself", "fraction", 4, {s.self}}}},
              s.rows() <= kWholeTable && s.cols() <= kWholeTable ? every_cell(s) : top_of_each(s),
              by_head(result)};
  f.reading = reading(result, state);
  f.index_first = 0, f.index_last = static_cast<int>(s.rows()) - 1;
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, reading}; }

}  // namespace helix::studies::attention
