// A text longer than the model's context, or than the window that was asked for.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "studies/head_taxonomy/claims.h"
#include "studies/head_taxonomy/head_taxonomy.h"
#include "studies/registry_view.h"
#include "tests/figure/drawings.h"
#include "tests/studies/planted_heads.h"

namespace head_taxonomy_windows_test {

using namespace helix;
using namespace helix::testing;

namespace {

using Shape = std::vector<std::size_t>;

/// 160 ids on a model that reads 64: three windows. Heads see positions in the first one alone if `loud`.
studies::Inputs long_text(bool loud) {
  studies::Inputs inputs = planted_heads(1);
  inputs.subject.tokens.clear();
  for (std::int32_t i = 0; i < 160; ++i) inputs.subject.tokens.push_back(i * 13 % 50 + (loud && i >= 64 ? 200 : 0));
  return inputs;
}

protocol::Result run(const studies::Inputs& inputs, const Given& given = {}) {
  auto result = run_study("head_taxonomy", inputs, given);
  REQUIRE(result);
  return std::move(*result);
}

figure::Figure figure_of(const protocol::Result& result, const Given& given = {}) {
  const studies::ViewStudy& study = *studies::find_view_study("head_taxonomy");
  ParamValues values = result.params;
  for (const auto& [key, value] : given) REQUIRE(set_value(study.schema, values, key, value, true));
  return study.view(result, values);
}

figure::Reading reading_of(const protocol::Result& result, Focus focus) {
  return studies::find_view_study("head_taxonomy")->reading(result, result.params, focused(std::move(focus)));
}

double at(const protocol::Result& r, const char* name, std::size_t i) { return r.array(name)->data.at(i); }

template <class Mark>
std::size_t count_of(const figure::Figure& f, const char* panel) {
  const auto& marks = std::get<figure::Plot>(f.find(panel)->content).marks;
  return static_cast<std::size_t>(
      std::ranges::count_if(marks, [](const figure::Mark& m) { return std::holds_alternative<Mark>(m); }));
}

}  // namespace

TEST_CASE("a text longer than the context runs in windows: means over them, and the smallest and largest of one",
          "[head_taxonomy]") {
  const studies::Inputs inputs = long_text(true);
  const protocol::Result all = run(inputs);
  CHECK(all.tokens.size() == 160);
  CHECK(all.scalar("windows")->value == 3);
  CHECK(all.scalar("window")->value == 64);
  CHECK(all.provenance.convention.starts_with("160 tokens in 3 windows of 64, no BOS, "));
  std::vector<protocol::Result> each;
  for (const std::size_t first : {0u, 64u, 96u}) {  // the last one ends with the text
    studies::Inputs one = inputs;
    one.subject.tokens = {inputs.subject.tokens.begin() + static_cast<std::ptrdiff_t>(first),
                          inputs.subject.tokens.begin() + static_cast<std::ptrdiff_t>(first) + 64};
    each.push_back(run(one));
    CHECK(each.back().scalar("windows")->value == 1);
  }
  const auto check = [&](const char* name, std::size_t i, double least, double most) {
    CAPTURE(name, i);
    const std::vector<double> single{at(each[0], name, i), at(each[1], name, i), at(each[2], name, i)};
    CHECK(std::abs(at(all, name, i) - (single[0] + single[1] + single[2]) / 3) < 1e-12);
    CHECK(std::abs(least - std::ranges::min(single)) < 1e-7);  // diagonals are kept in float32
    CHECK(std::abs(most - std::ranges::max(single)) < 1e-7);
  };
  REQUIRE(all.array("least")->shape == Shape{7, 1, 4});
  const char* const metrics[] = {"previous", "self", "first", "induction", "duplicate", "entropy", "ratio"};
  for (std::size_t k = 0; k < 7; ++k)
    for (std::size_t head = 0; head < 4; ++head)
      check(metrics[k], head, at(all, "least", k * 4 + head), at(all, "most", k * 4 + head));
  REQUIRE(all.array("diagonal_most")->shape == Shape{1, 4, 63});
  for (std::size_t i = 0; i < 4 * 63; ++i)
    check("mean_diagonal", i, at(all, "diagonal_least", i), at(all, "diagonal_most", i));
}

TEST_CASE("a head that looks back in one window alone is told from one that does so in all", "[head_taxonomy][view]") {
  const protocol::Result once = run(long_text(true)), always = run(long_text(false));
  CHECK(once.array("window_heads")->data == std::vector<double>{1, 0, 0});
  CHECK(once.array("in_windows")->data == std::vector<double>{1, 0, 0, 0});
  CHECK(once.scalar("previous_token_heads")->value == 1);
  CHECK(once.scalar("every_window")->value == 0);
  CHECK(always.array("window_heads")->data == std::vector<double>{1, 1, 1});
  CHECK(always.scalar("every_window")->value == 1);
  const figure::Figure f = figure_of(once);
  CHECK(f.title == "1 of 4 heads attends most to the previous token, but not in every one of 3 windows");
  CHECK(figure_of(always).title == "1 of 4 heads attends most to the previous token, in every one of 3 windows");
  CHECK(f.subtitle.find("over 160 tokens in 3 windows of 64. ") != std::string::npos);
  CHECK(f.subtitle.find("from the smallest to the largest of a window") != std::string::npos);
  check_sentence(f.summary);
  const figure::Reading head = reading_of(once, {{"layer", 0}, {"head", 0}});
  CHECK(head.lines.back() == "previous-token head in 1 of 3 windows");
  CHECK(head.lines[head.lines.size() - 2].ends_with(" % over 3 windows"));
  CHECK(reading_of(once, {{"lag", 1}}).lines.back().starts_with("windows  0.0"));
  for (const protocol::Claim& claim : once.claims) {
    CAPTURE(claim.convention);
    CHECK((claim.id != "T5" || claim.convention.find("; in the 3 single windows 0 to 1;") != std::string::npos));
  }
}

TEST_CASE("the spread is drawn where there is more than one window, and only there", "[head_taxonomy][view]") {
  const protocol::Result once = run(long_text(true)), whole = run(planted_heads(40));
  const figure::Figure spread = figure_of(once), plain = figure_of(whole);
  CHECK(count_of<figure::Area>(spread, "profile") == 1);
  CHECK(count_of<figure::Area>(plain, "profile") == 0);
  CHECK(count_of<figure::Line>(spread, "scatter") == 2);
  CHECK(count_of<figure::Line>(plain, "scatter") == 0);
  for (const char* name : {"least", "most", "window_heads", "in_windows", "diagonal_least", "range_most"})
    CHECK(whole.array(name)->data.empty());
  CHECK(plain.title == "1 of 4 heads attends most to the previous token");
  CHECK(plain.tables[0].columns.size() + 3 == spread.tables[0].columns.size());
  // The range's spread is that of the run; where the controls are ahead of it, none is drawn.
  const protocol::Result ranged = run(long_text(true), {{"metric", "lags"}, {"first_lag", "1"}, {"last_lag", "1"}});
  CHECK(std::abs(at(ranged, "range_most", 0) - at(ranged, "most", 0)) < 1e-12);
  CHECK(count_of<figure::Line>(figure_of(ranged), "scatter") == 2);
  CHECK(count_of<figure::Line>(figure_of(ranged, {{"last_lag", "2"}}), "scatter") == 1);
  for (const float width : {1000.0f, 362.0f}) check_labels(drawn(spread, width));
}

TEST_CASE("windows as long as asked for, BOS in front of each; only the last tokens if so chosen", "[head_taxonomy]") {
  studies::Inputs inputs = planted_inputs();
  inputs.subject.tokens.assign(140, 3);
  inputs.subject.bos = true;
  const protocol::Result r = run(inputs, {{"window", "41"}});
  CHECK(r.tokens.size() == 141);
  CHECK(r.scalar("windows")->value == 4);  // 40 tokens of the text in each
  CHECK(r.scalar("window")->value == 41);
  CHECK(r.provenance.convention.starts_with("141 tokens in 4 windows of 41, with BOS, "));
  inputs.subject.keep_last = true;
  const protocol::Result last = run(inputs);
  CHECK(last.scalar("windows")->value == 1);
  CHECK(last.tokens.size() == 100);
  REQUIRE(!last.notes.empty());
  CHECK(last.notes[0].find("are left out") != std::string::npos);
  const auto failed = run_study("head_taxonomy", inputs, {{"window", "2"}});
  REQUIRE(!failed);
  check_sentence(failed.error().sentence, "three tokens");
}

TEST_CASE("what others measured on whole texts is not judged on windows", "[head_taxonomy]") {
  studies::head_taxonomy::Output out;
  out.ratio = {{1, 2}, {0.1, 0.2}}, out.argmax_lag = {{1, 2}, {1, 1}}, out.previous_token_heads.value = 2;
  out.mean_diagonal = {{1, 2, 31}, std::vector<double>(62, 0.1)}, out.even = {{31}, std::vector<double>(31, 0.1)};
  out.tokens = {{0, ""}};
  for (const std::int32_t id : studies::kRandomTokens) out.tokens.push_back({id, "x"});
  out.windows.value = 1;
  CHECK(!claims(out, "a text", 30).empty());
  out.windows.value = 3;
  CHECK(claims(out, "a text", 30).empty());
}

}  // namespace head_taxonomy_windows_test
