#include "studies/surprise/surprise.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "studies/registry_view.h"
#include "tests/planted.h"
#include "tests/sentence_check.h"

namespace surprise_test {

using namespace helix;
using namespace helix::testing;
using Catch::Approx;
using protocol::Result;

namespace {

const std::vector<std::int32_t> kTokens{5, 80, 33, 80, 7, 5, 9};

studies::Inputs with_tokens(std::vector<std::int32_t> tokens, std::vector<Edit> edits = {}) {
  studies::Inputs inputs = planted_inputs();
  inputs.subject.tokens = std::move(tokens), inputs.subject.edits = std::move(edits);
  return inputs;
}

Result surprise_of(const studies::Inputs& inputs) {
  auto result = run_study("surprise", inputs);
  if (!result) FAIL(result.error().sentence);
  return *result;
}

double value(const Result& result, const char* name) {
  const protocol::Scalar* scalar = result.scalar(name);
  REQUIRE(scalar);
  return scalar->value;
}

/// A network whose word embeddings are zero, and with them all logits.
std::shared_ptr<model::Network> undecided_network() { return network_without("wte"); }

const figure::Words& tiles_of(const figure::Figure& f) {
  const figure::Panel* panel = f.find("text");
  REQUIRE(panel);
  return std::get<figure::Words>(std::get<figure::Plot>(panel->content).marks.at(0));
}

figure::Figure figure_of(const Result& result) {
  return studies::find_view_study("surprise")->view(result, result.params);
}

}  // namespace

TEST_CASE("a network without an opinion is equally surprised by every token: ln of its vocabulary's size",
          "[surprise]") {
  studies::Inputs inputs = with_tokens(kTokens);
  inputs.network = undecided_network();
  inputs.session = std::make_shared<model::Sessions>();
  const Result result = surprise_of(inputs);
  const double uniform = std::log(static_cast<double>(planted_sizes().n_vocab));
  CHECK(value(result, "uniform_nats") == uniform);
  CHECK(value(result, "mean_nats") == Approx(uniform));
  CHECK(value(result, "perplexity") == Approx(static_cast<double>(planted_sizes().n_vocab)));
  CHECK(value(result, "first_nats") == Approx(value(result, "again_nats")));
  REQUIRE(result.array("loss")->data.size() == kTokens.size() - 1);
  for (const double loss : result.array("loss")->data) CHECK(loss == Approx(uniform));
  CHECK(figure_of(result).title.starts_with("Every token is equally surprising: "));
}

TEST_CASE("a loss is that of the prediction before the token, and the headline is their mean", "[surprise]") {
  const Result result = surprise_of(with_tokens(kTokens));
  const auto& loss = result.array("loss")->data;
  REQUIRE(loss.size() == 6);
  CHECK(result.array("loss")->first == 1);
  for (std::size_t i = 0; i < loss.size(); ++i) {
    const auto next = run_study("predictions", with_tokens(kTokens), {{"position", std::to_string(i)}, {"top", "100"}});
    REQUIRE(next);
    const auto& ids = next->array("token")->data;
    const auto at = std::ranges::find(ids, static_cast<double>(kTokens[i + 1])) - ids.begin();
    if (static_cast<std::size_t>(at) == ids.size()) continue;  // not among the 100 likeliest
    CHECK(loss[i] == Approx(-std::log(next->array("probability")->data[static_cast<std::size_t>(at)])).epsilon(1e-6));
  }
  const double mean = std::accumulate(loss.begin(), loss.end(), 0.0) / 6;
  CHECK(value(result, "mean_nats") == Approx(mean));
  CHECK(value(result, "mean_bits") == Approx(mean / std::numbers::ln2));
  CHECK(value(result, "perplexity") == Approx(std::exp(mean)));
  const auto most = std::ranges::max_element(loss);
  CHECK(value(result, "most") == static_cast<double>(most - loss.begin() + 1));
  CHECK(value(result, "most_bits") == Approx(*most / std::numbers::ln2));
  CHECK(value(result, "again_nats") == Approx((loss[2] + loss[4]) / 2));  // the second 80 and the second 5
  CHECK(value(result, "first_nats") == Approx((loss[0] + loss[1] + loss[3] + loss[5]) / 4));
  CHECK(std::isnan(value(result, "kl_nats")));
  CHECK(std::isnan(value(surprise_of(with_tokens({5, 80, 33})), "again_nats")));
}

TEST_CASE("a single token is not enough", "[surprise]") {
  const auto alone = run_study("surprise", with_tokens({5}));
  REQUIRE(!alone);
  check_sentence(alone.error(), "at least two");
  CHECK(surprise_of(with_tokens({5, 80})).array("loss")->data.size() == 1);
}

TEST_CASE("edits move predictions, and edits that do nothing move none", "[surprise]") {
  std::vector<Result> pictures;
  studies::Inputs inputs = with_tokens(kTokens, {{"zero_positions", true}});
  inputs.on_first_picture = [&](Result picture) { pictures.push_back(std::move(picture)); };
  const Result blind = surprise_of(inputs);
  CHECK(value(blind, "kl_nats") > 1e-4);
  const auto& kl = blind.array("kl")->data;
  REQUIRE(kl.size() == 6);
  CHECK(value(blind, "kl_nats") == Approx(std::accumulate(kl.begin(), kl.end(), 0.0) / 6));
  REQUIRE(pictures.size() == 1);
  CHECK(pictures[0].array("loss")->data == blind.array("loss")->data);
  const Result idle = surprise_of(with_tokens(kTokens, {{"scale_head:1.0:1", true}}));
  CHECK(std::abs(value(idle, "kl_nats")) < 1e-9);
  CHECK(idle.array("loss")->data == surprise_of(with_tokens(kTokens)).array("loss")->data);
  const Result seeing = surprise_of(with_tokens(kTokens, {{"no_mask", true}}));
  CHECK(std::ranges::any_of(seeing.notes, [](const std::string& n) { return n.find("mask") != std::string::npos; }));
}

TEST_CASE("the title names the most surprising token; a tile's colour is its surprise", "[surprise]") {
  Result result = surprise_of(with_tokens(kTokens));
  const auto set = [&](const char* name, double x) {
    std::ranges::find(result.scalars, name, &protocol::Scalar::name)->value = x;
  };
  set("most", 3), set("most_bits", 12.25);
  result.words[0].data[2] = " barn\\n";
  CHECK(figure_of(result).title == "“ barn⏎” is the most surprising token: 12.25 bits");
  const figure::Figure f = figure_of(result);
  const figure::Words& words = tiles_of(f);
  REQUIRE(words.values.size() == 7);
  CHECK(std::isnan(words.values[0]));
  for (std::size_t i = 1; i < 7; ++i)
    CHECK(words.values[i] == Approx(result.array("loss")->data[i - 1] / std::numbers::ln2));
  CHECK(words.below[0].empty());
  const auto& plot = std::get<figure::Plot>(f.find("text")->content);
  CHECK(plot.colour->range.high == Approx(value(result, "uniform_nats") / std::numbers::ln2));
  CHECK(f.tables[0].go[2] == "from=here&study=predictions&predictions.position=2");
  set("most", std::nan(""));
  CHECK(figure_of(result).title == "How surprising each token is");
}

TEST_CASE("of a change each tile has the change of its loss, about zero, and both sides' are read",
          "[surprise][change]") {
  const studies::ViewStudy& study = *studies::find_view_study("surprise");
  const Result other = surprise_of(with_tokens(kTokens));
  const Result now = surprise_of(with_tokens(kTokens, {{"zero_positions", true}}));
  const auto change = protocol::difference(study.schema, now, other);
  REQUIRE(change);
  const studies::Sides sides{now, other, *change, "Without positions", "As it is"};
  const figure::Figure f = figure_of_change(study, sides, now.params);
  CHECK(f.title.starts_with("Mean surprise per token: "));
  CHECK(f.find("text")->title.find(" changes most: ") != std::string::npos);
  CHECK(f.panels.size() == 2);
  REQUIRE(!f.lead.lines.empty());
  CHECK(f.lead.lines.back().starts_with("KL from no edits: "));
  const auto& plot = std::get<figure::Plot>(f.find("text")->content);
  CHECK(plot.colour->range.diverging);
  const figure::Words& words = tiles_of(f);
  REQUIRE(words.values.size() == 7);
  for (std::size_t i = 1; i < 7; ++i)
    CHECK(words.values[i] ==
          Approx((now.array("loss")->data[i - 1] - other.array("loss")->data[i - 1]) / std::numbers::ln2));
  ViewState view;
  view.focus = {{"position", 3}};
  const figure::Reading r = reading_of_change(study, sides, now.params, view);
  const auto says = [&](const char* start) {
    return std::ranges::any_of(r.lines, [&](const std::string& line) { return line.starts_with(start); });
  };
  CHECK((says("Without positions: surprise") && says("As it is: surprise") && says("change: surprise")));
}

TEST_CASE("of two different texts no token's loss is subtracted", "[surprise][change]") {
  const studies::ViewStudy& study = *studies::find_view_study("surprise");
  const Result now = surprise_of(with_tokens(kTokens)), other = surprise_of(with_tokens({5, 80, 34, 80, 7}));
  const auto change = protocol::difference(study.schema, now, other);
  REQUIRE(change);
  const figure::Figure f = figure_of_change(study, {now, other, *change, "This", "That"}, now.params);
  CHECK(f.title.starts_with("Mean surprise per token: "));
  CHECK(f.find("text")->title.find("changes most") == std::string::npos);
  for (const double x : tiles_of(f).values) CHECK(std::isnan(x));
}

}  // namespace surprise_test
