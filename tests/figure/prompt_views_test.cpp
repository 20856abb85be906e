// The views of a prompt, on results made by hand: what they say, and that they draw whatever comes.
#include <algorithm>

#include "base/utf8.h"
#include "figure/layout.h"
#include "figure/svg.h"
#include "figure/table.h"
#include "studies/registry_view.h"
#include "tests/figure/xml_check.h"
#include "tests/support.h"

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

/// A head that looks at the token before; the first looks at itself.
Result attention(const studies::ViewStudy& study, std::size_t n) {
  Result r = base(study, n);
  protocol::Array pattern{"pattern", {n, n}, {"query", "key"}, "", std::vector<double>(n * n, 0.0)};
  for (std::size_t q = 0; q < n; ++q) {
    for (std::size_t k = 0; k <= q; ++k) pattern.data[q * n + k] = 0.1 / static_cast<double>(q + 1);
    pattern.data[q * n + (q ? q - 1 : 0)] += 0.9;
  }
  const std::size_t cells = std::min<std::size_t>(n, 24);
  protocol::Array heads{"heads",
                        {2, 3, cells, cells},
                        {"layer", "head", "query", "key"},
                        "fraction",
                        std::vector<double>(6 * cells * cells, 0.25)};
  protocol::Array previous{"previous_by_head", {2, 3}, {"layer", "head"}, "fraction", {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}};
  r.arrays = {pattern, heads, previous};
  r.scalars = {{"previous", 0.91, "fraction", ""},
               {"self", 0.03, "fraction", ""},
               {"first", 0.05, "fraction", ""},
               {"pooled", static_cast<double>((n + 23) / 24), "tokens", ""}};
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

void draw(const studies::ViewStudy& study, const Result& result, const ViewState& state = {}) {
  const figure::Figure f = study.view(result, defaults(study.schema), state);
  CHECK(!f.title.empty());
  check_sentence(f.summary);
  for (const float width : {752.0f, 362.0f}) {
    figure::Page page;
    page.width = width, page.height = figure::preferred_height(f, width);
    const std::string svg = figure::to_svg(figure::layout(f, page), f.title, f.summary);
    CHECK(helix::testing::xml_problem(svg).empty());
    CHECK(svg.find("nan") == std::string::npos);
  }
  for (const auto& table : f.tables) CHECK(figure::to_csv(table).ends_with("\r\n"));
}

const studies::ViewStudy& study(const char* id) {
  const studies::ViewStudy* found = studies::find_view_study(id);
  if (!found) SKIP("the study is not registered");
  return *found;
}

}  // namespace

TEST_CASE("the attention view says what a head does and gives every cell", "[figure][view]") {
  const auto& s = study("attention");
  const Result r = attention(s, 9);
  ViewState state;
  state.focus = Focus::at_cell(5, 4, true);
  const figure::Figure f = s.view(r, defaults(s.schema), state);
  CHECK(f.title == "Head 0.0 looks at the token before");
  CHECK(f.summary.find("91.0 %") != std::string::npos);
  CHECK(f.reading.title == "layer 0, head 0");
  CHECK(f.reading.lines.front() == "query 5 “ mat” → key 4 “ the”");
  CHECK(f.reading.lines.back() == "attention  0.9167");
  const auto* map = figure::content_of<figure::Heatmap>(f);
  REQUIRE(map);
  CHECK(map->row_labels[1] == "·cat");
  CHECK(map->row_labels[7] == "¶");
  CHECK(map->masked);
  CHECK((*map->cells.front())(0, 1) == 0);
  CHECK((*map->cells.front())(1, 0) > 200);
  REQUIRE(f.tables.size() == 3);
  CHECK(f.tables[1].columns.size() == 2 + 9);
  CHECK(figure::cell(f.tables[1].columns[2 + 4], 5) == "0.9167");
  CHECK(figure::row_count(f.tables[2]) == 2);
}

TEST_CASE("a long prompt's table names the keys that matter", "[figure][view]") {
  const auto& s = study("attention");
  const figure::Figure f = s.view(attention(s, 100), defaults(s.schema), {});
  const figure::Table& t = f.tables[1];
  CHECK(figure::row_count(t) == 100);
  CHECK(t.columns.size() == 2 + 9);
  CHECK(figure::cell(t.columns[2], 50) == "49");
  CHECK(figure::cell(t.columns[1], 1) == " cat");
}

TEST_CASE("the part of a view that follows the focus is the same alone", "[figure][view]") {
  for (const char* id : {"attention", "predictions", "tokens"}) {
    const auto& s = study(id);
    REQUIRE(s.reading);
    const Result r = std::string(id) == "attention" ? attention(s, 9) : predictions(s, 10);
    for (const Focus& focus :
         {Focus(), Focus{3, true}, Focus::at_cell(5, 2), Focus::at_cell(500, 2), Focus::at_item(3)}) {
      ViewState state;
      state.focus = focus;
      figure::Figure whole = s.view(r, defaults(s.schema), state);
      const figure::Reading alone = s.reading(r, state);
      CHECK(alone.title == whole.reading.title);
      CHECK(alone.lines == whole.reading.lines);
    }
  }
}

TEST_CASE("predictions are bars, words and numbers", "[figure][view]") {
  const auto& s = study("predictions");
  ViewState state;
  state.focus = Focus::at_item(0, true);
  const figure::Figure f = s.view(predictions(s, 10), defaults(s.schema), state);
  CHECK(f.title.find("“ mat”") != std::string::npos);
  CHECK(f.title.find("50.00 %") != std::string::npos);
  CHECK(f.subtitle.find("position 4 “ the”") != std::string::npos);
  CHECK(f.reading.lines.front() == "probability  0.500000");
  const auto* bars = figure::content_of<figure::Bars>(f);
  REQUIRE(bars);
  CHECK(bars->bars.front().label == "·mat");
  CHECK(
      figure::to_csv(f.tables[0]).starts_with("rank,token,id,probability (fraction),logit\r\n1, mat,2603,0.5,-30\r\n"));
}

TEST_CASE("the views of a prompt draw whatever comes", "[figure][view]") {
  const auto& a = study("attention");
  const auto& p = study("predictions");
  const auto& t = study("tokens");
  for (const auto* s : {&a, &p, &t}) draw(*s, Result());
  for (const std::size_t n : {1u, 2u, 64u, 65u, 300u}) draw(a, attention(a, n));
  ViewState state;
  state.region = {5, 900, 3, 4}, state.focus = Focus::at_cell(7, 3, true);
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
