// Two states compared: each has a run of its own, and the two results shown always belong together.
#include "app/snapshot.h"
#include "protocol/json.h"
#include "tests/app/stage.h"
#include "tests/planted.h"

namespace app_compare_test {

using namespace helix;
using namespace helix::testing;
using namespace helix::app;
using namespace helix::app::testing;
using protocol::Json;
using state::Compare;

namespace {

struct Pair : Desk {
  Run run_of(const std::string& slot) const {
    Run found;
    for (const Run& run : runs())
      if (run.slot == slot) found = run;
    REQUIRE(found.job != 0);
    return found;
  }
  std::size_t count(const std::string& slot) const {
    std::size_t n = 0;
    for (const Run& run : runs()) n += run.slot == slot;
    return n;
  }
  /// Answers with every number of every array shifted by `by`.
  void answer(const Run& run, double by = 0, bool complete = true) {
    protocol::Result result = answer_to(run);
    result.complete = complete;
    for (auto& array : result.arrays)
      for (double& x : array.data) x += by;
    app.receive(protocol::Finished{run.job, run.slot, protocol::encode(result, app.schema())});
  }
  void compare(Compare mode, const std::string& against) { REQUIRE(app.set_compare(mode, against)); }
  double first_number() const { return app.result().array("points")->data[0]; }
};

Json snapshot_of(App& app) {
  auto json = protocol::parse_json(snapshot_json(app, figure::Drawing()));
  REQUIRE(json);
  return *json;
}

}  // namespace

TEST_CASE("the other state runs in a slot of its own, and the difference is shown when both are there",
          "[app][compare]") {
  Pair desk;
  desk.settle();
  desk.compare(Compare::difference, "group=10");
  CHECK(desk.count(kMainSlot) == 0);  // the main side already has its answer
  REQUIRE(desk.count(kAgainstSlot) == 1);
  CHECK(*find_value(desk.run_of(kAgainstSlot).params, "group") == "10");
  CHECK(desk.param("group") == "1");
  CHECK(desk.app.busy());
  CHECK(!desk.app.result().difference);

  desk.answer(desk.run_of(kAgainstSlot), 0.25);
  CHECK(!desk.app.busy());
  CHECK(desk.app.result().difference);
  for (const double x : desk.app.result().array("residual")->data) CHECK(std::abs(x + 0.25) < 1e-12);
  CHECK(desk.app.link().find("&compare=difference&against=group%3D10") != std::string::npos);
  const Json json = snapshot_of(desk.app);
  CHECK(json["state"]["compare"] == "difference");
  CHECK(json["state"]["against"] == "group=10");
  CHECK(json["against"]["shown"] == true);
  CHECK(json["against"]["name"].get<std::string>().find("10") != std::string::npos);
  CHECK(json["against"]["name"] != "group=10");
  CHECK(json["against"]["problem"] == "");

  const std::string link = desk.app.link();
  desk.app.undo();
  CHECK(!desk.app.result().difference);
  CHECK(desk.app.state().compare == Compare::none);
  desk.app.redo();
  CHECK(desk.app.link() == link);
  desk.answer(desk.run_of(kAgainstSlot), 0.25);
  CHECK(desk.app.result().difference);
}

TEST_CASE("a link opens a comparison", "[app][compare]") {
  Pair desk;
  desk.app.open_link("#v=1&model=gpt2&study=position_helix&compare=beside&against=first%3D5");
  desk.models();
  REQUIRE(desk.count(kAgainstSlot) == 1);
  CHECK(*find_value(desk.run_of(kAgainstSlot).params, "first") == "5");
  desk.answer(desk.run_of(kMainSlot));
  const std::size_t alone = desk.app.figure().panels.size();
  CHECK(alone > 0);  // the main side does not wait for the first pair
  CHECK(desk.app.busy());
  desk.answer(desk.run_of(kAgainstSlot));
  CHECK(!desk.app.busy());
  CHECK(desk.app.figure().panels.size() == 2 * (alone + 2));  // each side has a heading, and its lead number as a panel
  const protocol::Result both = desk.app.exported();
  REQUIRE(both.array("against_points"));
  CHECK(both.array("against_points")->first == 5);
  CHECK(both.array("points")->first == 1);
  CHECK(desk.app.result().array("against_points") == nullptr);
}

TEST_CASE("both sides start together, and a pair is shown until the next is whole", "[app][compare]") {
  Pair desk;
  desk.settle();
  desk.compare(Compare::difference, "group=10");
  desk.answer(desk.run_of(kAgainstSlot), 0.5);
  desk.sent.clear();
  for (const int first : {2, 3, 4}) desk.set("first", first, Commit::dragging);
  REQUIRE(desk.count(kMainSlot) == 1);
  REQUIRE(desk.count(kAgainstSlot) == 1);
  CHECK(desk.app.result().array("points")->first == 1);
  desk.answer(desk.run_of(kMainSlot));
  CHECK(desk.app.result().array("points")->first == 1);  // still the previous pair
  CHECK(desk.count(kMainSlot) == 1);                     // the next run waits for the other side
  desk.answer(desk.run_of(kAgainstSlot), 0.125);
  CHECK(desk.app.result().array("points")->first == 2);
  CHECK(desk.app.result().array("residual")->data[0] == -0.125);
  REQUIRE(desk.count(kMainSlot) == 2);  // the newest request of both sides
  REQUIRE(desk.count(kAgainstSlot) == 2);
  for (const char* slot : {kMainSlot, kAgainstSlot}) CHECK(*find_value(desk.run_of(slot).params, "first") == "4");
  desk.answer(desk.run_of(kAgainstSlot));  // in any order
  CHECK(desk.app.result().array("points")->first == 2);
  desk.answer(desk.run_of(kMainSlot));
  CHECK(desk.app.result().array("points")->first == 4);
  CHECK(!desk.app.busy());
}

TEST_CASE("a side that a change does not concern is not run again", "[app][compare]") {
  Pair desk;
  desk.settle();
  desk.compare(Compare::difference, "first=7");
  desk.answer(desk.run_of(kAgainstSlot));
  desk.sent.clear();
  desk.set("first", 9);
  CHECK(desk.count(kMainSlot) == 1);
  CHECK(desk.count(kAgainstSlot) == 0);
  ViewState view = desk.app.state().view;
  view.camera.azimuth = 10;
  desk.app.set_view(view, Commit::committed);
  CHECK(desk.count(kAgainstSlot) == 0);
}

TEST_CASE("a side that fails is a sentence beside the main one, never its loss", "[app][compare]") {
  Pair desk;
  desk.settle();
  const std::string title = desk.app.figure().title;
  desk.compare(Compare::difference, "group=10");
  desk.app.receive(protocol::Failure{desk.run_of(kAgainstSlot).job, "position_helix", "There is no such row.", false});
  CHECK(!desk.app.busy());
  CHECK(!desk.app.status().failure);
  CHECK(desk.app.figure().title == title);
  CHECK(snapshot_of(desk.app)["against"]["problem"] == "There is no such row.");
  desk.sent.clear();
  desk.app.retry();
  CHECK(desk.count(kAgainstSlot) == 1);

  // Rows that one side alone has are shown, without a change.
  desk.answer(desk.run_of(kMainSlot));
  desk.compare(Compare::difference, "first=5");
  desk.answer(desk.run_of(kAgainstSlot));
  REQUIRE(desk.app.result().difference);
  const protocol::Array& residual = *desk.app.result().array("residual");
  CHECK(residual.first == 1);
  CHECK(std::isnan(residual.data[0]));
  CHECK(std::isfinite(residual.data[4]));
  CHECK(desk.app.figure().title != title);
  desk.compare(Compare::beside, "first=5");
  CHECK(desk.app.other_run().problem().empty());
  CHECK(!desk.app.busy());
  CHECK(desk.app.exported().array("against_points"));
}

TEST_CASE("what cannot be compared with says why", "[app][compare]") {
  Pair desk;
  desk.settle();
  const std::string link = desk.app.link();
  for (const char* bad : {"study=nowhere", "first", "compare=beside&against=first%3D5"}) {
    const auto refused = desk.app.set_compare(Compare::beside, bad);
    REQUIRE(!refused);
    check_sentence(refused.error().sentence);
    CHECK(desk.app.link() == link);
  }
  desk.app.open_link("#v=1&model=gpt2&study=position_helix&compare=beside&against=study%3Dnowhere");
  desk.answer(desk.run_of(kMainSlot));
  CHECK(!desk.app.busy());
  check_sentence(desk.app.other_run().problem(), "nowhere");
  desk.compare(Compare::beside, "model=absent");
  check_sentence(desk.app.other_run().problem(), "absent");
  CHECK(!desk.app.busy());
}

TEST_CASE("the other side may be of another model, which is opened beside the main one", "[app][compare]") {
  Pair desk;
  desk.settle();
  desk.compare(Compare::difference, "model=other");
  REQUIRE(desk.all<Open>().size() == 1);
  CHECK(desk.all<Open>()[0].model == "other");
  CHECK(desk.run_of(kAgainstSlot).model == "other");
  CHECK(desk.app.state().model == "gpt2");
}

TEST_CASE("a comparison that ends, or is stopped, lets go of its run", "[app][compare]") {
  Pair desk;
  desk.settle();
  desk.compare(Compare::difference, "group=10");
  const std::uint32_t job = desk.run_of(kAgainstSlot).job;
  desk.compare(Compare::none, "");
  REQUIRE(desk.all<protocol::Cancel>().size() == 1);
  CHECK(desk.all<protocol::Cancel>()[0].job == job);
  CHECK(!desk.app.busy());
  CHECK(desk.app.link().find("against") == std::string::npos);
  desk.app.receive(
      protocol::Finished{job, kAgainstSlot, protocol::encode(answer_to(desk.run_of(kAgainstSlot)), desk.app.schema())});
  CHECK(!desk.app.result().difference);  // too late

  desk.compare(Compare::difference, "group=10");
  desk.app.stop();
  CHECK(!desk.app.busy());
  check_sentence(desk.app.other_run().problem(), "stopped");
}

TEST_CASE("an engine that is replaced is asked for both sides anew", "[app][compare]") {
  Pair desk;
  desk.settle();
  desk.compare(Compare::difference, "group=10");
  desk.answer(desk.run_of(kAgainstSlot));
  desk.sent.clear();
  desk.app.engine_restarted();
  CHECK(desk.count(kMainSlot) == 1);
  CHECK(desk.count(kAgainstSlot) == 1);
}

TEST_CASE("what an edit does to an attention pattern is the difference of two runs", "[app][compare]") {
  Desk desk;
  desk.app.open_link("#v=1&model=gpt2&study=attention&compare=difference&against=edit%3Dzero_positions");
  desk.models();
  const auto runs = desk.runs();
  REQUIRE(runs.size() == 2);
  const studies::ComputeStudy* study = studies::find_compute_study("attention");
  std::vector<protocol::Result> results;
  for (const Run& run : runs) {
    studies::Inputs inputs = planted_inputs();
    inputs.subject = run.subject;
    inputs.subject.prompt = "the he at the";
    auto result = run_to_end(study->run(run.params, inputs));
    REQUIRE(result);
    results.push_back(*result);
    desk.app.receive(protocol::Finished{run.job, run.slot, protocol::encode(*result, study->schema)});
  }
  CHECK(runs[0].subject.edits.empty());
  CHECK(runs[1].subject.edits == std::vector<Edit>{{"zero_positions"}});
  REQUIRE(desk.app.result().difference);
  const auto& shown = desk.app.result().array("pattern")->data;
  const auto &with = results[0].array("pattern")->data, &without = results[1].array("pattern")->data;
  double most = 0;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    CHECK(std::abs(shown[i] - (with[i] - without[i])) < 1e-6);
    most = std::max(most, std::abs(shown[i]));
  }
  CHECK(most > 1e-4);  // positions have an effect
}

