#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "protocol/difference.h"
#include "tests/support.h"

namespace difference_test {

using namespace helix;
using namespace helix::testing;
using namespace helix::protocol;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();

Result result_of(std::vector<double> cells, std::vector<std::size_t> shape = {2, 2}) {
  Result r;
  r.study = "planted";
  r.provenance.model = "m", r.provenance.sha256 = "aa", r.provenance.convention = "centred";
  r.scalars = {{"share", 0.5, "fraction", "note"}};
  r.arrays = {{"cells", std::move(shape), {"query", "key"}, "", std::move(cells), 0}};
  r.words = {{"token", "rank", {"the", "a"}}};
  r.tokens = {{1, "a"}, {2, "b"}};
  r.claims = {{"H1", 0.91, true, {}, "centred"}};
  r.notes = {"Both say this."};
  r.fingerprint = "0011";
  return r;
}

/// A study with every role: a list by key, one by index, one by a setting, coordinates.
StudySchema planted_schema() {
  StudySchema schema;
  schema.id = "planted";
  const auto out = [&](const char* name, std::vector<std::string> axes, Role role, bool words = false) {
    OutputSpec spec;
    spec.name = name, spec.axes = std::move(axes), spec.role = role, spec.words = words;
    schema.outputs.push_back(spec);
  };
  out("share", {}, Role::quantity);
  out("row", {}, Role::setting);
  out("cells", {"query", "key"}, Role::quantity);
  out("id", {"rank"}, Role::key);
  out("probability", {"rank"}, Role::quantity);
  out("token", {"rank"}, Role::label, true);
  out("norm", {"position"}, Role::quantity);
  out("edge", {"bin"}, Role::setting);
  out("count", {"bin"}, Role::quantity);
  out("points", {"position", "component"}, Role::coordinate);
  return schema;
}

Expected<Result> difference(const Result& a, const Result& b) { return protocol::difference(planted_schema(), a, b); }

/// The result, or a failure of the test.
Result value_of(Expected<Result> result) {
  if (!result) FAIL(result.error().sentence);
  return std::move(*result);
}

Array list(const char* name, const char* axis, std::vector<double> data, long long first = 0) {
  return {name, {data.size()}, {axis}, "", data, first};
}

}  // namespace

TEST_CASE("entries with a key are matched by it, and those of one side alone have no change",
          "[protocol][difference]") {
  Result a = result_of({1, 2, 3, 4}), b = a;
  a.arrays.push_back(list("id", "rank", {1374, 270, 5}, 1));
  a.arrays.push_back(list("probability", "rank", {0.5, 0.2, 0.1}, 1));
  a.words = {{"token", "rank", {" table", " m", " c"}}};
  b.arrays.push_back(list("id", "rank", {270, 1374, 9}, 1));
  b.arrays.push_back(list("probability", "rank", {0.4, 0.25, 0.05}, 1));
  b.words = {{"token", "rank", {" m", " table", " z"}}};
  const auto d = difference(a, b);
  REQUIRE(d);
  CHECK(d->array("id")->data == std::vector<double>{1374, 270, 5, 9});  // ids are never subtracted
  const auto& p = d->array("probability")->data;
  REQUIRE(p.size() == 4);
  CHECK(p[0] == 0.25);
  CHECK(p[1] == 0.2 - 0.4);
  CHECK(std::isnan(p[2]));
  CHECK(std::isnan(p[3]));
  CHECK(d->words[0].data == std::vector<std::string>{" table", " m", " c", " z"});
}

TEST_CASE("a matrix is matched by the keys of each of its axes", "[protocol][difference]") {
  StudySchema schema = planted_schema();
  OutputSpec curves;
  curves.name = "curves", curves.axes = {"step", "rank"};
  schema.outputs.push_back(curves);
  Result a = result_of({1, 2, 3, 4}), b = a;
  a.words.clear(), b.words.clear();
  a.arrays = {list("id", "rank", {7, 9}, 1), {"curves", {2, 2}, {"step", "rank"}, "", {1, 2, 3, 4}}};
  b.arrays = {list("id", "rank", {9, 5}, 1), {"curves", {2, 2}, {"step", "rank"}, "", {0.5, 8, 1, 8}}};
  const Result changed = value_of(protocol::difference(schema, a, b));
  const Array& c = *changed.array("curves");
  REQUIRE(c.shape == std::vector<std::size_t>{2, 3});  // ids 7, 9 and 5
  CHECK((std::isnan(c.data[0]) && std::isnan(c.data[2]) && std::isnan(c.data[3]) && std::isnan(c.data[5])));
  CHECK(c.data[1] == 2 - 0.5);
  CHECK(c.data[4] == 4 - 1);
}

