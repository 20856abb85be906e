// One map of all directions of two matrices; for several matrices, a grid of small maps with one colour scale. Beside
// them the sums over directions, with their chance level.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/decimal.h"
#include "base/text.h"
#include "studies/null_range.h"
#include "studies/registry_view.h"
#include "studies/subspace_overlap/view_scene.h"

namespace helix::studies::subspace_overlap {
namespace {

constexpr std::size_t kStrongest = 20;   // overlaps in the table
constexpr std::size_t kMostColumns = 4;  // of the grid, if the panels divide evenly
constexpr double kClearly = 1.5;  // times the most of random directions, from which a title says that two are close

// ---- panels

/// The scale saturates at the few largest numbers, so that one large overlap does not hide the others.
figure::ShadeScale colours_of(const Scene& s) {
  std::vector<double> sizes;
  for (const double x : s.single() ? s.out.overlap.data : s.out.panels.data)
    if (std::isfinite(x)) sizes.push_back(std::fabs(x));
  if (sizes.empty()) return {0, 1, s.difference};
  const double most = *std::max_element(sizes.begin(), sizes.end());
  const auto at = sizes.begin() + static_cast<std::ptrdiff_t>(static_cast<double>(sizes.size() - 1) * 0.995);
  std::nth_element(sizes.begin(), at, sizes.end());
  const double least = s.chance() > 0 && std::isfinite(s.chance()) ? 4 * s.chance() : 0;
  double high = std::min(std::max(*at, least), most);
  if (!(high > 0)) high = most > 0 ? most : 1;
  return {s.difference ? -high : 0, high, s.difference};
}

figure::ColourScale colour_scale(const Scene& s) {
  figure::ColourScale colour{say(s.difference ? "colour.change" : "colour.square"), colours_of(s)};
  const auto& data = s.single() ? s.out.overlap.data : s.out.panels.data;
  double most = 0;
  for (const double x : data)
    if (std::isfinite(x)) most = std::max(most, std::fabs(x));
  if (!s.single() && s.pool > 1) colour.title = say("colour.mean", {{"n", std::to_string(s.pool)}});
  if (most > colour.range.high) colour.note = say("colour.largest", {{"overlap", overlap_text(most)}});
  return colour;
}

figure::Scale along(const char* axis, std::size_t count, const std::string& matrix) {
  figure::Scale scale = figure::over(axis, 1, static_cast<int>(count));
  scale.title = say("axis.direction", {{"matrix", short_name(matrix)}});
  return scale;
}

figure::Gesture zoom() {
  return {figure::Gesture::On::brush, {"a", "b"}, figure::Gesture::Effect::window, "", say("hint.map")};
}

figure::Plot map_of_all(const Scene& s) {
  figure::Plot plot{figure::over("b", 1, 0), figure::over("a", 1, 0)};
  if (s.empty()) return plot;
  const Grid& m = s.out.overlap;
  plot.x = along("b", m.cols(), s.out.names_b[0]), plot.y = along("a", m.rows(), s.out.names_a[0]);
  plot.colour = colour_scale(s);
  plot.marks = {figure::Cells{figure::pyramid_of(m.data, m.rows(), m.cols(), plot.colour->range), "a", "b"}};
  plot.gestures = {zoom()};
  return plot;
}

/// How much of each direction of one matrix lies among the first directions of the other, beside chance.
figure::Plot inside_first(const Scene& s, bool of_rows) {
  const Grid& m = s.out.overlap;
  std::vector<double> shares = shares_inside(m, of_rows);
  const std::size_t n = shares.size(), first = std::min(kFirst, of_rows ? m.cols() : m.rows());
  const char* axis = of_rows ? "a" : "b";
  figure::Plot plot{along(axis, n, of_rows ? s.out.names_a[0] : s.out.names_b[0]), figure::quantity("")};
  plot.y.from_zero = plot.y.percent = true, plot.y.id = "inside";
  const double chance = static_cast<double>(first) * s.chance();
  const auto most = std::ranges::max_element(shares);
  figure::Callout top{{1 + static_cast<double>(most - shares.begin()), *most},
                      say("callout.most", {{"direction", std::to_string(1 + (most - shares.begin()))},
                                           {"share", percent_text(*most, 0)}})};
  figure::Line line{axis, 1, figure::over_index(std::move(shares)), figure::kAccent};
  line.width = 1.6f;
  plot.marks = {std::move(line), std::move(top)};
  if (std::isfinite(chance))
    plot.marks.push_back(figure::Rule{.at = chance,
                                      .label = say("rule.chance", {{"chance", percent_text(chance, 1)}}),
                                      .ink = figure::kMute,
                                      .width = 1.4f,
                                      .dashed = true});
  return plot;
}

/// The map of one pair, and beside it what of each direction lies among the other's first.
void lay_single(const Scene& s, figure::Figure& f) {
  f.panels = {{"overlap", "", map_of_all(s)}};
  f.root = figure::panel("overlap", 0.7f, 320, 600);
  if (s.empty() || s.difference) return;
  const std::string a = short_name(s.out.names_a[0]), b = short_name(s.out.names_b[0]);
  const auto first = [](std::size_t of) { return std::to_string(std::min(kFirst, of)); };
  f.panels.push_back({"inside_b", say("panel.inside", {{"of", a}, {"n", first(s.out.overlap.cols())}, {"in", b}}),
                      inside_first(s, true)});
  f.panels.push_back({"inside_a", say("panel.inside", {{"of", b}, {"n", first(s.out.overlap.rows())}, {"in", a}}),
                      inside_first(s, false)});
  f.root = figure::row({figure::panel("overlap", 0.6f, 320, 600),
                        figure::column({figure::panel("inside_b"), figure::panel("inside_a")})});
}

/// A small map whose cells are means; its axes still count directions.
figure::Plot map_of_pair(const Scene& s, std::size_t i, std::size_t j, const figure::ColourScale& colour) {
  const Extent e = extent_of(s, i, j);
  const std::size_t rows = (e.rows + s.pool - 1) / s.pool, cols = (e.cols + s.pool - 1) / s.pool;
  figure::Plot plot{along("b", e.cols, s.out.names_b[j]), along("a", e.rows, s.out.names_a[i])};
  std::vector<double> values;
  for (std::size_t row = 0; row < rows; ++row) {
    const double* from = &s.out.panels.data[((i * s.cols + j) * s.cells + row) * s.cells];
    values.insert(values.end(), from, from + cols);
  }
  figure::Cells cells{{}, "a", "b"};
  for (const auto& level : figure::pyramid_of(values, rows, cols, colour.range)) {
    auto counted = std::make_shared<figure::Shades>(*level);
    counted->pooled *= s.pool;
    cells.cells.push_back(std::move(counted));
  }
  plot.marks = {std::move(cells)};
  plot.colour = colour;
  plot.whole = {{"matrix_a", static_cast<int>(i)}, {"matrix_b", static_cast<int>(j)}};
  plot.gestures = {zoom(),
                   {figure::Gesture::On::click,
                    {"a", "b"},
                    figure::Gesture::Effect::set,
                    "a=" + s.out.ids_a[i] + "&b=" + s.out.ids_b[j],
                    say("hint.pair")}};
  return plot;
}

/// The colours of all maps of a grid.
figure::Plot bar(const figure::ColourScale& colour) {
  figure::Plot plot;
  plot.x.quiet = plot.y.quiet = true;
  plot.height = 44;
  plot.colour = colour;
  return plot;
}

std::string held_line(const char* id, int count_a, double held) {
  return say(id, {{"n", std::to_string(count_a)}, {"held", number_text(held, 1)}});
}

figure::Number headline(const Scene& s) {
  if (s.empty()) return {};
  const Extent e = extent_of(s, 0, 0);
  const int rows = std::min(s.params.count_a, static_cast<int>(e.rows)),
            cols = std::min(s.params.count_b, static_cast<int>(e.cols));
  figure::Number n{overlap_text(s.out.corner.value), {say("lead.largest")}, s.complete};
  n.lines.push_back(say("rule.chance", {{"chance", overlap_text(s.chance())}}));
  if (const NullRange random = range_of(s.out.random_corner.data); random.known())
    n.lines.push_back(say("lead.random", {{"least", overlap_text(random.least)}, {"most", overlap_text(random.most)}}));
  n.lines.push_back(say("lead.columns", {{"n", std::to_string(cols)}}));
  n.lines.push_back(held_line("lead.first_rows", rows, s.out.held_first.value));
  n.lines.push_back(held_line("lead.last_rows", rows, s.out.held_last.value));
  n.lines.push_back(say("rule.chance", {{"chance", number_text(s.out.held_chance.value, 1)}}));
  return n;
}

std::string panel_id(const Scene& s, std::size_t i, std::size_t j) { return s.out.ids_a[i] + "_" + s.out.ids_b[j]; }

/// Wide: a row of maps for each matrix of b. On a phone: one for each matrix of a.
void lay_grid(const Scene& s, figure::Figure& f) {
  const figure::ColourScale colour = [&] {
    figure::ColourScale scale = colour_scale(s);
    scale.id = "overlap";
    return scale;
  }();
  std::vector<figure::Box> wide, narrow;
  for (std::size_t i = 0; i < s.rows; ++i)
    for (std::size_t j = 0; j < s.cols; ++j) {
      f.panels.push_back({panel_id(s, i, j), pair_name(s, i, j), map_of_pair(s, i, j, colour)});
      narrow.push_back(figure::panel(f.panels.back().id));
    }
  for (std::size_t j = 0; j < s.cols; ++j)
    for (std::size_t i = 0; i < s.rows; ++i) wide.push_back(figure::panel(panel_id(s, i, j)));
  f.panels.push_back({"colours", "", bar(colour)});
  const auto grid = [](std::vector<figure::Box> boxes, std::size_t columns, float least) {
    figure::Box box = figure::grid(std::move(boxes), static_cast<int>(columns));
    box.least = least;
    return figure::column({std::move(box), figure::panel("colours")});
  };
  const std::size_t columns = s.rows > kMostColumns && s.cols <= 2 ? (s.rows + 1) / 2 : s.rows;
  f.root = grid(std::move(wide), std::max<std::size_t>(columns, 2), 100);
  f.narrow = grid(std::move(narrow), 2, 120);
}

// ---- tables

figure::Table pairs_table(const Scene& s) {
  const std::string a = std::to_string(s.params.count_a), b = std::to_string(s.params.count_b);
  figure::Table t{"Pairs of matrices",
                  {{"rows", "", 0, {}, {}},
                   {"columns", "", 0, {}, {}},
                   {"largest of 5 × 5", "", 4, {}},
                   {"of random directions, mean", "", 4, {}},
                   {"in first " + a, "", 2, {}},
                   {"in last " + a, "", 2, {}},
                   {"chance of these", "", 2, {}}}};
  for (std::size_t i = 0; i < s.rows; ++i)
    for (std::size_t j = 0; j < s.cols; ++j) {
      t.columns[0].texts.push_back(s.out.names_a[i]), t.columns[1].texts.push_back(s.out.names_b[j]);
      t.columns[2].values.push_back(of_pair(s, s.out.corners, i, j));
      t.columns[3].values.push_back(range_of(s.out.random_corner.data).mean);
      t.columns[4].values.push_back(of_pair(s, s.out.held_first_by_pair, i, j));
      t.columns[5].values.push_back(of_pair(s, s.out.held_last_by_pair, i, j));
      t.columns[6].values.push_back(held_chance(s, i, j));
      if (!s.single()) t.go.push_back("from=here&a=" + s.out.ids_a[i] + "&b=" + s.out.ids_b[j]);
    }
  t.over = {"matrix_a", "matrix_b"}, t.open = !s.single();
  t.help = say(s.single() ? "hint.numbers" : "hint.pairs", {{"columns", b}, {"rows", a}});
  return t;
}

/// The positions of the largest numbers in one map.
figure::Table strongest(const Scene& s) {
  figure::Table t{say("table.largest"), {{"row", "", 0, {}}, {"column", "", 0, {}}, {"overlap", "", 4, {}}}};
  if (s.empty()) return t;
  t.columns[0].name = say("axis.direction", {{"matrix", short_name(s.out.names_a[0])}});
  t.columns[1].name = say("axis.direction", {{"matrix", short_name(s.out.names_b[0])}});
  const Grid& m = s.out.overlap;
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < m.data.size(); ++k)
    if (std::isfinite(m.data[k])) order.push_back(k);
  const auto count = static_cast<std::ptrdiff_t>(std::min(kStrongest, order.size()));
  std::partial_sort(order.begin(), order.begin() + count, order.end(), [&](std::size_t a, std::size_t b) {
    const double x = std::fabs(m.data[a]), y = std::fabs(m.data[b]);
    return x > y || (x == y && a < b);
  });
  order.resize(static_cast<std::size_t>(count));
  for (const std::size_t k : order) {
    t.columns[0].values.push_back(static_cast<double>(k / m.cols() + 1));
    t.columns[1].values.push_back(static_cast<double>(k % m.cols() + 1));
    t.columns[2].values.push_back(m.data[k]);
  }
  return t;
}

// ---- words

std::string subtitle(const Scene& s) {
  if (s.empty()) return say("subtitle.none");
  const auto weights = [](const Texts& ids) {
    return std::ranges::any_of(ids, [](const std::string& id) { return id != "wpe" && id != "wte"; });
  };
  std::string settings;
  const auto add = [&](bool there, const std::string& text) { settings += there ? text : ""; };
  add(weights(s.out.ids_a) || weights(s.out.ids_b), say("subtitle.layer", {{"layer", std::to_string(s.params.layer)}}));
  add(s.params.head >= 0, say("subtitle.head", {{"head", std::to_string(s.params.head)}}));
  add(s.params.side == Side::other, say("subtitle.side"));
  add(s.params.gain, say("subtitle.gain"));
  add(s.params.centre, say("subtitle.centred"));
  add(s.params.blur > 0, say("subtitle.blur", {{"blur", to_shown(s.params.blur)}}));
  return say("subtitle.products", {{"settings", settings}, {"chance", overlap_text(s.chance())}});
}

/// The pair of matrices whose largest directions overlap most.
struct Pair {
  std::size_t a = 0, b = 0;
};
Pair closest(const Scene& s) {
  Pair best;
  for (std::size_t i = 0; i < s.rows; ++i)
    for (std::size_t j = 0; j < s.cols; ++j)
      if (of_pair(s, s.out.corners, i, j) > of_pair(s, s.out.corners, best.a, best.b)) best = {i, j};
  return best;
}

/// What the map shows, as far as random directions tell: do the largest directions of both matrices overlap?
std::string title(const Scene& s) {
  if (s.empty()) return say("title.none");
  const NullRange random = range_of(s.out.random_corner.data);
  if (s.difference || !random.known())
    return say("title.overlap", {{"a", listed(s.out.names_a)}, {"b", listed(s.out.names_b)}});
  const Pair best = closest(s);
  const double most = of_pair(s, s.out.corners, best.a, best.b);
  const std::string form = s.single() ? "one" : "pairs";
  return say(most > kClearly * random.most ? "title." + form + "_above" : "title." + form + "_none",
             {{"a", short_name(s.out.names_a[best.a])},
              {"b", short_name(s.out.names_b[best.b])},
              {"overlap", overlap_text(most)},
              {"most", overlap_text(random.most)},
              {"n", std::to_string(s.rows * s.cols)}});
}

/// ", where the largest of as many random ones is 0.007 on average"
std::string beside_random(const Scene& s) {
  const NullRange random = range_of(s.out.random_corner.data);
  if (!random.known() || s.difference) return {};
  return say(
      "summary.random",
      {{"mean", overlap_text(random.mean)}, {"most", overlap_text(random.most)}, {"n", std::to_string(random.seeds)}});
}

std::string summary(const Scene& s) {
  if (s.empty()) return say("summary.none");
  const Pair best = closest(s);
  return say(s.single() ? "summary.single" : "summary.pairs",
             {{"a", short_name(s.out.names_a[best.a])},
              {"b", short_name(s.out.names_b[best.b])},
              {"overlap", overlap_text(of_pair(s, s.out.corners, best.a, best.b))},
              {"random", beside_random(s)}});
}

std::vector<figure::Note> notes(const Scene& s) {
  using Kind = figure::Note::Kind;
  std::vector<figure::Note> out{{Kind::text, say("note.directions")},
                                {Kind::equation, "overlap(i, j) = (aᵢ · bⱼ)²,  Σⱼ overlap(i, j) = 1"}};
  if (!s.empty() && s.chance() > 0)
    out.push_back({Kind::text, say(range_of(s.out.random_corner.data).known() ? "note.chance_random" : "note.chance",
                                   {{"dimensions", to_fixed(1 / s.chance(), 0)},
                                    {"chance", overlap_text(s.chance())},
                                    {"random", overlap_text(range_of(s.out.random_corner.data).mean)}})});
  out.push_back({Kind::text, say("note.gain")});
  out.push_back({Kind::caution, say("note.caution")});
  return out;
}

/// Of a direction of one matrix alone: how much of it lies in the other's first.
figure::Reading reading_inside(const Scene& s, bool of_rows, int direction) {
  const std::vector<double> shares = shares_inside(s.out.overlap, of_rows);
  const auto i = static_cast<std::size_t>(direction - 1);
  if (i >= shares.size()) return {};
  const std::string a = short_name(s.out.names_a[0]), b = short_name(s.out.names_b[0]);
  const std::size_t others = of_rows ? s.out.overlap.cols() : s.out.overlap.rows();
  const std::string inside =
      say("reading.inside", {{"n", std::to_string(std::min(kFirst, others))}, {"in", of_rows ? b : a}});
  return {(of_rows ? a : b) + " " + say("reading.direction", {{"direction", std::to_string(direction)}}),
          {inside + "  " + percent_text(shares[i], 2)}};
}

figure::Reading reading(const figure::Reading&, const protocol::Result& result, const ParamValues&,
                        const ViewState& view) {
  const Scene s = read(result);
  const Focus& f = view.focus;
  const int a = f.at("a"), b = f.at("b");
  figure::Reading r;
  if (s.empty() || (a < 1 && b < 1)) return r;
  if (a < 1 || b < 1) return s.single() && !s.difference ? reading_inside(s, a >= 1, std::max(a, b)) : r;
  const auto line = [&](std::size_t i, std::size_t j, const std::string& what) {
    const double value = value_at(s, i, j, a, b);
    if (std::isnan(value)) return;
    const std::string times = against_chance(s, value);
    r.lines.push_back(what + "  " + overlap_text(value) + (times.empty() ? "" : ", " + times));
  };
  const int i = f.at("matrix_a"), j = f.at("matrix_b");
  const bool one = i >= 0 && j >= 0 && static_cast<std::size_t>(i) < s.rows && static_cast<std::size_t>(j) < s.cols;
  if (s.single())
    line(0, 0, say("colour.square"));
  else if (one)
    line(static_cast<std::size_t>(i), static_cast<std::size_t>(j), say(s.pool > 1 ? "reading.mean" : "colour.square"));
  else
    for (std::size_t k = 0; k < s.rows * s.cols; ++k)
      line(k / s.cols, k % s.cols, pair_name(s, k / s.cols, k % s.cols));
  if (r.lines.empty()) return r;
  const auto which = [&](const Texts& names, int matrix, int direction) {
    const bool known = s.single() || one;
    return (known ? short_name(names[s.single() ? 0 : static_cast<std::size_t>(matrix)]) + " " : std::string()) +
           say("reading.direction", {{"direction", std::to_string(direction)}});
  };
  r.title = which(s.out.names_a, i, a) + " × " + which(s.out.names_b, j, b);
  return r;
}

figure::Figure view(const protocol::Result& result, const ParamValues&) {
  const Scene s = read(result);
  figure::Figure f;
  f.title = title(s), f.subtitle = subtitle(s), f.summary = summary(s);
  if (s.empty() || s.single()) {
    lay_single(s, f);
    f.lead = headline(s);
  } else {
    lay_grid(s, f);
  }
  f.notes = notes(s);
  f.tables = {pairs_table(s)};
  if (s.empty() || s.single()) f.tables.push_back(strongest(s));
  std::size_t rows = 0, cols = 0;
  for (std::size_t i = 0; i < s.rows; ++i) rows = std::max(rows, extent_of(s, i, 0).rows);
  for (std::size_t j = 0; j < s.cols; ++j) cols = std::max(cols, extent_of(s, 0, j).cols);
  f.down = {"a", 1, static_cast<int>(rows)}, f.across = {"b", 1, static_cast<int>(cols)};
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, reading}; }

}  // namespace helix::studies::subspace_overlap