TEST_CASE("an edit that takes values from the other side is sent with it, and only while there is one",
          "[app][compare]") {
  Pair desk;
  desk.app.open_link("#v=1&model=gpt2&study=attention&edit=patch:blocks.1.hook_resid_pre&prompt=one%20two");
  desk.models();
  CHECK(desk.run_of(kMainSlot).subject.other.empty());
  desk.compare(Compare::beside, "prompt=three%20four");
  REQUIRE(desk.run_of(kMainSlot).subject.other.size() == 1);
  CHECK(desk.run_of(kMainSlot).subject.other[0].prompt == "three four");
  REQUIRE(desk.run_of(kAgainstSlot).subject.other.size() == 1);  // the edit is on both sides
  CHECK(desk.run_of(kAgainstSlot).subject.other[0].prompt == desk.app.state().subject.prompt);
  CHECK(desk.app.link().find("other") == std::string::npos);
  desk.compare(Compare::beside, "edit=");
  CHECK(desk.run_of(kAgainstSlot).subject.other.empty());
  CHECK(desk.run_of(kMainSlot).subject.other[0].edits.empty());
  desk.compare(Compare::beside, "model=other");  // other weights have no values for it
  CHECK(desk.run_of(kMainSlot).subject.other.empty());
}

}  // namespace app_compare_test