TEST_CASE("what is about another token on the other side is not subtracted", "[protocol][difference]") {
  StudySchema schema = planted_schema();
  for (OutputSpec& spec : schema.outputs)
    if (spec.name == "share" || spec.name == "norm" || spec.name == "cells") spec.of = "id";
  Result a = result_of({1, 2, 3, 4}), b = a;
  a.words.clear(), b.words.clear();
  a.arrays.push_back(list("id", "rank", {7, 9}, 1)), a.arrays.push_back(list("norm", "position", {3, 4}));
  b.arrays.push_back(list("id", "rank", {7, 5}, 1)), b.arrays.push_back(list("norm", "position", {1, 1}));
  b.scalars[0].value = 0.25;
  const Result same = value_of(protocol::difference(schema, a, b));
  CHECK(same.scalar("share")->value == 0.25);
  CHECK(same.array("norm")->data == std::vector<double>{2, 3});
  std::swap(b.arrays[1].data[0], b.arrays[1].data[1]);  // the first is now 5
  const Result other = value_of(protocol::difference(schema, a, b));
  CHECK(std::isnan(other.scalar("share")->value));
  CHECK(other.scalar("share")->note == "the two sides are about different tokens");
  for (const char* name : {"norm", "cells"}) {
    CAPTURE(name);
    CHECK(std::ranges::all_of(other.array(name)->data, [](double x) { return std::isnan(x); }));
  }
  // Where what leads the study is about another token, there is no difference to show.
  for (OutputSpec& spec : schema.outputs) spec.headline = spec.name == "share";
  CHECK(protocol::difference(schema, b, b));
  const auto none = protocol::difference(schema, a, b);
  REQUIRE(!none);
  CHECK(none.error().sentence ==
        "The two sides are about different tokens, so they are read beside each other, not subtracted.");
}

TEST_CASE("lists without a key are matched by their index, over the entries of both", "[protocol][difference]") {
  Result a = result_of({1, 2, 3, 4}), b = a;
  a.arrays.push_back(list("norm", "position", {5, 6, 7}, 2));
  b.arrays.push_back(list("norm", "position", {1, 2}, 1));
  const auto d = difference(a, b);
  REQUIRE(d);
  const Array& norm = *d->array("norm");
  CHECK(norm.first == 1);
  REQUIRE(norm.data.size() == 4);
  CHECK(std::isnan(norm.data[0]));
  CHECK(norm.data[1] == 3);
  CHECK(std::isnan(norm.data[2]));
}

TEST_CASE("settings and coordinates are never subtracted, nor what was counted under other settings",
          "[protocol][difference]") {
  Result a = result_of({1, 2, 3, 4}), b = a;
  a.scalars.push_back({"row", 7, "row", ""}), b.scalars.push_back({"row", 3, "row", ""});
  a.arrays.push_back(list("edge", "bin", {0, 1, 2})), a.arrays.push_back(list("count", "bin", {4, 5, 6}));
  b.arrays.push_back(list("edge", "bin", {0, 2, 4})), b.arrays.push_back(list("count", "bin", {1, 1, 1}));
  a.arrays.push_back({"points", {1, 2}, {"position", "component"}, "", {1, 2}});
  b.arrays.push_back({"points", {1, 2}, {"position", "component"}, "", {-1, 2}});
  const auto d = difference(a, b);
  REQUIRE(d);
  CHECK(d->scalar("row")->value == 7);
  CHECK(d->array("points")->data == std::vector<double>{1, 2});
  for (const double x : d->array("count")->data) CHECK(std::isnan(x));  // other bins
  b.arrays[1].data = {0, 1, 2};
  CHECK(difference(a, b)->array("count")->data == std::vector<double>{3, 4, 5});
}

TEST_CASE("an export carries both sides and the change", "[protocol][difference]") {
  Result a = result_of({1, 2, 3, 4}), b = result_of({1, 1, 1, 1});
  a.scalars.push_back({"row", 7, "row", ""}), b.scalars.push_back({"row", 3, "row", ""});
  const auto d = difference(a, b);
  REQUIRE(d);
  const Result all = together(planted_schema(), a, b, &*d);
  CHECK(all.difference);
  CHECK(all.array("cells")->data[3] == 4);
  CHECK(all.array("against_cells")->data[3] == 1);
  CHECK(all.array("change_cells")->data[3] == 3);
  CHECK(all.scalar("against_row")->value == 3);
  CHECK(all.scalar("change_row") == nullptr);
  CHECK(!together(planted_schema(), a, b).difference);
}

