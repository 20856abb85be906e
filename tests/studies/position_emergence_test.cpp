#include "studies/position_emergence/position_emergence.h"

#include <cmath>

#include "figure/layout.h"
#include "studies/registry_view.h"
#include "tests/planted.h"

namespace position_emergence_test {

using namespace helix;
using namespace helix::testing;
using Catch::Approx;

namespace {

studies::Inputs inputs_with(const EmergenceFile& file) {
  studies::Inputs inputs;
  auto read = file.read();
  REQUIRE(read);
  inputs.training = std::make_shared<const checkpoint::Emergence>(std::move(*read));
  return inputs;
}

double point(const protocol::Result& result, std::size_t moment, std::size_t position, std::size_t axis) {
  return result.array("points")->data[(moment * kPlantedPositions + position) * 3 + axis];
}

}  // namespace

TEST_CASE("a planted helix grows in the axes of the end, whatever the axes were on the way", "[emergence]") {
  const auto result = run_study("position_emergence", planted_inputs());
  REQUIRE(result);
  CHECK(result->array("points")->shape == std::vector<std::size_t>{kPlantedMoments, kPlantedPositions, 3});
  for (std::size_t t = 0; t < kPlantedMoments; ++t)
    for (std::size_t p = 0; p < kPlantedPositions; ++p)
      for (std::size_t a = 0; a < 3; ++a)
        CHECK(point(*result, t, p, a) == Approx(testing::planted_size(t) * testing::planted_point(p, a)).margin(1e-6));
}

TEST_CASE("rows that lie elsewhere do not show up in the axes of the end", "[emergence]") {
  EmergenceFile file = testing::planted_emergence();
  auto& axes = file.tensors["axes"].second;
  for (std::size_t r = 0; r < 4; ++r)  // moment 2 varies only in a direction in which the last one does not
    for (std::size_t j = 0; j < 6; ++j) axes[(2 * 4 + r) * 6 + j] = r == 0 && j == 5 ? 1.0f : 0.0f;
  const auto result = run_study("position_emergence", inputs_with(file));
  REQUIRE(result);
  for (std::size_t p = 0; p < kPlantedPositions; ++p)
    for (std::size_t a = 0; a < 3; ++a) CHECK(point(*result, 2, p, a) == 0);
  for (std::size_t a = 0; a < 3; ++a) CHECK(result->array("explained")->data[2 * 3 + a] == 0);
}

TEST_CASE("shares are those of the whole variance, and none where nothing varies", "[emergence]") {
  const auto result = run_study("position_emergence", planted_inputs());
  REQUIRE(result);
  CHECK(std::isnan(result->array("explained")->data[0]));
  double along = 0;
  for (std::size_t p = 0; p < kPlantedPositions; ++p) along += std::pow(testing::planted_point(p, 1), 2);
  CHECK(result->array("explained")->data[4 * 3 + 1] == Approx(along / 48).epsilon(1e-5));
}

TEST_CASE("the figures are those of the moment asked for", "[emergence]") {
  const auto end = run_study("position_emergence", planted_inputs());
  const auto third = run_study("position_emergence", planted_inputs(), {{"step", "3"}});
  REQUIRE((end && third));
  CHECK(end->scalar("tokens_read")->value == 4'000'000);
  CHECK(third->scalar("tokens_read")->value == 300'000);
  CHECK(third->scalar("loss")->value == third->array("loss_by_step")->data[3]);
  CHECK(third->scalar("previous")->value == third->array("previous_by_step")->data[3]);
  CHECK(third->scalar("induction")->value == third->array("induction_by_step")->data[3]);
  CHECK(end->notes.empty());
  // 12 positions: the mean of 1/2 .. 1/12; for 6 tokens repeated once: of 1/8 .. 1/12.
  CHECK(end->scalar("previous")->note.ends_with("would give 0.1912"));
  CHECK(end->scalar("induction")->note.ends_with("would give 0.1021"));
  const auto beyond = run_study("position_emergence", planted_inputs(), {{"step", "9"}, {"compare", "2"}});
  REQUIRE(beyond);
  CHECK(beyond->notes.size() == 1);
  CHECK(beyond->scalar("tokens_read")->value == 4'000'000);
}

TEST_CASE("without a record, the sentence says whose it is", "[emergence]") {
  studies::Inputs inputs;
  inputs.no_training = "The model x has no emergence.safetensors beside its weights.";
  CHECK(run_study("position_emergence", inputs).error().sentence == inputs.no_training);
  inputs.no_training.clear();
  check_sentence(run_study("position_emergence", inputs).error().sentence);
}

TEST_CASE("the view shows the moment that the controls ask for, at a scale that stays", "[emergence]") {
  const auto result = run_study("position_emergence", planted_inputs());
  REQUIRE(result);
  const auto& study = *studies::find_view_study("position_emergence");
  const auto at = [&](const char* step, const char* compare) {
    return study.view(*result, {{"step", step}, {"compare", compare}});
  };
  const auto early = at("1", "-1"), late = at("9999", "1");
  const auto *small = figure::first_space(early), *large = figure::first_space(late);
  REQUIRE((small && large));
  CHECK(small->fit_to.data == large->fit_to.data);
  const auto before = figure::curve_of(*small, {}), after = figure::curve_of(*large, {});
  REQUIRE((before && after));
  CHECK(before->points[3][0] == Approx(after->points[3][0] / 4).margin(1e-6));
  CHECK(before->first == 1);
  CHECK(before->points.size() == kPlantedPositions - 1);
  const auto faint = [](const figure::Space& space) { return std::get<figure::Line>(space.marks.at(0)); };
  CHECK(!faint(*small).dots);
  CHECK(faint(*small).at.size() == 0);
  CHECK(faint(*large).at.data == std::get<figure::Line>(small->marks.at(1)).at.data);
  for (const char* id : {"curves", "shares"}) {
    const auto moment = [&](const figure::Figure& f) {
      REQUIRE(f.find(id));
      const auto& plot = std::get<figure::Plot>(f.find(id)->content);
      REQUIRE(plot.gestures.size() == 1);
      CHECK(plot.gestures[0].text == "step={moment}");
      CHECK(plot.chosen == std::vector<Place>{{"moment", plot.gestures[0].first}});
      return plot.gestures[0].first;
    };
    CHECK(moment(early) == 1);
    CHECK(moment(late) == 4);
  }
  CHECK(early.subtitle.find("1 k tokens") != std::string::npos);
  const auto whole = study.view(*result, {{"step", "1"}, {"compare", "-1"}, {"first", "0"}});
  CHECK(figure::curve_of(*figure::first_space(whole), {})->points.size() == kPlantedPositions);
  for (const char* axis : {"moment", "item"}) {  // links of version 1 say item
    ViewState state;
    state.focus.set(axis, 2);
    CHECK(study.reading(*result, {}, state).title == "After 20 k tokens of training");
  }
}

TEST_CASE("before training there is no variance and no cosine, and the title says so", "[emergence]") {
  EmergenceFile file = testing::planted_emergence();
  file.tensors["adjacent_cosine"].second[0] = 0;
  const auto result = run_study("position_emergence", inputs_with(file), {{"step", "0"}});
  REQUIRE(result);
  for (const char* name : {"explained_first3", "adjacent_cosine"}) {
    CAPTURE(name);
    CHECK(std::isnan(result->scalar(name)->value));
    CHECK(result->scalar(name)->note == "all rows are equal at this checkpoint");
  }
  const auto& study = *studies::find_view_study("position_emergence");
  CHECK(study.view(*result, {{"step", "0"}, {"compare", "-1"}, {"first", "0"}}).title ==
        "Before it is trained, every position is the same");
  CHECK(study.view(*result, {{"step", "1"}, {"compare", "-1"}, {"first", "0"}}).title ==
        "Positions appear in training");
}

TEST_CASE("a loss in training that copies brought down is explained", "[emergence]") {
  auto result = run_study("position_emergence", planted_inputs());
  REQUIRE(result);
  const auto loss = [&](std::string_view name) -> double& {
    const auto array = std::ranges::find(result->arrays, name, &protocol::Array::name);
    return array->data.back();
  };
  const auto says = [&] {
    const auto figure = studies::find_view_study("position_emergence")->view(*result, {});
    return std::ranges::any_of(figure.notes, [](const auto& n) { return n.text.find("copies") != n.text.npos; });
  };
  loss("loss_by_step") = 3.7, loss("training_loss_by_step") = 3.4;
  CHECK_FALSE(says());
  loss("training_loss_by_step") = 1.3;
  CHECK(says());
}

}  // namespace position_emergence_test
