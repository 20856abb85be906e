#include "studies/edit_reach/edit_reach.h"

#include <algorithm>
#include <cmath>

#include "studies/registry_view.h"
#include "tests/planted.h"
#include "tests/sentence_check.h"

namespace edit_reach_test {

using namespace helix;
using namespace helix::testing;
using protocol::Result;

namespace {

const std::vector<std::int32_t> kTokens{5, 80, 33, 80, 7, 5, 9};

studies::Inputs with_tokens(std::vector<std::int32_t> tokens, std::vector<Edit> edits = {}) {
  studies::Inputs inputs = planted_inputs();
  inputs.subject.tokens = std::move(tokens), inputs.subject.edits = std::move(edits);
  return inputs;
}

Result reach_of(const studies::Inputs& inputs, ParamValues asked = {}) {
  auto result = run_study("edit_reach", inputs, std::move(asked));
  if (!result) FAIL(result.error().sentence);
  return *result;
}

double value(const Result& result, const char* name) { return result.scalar(name)->value; }

figure::Figure figure_of(const Result& result) {
  return studies::find_view_study("edit_reach")->view(result, result.params);
}

void set(Result& result, const char* name, double x) {
  std::ranges::find(result.scalars, name, &protocol::Scalar::name)->value = x;
}

}  // namespace

TEST_CASE("an edit of one position moves a cone: that token before the layers, then it and those after it",
          "[edit_reach]") {
  std::vector<Result> pictures;
  studies::Inputs inputs = with_tokens(kTokens);
  inputs.on_first_picture = [&](Result picture) { pictures.push_back(std::move(picture)); };
  const Result result = reach_of(inputs, {{"position", "3"}});
  CHECK(result.edits == std::vector<std::string>{"replace_position:3:0"});
  CHECK(reach_of(with_tokens(kTokens)).edits == std::vector<std::string>{"replace_position:5:0"});
  const auto& moved = *result.array("moved");
  REQUIRE(moved.shape == std::vector<std::size_t>{4, 7});
  std::size_t reached = 0;
  for (std::size_t layer = 0; layer < 4; ++layer)
    for (std::size_t i = 0; i < 7; ++i) {
      const double x = moved.data[layer * 7 + i];
      CHECK((x > 0) == (layer == 0 ? i == 3 : i >= 3));
      CHECK(x <= 2);
      reached += x > 0;
    }
  CHECK(value(result, "reached") == static_cast<double>(reached) / 28);
  REQUIRE(pictures.size() == 1);
  CHECK(pictures[0].array("moved")->data == moved.data);
  CHECK(pictures[0].array("restored")->data.empty());
}

TEST_CASE("a state put back: the first one undoes everything, one that did not move nothing, to the last bit",
          "[edit_reach]") {
  const Result result = reach_of(with_tokens(kTokens), {{"position", "2"}, {"by", "9"}});
  CHECK(result.edits == std::vector<std::string>{"replace_position:2:9"});
  const auto& moved = result.array("moved")->data;
  const auto& restored = result.array("restored")->data;
  const double with = value(result, "probability"), without = value(result, "probability_as_is");
  REQUIRE(with != without);
  CHECK(restored[2] == without);
  CHECK(restored.back() == without);
  for (std::size_t i = 0; i < restored.size(); ++i)
    if (moved[i] == 0) CHECK(restored[i] == with);
  for (std::size_t i = 0; i < 6; ++i) CHECK(restored[21 + i] == with);  // the output head reads the last token
  const auto plain = run_study("predictions", with_tokens(kTokens));
  REQUIRE(plain);
  CHECK(plain->array("probability")->data[0] == without);
  CHECK(plain->array("token")->data[0] == result.array("token")->data[0]);
}

TEST_CASE("the visitor's edits come first; what does nothing reaches nothing", "[edit_reach]") {
  const Result blind = reach_of(with_tokens(kTokens, {{"zero_positions", true}, {"zero_tokens", false}}));
  CHECK(blind.edits == std::vector<std::string>{"zero_positions"});
  CHECK(value(blind, "reached") == 1);
  const auto offers = [](const Result& result) {  // a click that places another token
    return !std::get<figure::Plot>(figure_of(result).find("moved")->content).gestures.empty();
  };
  CHECK(offers(reach_of(with_tokens(kTokens))));
  CHECK(!offers(blind));
  CHECK(!offers(reach_of(with_tokens(kTokens, {{"replace_position:1:0", true}}))));
  const Result idle = reach_of(with_tokens(kTokens, {{"scale_head:1.0:1", true}}));
  CHECK(value(idle, "reached") == 0);
  CHECK(std::isnan(value(idle, "handover")));
  CHECK(figure_of(idle).title == "The edit moves no state of this text");
  const Result alone = reach_of(with_tokens({5}));
  CHECK(value(alone, "reached") == 0);
  const auto beyond = run_study("edit_reach", with_tokens(kTokens), {{"position", "7"}});
  REQUIRE(!beyond);
  check_sentence(beyond.error(), "no position 7");
}

TEST_CASE("the title says by when the effect has reached the last token", "[edit_reach]") {
  Result result = reach_of(with_tokens(kTokens));
  const auto title = [&](double handover) {
    set(result, "handover", handover);
    return figure_of(result).title;
  };
  CHECK(title(0) == "The last token carries the edit's effect from the start");
  set(result, "probability", 0.1), set(result, "probability_as_is", 0.9);
  const auto restored = std::ranges::find(result.arrays, "restored", &protocol::Array::name);
  std::ranges::fill(restored->data, 0.1);
  CHECK(title(3) == "The effect comes together at the last token in layer 2");
  restored->data[2 * 7 + 4] = 0.55, restored->data[2 * 7 + 1] = 0.52;
  CHECK(title(3).ends_with("(4) to the last token in layer 2"));
  CHECK(title(3).starts_with("The effect passes from “"));
  CHECK(title(2) == "The effect comes together at the last token in layer 1");
  const auto moved = std::ranges::find(result.arrays, "moved", &protocol::Array::name);
  std::fill(moved->data.begin() + 14, moved->data.begin() + 21, 0.0);
  CHECK(title(3) == "The effect arises at the last token in layer 2");
  set(result, "reached", 0.5);
  CHECK(title(std::nan("")) == "The edit moves 50 % of the states, and the prediction hardly changes");
  CHECK(figure_of(result).panels.size() == 3);
  Result first = result;
  std::erase_if(first.arrays, [](const protocol::Array& array) { return array.name == "restored"; });
  CHECK(figure_of(first).panels.size() == 1);
  CHECK(figure_of(first).title == "The edit moves 50 % of the states");
}

}  // namespace edit_reach_test
