#include "studies/position_scores/position_scores.h"

#include <cmath>

#include "studies/claims/visits.h"
#include "studies/registry_view.h"
#include "tests/noise_model.h"

namespace position_scores_test {

using namespace helix;
using namespace helix::testing;
using Catch::Approx;
using protocol::Result;

namespace {

constexpr std::size_t kWidth = 24, kHeads = 3, kPart = 8, kPositions = 160;
constexpr TinySizes kSizes{1, kWidth, kHeads, kPositions, 60};

/// Column `out` of W_Q (part 0) or W_K (part 1) of a head, and the entry of its bias.
float& weight(Tensors& t, std::size_t part, std::size_t head, std::size_t in, std::size_t out) {
  return t.at("h.0.attn.c_attn.weight")[in * 3 * kWidth + part * kWidth + head * kPart + out];
}
float& bias(Tensors& t, std::size_t part, std::size_t head, std::size_t out) {
  return t.at("h.0.attn.c_attn.bias")[part * kWidth + head * kPart + out];
}

void silence(Tensors& t, std::size_t head) {
  for (const std::size_t part : {0, 1})
    for (std::size_t out = 0; out < kPart; ++out) {
      bias(t, part, head, out) = 0;
      for (std::size_t in = 0; in < kWidth; ++in) weight(t, part, head, in, out) = 0;
    }
}

/// Positions of which numbers 0 and 1 rise and fall with the index, and whose others stay as they are in row 0. Head 0 asks
/// for more of number 0 than of number 1, by its query bias alone; head 1 for less of it; head 2 for nothing.
void plant_ramp(Tensors& t) {
  auto& wpe = t.at("wpe.weight");
  for (std::size_t i = 0; i < kPositions; ++i) {
    for (std::size_t j = 2; j < kWidth; ++j) wpe[i * kWidth + j] = wpe[j];
    wpe[i * kWidth] = 0.02f * static_cast<float>(i), wpe[i * kWidth + 1] = -0.02f * static_cast<float>(i);
  }
  for (const std::size_t head : {0, 1, 2}) silence(t, head);
  for (const std::size_t head : {0, 1}) {
    bias(t, 0, head, 0) = head == 0 ? 30.0f : -30.0f;
    weight(t, 1, head, 0, 0) = 1, weight(t, 1, head, 1, 0) = -1;
  }
  std::ranges::fill(t.at("h.0.ln_1.weight"), 1.0f);
}

Result run_on(const studies::Inputs& inputs, const Given& values = {}) {
  auto result = run_study("position_scores", inputs, values);
  INFO((result ? "" : result.error().sentence));
  REQUIRE(result);
  return *result;
}

double value(const Result& result, const char* name) { return result.scalar(name)->value; }

const std::vector<double>& data(const Result& result, const char* name) { return result.array(name)->data; }

}  // namespace

TEST_CASE("heads that rise, fall and do neither are told apart", "[position_scores]") {
  const studies::Inputs inputs = noise_model(kSizes, plant_ramp);
  const Result r = run_on(inputs);
  CHECK(data(r, "rising_by_head") == std::vector<double>{1, 0, 0});  // equal scores do not rise
  CHECK(value(r, "rising") == 1);
  CHECK(value(r, "rising_heads") == 1);
  CHECK(r.scalar("rising")->note == "positions 50..158");
  const auto& lags = data(r, "by_lag");
  CHECK(r.array("by_lag")->first == -39);
  REQUIRE(lags.size() == 79);
  CHECK(lags[39] == 0);
  CHECK(std::ranges::is_sorted(lags));
  const Result falls = run_on(inputs, {{"head", "1"}});
  CHECK(value(falls, "rising") == 0);
  CHECK(std::ranges::is_sorted(data(falls, "by_lag"), std::greater<>()));
}

TEST_CASE("noise rises at half of the positions, as all its controls do", "[position_scores]") {
  const Result r = run_on(noise_model({1, kWidth, kHeads, 400, 60}));
  for (const double share : data(r, "rising_by_head")) CHECK(share == Approx(0.5).margin(0.1));
  for (const char* level : {"rows_rising", "walk_rising", "random_rising"}) {
    REQUIRE(data(r, level).size() == 20);
    double mean = 0;
    for (const double share : data(r, level)) mean += share / 20;
    CHECK(mean == Approx(0.5).margin(0.05));
  }
  CHECK(value(r, "along_share") == Approx(1.0 / 3).margin(0.12));
  CHECK(value(r, "outward_share") == Approx(1.0 / 3).margin(0.12));
}

TEST_CASE("a bias of the queries makes a sink; a bias of the keys changes no pattern", "[position_scores]") {
  const studies::Inputs inputs = noise_model(kSizes, plant_ramp);
  const Result with = run_on(inputs, {{"head", "1"}}), without = run_on(inputs, {{"head", "1"}, {"biases", "0"}});
  CHECK(value(with, "to_first") > 0.5);
  CHECK(value(without, "to_first") == Approx(value(without, "even")));
  CHECK(value(with, "to_first_other") == value(without, "to_first"));
  CHECK(value(without, "to_first_other") == value(with, "to_first"));
  CHECK(value(without, "previous") == Approx(value(without, "even")));
  const Result keys = run_on(noise_model(kSizes,
                                         [](Tensors& t) {
                                           plant_ramp(t);
                                           for (std::size_t out = 0; out < kPart; ++out) bias(t, 1, 1, out) = 2;
                                         }),
                             {{"head", "1"}});
  CHECK(value(keys, "rising") == value(with, "rising"));
  for (std::size_t i = 0; i < data(with, "pattern").size(); ++i)
    CHECK(data(keys, "pattern")[i] == Approx(data(with, "pattern")[i]).margin(1e-6));
  CHECK(data(keys, "score")[5] != Approx(data(with, "score")[5]));
}

TEST_CASE("maps of some queries have all keys; each row of a pattern adds up to 1", "[position_scores]") {
  const studies::Inputs inputs = noise_model(kSizes);
  const Result r = run_on(inputs, {{"first", "30"}, {"last", "69"}, {"query", "40"}});
  REQUIRE(r.array("pattern")->shape == std::vector<std::size_t>{40, 70});
  CHECK(r.array("pattern")->first == 30);
  const auto& p = data(r, "pattern");
  double first = 0, self = 0;
  for (std::size_t i = 0; i < 40; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < 70; ++j) {
      sum += p[i * 70 + j];
      if (j > 30 + i) CHECK(p[i * 70 + j] == 0);
    }
    CHECK(sum == Approx(1));
    first += p[i * 70] / 40, self += p[i * 70 + 30 + i] / 40;
  }
  CHECK(value(r, "to_first") == Approx(first));
  CHECK(value(r, "self") == Approx(self));
  for (std::size_t j = 0; j < 70; ++j) CHECK(data(r, "score")[10 * 70 + j] == Approx(data(r, "query_score")[j]));
}

