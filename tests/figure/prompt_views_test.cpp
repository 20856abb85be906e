// The views of a prompt, on results made by hand: their texts, and that they draw any result.
#include <algorithm>
#include <string>
#include <tuple>

#include "base/utf8.h"
#include "figure/svg.h"
#include "figure/table.h"
#include "studies/registry_view.h"
#include "tests/figure/drawings.h"
#include "tests/figure/xml_check.h"

namespace prompt_views_test {

using namespace helix;
using namespace helix::testing;
using protocol::Result;

namespace {

const std::vector<std::string> kWords{"The", " cat", " sat", " on", " the", " mat", ",", "\n", " \xE2\x82"};

Result base(const studies::ViewStudy& study, std::size_t n) {
  Result r;
  r.study = study.schema.id, r.params = defaults(study.schema);
  for (std::size_t i = 0; i < n; ++i)
    r.tokens.push_back({static_cast<std::int32_t>(100 + i), kWords[i % kWords.size()]});
  return r;
}

/// A head that attends to the previous token; the first token attends to itself.
Result attention(const studies::ViewStudy& study, std::size_t n) {
  Result r = base(study, n);
  protocol::Array pattern{"pattern", {n, n}, {"query", "key"}, "", std::vector<double>(n * n, 0.0)};
  for (std::size_t q = 0; q < n; ++q) {
    for (std::size_t k = 0; k <= q; ++k) pattern.data[q * n + k] = 0.1 / static_cast<double>(q + 1);
    pattern.data[q * n + (q ? q - 1 : 0)] += 0.9;
  }
  protocol::Array previous{"previous_by_head", {2, 3}, {"layer", "head"}, "fraction", {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}};
  r.arrays = {pattern, previous};
  r.scalars = {{"previous", 0.91, "fraction", ""},
               {"self", 0.03, "fraction", ""},
               {"first", 0.05, "fraction", ""},
               {"induction", std::nan(""), "fraction", ""},
               {"even_previous", 0.2, "fraction", ""},
               {"even_self", 0.2, "fraction", ""},
               {"even_first", 0.2, "fraction", ""},
               {"even_induction", 0.1, "fraction", ""},
               {"repeats", 0, "tokens", ""}};
  return r;
}

Result predictions(const studies::ViewStudy& study, std::size_t n) {
  Result r = base(study, 5);
  protocol::Array p{"probability", {n}, {"rank"}, "fraction", {}}, logit = p, token = p;
  logit.name = "logit", token.name = "token";
  protocol::Words text{"text", "rank", {}};
  for (std::size_t i = 0; i < n; ++i) {
    p.data.push_back(0.5 / static_cast<double>(i + 1)), logit.data.push_back(-30 - static_cast<double>(i));
    token.data.push_back(static_cast<double>(2603 + i)),
        text.data.push_back(shown_bytes(kWords[(i + 5) % kWords.size()]));
  }
  r.arrays = {p, logit, token}, r.words = {text};
  r.scalars = {{"entropy_nats", 2.5, "nats", ""},
               {"entropy_bits", 3.607, "bits", ""},
               {"listed", 0.9, "fraction", ""},
               {"position", 4, "position", ""}};
  return r;
}

Focus at_cell(int query, int key, bool locked = false) { return {{{"query", query}, {"key", key}}, locked}; }

figure::Figure view_of(const studies::ViewStudy& study, const Result& result) {
  return study.view(result, defaults(study.schema));
}

figure::Reading reading_of(const studies::ViewStudy& study, const Result& result, const Focus& focus) {
  return study.reading(result, defaults(study.schema), focused(focus));
}

figure::Plot plot_of(const figure::Figure& f, const char* id) {
  const figure::Panel* panel = f.find(id);
  REQUIRE(panel);
  const auto* plot = std::get_if<figure::Plot>(&panel->content);
  REQUIRE(plot);
  return *plot;
}

template <class Mark>
Mark mark_of(const figure::Plot& plot) {
  REQUIRE(!plot.marks.empty());
  const auto* found = std::get_if<Mark>(&plot.marks.front());
  REQUIRE(found);
  return *found;
}

void draw(const studies::ViewStudy& study, const Result& result, const ViewState& state = {}) {
  const figure::Figure f = view_of(study, result);
  CHECK(!f.title.empty());
  check_sentence(f.summary);
  for (const float width : {752.0f, 362.0f}) {
    const figure::Drawing d = drawn(f, width, state);
    check_sane(d);
    const std::string svg = figure::to_svg(d, f.title, f.summary);
    CHECK(helix::testing::xml_problem(svg).empty());
    CHECK(!says_nan(svg));
  }
  for (const auto& table : f.tables) CHECK(figure::to_csv(table).ends_with("\r\n"));
}

const studies::ViewStudy& study(const char* id) {
  const studies::ViewStudy* found = studies::find_view_study(id);
  if (!found) SKIP("the study is not registered");
  return *found;
}

}  // namespace

TEST_CASE("a head that an edit switches off is said to be off, and struck out on the map; another one has its factor",
          "[figure][view]") {
  const auto& s = study("attention");
  Result r = attention(s, 9);
  using Marked = std::vector<std::tuple<int, int, std::string>>;
  const auto marked = [&] {
    Marked heads;
    const figure::Plot plot = plot_of(view_of(s, r), "heads");
    for (const figure::Tag& tag : std::get<figure::Cells>(plot.marks.at(0)).tags)
      heads.emplace_back(tag.row, tag.col, tag.text);
    return heads;
  };
  CHECK(marked().empty());
  r.edits = {"ablate_head:1.2", "scale_head:0.1:3", "no_mask"};
  figure::Figure f = view_of(s, r);
  CHECK(f.subtitle.find("switched off") == std::string::npos);  // head 0.0 is shown
  CHECK(marked() == Marked{{1, 2, ""}, {0, 1, "×3"}});
  r.edits = {"scale_head:0.0:0", "ablate_head:0.0"};
  f = view_of(s, r);
  CHECK(f.subtitle.starts_with("Head 0.0 is switched off by an edit"));
  CHECK(f.summary.find("Head 0.0 is switched off by an edit") != std::string::npos);
  CHECK(f.title.ends_with(", with 2 edits"));
  CHECK(marked() == Marked{{0, 0, ""}});
  draw(s, r);
}

TEST_CASE("the attention view says what a head does and gives every cell", "[figure][view]") {
  const auto& s = study("attention");
  const Result r = attention(s, 9);
  const figure::Figure f = view_of(s, r);
  CHECK(f.title == "Head 0.0 attends to the previous token: 91.0 %");
  CHECK(f.summary.find("91.0 %") != std::string::npos);
  const figure::Reading reading = reading_of(s, r, at_cell(5, 4, true));
  CHECK(reading.title == "layer 0, head 0");
  CHECK(reading.lines.front() == "query 5 “ mat” → key 4 “ the”");
  CHECK(reading.lines.back() == "attention  0.9167");
  const figure::Plot map = plot_of(f, "pattern");
  CHECK(map.y.names[1] == "·cat");
  CHECK(map.y.names[7] == "¶");
  REQUIRE(map.colour);
  CHECK(map.colour->missing == "masked");
  const auto cells = mark_of<figure::Cells>(map).cells;
  CHECK((*cells.front())(0, 1) == 0);
  CHECK((*cells.front())(1, 0) > 200);
  const figure::Table& cells_of_map = over(f, {"query", "key"});
  CHECK(cells_of_map.columns.size() == 1 + 9);
  CHECK(figure::cell(cells_of_map.columns[0], 5) == "query 5 ·mat");
  CHECK(cells_of_map.columns[1 + 4].name == "key 4 ·the");
  CHECK(figure::cell(cells_of_map.columns[1 + 4], 5) == "0.9167");
  CHECK(figure::row_count(over(f, {"layer", "head"})) == 2);
}

TEST_CASE("the attention view names a habit only where the numbers show it", "[figure][view]") {
  const auto& s = study("attention");
  const auto title = [&](double previous, double induction, double repeats, std::vector<std::string> edits = {}) {
    Result r = attention(s, 9);
    r.params = values_of(s.schema, {{"layer", "1"}, {"head", "2"}});
    for (auto& scalar : r.scalars)
      if (scalar.name == "previous")
        scalar.value = previous;
      else if (scalar.name == "induction")
        scalar.value = induction;
      else if (scalar.name == "repeats")
        scalar.value = repeats;
    r.edits = std::move(edits);
    return view_of(s, r).title;
  };
  CHECK(title(0.3, std::nan(""), 0) == "No dominant pattern in head 1.2");
  CHECK(title(0.485, std::nan(""), 0) == "Head 1.2 attends to the previous token: 48.5 %");
  CHECK(title(0.1, 0.94, 8) == "Head 1.2 attends to what followed the same token earlier (induction): 94.0 %");
  CHECK(title(0.1, 0.94, 1) == "No dominant pattern in head 1.2");  // one repeated token is not enough for induction
  CHECK(title(0.9, 0.5, 8) == "Head 1.2 attends to the previous token: 90.0 %");
  CHECK(title(0.3, 0, 0, {"zero_positions"}) == "No dominant pattern in head 1.2, with 1 edit");
  CHECK(title(0.3, 0, 0, {"zero_positions", "ablate_head:0.1"}) == "No dominant pattern in head 1.2, with 2 edits");
}

TEST_CASE("the attention view writes percent into its cells", "[figure][view]") {
  const auto& s = study("attention");
  const figure::Figure f = view_of(s, attention(s, 9));
  const auto cells = mark_of<figure::Cells>(plot_of(f, "pattern"));
  REQUIRE(cells.numbers.size() == 81);
  CHECK(std::abs(cells.numbers[5 * 9 + 4] - 91.67f) < 0.01f);
  CHECK(std::isnan(cells.numbers[4 * 9 + 5]));  // masked
  const auto map = mark_of<figure::Cells>(plot_of(f, "heads"));
  CHECK(map.numbers == std::vector<float>{10, 20, 30, 40, 50, 60});
  CHECK(has_label(block_of(drawn(f, 1248, 620), "pattern"), "92"));
  CHECK(has_label(block_of(drawn(f, 1248, 620), "heads"), "60"));
}

TEST_CASE("all heads as small pictures are a tile a head", "[figure][view]") {
  const auto& s = study("attention");
  Result r = attention(s, 9);
  REQUIRE(set_value(s.schema, r.params, "grid", "pictures", true));
  r.arrays.push_back({"heads", {2, 3, 9, 9}, {"layer", "head", "query", "key"}, "fraction", {}});
  r.arrays.back().data.assign(2 * 3 * 81, 0.5);
  const figure::Figure f = view_of(s, r);
  const auto tiles = mark_of<figure::Cells>(plot_of(f, "heads"));
  CHECK(tiles.down_axis == "layer");
  CHECK(tiles.across_axis == "head");
  const figure::Drawing d = drawn(f, 1248, 620);
  CHECK(block_of(d, "heads").layers.front().images.size() == 6);
}

TEST_CASE("a line's end is a sign in a title", "[figure][view]") {
  const auto& s = study("predictions");
  Result r = predictions(s, 3);
  r.words[0].data[0] = shown_bytes("\n"), r.provenance.model = "minihelix";
  CHECK(view_of(s, r).title == "minihelix predicts “⏎” (50.00 %)");
  r.edits = {"ablate_head:4.4"};
  CHECK(view_of(s, r).title == "minihelix predicts “⏎” (50.00 %), with 1 edit");
  CHECK(view_of(s, r).summary.find(", with 1 edit, is “") != std::string::npos);
}

TEST_CASE("heads that are pointed at or chosen", "[figure][view]") {
  const auto& s = study("attention");
  const Result r = attention(s, 9);
  const figure::Reading head = reading_of(s, r, {{"layer", 1}, {"head", 2}});
  CHECK(head.title == "layer 1, head 2");
  CHECK(head.lines == std::vector<std::string>{"to the previous token  0.6000"});
  CHECK(reading_of(s, r, {{"layer", 7}, {"head", 2}}).title.empty());
  const figure::Plot grid = plot_of(view_of(s, r), "heads");
  CHECK(grid.chosen == std::vector<Place>{{"layer", 0}, {"head", 0}});
  REQUIRE(grid.gestures.size() == 3);  // a click chooses; two acts remove and double
  CHECK(grid.gestures[0].effect == figure::Gesture::Effect::set);
  CHECK(grid.gestures[0].text == "layer={layer}&head={head}");
}

TEST_CASE("the difference of two patterns has a scale with zero in its middle", "[figure][view]") {
  const auto& s = study("attention");
  Result r = attention(s, 9);
  CHECK(!plot_of(view_of(s, r), "pattern").colour->range.diverging);
  r.difference = true;
  for (double& x : r.arrays[0].data) x = -x;
  const auto range = plot_of(view_of(s, r), "pattern").colour->range;
  CHECK(range.diverging);
  CHECK(range.low == -range.high);
  draw(s, r);
}

TEST_CASE("a matrix of changes names its tokens only where both sides have them", "[figure][view]") {
  const auto& s = study("attention");
  const Result now = attention(s, 9);
  Result other = now;
  const auto heading = [&] {
    const auto change = protocol::difference(s.schema, now, other);
    REQUIRE(change);
    const figure::Figure f = studies::figure_of_change(s, {now, other, *change, "Now", "Before"}, defaults(s.schema));
    for (const figure::Table& table : f.tables)
      for (const auto& column : table.columns)
        if (column.name.starts_with("key 4")) return column.name;
    return std::string();
  };
  CHECK(heading() == "key 4 ·the");
  other.tokens[4].bytes = " a";
  CHECK(heading() == "key 4");
}

TEST_CASE("a long prompt's table names the keys that matter", "[figure][view]") {
  const auto& s = study("attention");
  const figure::Figure f = view_of(s, attention(s, 100));
  const figure::Table& t = f.tables[1];
  CHECK(figure::row_count(t) == 100);
  CHECK(t.columns.size() == 2 + 9);
  CHECK(figure::cell(t.columns[2], 50) == "49");
  CHECK(figure::cell(t.columns[1], 1) == " cat");
}

TEST_CASE("what there is to say of the focus is of this result alone", "[figure][view]") {
  struct Said {
    const char* study;
    Focus focus;
    const char* title;
  };
  const std::vector<Said> all{{"attention", {{"position", 3}}, "position 3 “ on”"},
                              {"attention", at_cell(5, 2), "layer 0, head 0"},
                              {"attention", at_cell(500, 2), ""},
                              {"attention", at_cell(5, 9), ""},
                              {"attention", {{"item", 3}}, ""},
                              {"predictions", {{"position", 3}}, "position 3 “ on”"},
                              {"predictions", {{"item", 2}}, "rank 3 “\\n”"},
                              {"predictions", {{"item", 10}}, ""},
                              {"predictions", at_cell(2, 1), ""},
                              {"tokens", {{"position", 500}}, ""}};
  for (const Said& said : all) {
    const auto& s = study(said.study);
    const Result r = std::string(said.study) == "attention" ? attention(s, 9) : predictions(s, 10);
    CAPTURE(said.study, said.title);
    CHECK(reading_of(s, r, said.focus).title == said.title);
    CHECK(reading_of(s, r, {}).title.empty());
  }
}

TEST_CASE("predictions are bars, words and numbers", "[figure][view]") {
  const auto& s = study("predictions");
  const Result r = predictions(s, 10);
  const figure::Figure f = view_of(s, r);
  CHECK(f.title.find("“ mat”") != std::string::npos);
  CHECK(f.title.find("50.00 %") != std::string::npos);
  CHECK(f.subtitle.find("position 4 “ the”") != std::string::npos);
  CHECK(reading_of(s, r, {{{"item", 0}}, true}).lines.front() == "probability  0.500000");
  const figure::Plot plot = plot_of(f, "next");
  CHECK(plot.y.names.front() == "·mat");
  CHECK(mark_of<figure::Bars>(plot).texts.front() == "50.00 %");
  const std::string csv = figure::to_csv(over(f, {"rank"}));
  CHECK(csv.starts_with("rank,"));
  CHECK(csv.find("\r\n1,2603, mat,") != std::string::npos);
  CHECK(csv.find(",0.5,-30\r\n") != std::string::npos);
}

TEST_CASE("the views of a prompt draw whatever comes", "[figure][view]") {
  const auto& a = study("attention");
  const auto& p = study("predictions");
  const auto& t = study("tokens");
  for (const auto* s : {&a, &p, &t}) draw(*s, Result());
  for (const std::size_t n : {1u, 2u, 64u, 65u, 300u}) draw(a, attention(a, n));
  ViewState state;
  state.show({"query", 5, 900}), state.show({"key", 3, 4}), state.focus = at_cell(7, 3, true);
  draw(a, attention(a, 30), state);
  for (const double value : {std::nan(""), HUGE_VAL, -HUGE_VAL, 0.0}) {
    Result broken = attention(a, 9), other = predictions(p, 9);
    for (Result* r : {&broken, &other}) {
      for (auto& array : r->arrays) array.data.assign(array.data.size(), value);
      for (auto& scalar : r->scalars) scalar.value = value;
    }
    draw(a, broken, state);
    draw(p, other, state);
  }
  Result few = attention(a, 9);
  few.tokens.resize(2);
  draw(a, few, state);
  few.params = values_of(a.schema, {{"stage", "scores"}});
  draw(a, few, state);
}

}  // namespace prompt_views_test
