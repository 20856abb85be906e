#include "studies/attention_sink/attention_sink.h"

#include <cmath>

#include "studies/registry_view.h"
#include "tests/figure/drawings.h"
#include "tests/noise_model.h"

namespace attention_sink_test {

using namespace helix;
using namespace helix::testing;
using Catch::Approx;
using protocol::Result;

namespace {

constexpr TinySizes kSizes{4, 32, 4, 24, 40};
constexpr std::size_t kDimension = 9;

studies::Inputs runnable(const std::function<void(Tensors&)>& change = {}) {
  studies::Inputs inputs = runnable_model(kSizes, change);
  inputs.subject.tokens = {5, 30, 12, 7, 33, 21, 15, 3, 17, 39, 28, 21};
  return inputs;
}

/// Position 0 lies far along one dimension; through it the keys of every head meet the bias of its queries, beside which the
/// tokens' own queries are small. The gain of ln_1 is small there.
void plant(Tensors& t) {
  const std::size_t d = kSizes.d_model;
  t.at("wpe.weight")[kDimension] = 40;
  for (std::size_t l = 0; l < kSizes.n_layer; ++l) {
    const std::string layer = "h." + std::to_string(l) + ".";
    auto& w = t.at(layer + "attn.c_attn.weight");
    auto& b = t.at(layer + "attn.c_attn.bias");
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j < d; ++j) w[i * 3 * d + j] *= 0.1f;
    for (std::size_t j = 0; j < d; ++j) w[kDimension * 3 * d + d + j] = 12 * b[j];
    t.at(layer + "ln_1.weight")[kDimension] = 0.25f;
  }
}

double number(const Result& r, const char* name) { return r.scalar(name)->value; }
const std::vector<double>& data(const Result& r, const char* name) { return r.array(name)->data; }

}  // namespace

TEST_CASE("a sink that was planted is found, and goes with the bias and the position", "[attention_sink]") {
  const auto sink = run_study("attention_sink", runnable(plant)), noise = run_study("attention_sink", runnable());
  REQUIRE(sink);
  REQUIRE(noise);
  CHECK(data(*sink, "dimension").front() == kDimension);
  CHECK(number(*sink, "to_first") > 4 * number(*sink, "even"));
  CHECK(number(*noise, "to_first") < 2 * number(*noise, "even"));
  const auto& share = data(*sink, "share");
  REQUIRE(share.size() == studies::attention_sink::kRemovals);
  CHECK(share[0] == 1);
  CHECK(share[1] < 0.5);                       // no b_Q
  CHECK(share[2] == Approx(1).epsilon(1e-5));  // no b_K: the control
  CHECK(share[3] < 0.5);                       // row 1 in the place of row 0
  CHECK(share[5] < 0.5);                       // no positions
  const auto ceiling = std::ranges::max(data(*sink, "random_ratios"));
  CHECK(number(*sink, "ratio") > ceiling);
  CHECK(number(*sink, "ratio_gain") < number(*sink, "ratio"));
  CHECK(number(*noise, "ratio") < 1.6 * std::ranges::max(data(*noise, "random_ratios")));
  CHECK(number(*sink, "first_layer") == 1);  // of four: a quarter of the way, and the last but one
  CHECK(number(*sink, "last_layer") == 2);
  const auto& view = *studies::find_view_study("attention_sink");
  CHECK(view.view(*sink, sink->params).title.starts_with("The first token gets "));
  CHECK(view.view(*noise, noise->params).title.starts_with("No attention sink: the first token gets "));
}

TEST_CASE("the term is what its formula says, in the chosen dimensions and the others", "[attention_sink]") {
  Tensors t;
  const auto result = run_study("attention_sink", runnable([&](Tensors& tensors) { t = tensors; }),
                                {{"layer", "2"}, {"dimensions", "3,7,3"}});
  REQUIRE(result);
  const std::size_t d = kSizes.d_model, dh = d / kSizes.n_head;
  const auto &w = t.at("h.2.attn.c_attn.weight"), &b = t.at("h.2.attn.c_attn.bias"), &g = t.at("h.2.ln_1.weight");
  double others = 0;
  for (std::size_t i = 0; i < d; ++i) {
    double sum = 0;
    for (std::size_t h = 0; h < kSizes.n_head; ++h) {
      double u = 0;
      for (std::size_t j = h * dh; j < (h + 1) * dh; ++j) u += double(w[i * 3 * d + d + j]) * double(b[j]);
      sum += std::abs(u) / kSizes.n_head;
    }
    CHECK(data(*result, "bias_term")[i] == Approx(sum));
    CHECK(data(*result, "bias_term_gain")[i] == Approx(sum * std::abs(double(g[i]))));
    if (i != 3 && i != 7) others += sum / static_cast<double>(d - 2);
  }
  CHECK(number(*result, "others") == Approx(others));
  CHECK(data(*result, "dimension") == std::vector<double>{3, 7});
  CHECK(number(*result, "random_ratio") == Approx(1).margin(0.5));  // given dimensions are no choice of the largest
  const auto beyond = run_study("attention_sink", runnable(), {{"dimensions", "32"}});
  REQUIRE(!beyond);
  CHECK(beyond.error().sentence == "There is no dimension 32; the last one is 31.");
  CHECK(!run_study("attention_sink", runnable(), {{"layer", "4"}}));
}

TEST_CASE("without a network the weights alone; without a tensor its name", "[attention_sink]") {
  studies::Inputs inputs = noise_model(kSizes, plant);
  inputs.no_network = "This model lacks wte.weight.";
  const auto result = run_study("attention_sink", inputs);
  REQUIRE(result);
  CHECK(result->notes.front() == "This model lacks wte.weight. Shown is what the weights alone say.");
  const auto f = studies::find_view_study("attention_sink")->view(*result, result->params);
  CHECK(f.title.starts_with("|b_Q W_Kᵀ| is "));
  CHECK(f.panels.size() == 2);
  const auto lacking = run_study("attention_sink", noise_model(kSizes, {}, "h.1.attn.c_attn.bias"));
  REQUIRE(!lacking);
  CHECK(lacking.error().sentence.find("h.1.attn.c_attn.bias") != std::string::npos);
  studies::Inputs one = runnable();
  one.subject.tokens = {5};
  const auto single = run_study("attention_sink", one);
  REQUIRE(single);
  CHECK(single->scalar("to_first")->note == "needs two tokens");
}

TEST_CASE("a sink's words follow its numbers", "[attention_sink]") {
  const auto& view = *studies::find_view_study("attention_sink");
  auto result = run_study("attention_sink", runnable(plant), {{"without", "position"}});
  REQUIRE(result);
  for (auto& scalar : result->scalars) {
    if (scalar.name == "to_first") scalar.value = 0.5;
    if (scalar.name == "without") scalar.value = 0.25;
    if (scalar.name == "even") scalar.value = 0.1;
  }
  CHECK(view.view(*result, result->params).title ==
        "The first token gets 50 % of the attention, without position 0 25 %; an even share is 10 "
        "%");
  for (auto& scalar : result->scalars)
    if (scalar.name == "even") scalar.value = 0.4;
  CHECK(view.view(*result, result->params).title ==
        "No attention sink: the first token gets 50 %, an even share is 40 %");
}

}  // namespace attention_sink_test