TEST_CASE("all heads: their means, and a small pattern of each", "[position_scores]") {
  const studies::Inputs inputs = noise_model(kSizes);
  const Result all = run_on(inputs, {{"head", "-1"}});
  CHECK(data(all, "score").empty());
  REQUIRE(all.array("patterns")->shape == std::vector<std::size_t>{3, 40, 40});
  double rising = 0, first = 0;
  for (const char* head : {"0", "1", "2"}) {
    const Result one = run_on(inputs, {{"head", head}});
    rising += value(one, "rising") / 3, first += value(one, "to_first") / 3;
    CHECK(data(one, "rising_by_head") == data(all, "rising_by_head"));
    const auto& p = data(one, "pattern");
    double most = 0;
    for (const std::size_t i : {80, 81, 82, 83})
      for (const std::size_t j : {20, 21, 22, 23}) most = std::max(most, p[i * 160 + j]);
    CHECK(data(all, "patterns")[(static_cast<std::size_t>(*head - '0') * 40 + 20) * 40 + 5] == Approx(most));
  }
  CHECK(value(all, "rising") == Approx(rising));
  CHECK(value(all, "to_first") == Approx(first));
}

TEST_CASE("another query keeps everything else", "[position_scores]") {
  const studies::Inputs inputs = noise_model(kSizes);
  int pictures = 0;
  studies::Inputs watched = inputs;
  watched.on_first_picture = [&](Result) { ++pictures; };
  const Result before = run_on(watched, {{"query", "60"}});
  CHECK(pictures == 1);
  const std::size_t kept = inputs.store->size();
  const Result after = run_on(watched, {{"query", "61"}});
  CHECK(pictures == 1);
  CHECK(inputs.store->size() == kept);
  CHECK(data(before, "score") == data(after, "score"));
  CHECK(data(before, "query_score") != data(after, "query_score"));
  const Result end = run_on(inputs, {{"query", "9999"}});
  CHECK(value(end, "query") == 159);
  REQUIRE(end.notes.size() == 1);
  check_sentence(end.notes[0], "159");
}

