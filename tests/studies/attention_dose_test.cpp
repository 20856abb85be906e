#include "studies/attention_dose/attention_dose.h"
#include "base/text.h"

#include <cmath>
#include <numeric>

#include "studies/registry_view.h"
#include "tests/planted.h"

namespace attention_dose_test {

using namespace helix;
using namespace helix::testing;
using Catch::Approx;

namespace {

const std::vector<std::int32_t> kTokens{5, 80, 33, 80, 7, 41, 9};

studies::Inputs inputs_with(std::vector<Edit> edits = {}, std::vector<std::int32_t> tokens = kTokens) {
  studies::Inputs inputs = planted_inputs();
  inputs.subject.tokens = std::move(tokens), inputs.subject.edits = std::move(edits);
  return inputs;
}

protocol::Result dose(ParamValues params, std::vector<Edit> edits = {}) {
  auto made = run_study("attention_dose", inputs_with(std::move(edits)), std::move(params));
  REQUIRE(made);
  return std::move(*made);
}

/// The probability of a token after the text, with edits.
double probability_of(double token, std::vector<Edit> edits) {
  const auto r = run_study("predictions", inputs_with(std::move(edits)), {{"top", "100"}});
  REQUIRE(r);
  const auto& ids = r->array("token")->data;
  const auto at = std::ranges::find(ids, token);
  REQUIRE(at != ids.end());
  return r->array("probability")->data[static_cast<std::size_t>(at - ids.begin())];
}

std::string sentence(ParamValues params, std::vector<std::int32_t> tokens, std::vector<Edit> edits = {}) {
  const auto r = run_study("attention_dose", inputs_with(std::move(edits), std::move(tokens)), std::move(params));
  REQUIRE(!r);
  return r.error().sentence;
}

const ParamValues kEdge{{"layer", "1"}, {"head", "1"}, {"query", "6"}, {"key", "2"}};

ParamValues at_height(int percent) {
  ParamValues params = kEdge;
  params.emplace_back("height", std::to_string(percent));
  return params;
}

}  // namespace

TEST_CASE("each point of the curves is a run with the weight at that height", "[attention_dose]") {
  const protocol::Result r = dose(kEdge);
  const auto& curves = *r.array("curves");
  const auto& tokens = r.array("token")->data;
  REQUIRE(curves.shape == std::vector<std::size_t>{21, tokens.size()});
  for (const std::size_t step : {0u, 5u, 20u}) {
    const std::string spec = "set_pattern:1.1:6:2:" + to_text(static_cast<double>(step) / 20);
    CHECK(curves.data[step * tokens.size()] == probability_of(tokens[0], {{spec, true}}));
  }
  CHECK(r.scalar("probability")->value == probability_of(tokens[0], {}));
  CHECK(r.scalar("probability")->value == r.scalar("probability_as_is")->value);
  CHECK(r.scalar("divergence")->value == 0);
  double most = 0, highest = 0;
  for (std::size_t step = 0; step < 21; ++step) {
    most = std::max(most, std::abs(curves.data[step * tokens.size()] - r.scalar("probability_as_is")->value));
    highest = std::max(highest, curves.data[step * tokens.size()]);
  }
  CHECK(r.scalar("largest_change")->value == most);
  CHECK(r.scalar("highest")->value == highest);
}

TEST_CASE("a bar that is pulled leaves the others their proportions", "[attention_dose]") {
  const protocol::Result r = dose(at_height(70));
  const auto &before = r.array("row_as_is")->data, &row = r.array("row")->data;
  CHECK(row[2] == Approx(0.7).margin(1e-6));
  CHECK(std::accumulate(row.begin(), row.end(), 0.0) == Approx(1).margin(1e-6));
  for (const std::size_t key : {0u, 1u, 3u, 4u, 5u, 6u})
    CHECK(row[key] / before[key] == Approx(0.3 / (1 - before[2])).epsilon(1e-4));
  CHECK(r.scalar("share")->value == Approx(0.7).margin(1e-6));
  CHECK(r.scalar("share_as_is")->value == before[2]);
  CHECK(r.scalar("probability")->value ==
        probability_of(r.array("token")->data[0], {{"set_pattern:1.1:6:2:0.7", true}}));
  CHECK(r.scalar("divergence")->value > 0);
}

TEST_CASE("the layer's other heads are the chance level", "[attention_dose]") {
  const protocol::Result r = dose(kEdge);
  const auto& by_head = r.array("by_head")->data;
  const double token = r.array("token")->data[0];
  double most = 0;
  for (std::size_t head = 0; head < by_head.size(); ++head) {
    const std::string at = "set_pattern:1." + std::to_string(head) + ":6:2:";
    const double change = probability_of(token, {{at + "1", true}}) - probability_of(token, {{at + "0", true}});
    CHECK(by_head[head] == Approx(change).margin(1e-12));
    if (head != 1) most = std::max(most, std::abs(change));
  }
  CHECK(r.scalar("others_largest")->value == Approx(most).margin(1e-12));
}

TEST_CASE("a head whose output is off has a flat curve, and the title says so", "[attention_dose][view]") {
  const auto& s = *studies::find_view_study("attention_dose");
  const protocol::Result off = dose(kEdge, {{"ablate_head:1.1", true}});
  CHECK(off.scalar("largest_change")->value == 0);
  CHECK(s.view(off, off.params).title.find("hardly depends on this attention weight, with 1 edit") !=
        std::string::npos);
  protocol::Result on = dose(at_height(100));
  for (protocol::Scalar& scalar : on.scalars) {
    if (scalar.name == "largest_change") scalar.value = 0.2;
    if (scalar.name == "lowest") scalar.value = 0.004;
    if (scalar.name == "highest") scalar.value = 0.204;
  }
  CHECK(s.view(on, on.params).title.find("alone takes") != std::string::npos);
  CHECK(s.view(on, on.params).title.find("from 0.40 % to 20 %") != std::string::npos);
}

TEST_CASE("the pulled bar is a gesture of the row, and an edit for other studies", "[attention_dose][view]") {
  const auto& s = *studies::find_view_study("attention_dose");
  const protocol::Result r = dose(at_height(40));
  const figure::Figure f = s.view(r, r.params);
  const auto& row = std::get<figure::Plot>(f.find("row")->content);
  REQUIRE(row.gestures.size() == 1);
  CHECK(row.gestures[0].axes == std::vector<std::string>{"key", "height"});
  CHECK(row.gestures[0].steps == 100);
  CHECK(std::get<figure::Bars>(row.marks[0]).before == r.array("row_as_is")->data);
  const auto& note = std::get<figure::Callout>(row.marks.at(1));
  CHECK(note.at == std::vector<double>{2, r.array("row")->data[2]});
  CHECK(note.text.ends_with("(2)  40.0 %"));
  REQUIRE(!f.tables.empty());
  CHECK(f.tables[0].columns[0].texts[0] == "set_pattern:1.1:6:2:0.4");
  const protocol::Result as_is = dose(kEdge);
  CHECK(s.view(as_is, as_is.params).tables.size() + 1 == f.tables.size());
}

TEST_CASE("what cannot be looked at is said", "[attention_dose]") {
  CHECK(sentence({{"key", "5"}, {"query", "3"}}, kTokens).find("comes after the query at 3") != std::string::npos);
  CHECK(sentence({{"query", "0"}}, kTokens).find("sees only itself") != std::string::npos);
  CHECK(sentence({}, {5}).find("nothing else to look at") != std::string::npos);
  CHECK(sentence({{"query", "7"}}, kTokens).find("no position 7") != std::string::npos);
  CHECK(sentence({{"head", "99"}}, kTokens).find("no head 99") != std::string::npos);
  // Without the mask a later key can be seen.
  const auto later = run_study("attention_dose", inputs_with({{"no_mask", true}}), {{"query", "3"}, {"key", "5"}});
  CHECK(later);
}

}  // namespace attention_dose_test