TEST_CASE("a study can say why its results are not subtracted", "[protocol][difference]") {
  StudySchema schema = planted_schema();
  schema.no_difference = "These are words, and are read beside each other.";
  const Result a = result_of({1, 2, 3, 4});
  const auto d = protocol::difference(schema, a, a);
  REQUIRE(!d);
  CHECK(d.error().sentence == schema.no_difference);
}

TEST_CASE("a difference is one result less the other, array by array and number by number", "[protocol][difference]") {
  const Result a = result_of({1, -kInf, 3, kNan});
  Result b = result_of({0.25, -kInf, 5, 1});
  b.scalars[0].value = 0.125;
  b.notes = {"Both say this.", "Only one says this."};
  b.complete = false;
  const auto d = difference(a, b);
  REQUIRE(d);
  CHECK(d->difference);
  CHECK(!a.difference);
  CHECK(d->arrays[0].shape == a.arrays[0].shape);
  CHECK(d->arrays[0].axes == a.arrays[0].axes);
  CHECK(d->arrays[0].data[0] == 0.75);
  CHECK(d->arrays[0].data[1] == 0);  // masked on both sides: nothing changed
  CHECK(d->arrays[0].data[2] == -2);
  CHECK(std::isnan(d->arrays[0].data[3]));
  CHECK(d->scalars[0].value == 0.375);
  CHECK(d->scalars[0].unit == "fraction");
  CHECK(d->claims.empty());
  CHECK(d->notes.size() == 2);
  CHECK(!d->complete);
  CHECK(d->tokens == a.tokens);
  CHECK(d->provenance.convention == "centred");
  CHECK(d->provenance.others.empty());
  CHECK(d->fingerprint != a.fingerprint);
}

TEST_CASE("a result less itself is nothing", "[protocol][difference]") {
  const Result a = result_of({1, -kInf, kInf, -0.5});
  const auto d = difference(a, a);
  REQUIRE(d);
  CHECK(d->arrays[0].data == std::vector<double>{0, 0, 0, 0});
  CHECK(d->scalars[0].value == 0);
}

TEST_CASE("two models or conventions are both named", "[protocol][difference]") {
  const Result a = result_of({1, 2, 3, 4});
  Result b = a;
  b.provenance.model = "other", b.provenance.sha256 = "bb", b.provenance.convention = "not centred";
  b.provenance.others = {{"m", "aa", "", {}}, {"third", "cc", "", {}}};
  const auto d = difference(a, b);
  REQUIRE(d);
  CHECK(d->provenance.model == "m");
  REQUIRE(d->provenance.others.size() == 2);
  CHECK(d->provenance.others[0].model == "other");
  CHECK(d->provenance.others[1].model == "third");
  CHECK(d->provenance.convention == "centred less not centred");
}

TEST_CASE("numbers of 32 bits stay such only where both sides have them", "[protocol][difference]") {
  Result a = result_of({0.1, 2, 3, 4}), b = result_of({0.3, 2, 3, 4});
  for (Result* r : {&a, &b}) r->arrays[0].type = NumberType::f32, round_to_f32(r->arrays[0].data);
  auto d = difference(a, b);
  REQUIRE(d);
  CHECK(d->arrays[0].type == NumberType::f32);
  CHECK(d->arrays[0].data[0] == static_cast<float>(d->arrays[0].data[0]));
  b.arrays[0].type = NumberType::f64;
  d = difference(a, b);
  REQUIRE(d);
  CHECK(d->arrays[0].type == NumberType::f64);
}

TEST_CASE("what does not fit is said in one sentence", "[protocol][difference]") {
  const Result a = result_of({1, 2, 3, 4});
  const auto refused = [&](const Result& b, const char* part) {
    const auto d = difference(a, b);
    REQUIRE(!d);
    check_sentence(d.error().sentence, part);
  };
  refused(result_of({1, 2, 3, 4, 5, 6}, {2, 3}), "cells is 2 × 2 (query × key) on one side and 2 × 3");
  Result other = a;
  other.arrays[0].axes[1] = "head";
  refused(other, "query × head");
  other = a, other.arrays[0].first = 7;
  refused(other, "begins at query 0 on one side and at 7");
  other = a, other.study = "another";
  refused(other, "another");
}

}  // namespace difference_test