TEST_CASE("what is missing is named in a sentence", "[position_scores]") {
  const auto error = [](const studies::Inputs& inputs, const Given& values = {}) {
    const auto result = run_study("position_scores", inputs, values);
    REQUIRE(!result);
    return result.error().sentence;
  };
  check_sentence(error(noise_model(kSizes), {{"head", "3"}}), "the last one is 2");
  check_sentence(error(noise_model(kSizes), {{"first", "500"}, {"last", "600"}}), "159");
  check_sentence(error(noise_model(kSizes, {}, "h.0.attn.c_attn.weight")), "c_attn");
  check_sentence(error(noise_model({1, kWidth, kHeads, 2, 60})), "three positions");
  check_sentence(error(studies::Inputs()), "open");
}

TEST_CASE("titles follow their numbers", "[position_scores]") {
  const studies::ViewStudy* view = studies::find_view_study("position_scores");
  REQUIRE(view);
  const studies::Inputs ramp = noise_model(kSizes, plant_ramp), noise = noise_model({1, kWidth, kHeads, 400, 60});
  const auto title = [&](const studies::Inputs& inputs, const Given& values) {
    const Result r = run_on(inputs, values);
    return view->view(r, r.params).title;
  };
  CHECK(title(ramp, {}) == "Head 0.0 scores the next position above the previous one, everywhere");
  CHECK(title(ramp, {{"head", "1"}}).starts_with("Head 0.1 attends to the first position: "));
  CHECK(title(ramp, {{"head", "1"}}).ends_with(", because of its query bias"));
  CHECK(title(ramp, {{"head", "-1"}}) == "1 of 3 heads score the next position above the previous one, everywhere");
  CHECK(title(noise, {{"head", "-1"}}).starts_with("No head scores "));
  CHECK(title(noise, {}).ends_with(" of positions, as chance does"));
  const Result r = run_on(ramp);
  const figure::Figure f = view->view(r, r.params);
  const auto& space = std::get<figure::Space>(f.find("helix")->content);
  // One direction varies, so the positions have no curve in three components: nothing is drawn, and nothing is said of it.
  CHECK(space.marks.empty());
  CHECK(std::isnan(value(r, "along_share")));
  const Result curved = run_on(noise, {{"query", "70"}});
  const figure::Figure g = view->view(curved, curved.params);
  const auto& marks = std::get<figure::Space>(g.find("helix")->content).marks;
  CHECK(std::ranges::count_if(marks, [](const auto& m) { return std::holds_alternative<figure::Arrow>(m); }) >= 1);
}

TEST_CASE("the claims are judged where they are stated", "[position_scores][claims]") {
  studies::claims::Params params;
  params.conventions = "T12-first";
  const auto visits = studies::claims::visits_of(params);
  REQUIRE(visits);
  CHECK(visits->size() == 3);
  const Result r = run_on(noise_model({1, 48, 6, 160, 60}), {{"head", "5"}, {"first", "50"}});
  REQUIRE(r.claims.size() == 1);
  CHECK(r.claims[0].id == "T12-first");
  CHECK(r.claims[0].here == value(r, "to_first"));
}

}  // namespace position_scores_test
