// The text beside a study that reads none: when its runs are requested, and what is shown of them.
#include <cmath>

#include "app/snapshot.h"
#include "protocol/json.h"
#include "tests/app/stage.h"

using namespace helix;
using namespace helix::app;
using helix::app::testing::Desk;
using protocol::Run;

namespace {

/// A page with one complete model, open on a text's attention, with its first result.
struct Page : Desk {
  Page() {
    const ModelEntry whole{"m", "", "", 1, {}, {"vocab.json", "merges.txt"}};
    app.set_models({whole});
    app.open_link("#v=1&model=m&study=attention&prompt=the cat");
    give_all();
  }
  std::vector<Run> runs_in(const std::string& slot) const {
    std::vector<Run> found;
    for (const Run& run : runs())
      if (run.panel == slot) found.push_back(run);
    return found;
  }
  void give(const Run& run, std::vector<double> ids, std::vector<double> p) {
    protocol::Result r;
    r.study = run.study, r.params = run.params, r.provenance.model = run.model;
    if (run.study == "predictions") {
      const std::size_t n = ids.size();
      protocol::Words texts{"text", "rank", {}};
      for (const double id : ids) texts.data.push_back(" token " + std::to_string(static_cast<int>(id)));
      r.arrays = {{"token", {n}, {"rank"}, "", std::move(ids), 1},
                  {"probability", {n}, {"rank"}, "fraction", std::move(p), 1}};
      r.words = {std::move(texts)};
    }
    const auto& schemas = app.schemas();
    app.receive(protocol::Finished{run.job, run.panel,
                                   protocol::encode(r, *std::ranges::find(schemas, run.study, &StudySchema::id))});
  }
  void give_all() {
    for (std::size_t i = 0; i < runs().size(); ++i) give(runs()[i], {1, 2}, {0.5, 0.25});
  }
};

}  // namespace

TEST_CASE("without edits nobody is asked what comes next beside a study of heads", "[app][text]") {
  Page page;
  CHECK(page.runs_in("text").empty());
  CHECK(!page.app.text_shown().there);
  page.app.set_edits({{"no_mask", false}});
  CHECK(page.runs_in("text").empty());
}

TEST_CASE("what an edit changes in the prediction is told beside it", "[app][text]") {
  Page page;
  page.app.set_edits({{"ablate_head:0.1", true}});
  CHECK(page.runs_in("text").empty());  // the figure's run comes first
  page.give(page.last_run(), {}, {});
  REQUIRE(page.runs_in("text").size() == 1);
  REQUIRE(page.runs_in("text-before").size() == 1);
  const Run now = page.runs_in("text")[0], before = page.runs_in("text-before")[0];
  CHECK(now.study == "predictions");
  CHECK(now.subject.edits.size() == 1);
  CHECK(before.subject.edits.empty());
  CHECK(before.subject.prompt == "the cat");
  CHECK(page.app.busy());
  page.give(now, {7, 8}, {0.5, 0.25});
  page.give(before, {8, 9}, {0.75, 0.125});
  CHECK(!page.app.busy());
  const TextShown shown = page.app.text_shown();
  CHECK(shown.sentence.find("predicts “ token 7” (50.00 %)") != std::string::npos);
  REQUIRE(shown.next.size() == 2);
  CHECK(shown.next[0].probability == 0.5);
  CHECK(std::isnan(shown.next[0].before));
  CHECK(shown.next[1].before == 0.75);
  const auto json = protocol::parse_json(snapshot_json(page.app, {}));
  REQUIRE(json);
  CHECK((*json)["text"]["next"][1]["before"] == 0.75);

  page.app.set_edits({});
  CHECK(!page.app.text_shown().there);
}

TEST_CASE("a text run that fails says so, and the figure stays", "[app][text]") {
  Page page;
  page.app.set_edits({{"ablate_head:0.1", true}});
  page.give(page.last_run(), {}, {});
  page.app.receive(protocol::Failure{page.runs_in("text")[0].job, "predictions", "No.", true});
  CHECK(page.app.text_shown().problem == "No.");
  CHECK(!page.app.status().failure);
  page.app.stop();
  CHECK(!page.app.busy());
}

TEST_CASE("of another model's run nothing is told: an answer that comes late is left out", "[app][text]") {
  Page page;
  page.app.set_edits({{"ablate_head:0.1", true}});
  page.give(page.last_run(), {}, {});
  const Run late = page.runs_in("text")[0];
  page.app.set_edits({});
  page.give(late, {7, 8}, {0.5, 0.25});
  CHECK(!page.app.text_shown().there);
  CHECK(page.app.result().study == "attention");
}
