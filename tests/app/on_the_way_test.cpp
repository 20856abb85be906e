// New numbers come from where the old ones were.
#include <cmath>
#include <variant>

#include "tests/app/stage.h"

namespace on_the_way_test {

using namespace helix;
using namespace helix::app;
using helix::app::testing::Desk;

namespace {

std::vector<double> bars(const figure::Figure& f) {
  for (const figure::Panel& panel : f.panels)
    if (const auto* plot = std::get_if<figure::Plot>(&panel.content))
      for (const figure::Mark& mark : plot->marks)
        if (const auto* found = std::get_if<figure::Bars>(&mark)) return found->values;
  return {};
}

/// An answer whose numbers are those of answer_to(), made smaller.
void answer_smaller(Desk& desk, double factor) {
  const protocol::Run run = desk.last_run();
  protocol::Result result = app::testing::answer_to(run);
  for (protocol::Array& array : result.arrays)
    for (double& x : array.data) x *= factor;
  desk.app.receive(protocol::Finished{run.job, run.slot, protocol::encode(result, desk.app.schema())});
}

struct Settled : Desk {
  std::vector<double> before, after;
  Settled() {
    clock = 1000;
    settle();
    before = bars(app.drawn());
    REQUIRE(!before.empty());
  }
  void ask_and_answer(Commit commit = Commit::committed) {
    set("first", 5, commit);
    answer_smaller(*this, 0.5);
    after = bars(app.figure());
    REQUIRE(after.size() == before.size());
    REQUIRE(after != before);
  }
};

}  // namespace

TEST_CASE("New numbers come from where the old ones were, within a quarter of a second", "[app][way]") {
  Settled desk;
  desk.ask_and_answer();
  CHECK(desk.app.on_the_way());
  CHECK(bars(desk.app.drawn()) == desk.before);
  desk.clock += 125;
  const std::vector<double> middle = bars(desk.app.drawn());
  for (std::size_t i = 0; i < middle.size(); ++i)
    CHECK(std::abs(middle[i] - (desk.before[i] + desk.after[i]) / 2) < 1e-9);
  CHECK(bars(desk.app.figure()) == desk.after);  // tables, exports and readings never show what lies between
  desk.clock += 130;
  CHECK(desk.app.animating());  // a last frame is due
  CHECK(!desk.app.on_the_way());
  CHECK(bars(desk.app.drawn()) == desk.after);
  desk.clock += 300;  // its axes have turned, too
  CHECK(bars(desk.app.drawn()) == desk.after);
  CHECK(!desk.app.animating());
}

TEST_CASE("Numbers that come while others are on their way go on from there", "[app][way]") {
  Settled desk;
  desk.ask_and_answer();
  desk.clock += 125;
  const std::vector<double> middle = bars(desk.app.drawn());
  desk.set("first", 6);
  answer_smaller(desk, 0.25);
  CHECK(bars(desk.app.drawn()) == middle);
}

TEST_CASE("While something is dragged, and where motion is unwanted, numbers are there at once", "[app][way]") {
  Settled dragged;
  dragged.ask_and_answer(Commit::dragging);
  CHECK(bars(dragged.app.drawn()) == dragged.after);
  CHECK(!dragged.app.on_the_way());
  Settled still;
  still.app.set_reduced_motion(true);
  still.ask_and_answer();
  CHECK(bars(still.app.drawn()) == still.after);
}

}  // namespace on_the_way_test
