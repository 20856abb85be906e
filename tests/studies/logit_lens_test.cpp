#include "studies/logit_lens/logit_lens.h"

#include <cmath>

#include "studies/claims/visits.h"
#include "studies/judge_compute.h"
#include "studies/registry_view.h"
#include "tests/planted.h"

namespace logit_lens_test {

using namespace helix;
using namespace helix::testing;
using Catch::Approx;

namespace {

studies::Inputs with_tokens(std::vector<std::int32_t> tokens) {
  studies::Inputs inputs = planted_inputs();
  inputs.subject.tokens = std::move(tokens);
  return inputs;
}

const std::vector<std::int32_t> kTokens{5, 80, 33, 80, 7, 41, 9};

/// A network whose layers add nothing: every layer's readout is that of layer 0.
std::shared_ptr<model::Network> idle_network() { return network_without("c_proj"); }

}  // namespace

TEST_CASE("the last layer's readout is the model's prediction, at every position", "[logit_lens]") {
  const auto lens = run_study("logit_lens", with_tokens(kTokens));
  REQUIRE(lens);
  const auto& entropy = lens->array("entropy")->data;
  REQUIRE(lens->array("entropy")->shape == std::vector<std::size_t>{4, 7});
  double sum = 0;
  for (std::size_t i = 0; i < 7; ++i) {
    const auto next = run_study("predictions", with_tokens(kTokens), {{"position", std::to_string(i)}});
    REQUIRE(next);
    CHECK(entropy[3 * 7 + i] == next->scalar("entropy_nats")->value);
    CHECK(lens->array("top")->data[3 * 7 + i] == next->array("token")->data[0]);
    CHECK(lens->array("probability")->data[3 * 7 + i] == next->array("probability")->data[0]);
    CHECK(lens->words_of("text")->data[3 * 7 + i] == next->words_of("text")->data[0]);
    sum += entropy[3 * 7 + i];
  }
  CHECK(lens->scalar("entropy_nats")->value == entropy.back());
  CHECK(lens->scalar("entropy_bits")->value == Approx(entropy.back() / std::numbers::ln2));
  CHECK(lens->scalar("mean_entropy_nats")->value == Approx(sum / 7));
  CHECK(lens->scalar("position")->value == 6);
}

TEST_CASE("the norms differ as they say", "[logit_lens]") {
  const auto with = [](const char* norm) {
    const auto r = run_study("logit_lens", with_tokens(kTokens), {{"norm", norm}});
    REQUIRE(r);
    return r->array("entropy")->data;
  };
  const auto once = with("once"), frozen = with("frozen"), none = with("none"), twice = with("twice");
  for (std::size_t i = 0; i < 7; ++i) CHECK(frozen[21 + i] == Approx(once[21 + i]).epsilon(1e-4));
  CHECK(std::abs(frozen[0] - once[0]) > 1e-3);
  CHECK(std::abs(none.back() - once.back()) > 1e-3);
  CHECK(std::abs(twice.back() - once.back()) > 1e-3);
}

TEST_CASE("layers that add nothing change no prediction; layers that do are noticed", "[logit_lens]") {
  studies::Inputs idle = with_tokens(kTokens);
  idle.network = idle_network();
  idle.session = std::make_shared<model::Sessions>();
  const auto still = run_study("logit_lens", idle);
  REQUIRE(still);
  CHECK(still->scalar("from_layer")->value == 0);
  for (std::size_t i = 0; i < 21; ++i)
    CHECK(still->array("entropy")->data[i] == Approx(still->array("entropy")->data[i + 7]));
  const auto random = run_study("logit_lens", with_tokens(kTokens));
  REQUIRE(random);
  CHECK(random->scalar("from_layer")->value > 0);
}

TEST_CASE("another position and another precision: kept and not kept", "[logit_lens]") {
  const studies::Inputs inputs = with_tokens(kTokens);
  const auto end = run_study("logit_lens", inputs), middle = run_study("logit_lens", inputs, {{"position", "3"}});
  REQUIRE(middle);
  CHECK(middle->array("entropy")->data == end->array("entropy")->data);
  CHECK(middle->scalar("entropy_nats")->value == end->array("entropy")->data[3 * 7 + 3]);
  CHECK(inputs.store->size() == 1);
  CHECK(middle->provenance.arithmetic == "float32");  // also where nothing had to run
  const auto beyond = run_study("logit_lens", inputs, {{"position", "99"}});
  REQUIRE(beyond);
  CHECK(beyond->scalar("position")->value == 6);
  REQUIRE(beyond->notes.size() == 1);
  studies::Inputs eight = inputs;
  eight.network = model::Network::quantised(inputs.network);
  eight.session = std::make_shared<model::Sessions>();
  const auto rough = run_study("logit_lens", eight);
  REQUIRE(rough);
  CHECK(rough->array("entropy")->data != end->array("entropy")->data);
}

TEST_CASE("F20 has a row for each norm and each unit", "[logit_lens][claims]") {
  studies::claims::Params params;
  params.conventions = "F20";
  const auto visits = studies::claims::visits_of(params);
  REQUIRE(visits);
  CHECK(visits->size() == 4);
  const auto table = run_study("claims", planted_inputs(), {{"conventions", "F20"}});
  REQUIRE(table);
  const auto& settings = table->words_of("setting")->data;
  REQUIRE(settings.size() == 8);
  CHECK(settings[0] == "ln_f once, in nats");
  CHECK(settings[7] == "frozen scale, in bits");
  const auto& here = table->array("here")->data;
  for (std::size_t i = 0; i < 8; i += 2) CHECK(here[i + 1] == Approx(here[i] / std::numbers::ln2));
  CHECK(table->words_of("unit")->data[1] == "bits");
}

TEST_CASE("titles follow their numbers", "[logit_lens]") {
  const studies::ViewStudy* view = studies::find_view_study("logit_lens");
  REQUIRE(view);
  auto result = run_study("logit_lens", with_tokens(kTokens));
  REQUIRE(result);
  const auto titled = [&](double layer) {
    for (auto& scalar : result->scalars)
      if (scalar.name == "from_layer") scalar.value = layer;
    return view->view(*result, result->params).title;
  };
  CHECK(titled(0).ends_with(" is the likeliest token from the start"));
  CHECK(titled(2).ends_with(" from layer 2 on"));
  CHECK(titled(3).ends_with(" only after the last layer"));
  const figure::Figure f = view->view(*result, result->params);
  const auto& plot = std::get<figure::Plot>(f.panels[0].content);
  const auto& cells = std::get<figure::Cells>(plot.marks[0]);
  REQUIRE(cells.words.size() == 28);
  CHECK(cells.strong[3] == 1);
  result->difference = true;
  const figure::Figure change = view->view(*result, result->params);
  CHECK(change.title == "How the layers' predictions change");
  CHECK(std::get<figure::Cells>(std::get<figure::Plot>(change.panels[0].content).marks[0]).words.empty());
}

}  // namespace logit_lens_test
