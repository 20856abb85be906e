// One head's matrix large; beside it a map of all heads with one number each, and what the chosen head does most.
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
constexpr double kDominant = 0.4;        // the share of its attention from which on a head has a habit
constexpr double kLeastRepeats = 3;      // repeated tokens that it takes to speak of induction
constexpr float kStretch = 2;            // of the cells: labels and numbers are wider than high
constexpr double kLeastWritten = 0.005;  // attention that is written into its cell: 1 % and more, rounded

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
  const Array* by_head;  // attention to the token before, mean
  double previous, self, first, induction, repeats;

  std::size_t rows() const { return pattern ? pattern->shape[0] : 0; }
  std::size_t cols() const { return pattern ? pattern->shape[1] : 0; }
  double operator()(std::size_t q, std::size_t k) const { return pattern->data[q * cols() + k]; }
  bool is_pattern() const { return params.stage == Stage::pattern; }
  std::string head() const { return "layer " + std::to_string(params.layer) + ", head " + std::to_string(params.head); }
  std::string number() const { return std::to_string(params.layer) + "." + std::to_string(params.head); }
  std::string what() const { return is_pattern() ? "attention" : "score"; }
};

Scene read(const Result& result) {
  return {result,
          read_params<Params>(result.params.empty() ? defaults(describe()) : result.params),
          whole(result, "pattern", 2),
          whole(result, "previous_by_head", 2),
          scalar(result, "previous"),
          scalar(result, "self"),
          scalar(result, "first"),
          scalar(result, "induction"),
          scalar(result, "repeats")};
}

std::vector<std::string> labels(const Result& result) {
  std::vector<std::string> out;
  for (const protocol::Token& t : result.tokens) out.push_back(token_label(shown_bytes(t.bytes)));
  return out;
}

/// What a head does with much of its attention, in words; no words: nothing stands out.
struct Habit {
  const char* words;
  double share;
};

Habit habit(const Scene& s) {
  Habit best{"", kDominant};
  for (const Habit& h : {Habit{"attends to the previous token", s.previous},
                         Habit{"attends to the first token", s.first}, Habit{"attends to the token itself", s.self}})
    if (h.share >= best.share) best = h;  // what is no number is not larger
  if (s.repeats >= kLeastRepeats && s.induction >= best.share)
    best = {"attends to what followed the same token earlier (induction)", s.induction};
  return best;
}

/// The future is zero in a pattern because it is masked: it is drawn as not being there. What an edit lets through is not.
std::vector<double> without_future(std::vector<double> values, std::size_t rows, std::size_t cols) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] == 0 && i % cols > i / cols % rows) values[i] = std::nan("");
  return values;
}

/// Rows and columns of tokens.
figure::Scale tokens_along(const char* axis, std::size_t count, const std::vector<std::string>& names) {
  figure::Scale scale = figure::over(axis, 0, static_cast<int>(count), names);
  scale.kind = figure::ScaleKind::band;
  return scale;
}

/// What is written into the cells: attention in percent, scores as they are.
std::vector<float> numbers_of(const std::vector<double>& values, bool fractions) {
  std::vector<float> out;
  out.reserve(values.size());
  for (const double x : values) {
    const bool written = std::isfinite(x) && (!fractions || std::abs(x) >= kLeastWritten);
    out.push_back(written ? static_cast<float>(fractions ? 100 * x : x) : std::nanf(""));
  }
  return out;
}

figure::Plot matrix(const Scene& s) {
  figure::Plot plot{tokens_along("key", s.cols(), labels(s.result)), tokens_along("query", s.rows(), labels(s.result))};
  if (!s.pattern) return plot;
  const bool has_sign = s.params.stage != Stage::pattern || s.result.difference;
  figure::ColourScale colour{s.params.stage == Stage::pattern ? "attention" : "q·k / √d"};
  colour.range = has_sign ? figure::scale_of(s.pattern->data, true) : figure::ShadeScale{0, 1, false};
  figure::Cells cells;
  cells.row_axis = "query", cells.col_axis = "key";
  cells.numbers = numbers_of(s.pattern->data, s.is_pattern()), cells.digits = s.is_pattern() ? 0 : 1;
  cells.stretch = kStretch;
  cells.cells =
      s.params.stage != Stage::pattern
          ? figure::pyramid_of(s.pattern->data, s.rows(), s.cols(), colour.range)
          : figure::pyramid_of(without_future(s.pattern->data, s.rows(), s.cols()), s.rows(), s.cols(), colour.range);
  const auto& finest = cells.cells.front()->data;
  if (std::find(finest.begin(), finest.end(), 0) != finest.end()) colour.missing = "masked";
  plot.colour = std::move(colour);
  plot.marks = {std::move(cells)};
  plot.gestures = {{figure::Gesture::On::brush,
                    {"query", "key"},
                    figure::Gesture::Effect::window,
                    "",
                    "Drag around a part of the matrix to enlarge it."}};
  return plot;
}

/// All heads, each with its attention to the token before in percent.
figure::Plot heads(const Scene& s) {
  figure::Plot plot;
  plot.chosen = {{"layer", s.params.layer}, {"head", s.params.head}};
  if (!s.by_head) return plot;
  const auto& shape = s.by_head->shape;
  plot.x = figure::over("head", 0, static_cast<int>(shape[1]));
  plot.y = figure::over("layer", 0, static_cast<int>(shape[0]));
  plot.colour = figure::ColourScale{"attention"};
  plot.colour->range = s.result.difference ? figure::scale_of(s.by_head->data, true) : figure::ShadeScale{0, 1, false};
  figure::Cells cells;
  cells.row_axis = "layer", cells.col_axis = "head", cells.stretch = kStretch;
  cells.cells = figure::pyramid_of(s.by_head->data, shape[0], shape[1], plot.colour->range);
  for (const double x : s.by_head->data) cells.numbers.push_back(static_cast<float>(100 * x));
  plot.marks = {std::move(cells)};
  plot.gestures = {{figure::Gesture::On::click,
                    {"layer", "head"},
                    figure::Gesture::Effect::set,
                    "layer={layer}&head={head}",
                    "Click a head to see its matrix."}};
  return plot;
}

