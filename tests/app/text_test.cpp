// The text beside a study that reads none: when its runs are requested, and what is shown of them.
#include <algorithm>
#include <cmath>

#include "app/snapshot.h"
#include "base/edit_shift.h"
#include "protocol/json.h"
#include "tests/app/stage.h"

namespace app_text_test {

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
      if (run.slot == slot) found.push_back(run);
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
    app.receive(protocol::Finished{run.job, run.slot,
                                   protocol::encode(r, *std::ranges::find(schemas, run.study, &StudySchema::id))});
  }
  void give_all() {
    for (std::size_t i = 0; i < runs().size(); ++i) give(runs()[i], {1, 2}, {0.5, 0.25});
  }
};

/// A page whose helix has a model without words, beside one that is whole.
struct HelixPage : Page {
  HelixPage() {
    const ModelEntry positions{"p", "", "", 1, {"words", "MLPs"}, {}},
        whole{"m", "", "", 1, {}, {"vocab.json", "merges.txt"}};
    app.set_models({positions, whole});
    app.open_link("#v=1&model=p&study=position_helix");
    answer_last();
    protocol::Opened header;
    header.model = "m", header.n_ctx = 512;
    app.receive(header);
  }
  /// The tokens' run is answered with four of them.
  void cut() { reply(runs_in("text").back(), {}); }
  void predict(const Run& run) { reply(run, {1, 2}); }
  void reply(const Run& run, const std::vector<double>& ids) {
    protocol::Result r;
    r.study = run.study, r.params = run.params;
    for (const char* word : {"The", " cat", " sat", " on"}) r.tokens.push_back({1, word});
    const std::vector<double> p(ids.size(), 0.25);
    r.arrays = {{"token", {ids.size()}, {"rank"}, "", ids, 1},
                {"probability", {ids.size()}, {"rank"}, "fraction", p, 1}};
    r.words = {{"text", "rank", std::vector<std::string>(ids.size(), " on")}};
    app.receive(protocol::Finished{
        run.job, run.slot, protocol::encode(r, *std::ranges::find(app.schemas(), run.study, &StudySchema::id))});
  }
  /// How many words are on the curve, the first at its first position (row 0 is not part of it) or after it.
  std::size_t words() {
    std::size_t n = 0;
    for (const figure::Mark& mark : std::get<figure::Space>(app.figure().find("helix")->content).marks)
      if (const auto* points = std::get_if<figure::Points>(&mark); points && points->carried)
        n = points->labels.size() + (app.text_shown().shift == 0 ? 1 : 0);
    return n;
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

TEST_CASE("a text that nobody typed fetches no vocabulary from another host", "[app][text]") {
  const auto asked_of = [](std::vector<ModelEntry> models, const std::string& rest) {
    Desk desk;
    desk.app.set_models(std::move(models));
    desk.app.open_link("#v=1&model=far&study=position_helix" + rest);
    desk.answer_last();
    std::string asked;
    for (const Run& run : desk.runs())
      if (run.slot == "text") asked += run.model + " ";
    return asked;
  };
  const ModelEntry far{"far", "", "", 1, {}, {"vocab.json", "merges.txt"}, true};
  const ModelEntry near{"near", "", "", 1, {}, {"vocab.json", "merges.txt"}};
  CHECK(asked_of({far}, "").empty());
  CHECK(asked_of({far, near}, "") == "near ");
  CHECK(asked_of({far, near}, "&prompt=mine") == "far ");
}

TEST_CASE("a model whose bytes were stopped is not asked for again by its text or its configuration", "[app][text]") {
  Desk desk;
  desk.app.set_models({{"near", "", "", 1, {}, {"vocab.json", "merges.txt"}}});
  desk.app.open_link("#v=1&model=near&study=position_helix");
  const std::size_t opens = desk.all<protocol::Open>().size();
  desk.app.receive(protocol::Failure{desk.last_run().job, "position_helix", "Loading near was stopped.", true});
  CHECK(desk.all<protocol::Open>().size() == opens);
  CHECK(desk.last_run().slot != "text");
  CHECK(!desk.app.busy());
  desk.app.set_config("near", "{}");  // comes late
  CHECK(desk.all<protocol::Open>().size() == opens);
  desk.app.retry();
  CHECK(desk.all<protocol::Open>().back().config_json == "{}");
  CHECK(desk.all<protocol::Open>().size() == opens + 1);
  desk.answer_last();
  CHECK(desk.last_run().slot == "text");
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
  REQUIRE(shown.next.size() == 3);  // of both runs, the largest change first
  CHECK(shown.next[0].probability == 0.25);
  CHECK(shown.next[0].before == 0.75);
  CHECK(shown.next[1].probability == 0.5);
  CHECK(std::isnan(shown.next[1].before));
  CHECK(std::isnan(shown.next[2].probability));
  CHECK(shown.next[2].before == 0.125);
  // Token 8, and of 7 and 9 as much on the other side as its list leaves open: 1/8 of 7 before, 1/4 of 9 now.
  CHECK(std::abs(shown.divergence - (0.75 * std::log(3.0) + 0.125 * std::log(0.5) + 0.125 * std::log(0.25))) < 1e-12);
  const auto json = protocol::parse_json(snapshot_json(page.app, {}));
  REQUIRE(json);
  CHECK((*json)["text"]["next"][0]["before"] == 0.75);

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

TEST_CASE("edits shift the text by a number of rows", "[base][edits]") {
  CHECK(shift_of({}) == 0);
  CHECK(shift_of({{"shift_positions:7"}, {"no_mask"}, {"shift_positions:9", false}, {"shift_positions:5"}}) == 12);
  CHECK(shift_of({{"shift_positions:-7"}, {"shift_positions"}, {"shift_positionsx:3"}}) == 0);
  const std::vector<Edit> edits{{"shift_positions:7", false}, {"no_mask"}, {"shift_positions:3"}};
  CHECK(with_shift(edits, 9) == std::vector<Edit>{{"no_mask"}, {"shift_positions:9"}});
  CHECK(with_shift(edits, 0) == std::vector<Edit>{{"no_mask"}});
}

TEST_CASE("the default sentence is on the helix from the start, and nothing is predicted for that", "[app][text]") {
  HelixPage page;
  REQUIRE(page.runs_in("text").size() == 1);
  CHECK(page.last_run().study == "tokens");
  CHECK(page.last_run().model == "m");
  CHECK(page.app.text_shown().tokens == 0);
  page.cut();
  CHECK(page.words() == 4);
  CHECK(page.app.text_shown().sentence.empty());

  page.app.shift_text(100, Commit::committed);
  CHECK(page.runs_in("text").back().study == "predictions");
  CHECK(page.words() == 4);  // they move at once
  CHECK(page.app.text_shown().shift == 100);
  page.predict(page.runs_in("text").back());
  page.predict(page.runs_in("text-before").back());
  CHECK(!page.app.text_shown().sentence.empty());

  page.app.shift_text(0, Commit::committed);  // back: it stays, and so does its prediction
  CHECK(page.app.state().subject.edits.empty());
  CHECK(page.runs_in("text").back().study == "predictions");
  CHECK(page.words() == 4);
  CHECK(!page.app.text_shown().sentence.empty());
  CHECK(page.app.link().ends_with("&study=position_helix&predict=1"));
}

TEST_CASE("a prediction that was asked for is part of the link, and of a step back", "[app][text]") {
  HelixPage page;
  page.cut();
  CHECK(page.app.link() == "#v=1&model=p&study=position_helix");
  page.app.predict_text();
  page.predict(page.runs_in("text").back());
  const std::string said = page.app.text_shown().sentence, link = page.app.link();
  CHECK(!said.empty());
  CHECK(link == "#v=1&model=p&study=position_helix&predict=1");
  page.app.predict_text();  // once more: no other step
  page.app.undo();
  CHECK(page.runs_in("text").back().study == "tokens");
  page.cut();
  CHECK(page.app.text_shown().sentence.empty());

  HelixPage other;
  other.app.open_link(link);
  other.answer_last();
  CHECK(other.runs_in("text").back().study == "predictions");
  other.predict(other.runs_in("text").back());
  CHECK(other.app.text_shown().sentence == said);
  other.app.set_edits({{"zero_positions"}});  // predicted in any case
  CHECK(other.app.link() == "#v=1&model=p&study=position_helix&edit=zero_positions");
  other.app.set_edits({});
  CHECK(other.app.link() == link);
  REQUIRE(other.app.choose_study("spectrum"));
  CHECK(!other.app.state().predict);
}

TEST_CASE("the text ends where the model that reads it ends, and that model is named", "[app][text]") {
  HelixPage page;
  page.cut();
  const TextShown shown = page.app.text_shown();
  CHECK(shown.model == "m");
  CHECK(shown.positions == 512);
  CHECK(shown.last_shift == 508);
  page.app.shift_text(900, Commit::dragging);
  CHECK(page.app.state().subject.edits == std::vector<Edit>{{"shift_positions:508"}});
  const auto& gestures = std::get<figure::Space>(page.app.figure().find("helix")->content).gestures;
  CHECK(gestures.back().last == 508);

  page.app.set_edits({{"shift_positions:600"}});  // as from a link
  const Run run = page.runs_in("text").back();
  page.app.receive(protocol::Failure{run.job, "predictions", "The edit does not fit.", false});
  CHECK(page.app.text_shown().problem == "m ends at position 511: move left.");
  CHECK(page.app.text_shown().sentence.empty());
  CHECK(page.words() == 4);

  page.app.set_prompt("other words", Commit::committed);  // the words of another text do not stay when it fails
  page.app.receive(protocol::Failure{page.runs_in("text").back().job, "predictions", "No.", false});
  CHECK(page.words() == 0);
}

TEST_CASE("a prediction that failed does not stay beside its sentence", "[app][text]") {
  Page page;
  page.app.set_edits({{"ablate_head:0.1", true}});
  page.give_all();
  CHECK(!page.app.text_shown().next.empty());
  page.app.set_edits({{"ablate_head:7.1", true}});
  page.give(page.last_run(), {}, {});
  page.app.receive(protocol::Failure{page.runs_in("text").back().job, "predictions", "No.", false});
  CHECK(page.app.text_shown().problem == "No.");
  CHECK(page.app.text_shown().next.empty());
  CHECK(page.app.text_shown().sentence.empty());
}

}  // namespace app_text_test
