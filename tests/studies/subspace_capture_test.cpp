#include "studies/subspace_capture/subspace_capture.h"
#include "base/text.h"

#include <numeric>

#include "studies/registry_view.h"
#include "tests/noise_model.h"

namespace subspace_capture_test {

using namespace helix;
using namespace helix::testing;
using Catch::Approx;
using protocol::Result;

namespace {

constexpr TinySizes kSizes{1, 24, 3, 40, 60};

studies::Inputs inputs_of(const std::function<void(Tensors&)>& change = {}) { return noise_model(kSizes, change); }

/// wpe is large only along axes 0, 1 and 2; wte is `words` times larger along them than along the others.
studies::Inputs with_words(float words) {
  return inputs_of([&](Tensors& t) {
    for (std::size_t i = 0; i < t.at("wpe.weight").size(); ++i) t.at("wpe.weight")[i] *= i % 24 < 3 ? 30.0f : 1.0f;
    for (std::size_t i = 0; i < t.at("wte.weight").size(); ++i) t.at("wte.weight")[i] *= i % 24 < 3 ? words : 1.0f;
  });
}

Result capture_of(const studies::Inputs& inputs, std::vector<std::pair<std::string, std::string>> values) {
  auto result = run_study("subspace_capture", inputs, values);
  REQUIRE(result);
  return *result;
}

double value(const Result& result, const char* name) { return result.scalar(name)->value; }

double sum_of(const Result& r) {
  const auto& data = r.array("capture")->data;
  return std::accumulate(data.begin(), data.end(), 0.0);
}

}  // namespace

TEST_CASE("captures of a whole basis add up to k, each between 0 and 1", "[subspace_capture]") {
  const studies::Inputs inputs = inputs_of();
  for (const char* matrix : {"wte", "wpe", "q", "k", "v", "o", "fc", "mlp"})
    for (const auto& [k, centre] : {std::pair("1", "0"), std::pair("7", "1"), std::pair("24", "0")}) {
      CAPTURE(matrix, k, centre);
      const Result r = capture_of(inputs, {{"matrix", matrix}, {"k", k}, {"centre", centre}});
      REQUIRE(r.array("capture")->shape == std::vector<std::size_t>{24});
      CHECK(r.array("capture")->first == 1);
      for (const double x : r.array("capture")->data) CHECK((x > -1e-12 && x < 1 + 1e-12));
      CHECK(value(r, "total") == Approx(std::stod(k)));
      CHECK(value(r, "total") == Approx(sum_of(r)));
      CHECK(value(r, "chance") == Approx(std::stod(k) / 24));
      CHECK(value(r, "held_chance") == Approx(std::stod(k) / 24 * 6));
    }
}

TEST_CASE("the positions lie in the directions that words use least, or most, or neither", "[subspace_capture]") {
  const Result bottom = capture_of(with_words(0.05f), {{"k", "3"}}), top = capture_of(with_words(20), {{"k", "3"}}),
               neither = capture_of(with_words(1), {{"k", "3"}});
  CHECK(value(bottom, "held_last") > 2.9);
  CHECK(value(bottom, "held_first") < 0.1);
  CHECK(value(top, "held_first") > 2.9);
  CHECK(value(top, "held_last") < 0.1);
  for (const char* end : {"held_first", "held_last"}) CHECK(value(neither, end) < 2.2 * value(neither, "held_chance"));
  // The last three directions are those of the positions, and the curve shows it.
  const auto& capture = bottom.array("capture")->data;
  for (std::size_t j = 0; j < 24; ++j) CHECK(std::abs(capture[j] - (j >= 21 ? 1 : 0)) < 0.1);
}

TEST_CASE("the positions' own directions are captured up to k and not beyond", "[subspace_capture]") {
  const Result r = capture_of(inputs_of(), {{"matrix", "wpe"}, {"k", "5"}});
  for (std::size_t j = 0; j < 24; ++j) CHECK(r.array("capture")->data[j] == Approx(j < 5 ? 1 : 0).margin(1e-12));
}

TEST_CASE("a mean that words and positions share is told apart, and centring removes it", "[subspace_capture]") {
  const studies::Inputs inputs = inputs_of([](Tensors& t) {
    for (std::size_t i = 5; i < t.at("wpe.weight").size(); i += 24) t.at("wpe.weight")[i] += 9;
    for (std::size_t i = 5; i < t.at("wte.weight").size(); i += 24) t.at("wte.weight")[i] += 9;
  });
  const Result raw = capture_of(inputs, {{"k", "1"}}), centred = capture_of(inputs, {{"k", "1"}, {"centre", "1"}});
  CHECK(raw.array("capture")->data[0] > 0.99);
  CHECK(value(raw, "mean_captured") > 0.99);
  CHECK(value(raw, "mean_direction") == 1);
  CHECK(raw.array("along_mean")->data[0] > 0.99);
  CHECK(centred.array("capture")->data[0] < 0.5);
  CHECK(value(centred, "mean_captured") < 0.1);
  const Result noise = capture_of(inputs_of(), {{"k", "1"}});
  CHECK(value(noise, "mean_captured") < 0.7);
}

TEST_CASE("O2 is judged for the tokens at k = 30 alone", "[subspace_capture]") {
  const Result r = capture_of(with_words(0.05f), {});
  REQUIRE(r.claims.size() == 1);
  CHECK(r.claims[0].id == "O2");
  CHECK(r.claims[0].here == value(r, "held_last"));
  CHECK(r.claims[0].convention.find("chance") != std::string::npos);
  // k is limited to the 24 directions that exist, with a note: everything is captured, so nothing stands out.
  CHECK(r.claims[0].holds == false);
  CHECK(r.notes.front().find("only 24 directions") != std::string::npos);
  CHECK(capture_of(with_words(0.05f), {{"k", "3"}}).claims.empty());
  CHECK(capture_of(with_words(0.05f), {{"centre", "1"}}).claims.empty());
}

TEST_CASE("heads, sides and gains, and what cannot be", "[subspace_capture]") {
  const studies::Inputs inputs = inputs_of();
  CHECK(capture_of(inputs, {{"matrix", "q"}, {"head", "1"}, {"k", "3"}}).array("capture")->shape[0] == 8);
  CHECK(capture_of(inputs, {{"matrix", "o"}, {"side", "other"}, {"k", "3"}}).array("along_mean")->data.empty());
  const Result gain = capture_of(inputs, {{"matrix", "q"}, {"gain", "1"}, {"k", "3"}});
  CHECK(gain.words_of("name")->data[0] == "W_Q of layer 0, ln_1 gain folded in");
  const auto fails = [&](const std::vector<std::pair<std::string, std::string>>& values, const char* part) {
    const auto failed = run_study("subspace_capture", inputs, values);
    REQUIRE(!failed);
    check_sentence(failed.error().sentence, part);
  };
  fails({{"matrix", "o"}, {"gain", "1"}}, "gain");
  fails({{"head", "1"}}, "no heads");
  fails({{"side", "other"}}, "residual stream");
  fails({{"matrix", "fc"}, {"side", "other"}, {"layer", "3"}}, "no layer 3");
  check_sentence(run_study("subspace_capture", studies::Inputs()).error().sentence, "No model is open");
}

TEST_CASE("positions with few directions have few that count", "[subspace_capture]") {
  const Result r = capture_of(inputs_of([](Tensors& t) {
                                for (std::size_t i = 0; i < t.at("wpe.weight").size(); ++i)
                                  if (i % 24 >= 3) t.at("wpe.weight")[i] *= 1e-4f;
                              }),
                              {{"k", "8"}});
  REQUIRE(r.notes.size() == 1);
  CHECK(r.notes[0].find("first 3 directions") != std::string::npos);
}

TEST_CASE("a table that is zero, or constant and centred, has no directions to compare", "[subspace_capture]") {
  const auto constant = [](float by) {
    return inputs_of([by](Tensors& t) {
      auto& rows = t.at("wpe.weight");
      for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = by * rows[i % 24];
    });
  };
  check_sentence(run_study("subspace_capture", constant(0)).error().sentence, "wpe is zero everywhere");
  check_sentence(run_study("subspace_capture", constant(1), {{"centre", "true"}}).error().sentence,
                 "minus the mean row is zero everywhere");
  CHECK(run_study("subspace_capture", constant(1), {{"k", "1"}}));
}

TEST_CASE("the view says which end holds the positions", "[subspace_capture][view]") {
  const auto& s = *studies::find_view_study("subspace_capture");
  const Result bottom = capture_of(with_words(0.05f), {{"k", "3"}});
  CHECK(s.view(bottom, bottom.params).title.starts_with("The last 6 directions of wte hold "));
  std::vector<std::string> counted;
  const figure::Figure shown = s.view(bottom, bottom.params);
  for (const figure::Mark& mark : std::get<figure::Plot>(shown.find("capture")->content).marks)
    if (const auto* callout = std::get_if<figure::Callout>(&mark)) {
      CHECK(callout->to[0] - callout->at[0] == 5);
      counted.push_back(callout->text);
    }
  REQUIRE(counted.size() == 2);
  CHECK(counted[0] == "the last 6: " + number_text(bottom.scalar("held_last")->value, 2) + " of 3");
  CHECK(counted[1] == "the first 6: " + number_text(bottom.scalar("held_first")->value, 2) + " of 3");
  Result near = bottom;  // the last directions hold a little more than chance
  const auto set = [&](const char* name, double x) {
    std::ranges::find(near.scalars, name, &protocol::Scalar::name)->value = x;
  };
  set("held_last", 8.57), set("held_first", 7.77), set("held_chance", 7.5);
  CHECK(s.view(near, near.params).title ==
        "The last 6 directions of wte hold little more of the positions than chance: 8.57 where it is 7.50");
  set("held_last", 7.4), set("held_first", 7.3);
  CHECK(s.view(near, near.params).title == "Neither end of wte holds more of the positions than chance");
  ViewState view;
  view.focus = {{"direction", 24}};
  const figure::Reading r = s.reading(bottom, bottom.params, view);
  CHECK(r.title == "direction 24 of wte");
  CHECK(r.lines.size() == 3);
  view.focus = {{"direction", 25}};
  CHECK(s.reading(bottom, bottom.params, view).title.empty());
  CHECK(s.view(Result(), {}).title == "Positions within a matrix");
}

}  // namespace subspace_capture_test
