#include <limits>

#include "protocol/result.h"
#include "tests/support.h"

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

}  // namespace

TEST_CASE("a difference is one result less the other, array by array and number by number", "[protocol][difference]") {
  const Result a = result_of({1, -kInf, 3, kNan});
  Result b = result_of({0.25, -kInf, 5, 1});
  b.scalars[0].value = 0.125;
  b.words[0].data = {"the", "cat"};
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
  CHECK(d->words[0].data == std::vector<std::string>{"the", "a / cat"});
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
  other = a, other.arrays.clear();
  refused(other, "only one side has cells");
  other = a, other.arrays.push_back(a.arrays[0]), other.arrays[1].name = "more";
  refused(other, "only one side has more");
  other = a, other.study = "another";
  refused(other, "another");
}