std::string induction_text(const Scene& s) {
  if (!std::isfinite(s.induction)) return "no token here occurs again";
  return percent_text(s.induction, 1) + " of repeated tokens' to what followed earlier";
}

figure::Number headline(const Scene& s) {
  if (!s.pattern) return {};
  return {percent_text(s.previous, 1),
          {"of its attention goes to the previous token", percent_text(s.first, 1) + " to the first token",
           percent_text(s.self, 1) + " to the token itself", induction_text(s)},
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
  figure::Table t{"The keys each query attends to most, " + s.head(), {{"query", "", 0, {}}, {"token", "", 0, {}, {}}}};
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

figure::Table by_head(const Scene& s) {
  figure::Table t{"Attention to the previous token, mean, by head", {{"layer", "", 0, {}}}};
  const Array* a = s.by_head;
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
  const Array* a = s.by_head;
  const auto l = static_cast<std::size_t>(f.at("layer")), h = static_cast<std::size_t>(f.at("head"));
  if (!a || l >= a->shape[0] || h >= a->shape[1]) return {};
  return "to the previous token  " + to_fixed(a->data[l * a->shape[1] + h], 4);
}

figure::Reading reading(const Result& result, const ParamValues&, const ViewState& view) {
  const Scene s = read(result);
  const Focus& f = view.focus;
  figure::Reading r;
  const auto inside = [&](int q, int k) {
    return q >= 0 && k >= 0 && static_cast<std::size_t>(q) < s.rows() && static_cast<std::size_t>(k) < s.cols();
  };
  const int query = f.at("query"), key = f.at("key"), position = f.at("position");
  if (f.has("layer") && f.has("head")) {  // pointed at in the grid
    const std::string line = head_line(s, f);
    if (line.empty()) return r;
    r.title = "layer " + std::to_string(f.at("layer")) + ", head " + std::to_string(f.at("head"));
    r.lines = {line};
    return r;
  }
  if (inside(query, key)) {
    const double value = s(static_cast<std::size_t>(query), static_cast<std::size_t>(key));
    r.title = s.head();
    r.lines = {place_text(result, "query", query) + " → " + place_text(result, "key", key), value_text(s, value)};
  } else if (inside(position, 0)) {
    r.title = place_text(result, "position", position);
    const auto q = static_cast<std::size_t>(position);
    for (const std::size_t k : top_keys(s, q, 1))
      r.lines.push_back("attends most to " + place_text(result, "key", static_cast<int>(k)) + "  " +
                        to_fixed(s(q, k), 4));
  }
  return r;
}

std::string title(const Scene& s) {
  if (!s.pattern) return "Attention";
  if (s.result.difference) return "Attention of head " + s.number() + ", difference";
  const Habit h = habit(s);
  const std::string words = *h.words ? "Head " + s.number() + " " + h.words + ": " + percent_text(h.share, 1)
                                     : "No dominant pattern in head " + s.number();
  return words + with_edits(s.result);
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
  std::string text = title(s) + ". On average " + percent_text(s.previous, 1) +
                     " of the attention goes to the previous token, " + percent_text(s.first, 1) +
                     " to the first token and " + percent_text(s.self, 1) +
                     " to the token itself; the first row is left out";
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
       "Each row is a querying token, each column a token that it can attend to (its key). A row of the pattern sums "
       "to 1; no token attends to a later one. Numbers in the cells of a pattern are percent."},
      {Kind::equation, stage},
      {Kind::text,
       "The map shows all heads of all layers on the same prompt: how much attention each pays to the previous token, "
       "on average. Click a head to see its matrix. Many heads attend to the first token when they have nothing to do; "
       "a previous-token head attends to the token before, an induction head to what followed the same token earlier."},
      {Kind::text, "The averages leave out the first row: the first token can only attend to itself."},
      {Kind::caution,
       "This does not show what is taken from a token that is attended to. A head that attends to a token may still "
       "add nothing."}};
}

figure::Figure view(const Result& result, const ParamValues&) {
  const Scene s = read(result);
  figure::Figure f;
  f.title = title(s), f.subtitle = subtitle(s), f.summary = summary(s);
  f.panels = {{"pattern", s.pattern ? s.head() : "", matrix(s)},
              {"heads", s.by_head ? "all heads: % to the previous token" : "", heads(s)},
              {"number", "", headline(s)}};
  f.notes = notes(s);
  f.tables = {{"Numbers",
               {{"attention to the previous token, mean", "fraction", 4, {s.previous}},
                {"to the first token", "fraction", 4, {s.first}},
                {"to the token itself", "fraction", 4, {s.self}},
                {"to what followed the same token earlier", "fraction", 4, {s.induction}},
                {"repeated tokens", "", 0, {s.repeats}}}},
              s.rows() <= kWholeTable && s.cols() <= kWholeTable ? every_cell(s) : top_of_each(s),
              by_head(s)};
  f.root = figure::row(
      {figure::panel("pattern"), figure::column({figure::panel("heads"), figure::panel("number")}, 0.4f, 190, 560)});
  f.across = {"key", 0, static_cast<int>(s.cols()) - 1};
  f.down = {"query", 0, static_cast<int>(s.rows()) - 1};
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, reading}; }

}  // namespace helix::studies::attention
