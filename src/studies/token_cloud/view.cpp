// The cloud, the positions in it, and the found tokens with their texts.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/length_text.h"
#include "base/text.h"
#include "studies/model_name.h"
#include "studies/null_range.h"
#include "studies/registry_view.h"
#include "studies/token_cloud/token_cloud.h"
#include "studies/token_text.h"

namespace helix::studies::token_cloud {
namespace {

using figure::Table;

constexpr double kSmall = 0.1;          // share of the variance of which a note says that it is small
constexpr std::size_t kLabelled = 400;  // found tokens up to which texts are written, if there is room
constexpr std::size_t kListed = 500;    // found tokens in the table
constexpr std::size_t kExtremes = 15;   // longest and shortest tokens in the table

/// The result.
struct Scene {
  Output out;
  Params params;
  std::string model;
  bool complete = true;

  bool empty() const { return out.points.rows() == 0; }
  std::size_t size() const { return out.points.rows(); }
  std::size_t axes() const { return out.points.cols(); }
  double norm(std::size_t i) const { return i < out.norm.data.size() ? out.norm.data[i] : std::nan(""); }
  std::string text(std::size_t id) const { return id < out.text.size() ? out.text[id] : std::string(); }
  /// Ids of the found tokens that have points.
  std::vector<std::size_t> found;
};

bool is_whole(const protocol::Grid& grid) {
  return grid.shape.size() == 2 && grid.shape[1] > 0 && grid.data.size() == grid.shape[0] * grid.shape[1];
}

Scene read(const protocol::Result& result) {
  Scene s{protocol::read_outputs<Output>(result),
          read_params<Params>(result.params.empty() ? defaults(describe()) : result.params),
          result.provenance.model,
          result.complete,
          {}};
  for (protocol::Grid* grid : {&s.out.points, &s.out.position_points})
    if (!is_whole(*grid)) *grid = {};
  for (const double id : s.out.found.data)
    if (id >= 0 && id < static_cast<double>(s.size())) s.found.push_back(static_cast<std::size_t>(id));
  return s;
}

/// Rows with at least three numbers each, as a space requires; missing ones are 0.
std::shared_ptr<figure::Coordinates> coordinates(const protocol::Grid& grid) {
  auto at = std::make_shared<figure::Coordinates>();
  at->dims = std::max<std::size_t>(grid.cols(), 3);
  if (grid.cols() >= 3) {
    at->data = grid.data;
    return at;
  }
  at->data.assign(grid.rows() * at->dims, 0);
  for (std::size_t i = 0; i < grid.rows(); ++i)
    for (std::size_t c = 0; c < grid.cols(); ++c) at->data[i * at->dims + c] = grid(i, c);
  return at;
}

// ---- colours

/// The numbers that colour the points, shifted to start at 0; and the range that they stand for.
struct Colours {
  std::vector<double> values;
  figure::ColourScale scale;
};

Colours colours_of(const Scene& s) {
  Colours out;
  const bool by_norm = s.params.colour == Colour::norm;
  out.scale.title = say(by_norm ? "colour.length" : "colour.rank");
  for (std::size_t i = 0; i < s.size(); ++i) out.values.push_back(by_norm ? s.norm(i) : static_cast<double>(i));
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (const double v : out.values)
    if (std::isfinite(v)) low = std::min(low, v), high = std::max(high, v);
  if (!(low <= high)) low = 0, high = 1;
  for (double& v : out.values) v -= low;  // a space's colours start at 0
  out.scale.range = {low, high, false};
  return out;
}

// ---- panels

figure::Points cloud(const Scene& s, std::vector<double> values) {
  figure::Points points{"token", 0, coordinates(s.out.points)};
  points.radius = s.size() > 20000 ? 1.1f : 1.8f;
  const bool plain = s.params.colour == Colour::found;
  points.ink = plain ? figure::kFaint : figure::kByValue;
  if (!plain) points.values = std::move(values);
  return points;
}

figure::Points found(const Scene& s) {
  auto at = std::make_shared<figure::Coordinates>();
  at->dims = std::max<std::size_t>(s.axes(), 3);
  figure::Points points{"item", 0};
  for (const std::size_t id : s.found) {
    for (std::size_t c = 0; c < at->dims; ++c) at->data.push_back(c < s.axes() ? s.out.points(id, c) : 0);
    if (s.found.size() <= kLabelled) points.labels.push_back(token_label(s.text(id)));
  }
  points.at = std::move(at), points.ink = figure::kText, points.radius = 3.2f;
  return points;
}

figure::Space space(const Scene& s, std::vector<double> values) {
  figure::Space out;
  for (std::size_t c = 0; c < std::max<std::size_t>(s.axes(), 3); ++c)
    out.axes.push_back({"PC" + std::to_string(c + 1),
                        c < s.out.explained.data.size() ? percent_text(s.out.explained.data[c], 1) : std::string()});
  out.index_name = "token", out.legend = false;
  if (s.empty()) return out;
  out.marks.push_back(cloud(s, std::move(values)));
  if (!s.found.empty()) out.marks.push_back(found(s));
  if (s.out.position_points.rows() > 0 && s.out.position_points.cols() == s.axes()) {
    figure::Line line{"position", 0, *coordinates(s.out.position_points)};
    line.ink = figure::kWarm, line.dots = true;
    const std::size_t middle = line.at.size() / 2;
    std::vector<double> at;
    for (std::size_t c = 0; c < line.at.dims; ++c) at.push_back(line.at(middle, c));
    out.marks.push_back(std::move(line));
    out.marks.push_back(figure::Callout{std::move(at), say("positions")});
  }
  return out;
}

figure::Plot bar(const figure::ColourScale& colour) {
  figure::Plot plot;
  plot.x.quiet = plot.y.quiet = true;
  plot.height = 44;
  plot.colour = colour;
  plot.colour->title.clear();  // the panel has it
  return plot;
}

/// What the three largest axes of as many random rows hold; three axes chosen beforehand while that is not known.
std::string chance_text(const Scene& s) {
  const NullRange random = range_of(s.out.random_explained_first3.data);
  return random.known() ? span_text(random, 2, true) : percent_text(s.out.chance.value, 2);
}

figure::Number headline(const Scene& s) {
  if (s.empty()) return {};
  figure::Number n{percent_text(s.out.explained_first3.value, 1), {say("lead.explained")}, s.complete};
  if (!std::isfinite(s.out.explained_first3.value)) n.lines = {say("lead.no_variance")};
  n.lines.push_back(say("lead.random", {{"share", chance_text(s)}}));
  if (std::isfinite(s.out.positions_held.value)) {
    n.lines.push_back(say("lead.same_axes", {{"share", share_text(s.out.positions_held.value, 1)}}));
    n.lines.push_back(say("lead.own_axes", {{"share", percent_text(s.out.positions_explained.value, 1)}}));
    n.lines.push_back(say("lead.tokens", {{"share", share_text(s.out.tokens_held.value, 1)}}));
  }
  if (!s.params.find.empty() && std::isfinite(s.out.found_count.value))
    n.lines.push_back(say("lead.found", {{"n", with_thousands(static_cast<long long>(s.found.size()))},
                                         {"text", token_quoted(token_label(s.params.find))}}));
  return n;
}

// ---- tables

void add_row(Table& t, const Scene& s, std::size_t id) {
  t.columns[0].values.push_back(static_cast<double>(id));
  t.columns[1].texts.push_back(s.text(id));
  t.columns[2].values.push_back(s.norm(id));
  for (std::size_t c = 0; c < s.axes(); ++c) t.columns[3 + c].values.push_back(s.out.points(id, c));
}

Table tokens_table(const Scene& s, std::string title, const std::vector<std::size_t>& ids, bool leads) {
  Table t{std::move(title), {{"id", "", 0, {}}, {"token", "", 0, {}, {}}, {"length", "", 4, {}}}};
  for (std::size_t c = 0; c < s.axes(); ++c) t.columns.push_back({"PC" + std::to_string(c + 1), "", 4, {}});
  for (const std::size_t id : ids) {
    add_row(t, s, id);
    if (leads) t.go.push_back("study=tokens&tokens=" + std::to_string(id));
  }
  if (leads) t.help = say("hint.row");
  return t;
}

/// The found tokens; without a search, those with the longest and the shortest vectors.
Table remarkable(const Scene& s) {
  std::vector<std::size_t> ids = s.found;
  if (!ids.empty()) {
    const bool cut = ids.size() > kListed;
    ids.resize(std::min(ids.size(), kListed));
    Table t =
        tokens_table(s, say(cut ? "table.first_found" : "table.found", {{"n", std::to_string(kListed)}}), ids, true);
    t.open = true;
    return t;
  }
  for (std::size_t i = 0; i < s.size(); ++i)
    if (std::isfinite(s.norm(i))) ids.push_back(i);
  const std::size_t each = std::min(kExtremes, ids.size() / 2);
  const auto longer = [&](std::size_t a, std::size_t b) { return std::pair(-s.norm(a), a) < std::pair(-s.norm(b), b); };
  std::ranges::sort(ids, longer);
  ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(each), ids.end() - static_cast<std::ptrdiff_t>(each));
  return tokens_table(s, say("table.extremes"), ids, true);
}

std::vector<Table> tables(const Scene& s) {
  std::vector<std::size_t> all(s.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  Table every = tokens_table(s, say("table.every"), all, false);
  every.over = {"token"};
  return {remarkable(s), std::move(every)};
}

// ---- words

std::string title(const Scene& s) {
  if (s.empty()) return say("title.none");
  if (!std::isfinite(s.out.explained_first3.value)) return say("title.one_point");
  if (!std::isfinite(s.out.positions_held.value))
    return say("title.tokens", {{"share", percent_text(s.out.explained_first3.value, 1)}});
  return say("title.positions", {{"share", share_text(s.out.positions_held.value, 1)}});
}

std::string subtitle(const Scene& s) {
  if (s.empty()) return say("subtitle.none");
  return say("subtitle.tokens", {{"n", with_thousands(static_cast<long long>(s.size()))},
                                 {"model", spoken_name(s.model)},
                                 {"gain", s.params.of == Of::head ? say("subtitle.gain") : ""},
                                 {"centred", s.params.centre ? "" : say("subtitle.not_centred")},
                                 {"curve", s.out.position_points.rows() > 0 ? say("subtitle.curve") : ""}});
}

std::string summary(const Scene& s) {
  if (s.empty()) return say("summary.none");
  if (!std::isfinite(s.out.explained_first3.value)) return title(s) + ".";
  return say(std::isfinite(s.out.positions_held.value) ? "summary.positions" : "summary.tokens",
             {{"share", percent_text(s.out.explained_first3.value, 1)},
              {"n", with_thousands(static_cast<long long>(s.size()))},
              {"random", chance_text(s)},
              {"positions", share_text(s.out.positions_held.value, 1)}});
}

std::vector<figure::Note> notes(const Scene& s) {
  using Kind = figure::Note::Kind;
  std::vector<figure::Note> out{{Kind::text, say("note.tokens")},
                                {Kind::equation, "point(t) = (e_t − m) · (v₁, v₂, v₃)"}};
  if (!s.empty() && std::isfinite(s.out.positions_held.value))
    out.push_back({Kind::text, sentences({say("note.axes", {{"positions", share_text(s.out.positions_held.value, 1)},
                                                            {"random", percent_text(s.out.chance.value, 2)},
                                                            {"own", percent_text(s.out.positions_explained.value, 1)},
                                                            {"tokens", share_text(s.out.tokens_held.value, 1)}}),
                                          say(s.out.positions_held.value < kSmall && s.out.tokens_held.value < kSmall
                                                  ? "note.small"
                                                  : "note.not_small")})});
  out.push_back({Kind::text, say("note.ids")});
  out.push_back({Kind::caution, say("note.caution")});
  return out;
}

/// A row of an array of points; empty if there is no such row.
std::vector<std::string> coordinates_at(const protocol::Result& result, const char* name, std::size_t row) {
  std::vector<std::string> lines;
  const protocol::Array* points = result.array(name);
  if (!points || points->shape.size() != 2 || row >= points->shape[0]) return lines;
  const std::size_t axes = points->shape[1];
  for (std::size_t c = 0; c < axes && row * axes + c < points->data.size(); ++c)
    lines.push_back("PC" + std::to_string(c + 1) + "  " + number_text(points->data[row * axes + c], 4));
  return lines;
}

figure::Reading of_token(const protocol::Result& result, std::size_t id) {
  figure::Reading r{"", coordinates_at(result, "points", id)};
  if (r.lines.empty()) return r;
  const protocol::Words* text = result.words_of("text");
  const protocol::Array* norm = result.array("norm");
  r.title = say("reading.token", {{"id", std::to_string(id)}}) +
            (text && id < text->data.size() ? " " + token_quoted(text->data[id]) : "");
  if (norm && id < norm->data.size())
    r.lines.insert(r.lines.begin(), say("reading.length") + "  " + length_text(norm->data[id], 4));
  return r;
}

/// Called at every move of the pointer: nothing large is copied.
figure::Reading reading(const figure::Reading&, const protocol::Result& result, const ParamValues&,
                        const ViewState& view) {
  const int token = view.focus.at("token"), item = view.focus.at("item"), position = view.focus.at("position");
  if (token >= 0) return of_token(result, static_cast<std::size_t>(token));
  const protocol::Array* found = result.array("found");
  if (item >= 0 && found && static_cast<std::size_t>(item) < found->data.size()) {
    const double id = found->data[static_cast<std::size_t>(item)];
    return id >= 0 && id < 1e9 ? of_token(result, static_cast<std::size_t>(id)) : figure::Reading();
  }
  if (position < 0) return {};
  figure::Reading r{"", coordinates_at(result, "position_points", static_cast<std::size_t>(position))};
  if (!r.lines.empty()) r.title = say("reading.position", {{"position", std::to_string(position)}});
  return r;
}

figure::Figure view(const protocol::Result& result, const ParamValues&) {
  const Scene s = read(result);
  figure::Figure f;
  f.title = title(s), f.subtitle = subtitle(s), f.summary = summary(s);
  Colours colours = colours_of(s);
  f.panels = {{"cloud", "", space(s, std::move(colours.values))}};
  f.lead = headline(s);
  std::vector<figure::Box> side;
  if (s.params.colour != Colour::found) {
    f.panels.push_back({"colours", colours.scale.title, bar(colours.scale)});
    side.push_back(figure::panel("colours"));
  }
  f.root = side.empty() ? figure::panel("cloud")
                        : figure::row({figure::panel("cloud"), figure::column(std::move(side), 0.2f, 160, 260)});
  f.notes = notes(s), f.tables = tables(s);
  f.across = {"token", 0, static_cast<int>(s.size()) - 1};
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, reading}; }

}  // namespace helix::studies::token_cloud
