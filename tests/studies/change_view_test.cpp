// What a comparison by difference shows, for every study: no number that is no quantity is subtracted, and no sentence
// speaks of a difference as if it were a result.
#include "studies/change_view.h"
#include "base/text.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "figure/layout.h"
#include "studies/registry_compute.h"
#include "studies/registry_view.h"
#include "studies/tables_view.h"
#include "tests/figure/drawings.h"
#include "tests/studies/golden.h"
#include "tests/support.h"

namespace change_view_test {

using namespace helix;
using namespace helix::testing;
using protocol::Result;
using studies::Sides;
using studies::ViewStudy;

namespace {

const ViewStudy& study_named(std::string_view id) {
  const ViewStudy* study = studies::find_view_study(id);
  REQUIRE(study);
  return *study;
}

/// The same result with every quantity larger by a tenth and a bit, and one entry fewer in every list.
Result changed(const StudySchema& schema, Result result) {
  for (auto& scalar : result.scalars)
    if (schema.output(scalar.name)->role == Role::quantity) scalar.value = scalar.value * 1.1 + 0.01;
  for (auto& array : result.arrays)
    if (schema.output(array.name)->role == Role::quantity)
      for (double& x : array.data) x = x * 1.1 + 0.01;
  return result;
}

figure::Figure figure_of(const ViewStudy& study, const Result& now, const Result& other, const Result& change) {
  return figure_of_change(study, {now, other, change, "Without positions", "As it is"}, now.params);
}

OutputSpec spec_of(const char* unit, int digits) {
  OutputSpec spec;
  spec.name = "x", spec.unit = unit, spec.digits = digits;
  return spec;
}

}  // namespace

TEST_CASE("a change of a symbol does not begin with a capital", "[change]") {
  const studies::ComputeStudy& compute = *studies::find_compute_study("qk_symmetry");
  const Result now = golden(compute), other = changed(compute.schema, now);
  const auto change = protocol::difference(compute.schema, now, other);
  REQUIRE(change);
  CHECK(figure_of(study_named("qk_symmetry"), now, other, *change).title.starts_with("d(M, Mᵀ) of the chosen head: "));
}

TEST_CASE("no study subtracts a key, a label, a setting or coordinates", "[contract][change]") {
  for (const studies::ComputeStudy& compute : studies::compute_studies()) {
    CAPTURE(compute.schema.id);
    const Result now = golden(compute), other = changed(compute.schema, now);
    const auto change = protocol::difference(compute.schema, now, other);
    if (!compute.schema.no_difference.empty()) {
      REQUIRE(!change);
      CHECK(change.error().sentence.ends_with("."));
      continue;
    }
    REQUIRE(change);
    bool any = false;
    for (const OutputSpec& spec : compute.schema.outputs) {
      CAPTURE(spec.name);
      const protocol::Array *a = now.array(spec.name), *d = change->array(spec.name);
      if (a && spec.role != Role::quantity) CHECK(d->data == a->data);
      if (const protocol::Scalar* s = now.scalar(spec.name); s && spec.role != Role::quantity)
        CHECK((change->scalar(spec.name)->value == s->value || std::isnan(s->value)));
      if (spec.role == Role::quantity && now.scalar(spec.name))
        any = any || std::isfinite(change->scalar(spec.name)->value);
    }
    CHECK(any);
  }
}

TEST_CASE("every study's change has words of its own, and both sides' numbers", "[contract][change]") {
  for (const studies::ComputeStudy& compute : studies::compute_studies()) {
    if (!compute.schema.no_difference.empty()) continue;
    CAPTURE(compute.schema.id);
    const ViewStudy& study = study_named(compute.schema.id);
    const Result now = golden(compute), other = changed(compute.schema, now);
    const auto change = protocol::difference(compute.schema, now, other);
    REQUIRE(change);
    const figure::Figure f = figure_of(study, now, other, *change);
    CHECK(f.title != study.view(now, now.params).title);
    CHECK(f.title != study.view(*change, now.params).title);
    for (const figure::Panel& panel : study.view(now, now.params).panels)  // what changes is said
      if (const figure::Panel* shown = f.find(panel.id); shown && !panel.title.empty()) {
        CAPTURE(panel.id);
        CHECK(shown->title != "change");
      }
    CHECK(f.title.find("→") != std::string::npos);
    CHECK(f.title.find("nan") == std::string::npos);
    CHECK(f.subtitle.find("“As it is” to “Without positions”") != std::string::npos);
    CHECK(f.summary.ends_with("."));
    REQUIRE(!f.tables.empty());
    for (const figure::Panel& panel : f.panels) {
      figure::Page page;
      page.width = 1000, page.height = 700;
      CAPTURE(panel.id);
      layout(f, ViewState(), page);
    }
    // The same result on both sides: nothing changes, and the figure says so.
    const auto none = protocol::difference(compute.schema, now, now);
    REQUIRE(none);
    CHECK(figure_of(study, now, now, *none).title.starts_with("Nothing changes"));
  }
}

TEST_CASE("the leading number of a change is both sides' and their difference", "[change]") {
  const studies::ComputeStudy& compute = *studies::find_compute_study("position_norms");
  Result now = golden(compute), other = now;
  const auto mean = [](Result& r) -> double& {
    return std::ranges::find(r.scalars, "mean", &protocol::Scalar::name)->value;
  };
  mean(now) = 2.5010, mean(other) = 3.3901;
  const auto change = protocol::difference(compute.schema, now, other);
  REQUIRE(change);
  const figure::Figure f = figure_of(study_named("position_norms"), now, other, *change);
  CHECK(f.title == "Mean norm: 3.3901 → 2.5010 (−0.8891)");
}

TEST_CASE("what is of another token is a change, and no number is made of it", "[change]") {
  const studies::ComputeStudy& compute = *studies::find_compute_study("averaged_positions");
  const Result now = golden(compute);
  Result other = now;
  std::ranges::find(other.arrays, "token", &protocol::Array::name)->data[0] += 1;
  std::ranges::find(other.scalars, "answer_group", &protocol::Scalar::name)->value += 0.2;
  const auto change = protocol::difference(compute.schema, now, other);
  REQUIRE(change);
  const figure::Figure f = figure_of(study_named("averaged_positions"), now, other, *change);
  CHECK(!f.title.starts_with("Nothing changes"));
  CHECK(f.title.ends_with("(no change)"));  // of what leads the study
  CHECK(f.lead.number == "no change");
}

TEST_CASE("a list of the other side's own entries is said to be one side's", "[change]") {
  const studies::ComputeStudy& compute = *studies::find_compute_study("collisions");
  const Result now = golden(compute);
  Result other = now;
  for (auto& words : other.words)
    for (std::string& text : words.data) text += "x";
  const auto change = protocol::difference(compute.schema, now, other);
  REQUIRE(change);
  const ViewStudy& study = study_named("collisions");
  const figure::Figure f = figure_of(study, now, other, *change);
  CHECK(
      std::ranges::any_of(f.panels, [](const figure::Panel& p) { return p.title.starts_with("Without positions: "); }));
}

TEST_CASE("the name of a text is not put in quotation marks twice", "[change]") {
  const studies::ComputeStudy& compute = *studies::find_compute_study("permutation");
  const Result now = golden(compute), other = changed(compute.schema, now);
  const auto change = protocol::difference(compute.schema, now, other);
  REQUIRE(change);
  const Sides sides{now, other, *change, "“The cat”", "“A “dog””"};
  CHECK(studies::change_subtitle(sides) == "From “A “dog”” to “The cat”.");
  const figure::Figure f = figure_of_change(study_named("permutation"), sides, now.params);
  CHECK(f.subtitle == "From “A “dog”” to “The cat”. Rings, and lines on bars, are “A “dog””.");
}

TEST_CASE("changes are written with their sign, in points for shares, and never rounded to nothing", "[change]") {
  CHECK(studies::change_text(spec_of("fraction", 2), 0.1092) == "+10.92 points");
  CHECK(studies::change_text(spec_of("", 4), -0.8891) == "−0.8891");
  CHECK(studies::change_text(spec_of("", 4), 0) == "no change");
  CHECK(studies::change_text(spec_of("", 4), std::nan("")) == "–");
  CHECK(studies::change_text(spec_of("", 2), 1e-7) == "+1.0·10⁻⁷");
  CHECK(studies::change_text(spec_of("", 2), 1e-16) == "no change");
  CHECK(studies::value_text(spec_of("", 4), std::nan("")) == "undefined");
  CHECK(studies::value_text(spec_of("fraction", 1), 0.1234) == "12.3 %");
}

TEST_CASE("predictions are compared token by token over the likeliest of both sides", "[predictions][change]") {
  const ViewStudy& study = study_named("predictions");
  Result now, other;
  now.study = other.study = "predictions";
  now.params = other.params = defaults(study.schema);
  const auto fill = [](Result& r, std::vector<double> ids, std::vector<double> p, std::vector<std::string> texts) {
    const std::size_t n = ids.size();
    r.arrays = {{"probability", {n}, {"rank"}, "fraction", std::move(p), 1},
                {"logit", {n}, {"rank"}, "", std::vector<double>{3, 1}, 1},
                {"token", {n}, {"rank"}, "", std::move(ids), 1}};
    r.words = {{"text", "rank", std::move(texts)}, {"bytes", "rank", std::vector<std::string>(n, "20")}};
    r.scalars = {{"entropy_bits", 2, "bits", ""}};
  };
  fill(now, {1374, 270}, {0.5, 0.2}, {" table", " m"});
  fill(other, {270, 4314}, {0.25, 0.1}, {" m", " floor"});
  const auto change = protocol::difference(study.schema, now, other);
  REQUIRE(change);
  const Sides sides{now, other, *change, "Head 4.2 off", "As it is"};
  const figure::Figure f = figure_of_change(study, sides, now.params);
  CHECK(f.title == "“ table” takes the place of “ m” as the likeliest next token: < 10.00 % → 50.00 %");
  const figure::Table& table = f.tables[0];
  // The largest change first: what a side does not list has at most as much as the last one that it lists.
  CHECK(table.columns[0].texts == std::vector<std::string>{" table", " floor", " m"});
  CHECK(table.columns[2].texts == std::vector<std::string>{"50.00 %", "< 20.00 %", "20.00 %"});
  CHECK(table.columns[3].texts == std::vector<std::string>{"< 10.00 %", "10.00 %", "25.00 %"});
  CHECK(table.columns[4].texts == std::vector<std::string>{"–", "–", "−5.00 points"});
  REQUIRE(table.columns.size() == 7);
  CHECK(table.columns[5].name == "logit less that of “ m”, Head 4.2 off");
  CHECK(table.columns[5].values[0] == 2);
  CHECK(std::isnan(table.columns[6].values[0]));
  CHECK(table.columns[6].values[2] == 0);
  CHECK(f.lead.lines.back() == "KL divergence: at least 0.397 nats");  // by a grid over what the lists leave open
  ViewState view;
  view.focus = {{"item", 2}};
  const figure::Reading r = reading_of_change(study, sides, now.params, view);
  CHECK(r.title == "“ m”");
  CHECK(r.lines[2] == "change  −5.00 points");
  const auto none = protocol::difference(study.schema, now, now);
  const figure::Figure same = figure_of_change(study, {now, now, *none, "A", "B"}, now.params);
  CHECK(same.title == "Nothing changes: “ table” has 50.00 % on both sides");
}

TEST_CASE("a change of a share is read in points, wherever one points", "[change]") {
  for (const ViewStudy& study : studies::view_studies()) {
    CAPTURE(study.schema.id);
    const Result now = golden(*studies::find_compute_study(study.schema.id));
    const auto change = protocol::difference(study.schema, now, changed(study.schema, now));
    if (!change) continue;  // a study that is not subtracted
    std::set<std::string> in_percent;
    for (const figure::Hit& hit : drawn(study.view(*change, now.params), 1280).hits) {
      for (int step = 0; step < 3; ++step) {
        ViewState view;
        for (const Place& place : places_of(hit, step)) view.focus.set(place.axis, place.index);
        if (view.focus.nothing()) continue;
        for (const std::string& line : study.reading(*change, now.params, view).lines)
          if (line.find(" %") != std::string::npos && line.find("points") == std::string::npos) in_percent.insert(line);
      }
    }
    CHECK(in_percent == std::set<std::string>());
  }
}

TEST_CASE("a change of a norm is not called so many standard deviations of another change", "[change]") {
  const ViewStudy& study = study_named("position_norms");
  Result now = golden(*studies::find_compute_study("position_norms"));
  for (const auto& [name, value] : std::map<std::string, double>{{"mean", 3}, {"std", 2}, {"min", 1}, {"max", 9}})
    for (auto& scalar : now.scalars)
      if (scalar.name == name) scalar.value = value;
  ViewState view;
  view.focus.set("position", 3);
  const auto compared = [&] {
    const std::vector<std::string> lines = study.reading(now, now.params, view).lines;
    return std::ranges::any_of(lines, [](const std::string& l) { return l.find("the mean") != std::string::npos; });
  };
  CHECK(compared());
  now.difference = true;
  CHECK_FALSE(compared());
}

TEST_CASE("where the pointer is, a change is said of what changed and of nothing else", "[change]") {
  const ViewStudy& study = study_named("attention_sink");
  const studies::ComputeStudy& compute = *studies::find_compute_study("attention_sink");
  const Result now = golden(compute);
  Result other = now;
  for (auto& array : other.arrays)
    if (array.name == "by_layer")
      for (double& share : array.data) share = 0.5 * share + 0.01;
  const auto change = protocol::difference(compute.schema, now, other);
  REQUIRE(change);
  ViewState view;
  view.focus.set("layer", 0);
  const auto lines =
      reading_of_change(study, {now, other, *change, "Without positions", "As it is"}, now.params, view).lines;
  CHECK(study.reading(*change, now.params, view).lines.size() == 2);
  const auto changes =
      std::ranges::count_if(lines, [](const std::string& line) { return line.starts_with("change: "); });
  CHECK(changes == 1);
  CHECK(lines.back().starts_with("change: to the first token  "));
  CHECK(lines.back().ends_with(" points"));
}

}  // namespace change_view_test
