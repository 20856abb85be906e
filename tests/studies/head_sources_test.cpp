#include "studies/head_sources/head_sources.h"

#include <cmath>

#include "figure/svg.h"
#include "studies/registry_view.h"
#include "tests/figure/drawings.h"
#include "tests/noise_model.h"
#include "tests/sentence_check.h"

namespace head_sources_test {

using namespace helix;
using namespace helix::testing;
using Catch::Approx;
using protocol::Result;

namespace {

constexpr TinySizes kSizes{3, 32, 4, 24, 40};
const std::vector<std::int32_t> kTokens{5, 30, 12, 7, 33, 21, 5, 30, 12, 7, 33, 21};

studies::Inputs runnable(const std::function<void(Tensors&)>& change = {}) {
  studies::Inputs inputs = runnable_model(kSizes, change);
  inputs.subject.tokens = kTokens;
  return inputs;
}

/// Head 0.2 writes into the directions that head 2.1's keys read, and the other heads of its layer nothing.
void plant(Tensors& t) {
  const std::size_t d = kSizes.d_model, dh = d / kSizes.n_head;
  auto& out = t.at("h.0.attn.c_proj.weight");
  const auto& reads = t.at("h.2.attn.c_attn.weight");
  for (std::size_t a = 0; a < dh; ++a)
    for (std::size_t i = 0; i < d; ++i) out[(2 * dh + a) * d + i] = 4 * reads[i * 3 * d + d + dh + a];
}

const std::vector<double>& data(const Result& result, const char* name) { return result.array(name)->data; }
double number(const Result& result, const char* name) { return result.scalar(name)->value; }

std::size_t largest(const std::vector<double>& values) {
  return static_cast<std::size_t>(std::ranges::max_element(values) - values.begin());
}

const Given kHead{{"layer", "2"}, {"head", "1"}};
Given with(Given given, const std::string& key, const std::string& value) {
  given.emplace_back(key, value);
  return given;
}

}  // namespace

TEST_CASE("the parts add up to the lead, through keys and queries, for every target", "[head_sources]") {
  const studies::Inputs inputs = runnable();
  for (const char* target : {"most", "previous", "induction", "first", "self"}) {
    std::vector<double> leads;
    for (const char* through : {"keys", "queries"}) {
      INFO(target << " through " << through);
      const auto result = run_study("head_sources", inputs, with(with(kHead, "target", target), "through", through));
      REQUIRE(result);
      double sum = 0, most = 0;
      for (const char* name : {"contribution", "part"})
        for (const double x : data(*result, name)) sum += x, most = std::max(most, std::abs(x));
      leads.push_back(number(*result, "lead"));
      CHECK(std::abs(sum - leads.back()) <= 1e-4 * most);
      CHECK(number(*result, "residual_error") == Approx(std::abs(sum - leads.back()) / most).margin(1e-12));
      CHECK(data(*result, "contribution").size() == 8);
      CHECK(data(*result, "ablated").size() == 8);
      CHECK(result->words_of("parts")->data ==
            std::vector<std::string>{"tokens", "positions", "MLP 0", "MLP 1", "biases"});
    }
    CHECK(leads[0] == Approx(leads[1]).epsilon(1e-4));  // one lead, taken apart in two ways
  }
}

TEST_CASE("a head that writes where another reads is found; without it none stands out", "[head_sources]") {
  const auto planted = run_study("head_sources", runnable(plant), kHead),
             noise = run_study("head_sources", runnable(), kHead);
  REQUIRE(planted);
  REQUIRE(noise);
  const auto ceiling = [](const Result& r, const char* name) { return std::ranges::max(data(r, name)); };
  CHECK(largest(data(*planted, "k_composition")) == 2);
  CHECK(number(*planted, "composition") > 2 * ceiling(*planted, "random_composition"));
  CHECK(number(*noise, "composition") < 1.6 * ceiling(*noise, "random_composition"));
  CHECK(std::abs(data(*planted, "contribution")[2]) > 3 * std::abs(data(*noise, "contribution")[2]));
  CHECK(data(*planted, "random_strongest").size() == 20);
}

TEST_CASE("where nothing else answers, a removal takes what the direct path gives", "[head_sources]") {
  // Layer 1 adds nothing, no MLP either, and LayerNorm's scales are frozen: only the direct path is left.
  const auto quiet = [](Tensors& t) {
    for (auto& [name, values] : t)
      if (name.starts_with("h.1.attn.c_proj") || name.find("mlp.c_proj") != std::string::npos)
        std::ranges::fill(values, 0.0f);
  };
  studies::Inputs inputs = runnable(quiet);
  for (const bool frozen : {true, false}) {
    if (frozen) inputs.subject.edits = {{"freeze_norms", true}};
    if (!frozen) inputs.subject.edits.clear();
    for (const char* through : {"keys", "queries"}) {
      const auto result =
          run_study("head_sources", inputs, with(with(kHead, "target", "previous"), "through", through));
      REQUIRE(result);
      const auto &added = data(*result, "contribution"), &lost = data(*result, "ablated");
      double apart = 0, most = 0;
      for (std::size_t i = 0; i < 4; ++i)
        apart = std::max(apart, std::abs(lost[i] - added[i])), most = std::max(most, std::abs(added[i]));
      CHECK((apart < 1e-4 * most) == frozen);  // without the edit LayerNorm answers
      for (std::size_t i = 4; i < 8; ++i) CHECK(std::abs(added[i]) + std::abs(lost[i]) < 1e-6);
      if (frozen) CHECK(number(*result, "agreement") == Approx(1).epsilon(1e-6));
    }
  }
}

TEST_CASE("one query, edits, and targets that do not exist", "[head_sources]") {
  const studies::Inputs inputs = runnable();
  const auto one = run_study("head_sources", inputs, with(with(kHead, "target", "previous"), "query", "4"));
  REQUIRE(one);
  CHECK(number(*one, "queries") == 1);
  const auto none = run_study("head_sources", inputs, with(with(kHead, "target", "induction"), "query", "4"));
  REQUIRE(none);
  CHECK(std::isnan(number(*none, "lead")));
  CHECK(none->scalar("lead")->note == "this query has no such key");
  const auto beyond = run_study("head_sources", inputs, with(kHead, "query", "12"));
  REQUIRE(!beyond);
  CHECK(beyond.error().sentence == "There is no position 12; the last one is 11.");
  studies::Inputs edited = inputs;
  edited.subject.edits = {{"scale_attn:1:3", true}};
  const auto result = run_study("head_sources", edited, kHead);
  REQUIRE(result);
  CHECK(result->words_of("parts")->data.back() == "edits");
  CHECK(std::isnan(number(*result, "residual_error")));
  double sum = 0;
  for (const char* name : {"contribution", "part"})
    for (const double x : data(*result, name)) sum += x;
  CHECK(sum == Approx(number(*result, "lead")));
  CHECK(std::abs(data(*result, "part").back()) > 1e-4);  // two thirds of what layer 1 adds, beyond any rounding
}

TEST_CASE("without a network the weights alone are shown, and the reason is said", "[head_sources]") {
  studies::Inputs inputs = noise_model(kSizes, plant);
  inputs.no_network = "This model lacks wte.weight.";
  const auto result = run_study("head_sources", inputs, kHead);
  REQUIRE(result);
  CHECK(result->notes.front() == "This model lacks wte.weight. Shown is what the weights alone say.");
  CHECK(largest(data(*result, "k_composition")) == 2);
  CHECK(result->scalar("lead")->note == "no text ran");
  const auto f = studies::find_view_study("head_sources")->view(*result, result->params);
  CHECK(f.title.starts_with("By weights, head 0.2 composes most with head 2.1: 0."));
  CHECK(f.panels.size() == 1);
  const auto lacking = run_study("head_sources", noise_model(kSizes, {}, "h.1.attn.c_proj.weight"), kHead);
  REQUIRE(!lacking);
  CHECK(lacking.error().sentence.find("h.1.attn.c_proj.weight") != std::string::npos);
  CHECK(!run_study("head_sources", runnable(), {{"layer", "3"}}));
  CHECK(!run_study("head_sources", runnable(), {{"head", "4"}}));
}

TEST_CASE("a first picture has the direct path; the second run costs no pass", "[head_sources]") {
  studies::Inputs inputs = runnable();
  std::vector<Result> pictures;
  inputs.on_first_picture = [&](Result r) { pictures.push_back(std::move(r)); };
  const auto first = run_study("head_sources", inputs, kHead);
  REQUIRE(first);
  REQUIRE(pictures.size() == 1);
  CHECK(!pictures[0].complete);
  CHECK(pictures[0].array("contribution")->data == first->array("contribution")->data);
  CHECK(pictures[0].array("ablated")->data.empty());
  const auto again = run_study("head_sources", inputs, kHead);
  REQUIRE(again);
  CHECK(again->array("ablated")->data == first->array("ablated")->data);
}

TEST_CASE("the figure's words follow its numbers, and it draws gaps", "[head_sources]") {
  const studies::ViewStudy& view = *studies::find_view_study("head_sources");
  auto result = run_study("head_sources", runnable(plant), kHead);
  REQUIRE(result);
  const auto figure = [&] { return view.view(*result, result->params); };
  auto& strongest = const_cast<protocol::Scalar&>(*result->scalar("strongest"));
  strongest.value = 1e6;
  CHECK(figure().title.find(" feeds head 2.1 most: 1000000.00 of its lead of ") != std::string::npos);
  strongest.value = -1;
  CHECK(figure().title == "No earlier head stands out in what head 2.1 reads");
  const auto first_layer = run_study("head_sources", runnable(), {{"layer", "0"}});
  REQUIRE(first_layer);
  CHECK(view.view(*first_layer, first_layer->params).title == "No head comes before head 0.0");
  for (const double broken : {std::nan(""), HUGE_VAL, -HUGE_VAL, 0.0})
    for (std::size_t k = 0; k < result->arrays.size(); ++k) {
      Result other = *result;
      std::ranges::fill(other.arrays[k].data, broken);
      const auto f = view.view(other, other.params);
      for (const float width : {1280.0f, 390.0f}) check_sane(drawn(f, width, 700, ViewState()));
      CHECK(!says_nan(f.title + f.subtitle + f.summary));
    }
  ViewState state;
  state.focus = {{"layer", 0}, {"head", 2}};
  const auto reading = view.reading(*result, result->params, state);
  CHECK(reading.title == "head 0.2");
  CHECK(reading.lines.size() == 5);
  CHECK(reading.lines.back().starts_with("with W_QK  "));
  state.focus = {{"source", 3}};  // after all heads, the tokens and the positions
  CHECK(view.reading(*result, result->params, state).title == "MLP 0");
}

TEST_CASE("composition with the W_QK of several heads", "[head_sources]") {
  const auto one = run_study("head_sources", runnable(plant), kHead),
             three = run_study("head_sources", runnable(plant), with(kHead, "others", "2.0 2.3")),
             earlier = run_study("head_sources", runnable(plant), with(kHead, "others", "1.2"));
  REQUIRE(one);
  REQUIRE(three);
  REQUIRE(earlier);
  CHECK(number(*one, "readers") == 1);
  CHECK(largest(data(*one, "readers_composition")) == 2);
  CHECK(number(*one, "readers_largest") > 1.5 * std::ranges::max(data(*one, "random_readers")));
  CHECK(number(*three, "readers") == 3);
  CHECK(data(*three, "readers_composition")[2] < data(*one, "readers_composition")[2]);  // the planted head reads alone
  CHECK(std::isfinite(data(*earlier, "readers_composition")[3]));
  CHECK(std::isnan(data(*earlier, "readers_composition")[4]));
  for (const char* wrong : {"5", "a.b", "2.-1", "1.2.3"}) {
    const auto refused = run_study("head_sources", runnable(), with(kHead, "others", wrong));
    REQUIRE(!refused);
    check_sentence(refused.error(), "names no head");
  }
  REQUIRE(!run_study("head_sources", runnable(), with(kHead, "others", "9.0")));
}

}  // namespace head_sources_test
