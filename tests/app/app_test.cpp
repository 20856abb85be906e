#include "app/app.h"

#include "app/history.h"
#include "app/sharing.h"
#include "app/snapshot.h"
#include "figure/project.h"
#include "protocol/json.h"
#include "state/permalink.h"
#include "tests/app/stage.h"

namespace app_test {

using namespace helix;
using namespace helix::app;
using namespace helix::app::testing;
using Catch::Approx;

namespace {

ViewState looking(const App& app, double azimuth) {
  ViewState view = app.state().view;
  view.camera.azimuth = azimuth;
  return view;
}

const std::string kGpt2 = "#v=1&model=gpt2&study=position_helix";

}  // namespace

TEST_CASE("a link is run as it says, once the models are known", "[app]") {
  Desk desk;
  desk.app.open_link("#v=1&model=other&study=position_helix&position_helix.first=100&view.map=cividis&theme=dark");
  CHECK(desk.sent.empty());
  CHECK(desk.app.busy());
  desk.models();
  REQUIRE(desk.runs().size() == 1);
  const Run run = desk.last_run();
  CHECK(run.study == "position_helix");
  CHECK(run.model == "other");
  CHECK(desk.asked("first") == "100");
  CHECK(run.params.size() == desk.app.schema().params.size());
  REQUIRE(!desk.all<Open>().empty());
  CHECK(desk.all<Open>().back().model == "other");
  CHECK(desk.all<Open>().back().sha256 == "sha of other");
  CHECK(std::holds_alternative<Open>(desk.sent.front()));  // a run of a model that is not open would fail
  CHECK(desk.app.state().view.map == ColourMap::cividis);
  CHECK(desk.app.status().notices.empty());

  desk.answer(run, false);
  CHECK(desk.app.busy());
  CHECK(!desk.app.figure().panels.empty());
  desk.answer(run, true);
  CHECK(!desk.app.busy());
  CHECK(desk.app.result().scalar("turns")->value == 3.02);
  CHECK(desk.app.figure().across.first == 100);
}

TEST_CASE("while a job is unanswered a drag sends nothing; the answer sends the newest value", "[app]") {
  Desk desk;
  desk.settle();
  desk.set("first", 10, Commit::dragging);
  REQUIRE(desk.runs().size() == 1);
  for (int first = 11; first <= 40; ++first) desk.set("first", first, Commit::dragging);
  CHECK(desk.runs().size() == 1);
  CHECK(desk.asked("first") == "10");
  desk.answer(desk.runs()[0], false);  // while dragging, the first picture counts as an answer
  REQUIRE(desk.runs().size() == 2);
  CHECK(desk.asked("first") == "40");
  desk.set("first", 41, Commit::dragging);
  CHECK(desk.runs().size() == 2);
  desk.set("first", 50, Commit::committed);  // the value a drag ends on is requested at once
  REQUIRE(desk.runs().size() == 3);
  CHECK(desk.asked("first") == "50");
  desk.answer_last();
  CHECK(!desk.app.busy());
  CHECK(desk.runs().size() == 3);
}

TEST_CASE("a drag released without another move still asks for its last value", "[app]") {
  Desk desk;
  desk.settle();
  desk.set("first", 10, Commit::dragging);
  desk.set("first", 20, Commit::dragging);
  CHECK(desk.runs().size() == 1);
  desk.set("first", 20, Commit::committed);
  REQUIRE(desk.runs().size() == 2);
  CHECK(desk.asked("first") == "20");
}

TEST_CASE("a value that does not change asks for nothing", "[app]") {
  Desk desk;
  desk.settle();
  desk.set("first", 1);
  desk.app.set_view(looking(desk.app, 100), Commit::committed);
  desk.app.set_theme(state::Theme::dark);
  CHECK(desk.sent.empty());
  CHECK(!desk.app.busy());
}

TEST_CASE("undo and redo go from link to link", "[app]") {
  Desk desk;
  desk.settle();
  CHECK(!desk.app.history().can_undo());
  desk.set("first", 100);
  desk.answer_last();
  desk.app.set_view(looking(desk.app, 120), Commit::committed);
  desk.app.set_theme(state::Theme::light);
  const std::string newest = desk.app.link();
  CHECK(newest == kGpt2 + "&position_helix.first=100&view.camera=120,20,1,0,0&theme=light");

  desk.app.undo();
  CHECK(desk.app.link() == kGpt2 + "&position_helix.first=100&view.camera=120,20,1,0,0");
  desk.app.undo();
  CHECK(desk.app.link() == kGpt2 + "&position_helix.first=100");
  CHECK(desk.app.state().view.camera.azimuth == 45);
  desk.sent.clear();
  desk.app.undo();
  CHECK(desk.app.link() == kGpt2);
  CHECK(desk.asked("first") == "1");  // the numbers are restored, too
  desk.answer_last();
  CHECK(!desk.app.history().can_undo());
  desk.app.undo();
  CHECK(desk.app.link() == kGpt2);
  for (int i = 0; i < 5; ++i) desk.app.redo();
  CHECK(desk.app.link() == newest);
  CHECK(!desk.app.history().can_redo());

  desk.app.undo();
  desk.set("group", 10);
  CHECK(!desk.app.history().can_redo());
}

TEST_CASE("undo does not wait for the run that it leaves", "[app]") {
  Desk desk;
  desk.settle();
  REQUIRE(desk.app.choose_study("position_norms").ok());
  const Run left = desk.last_run();
  desk.app.undo();
  REQUIRE(desk.last_run().study == "position_helix");
  CHECK(desk.last_run().job > left.job);
  desk.answer_last();
  CHECK(!desk.app.busy());
}

TEST_CASE("turning the figure again and again is one step", "[app]") {
  Desk desk;
  desk.settle();
  desk.set("first", 100);
  desk.answer_last();
  for (const double azimuth : {60.0, 70.0, 80.0}) desk.app.set_view(looking(desk.app, azimuth), Commit::committed);
  desk.app.undo();
  CHECK(desk.app.link() == kGpt2 + "&position_helix.first=100");
  desk.app.redo();
  CHECK(desk.app.state().view.camera.azimuth == 80);
}

TEST_CASE("a drag of a parameter is a step of its own, between two turns of the figure", "[app]") {
  Desk desk;
  desk.settle();
  desk.app.set_view(looking(desk.app, 60), Commit::committed);
  for (const int first : {50, 100}) desk.set("first", first, Commit::dragging);
  desk.set("first", 100, Commit::committed);  // as on release: the value is already set
  desk.answer_last();
  desk.app.set_view(looking(desk.app, 90), Commit::committed);
  desk.app.undo();
  CHECK(desk.app.link() == kGpt2 + "&position_helix.first=100&view.camera=60,20,1,0,0");
  desk.app.undo();
  CHECK(desk.app.link() == kGpt2 + "&view.camera=60,20,1,0,0");
  desk.app.undo();
  CHECK(desk.app.link() == kGpt2);
}

TEST_CASE("without a model the sinusoid stands in until one arrives", "[app]") {
  Desk desk;
  desk.app.open_link("");
  desk.models({});
  REQUIRE(desk.runs().size() == 1);
  CHECK(desk.asked("source") == "sinusoidal");
  CHECK(desk.all<Open>().empty());
  REQUIRE(desk.app.status().notices.size() == 1);
  helix::testing::check_sentence(desk.app.status().notices[0], "sinusoidal");
  desk.answer_last();
  CHECK(desk.app.figure().title.find("inusoidal") != std::string::npos);

  desk.models({"gpt2"});
  CHECK(desk.asked("source") == "learned");
  CHECK(desk.last_run().model == "gpt2");
  CHECK(desk.app.status().notices.empty());
}

TEST_CASE("a sinusoid that was asked for stays when a model arrives", "[app]") {
  Desk desk;
  desk.app.open_link("#v=1&model=&study=position_helix&position_helix.source=sinusoidal");
  desk.models({});
  CHECK(desk.app.status().notices.empty());
  desk.models({"gpt2"});
  CHECK(desk.asked("source") == "sinusoidal");
}

TEST_CASE("a model the link names and nobody has is replaced, with a notice", "[app]") {
  Desk desk;
  desk.app.open_link("#v=1&model=lost&study=position_helix&position_helix.first=5");
  desk.models();
  CHECK(desk.last_run().model == "gpt2");
  CHECK(desk.asked("first") == "5");
  REQUIRE(desk.app.status().notices.size() == 1);
  helix::testing::check_sentence(desk.app.status().notices[0], "lost");
  CHECK(desk.app.link() == kGpt2 + "&position_helix.first=5");
  desk.app.dismiss_notices();
  CHECK(desk.app.status().notices.empty());
}

TEST_CASE("a model is suited to a study by what the list says of it", "[app]") {
  ModelEntry positions{"positions", "", "", 1, {"words", "MLPs"}, {}};
  ModelEntry whole{"whole", "", "", 1, {}, {"vocab.json", "merges.txt"}};
  ModelEntry recorded{"recorded", "", "", 1, {}, {"vocab.json", "merges.txt", "emergence.safetensors"}};
  CHECK(suits(positions, Reads::positions));
  CHECK(suits(positions, Reads::weights));  // it has the attention weights
  CHECK(!suits(positions, Reads::words));
  const ModelEntry alone{"alone", "", "", 1, {"words", "the last LayerNorm", "attention", "MLPs", "LayerNorms"}, {}};
  CHECK(suits(alone, Reads::positions));
  CHECK(!suits(alone, Reads::weights));
  const ModelEntry nothing{"nothing", "", "", 1, {"words", "positions", "attention", "MLPs", "LayerNorms"}, {}};
  CHECK(suits(nothing, Reads::nothing));
  CHECK(!suits(nothing, Reads::positions));
  for (const Reads reads : {Reads::tokens, Reads::layers, Reads::forward, Reads::model, Reads::training})
    CHECK(!suits(positions, reads));
  for (const Reads reads : {Reads::words, Reads::weights, Reads::tokens, Reads::layers, Reads::forward, Reads::model})
    CHECK(suits(whole, reads));
  CHECK(!suits(whole, Reads::training));
  CHECK(suits(recorded, Reads::training));

  const auto opened_by = [&](const char* link) {
    Desk desk;
    desk.app.open_link(link);
    desk.app.set_models({positions, whole, recorded});
    return std::pair(desk.app.state().model, desk.app.status().notices.size());
  };
  CHECK(opened_by("#v=1&model=&study=position_helix") == std::pair<std::string, std::size_t>("positions", 0));
  CHECK(opened_by("#v=1&model=&study=predictions") == std::pair<std::string, std::size_t>("whole", 0));
  CHECK(opened_by("#v=1&model=&study=position_emergence") == std::pair<std::string, std::size_t>("recorded", 0));
  CHECK(opened_by("#v=1&model=gone&study=predictions") == std::pair<std::string, std::size_t>("whole", 1));
  // A model that lacks what the study reads gives way to one that has it, and the page says so.
  CHECK(opened_by("#v=1&model=positions&study=predictions") == std::pair<std::string, std::size_t>("whole", 0));
  // What can be judged of a model that cannot run is shown of the one that was named, and of a whole one else.
  CHECK(opened_by("#v=1&model=positions&study=verification") == std::pair<std::string, std::size_t>("positions", 0));
  CHECK(opened_by("#v=1&model=&study=verification") == std::pair<std::string, std::size_t>("whole", 0));
  CHECK(opened_by("#v=1&model=positions&study=extended_positions").first == "whole");
}

TEST_CASE("a study that reads more than a model has is shown on another model, and the next one on the first again",
          "[app]") {
  const ModelEntry alone{"alone", "", "", 1, {"words", "the last LayerNorm", "attention", "MLPs", "LayerNorms"}, {}};
  const ModelEntry whole{"whole", "", "", 1, {}, {"vocab.json", "merges.txt"}};
  Desk desk;
  desk.app.open_link("#v=1&model=alone&study=position_helix");
  desk.app.set_models({alone, whole});
  CHECK(desk.app.state().model == "alone");
  CHECK(!desk.app.unsuited_model());
  CHECK(desk.app.choose_study("attention").ok());
  CHECK(desk.app.state().model == "whole");
  REQUIRE(desk.app.unsuited_model());
  CHECK(desk.app.unsuited_model()->name == "alone");
  CHECK(desk.app.choose_study("position_helix").ok());
  CHECK(desk.app.state().model == "alone");
  CHECK(!desk.app.unsuited_model());
  desk.app.choose_model("whole");  // the visitor's choice is kept
  CHECK(desk.app.state().model == "whole");
}

TEST_CASE("a bad link opens the default view with a notice, and keys of later versions are kept", "[app]") {
  Desk desk;
  desk.settle("#v=1&study=no_such_study");
  CHECK(desk.app.link() == kGpt2);
  REQUIRE(desk.app.status().notices.size() == 1);
  desk.app.open_link(kGpt2 + "&later=1");
  CHECK(desk.app.link() == kGpt2 + "&later=1");
  REQUIRE(desk.app.status().notices.size() == 1);
  helix::testing::check_sentence(desk.app.status().notices[0], "later");
}

TEST_CASE("choosing a model opens it and runs on it", "[app]") {
  Desk desk;
  desk.settle();
  desk.app.choose_model("other");
  REQUIRE(desk.all<Open>().size() == 1);
  CHECK(desk.all<Open>()[0].model == "other");
  CHECK(desk.last_run().model == "other");
  desk.answer_last();
  desk.app.undo();
  CHECK(desk.last_run().model == "gpt2");
}

TEST_CASE("undo takes back the choice of a model, also for the studies that follow", "[app]") {
  Desk desk;
  desk.settle();
  desk.app.choose_model("other");
  desk.answer_last();
  desk.app.undo();
  REQUIRE(desk.app.choose_study("position_norms").ok());
  CHECK(desk.app.state().model == "gpt2");
  desk.app.undo();
  desk.app.redo();
  CHECK(desk.app.state().model == "gpt2");
}

TEST_CASE("a lesson's step is in the link and is one step of the history", "[app]") {
  Desk desk;
  desk.settle();
  desk.app.set_params({{"first", "100"}}, Commit::committed);
  REQUIRE(desk.app.show_lesson("helix/2", "study=position_norms"));
  CHECK(desk.app.state().study == "position_norms");
  CHECK(desk.app.link().ends_with("&lesson=helix/2"));
  REQUIRE(desk.app.show_lesson("helix/3"));
  CHECK(desk.app.state().study == "position_norms");
  desk.app.undo();
  CHECK(desk.app.state().lesson == "helix/2");
  desk.app.undo();
  CHECK(desk.app.state().lesson.empty());
  CHECK(desk.app.state().study == "position_helix");
  CHECK(desk.asked("first") == "100");
  desk.app.redo();
  CHECK(desk.app.state().lesson == "helix/2");
  REQUIRE(desk.app.choose_study("position_helix"));
  CHECK(desk.app.state().lesson == "helix/2");
  for (const char* wrong : {"helix", "helix/0", "helix/100", "/3", "Helix/1", "a b/1", "helix/x"})
    CHECK(!desk.app.show_lesson(wrong));
  REQUIRE(desk.app.show_lesson(""));
  CHECK(desk.app.link().find("lesson") == std::string::npos);
  REQUIRE(dispatch(desk.app, R"({"do":"lesson","at":"words/1","fragment":"study=spectrum&seed=17"})"));
  CHECK(desk.app.state().study == "spectrum");
  desk.app.open_link(desk.app.link());
  CHECK(desk.app.state().lesson == "words/1");
  REQUIRE(desk.app.show_lesson("words/2", "study=position_helix"));
  CHECK(desk.app.state().seed == 17);
  CHECK(desk.app.link().ends_with("&lesson=words/2&seed=17"));
  REQUIRE(desk.app.show_lesson(""));
  CHECK(desk.app.state().seed == 0);
}

TEST_CASE("presenter's mode is one step of the history, and a link for others says what it shows and hides", "[app]") {
  Desk desk;
  desk.settle();
  REQUIRE(dispatch(desk.app, R"({"do":"present","on":true})"));
  CHECK(desk.app.link().ends_with("&present=1"));
  const auto links = [&](std::string_view options) {
    return *protocol::parse_json(app::links_json(desk.app, options));
  };
  CHECK(links("{}")["link"] == desk.app.link());
  CHECK(links("{}")["short"] == "");
  const auto made = links(R"({"present":false,"embed":true,"hide":["theme","menu","cellar"],"theme":"dark"})");
  CHECK(made["link"].get<std::string>().ends_with("&theme=dark&embed=1&hide=menu,theme"));
  CHECK(links("no JSON")["link"] == desk.app.link());
  desk.app.undo();
  CHECK(!desk.app.state().page.present);
  REQUIRE(desk.app.show_lesson("helix/2", "study=position_norms"));
  CHECK(links(R"({"hide":["menu"]})")["short"] == "#v=1&lesson=helix/2&hide=menu");
}

TEST_CASE("another study about one head shows the head that was chosen", "[app]") {
  Desk desk;
  desk.settle();
  const auto value = [&](const char* key) { return *find_value(desk.app.state().params, key); };
  REQUIRE(desk.app.choose_study("attention"));
  CHECK(value("layer") + "." + value("head") == "4.4");  // its first preset
  desk.app.set_params({{"layer", "4"}, {"head", "2"}}, Commit::committed);
  REQUIRE(desk.app.choose_study("attention_dose"));
  CHECK(value("layer") + "." + value("head") == "4.2");
  REQUIRE(desk.app.choose_study("head_sources"));  // its default is a layer counted from the end
  CHECK(value("layer") + "." + value("head") == "4.2");
  REQUIRE(desk.app.choose_study("head_sources"));
  CHECK(value("layer") == "-1");
  REQUIRE(desk.app.choose_study("attention"));
  CHECK(value("layer") + "." + value("head") == "4.4");
  REQUIRE(desk.app.choose_study("qk_symmetry"));  // all heads of a layer
  CHECK(value("layer") == *find_value(defaults(desk.app.schema()), "layer"));
}

TEST_CASE("a study that is chosen opens on its first preset, and what the visitor has made stays", "[app]") {
  Desk desk;
  desk.settle();
  const auto value = [&](const char* key) { return *find_value(desk.app.state().params, key); };
  REQUIRE(desk.app.choose_study("position_models"));
  CHECK(value("models") == "gpt2-positions,minihelix");
  REQUIRE(desk.app.choose_study("attention_dose"));
  CHECK(value("layer") + "." + value("head") == "5.0");
  CHECK(desk.app.state().subject.prompt.starts_with(" river stone"));
  CHECK(desk.app.current_preset() == "induction");
  REQUIRE(desk.app.choose_study("surprise"));  // the text of that preset was not the visitor's
  CHECK(desk.app.state().subject.prompt == kDefaultPrompt);

  desk.app.open_link(kGpt2 + "&prompt=My own words&edit=zero_positions");
  REQUIRE(desk.app.choose_study("attention_dose"));
  CHECK(value("layer") + "." + value("head") == "5.0");
  CHECK(desk.app.state().subject.prompt == "My own words");
  CHECK(desk.app.state().subject.edits.size() == 1);
}

TEST_CASE("choosing a study starts it from its beginning", "[app]") {
  Desk desk;
  desk.settle();
  desk.set("first", 100);
  desk.answer_last();
  desk.app.set_view(looking(desk.app, 120), Commit::committed);
  CHECK(desk.app.choose_study("position_helix"));
  CHECK(desk.app.link() == kGpt2);
  CHECK(desk.asked("first") == "1");
  desk.answer_last();
  CHECK(!desk.app.choose_study("no_such_study"));
  CHECK(desk.app.link() == kGpt2);
  CHECK(!desk.app.busy());
}

TEST_CASE("after a failure another try opens the model and runs again", "[app]") {
  Desk desk;
  desk.app.open_link("");
  desk.models();
  desk.app.receive(protocol::Failure{desk.last_run().job, "position_helix", "The server did not answer.", true});
  CHECK(!desk.app.busy());
  REQUIRE(desk.app.status().failure);
  CHECK(desk.app.status().failure->sentence == "The server did not answer.");
  CHECK(desk.app.status().failure->retry);
  desk.sent.clear();
  desk.app.retry();
  REQUIRE(desk.all<Open>().size() == 1);
  REQUIRE(desk.runs().size() == 1);
  CHECK(std::holds_alternative<Open>(desk.sent[0]));
  CHECK(!desk.app.status().failure);
  CHECK(desk.app.busy());
  desk.answer_last();
  CHECK(!desk.app.busy());
}

TEST_CASE("a failed job lets the wish that waited go out", "[app]") {
  Desk desk;
  desk.settle();
  desk.set("first", 10, Commit::dragging);
  desk.set("first", 20, Commit::dragging);
  desk.app.receive(protocol::Failure{desk.last_run().job, "position_helix", "No.", false});
  REQUIRE(desk.runs().size() == 2);
  CHECK(desk.asked("first") == "20");
}

TEST_CASE("answers and failures of jobs that are gone change nothing", "[app]") {
  Desk desk;
  desk.settle();
  desk.set("first", 10);
  desk.set("first", 20);
  REQUIRE(desk.runs().size() == 2);
  const Run older = desk.runs()[0], newer = desk.runs()[1];
  desk.answer(newer);
  CHECK(desk.app.figure().across.first == 20);
  desk.answer(older);
  CHECK(desk.app.figure().across.first == 20);
  CHECK(!desk.app.busy());
  desk.app.receive(protocol::Failure{older.job, "position_helix", "Too late.", false});
  CHECK(!desk.app.status().failure);
}

TEST_CASE("what was stopped ends with what it has shown, and answers no more", "[app]") {
  Desk desk;
  desk.settle();
  desk.set("last", 200);
  const Run run = desk.last_run();
  desk.answer(run, false);
  CHECK(desk.app.busy());
  desk.app.stop();
  CHECK(!desk.app.busy());
  REQUIRE(desk.all<protocol::Cancel>().size() == 1);
  CHECK(desk.all<protocol::Cancel>()[0].job == run.job);
  CHECK(desk.app.result().complete);
  REQUIRE(!desk.app.result().notes.empty());
  CHECK(desk.app.result().notes.back() == "Stopped before its end.");
  desk.answer(run);  // an answer that was already under way
  REQUIRE(!desk.app.result().notes.empty());
  CHECK(desk.app.result().notes.back() == "Stopped before its end.");
  desk.app.stop();
  CHECK(desk.all<protocol::Cancel>().size() == 1);  // nothing runs
  desk.set("last", 99);
  CHECK(desk.last_run().job > run.job);
  CHECK(desk.app.busy());
  desk.answer_last();
  CHECK(desk.app.result().notes.empty());
}

TEST_CASE("a new engine is told everything again", "[app]") {
  Desk desk;
  desk.settle();
  desk.set("first", 10);
  const std::uint32_t lost = desk.last_run().job;
  desk.sent.clear();
  desk.app.engine_restarted();
  REQUIRE(desk.all<Open>().size() == 1);
  REQUIRE(desk.runs().size() == 1);
  CHECK(desk.asked("first") == "10");
  CHECK(desk.last_run().job > lost);
  CHECK(desk.app.busy());
  desk.answer_last();
  CHECK(!desk.app.busy());
}

TEST_CASE("without an engine the page says so, keeps what it shows, and another try asks everything anew", "[app]") {
  Desk desk;
  desk.settle();
  const std::string link = desk.app.link();
  const int shown = desk.app.figure().across.first;
  desk.set("first", 10);
  desk.sent.clear();
  desk.app.engine_failed("The engine failed again and again.");
  CHECK(!desk.app.busy());
  REQUIRE(desk.app.status().failure);
  CHECK(desk.app.status().failure->retry);
  CHECK(desk.app.figure().across.first == shown);
  CHECK(desk.sent.empty());
  desk.app.dismiss_failure();
  CHECK(!desk.app.status().failure);
  CHECK(desk.app.link() != link);  // the chosen value stays

  desk.app.retry();
  REQUIRE(desk.all<Open>().size() == 1);
  CHECK(desk.asked("first") == "10");
  desk.answer_last();
  CHECK(!desk.app.busy());
  CHECK(desk.app.figure().across.first == 10);

  desk.app.engine_failed("The engine failed again and again.");
  desk.sent.clear();
  desk.set("first", 12);  // a changed value also retries
  CHECK(!desk.app.status().failure);
  REQUIRE(desk.all<Open>().size() == 1);
  CHECK(desk.asked("first") == "12");
}

TEST_CASE("a part of a link leads to another study, prompt and edits in one step", "[app]") {
  Desk desk;
  desk.settle();
  desk.app.set_prompt("Hello", Commit::committed);
  const std::string before = desk.app.link();
  REQUIRE(desk.app.go_to("study=attention&layer=4&head=11&edit=zero_positions&bos=1"));
  CHECK(desk.last_run().study == "attention");
  CHECK(desk.asked("head") == "11");
  CHECK(desk.last_run().subject.prompt == "Hello");
  CHECK(desk.last_run().subject.edits == std::vector<Edit>{{"zero_positions"}});
  desk.app.undo();
  CHECK(desk.app.link() == before);

  const std::size_t runs = desk.runs().size();
  const auto bad = desk.app.go_to("study=nowhere");
  REQUIRE(!bad);
  helix::testing::check_sentence(bad.error().sentence, "nowhere");
  const auto absent = desk.app.go_to("model=absent");
  REQUIRE(!absent);
  helix::testing::check_sentence(absent.error().sentence, "absent");
  CHECK(desk.app.link() == before);
  CHECK(desk.runs().size() == runs);
}

TEST_CASE("presets replace the parameters, reset clears view and parameters", "[app]") {
  Desk desk;
  desk.settle();
  desk.set("group", 7);
  CHECK(desk.app.apply_preset("unfrayed"));
  CHECK(desk.asked("first") == "100");
  CHECK(desk.asked("group") == "1");
  desk.answer_last();
  desk.app.set_view(looking(desk.app, 200), Commit::committed);
  desk.app.reset_params();
  CHECK(desk.app.link() == kGpt2);
  CHECK(desk.asked("first") == "1");
}

TEST_CASE("a claim, a preset and a next step begin without edits, on the default prompt and alone", "[app]") {
  Desk desk;
  desk.app.open_link(
      "#v=1&model=gpt2&study=predictions&edit=zero_positions&prompt=Hello&bos=1&compare=other&against=edit%3D");
  desk.models();
  const auto clean = [&] {
    const state::AppState& now = desk.app.state();
    return now.subject == Subject() && now.compare == state::Compare::none && now.against.empty();
  };
  CHECK(!clean());
  REQUIRE(desk.app.show_claim("P1"));
  CHECK(desk.app.state().study == "permutation");
  CHECK(clean());
  CHECK(desk.last_run().subject.edits.empty());
  desk.app.undo();
  CHECK(!clean());
  REQUIRE(dispatch(desk.app, R"({"do":"go","fragment":"study=head_taxonomy"})"));
  CHECK(clean());
  desk.app.undo();
  REQUIRE(dispatch(desk.app, R"({"do":"go","fragment":"study=head_taxonomy&from=text"})"));
  CHECK(desk.app.state().subject.prompt == "Hello");
  CHECK(desk.app.state().subject.bos);
  CHECK(desk.app.state().subject.edits.empty());
  desk.app.undo();
  REQUIRE(desk.app.go_to("study=head_taxonomy"));  // as a click in a figure
  CHECK(desk.app.state().subject.edits.size() == 1);
}

TEST_CASE("what was stopped or failed before it answered leaves the old picture faded", "[app]") {
  Desk desk;
  desk.settle();
  desk.set("last", 200);
  desk.app.stop();
  CHECK(!desk.app.busy());
  desk.clock += 1000;
  CHECK(desk.app.dim() > 0.5f);  // the settings say 200, the picture does not
  CHECK(!desk.app.animating());
  CHECK(desk.app.result().notes.back() == "Stopped before its end; these numbers are from before.");
  desk.set("last", 1023);
  CHECK(desk.app.dim() == 0);
  desk.answer_last();
  desk.set("last", 300);
  desk.app.receive(protocol::Failure{desk.last_run().job, "position_helix", "No.", false});
  desk.clock += 1000;
  CHECK(desk.app.dim() > 0.5f);
}

TEST_CASE("a parameter that cannot be is refused in a notice and changes nothing", "[app]") {
  Desk desk;
  desk.settle();
  const std::string before = desk.app.link();
  desk.app.set_param("first", "some", Commit::committed);
  desk.app.set_param("frist", "1", Commit::committed);
  desk.app.set_params({{"last", "5"}, {"first", "x"}}, Commit::committed);
  CHECK(desk.app.link() == before);
  CHECK(desk.sent.empty());
  REQUIRE(desk.app.status().notices.size() == 3);
  for (const std::string& notice : desk.app.status().notices) helix::testing::check_sentence(notice);
  desk.app.set_param("first", "some", Commit::committed);
  CHECK(desk.app.status().notices.size() == 3);  // reported once
}

TEST_CASE("progress, bytes and the opened model are kept for the status line", "[app]") {
  Desk desk;
  desk.settle();
  desk.app.receive(protocol::Working{1, 3, 10, "fitting axes", ""});
  CHECK(desk.app.main_run().progress().phase == "fitting axes");
  CHECK(desk.app.main_run().progress().done == 3);
  desk.app.receive(protocol::Need{"gpt2", {}, 5, 50});
  desk.app.receive(protocol::Need{"other", {}, 7, 70});
  CHECK(desk.app.status().want == 50);
  protocol::Opened opened;
  opened.model = "other";
  desk.app.receive(opened);
  CHECK(!desk.app.status().opened);
  opened.model = "gpt2", opened.n_ctx = 1024;
  desk.app.receive(opened);
  REQUIRE(desk.app.status().opened);
  CHECK(desk.app.status().opened->n_ctx == 1024);
  desk.app.receive(protocol::Hello{"1", "wasm", "hash"});
  CHECK(desk.app.status().engine->kernels == "wasm");
}

TEST_CASE("a result that is none is told, not drawn", "[app]") {
  Desk desk;
  desk.settle();
  desk.set("first", 10);
  desk.app.receive(protocol::Finished{desk.last_run().job, "main", {"{\"no\":1}", {}}});
  REQUIRE(desk.app.status().failure);
  CHECK(!desk.app.busy());
  CHECK(desk.app.figure().across.first == 1);
}

TEST_CASE("the old picture fades only when the new one is late", "[app]") {
  Desk desk;
  desk.settle();
  CHECK(desk.app.dim() == 0);
  desk.set("first", 10);
  desk.clock += 100;
  CHECK(desk.app.dim() == 0);
  desk.clock += 100;
  CHECK(desk.app.dim() > 0);
  CHECK(desk.app.animating());
  desk.clock += 10'000;
  CHECK(desk.app.dim() > 0.5f);
  CHECK(desk.app.dim() < 1);
  CHECK(!desk.app.animating());  // fully dimmed: an idle page draws nothing
  desk.answer_last();
  CHECK(desk.app.dim() == 0);
}

TEST_CASE("whoever listens hears of every change", "[app]") {
  Desk desk;
  desk.settle();
  for (const auto& change : std::vector<std::function<void()>>{
           [&] { desk.set("first", 3); }, [&] { desk.answer_last(); }, [&] { desk.app.set_theme(state::Theme::dark); },
           [&] { desk.app.undo(); }, [&] { desk.app.add_notice("Something."); }, [&] { desk.app.dismiss_notices(); }}) {
    const int before = desk.changes;
    change();
    CHECK(desk.changes > before);
  }
}

// ---- history

TEST_CASE("history forgets its oldest steps, not its newest", "[app][history]") {
  History history;
  for (std::size_t i = 0; i < 2 * History::kSteps; ++i) history.commit({std::to_string(i)}, false);
  std::size_t steps = 0;
  std::string link;
  while (history.can_undo()) link = history.undo().link, ++steps;
  CHECK(steps == History::kSteps - 1);
  CHECK(link == std::to_string(History::kSteps));
  history.commit({link}, false);  // not a step: the link has not changed
  CHECK(history.can_redo());
  history.commit({"new"}, false);
  CHECK(!history.can_redo());
  CHECK(history.undo().link == link);
}

TEST_CASE("a step keeps its number, also after older ones are forgotten", "[app][history]") {
  History history;
  CHECK(history.link().empty());
  history.commit({"a"}, false);
  CHECK(history.step() == 0);
  history.commit({"b"}, false);
  history.commit({"b1"}, true);
  history.commit({"b2"}, true);  // turned further: the same step
  CHECK(history.step() == 2);
  CHECK(history.link() == "b2");
  history.undo();
  CHECK(history.step() == 1);
  history.commit({"c"}, false);
  CHECK(history.step() == 2);
  for (std::size_t i = 3; i <= 2 * History::kSteps; ++i) {
    history.commit({std::to_string(i)}, false);
    CHECK(history.step() == i);
  }
  while (history.can_undo()) history.undo();
  CHECK(history.step() == History::kSteps + 1);
}

TEST_CASE("turning after an undo keeps what was undone", "[app][history]") {
  History history;
  history.commit({"a"}, false);
  history.commit({"b"}, false);
  history.commit({"b1"}, true);
  history.commit({"b2"}, true);
  CHECK(history.undo().link == "b");
  history.commit({"b3"}, true);
  CHECK(history.step() == 1);
  CHECK(history.redo().link == "b2");
  CHECK(history.undo().link == "b3");
  history.commit({"c"}, false);
  CHECK(!history.can_redo());
}

// ---- steadiness

TEST_CASE("a refitted picture stays where it was, then turns to its own axes", "[app][steady]") {
  figure::Curve before;
  for (int i = 0; i < 50; ++i) before.points.push_back({2 * std::cos(0.3 * i), std::sin(0.3 * i), 0.1 * i - 2});
  figure::Curve flipped = before;
  for (figure::Vec3& p : flipped.points) p = {-p[0], p[2], p[1]};

  Steady steady;
  steady.follow(before);
  CHECK(steady.frame(0) == figure::kIdentity);
  steady.follow(flipped);
  const auto close = [&](const figure::Mat3& frame) {
    double worst = 0;
    for (std::size_t i = 0; i < 50; ++i) {
      const figure::Vec3 p = figure::apply(frame, flipped.points[i]);
      for (std::size_t k = 0; k < 3; ++k) worst = std::max(worst, std::abs(p[k] - before.points[i][k]));
    }
    return worst;
  };
  CHECK(close(steady.frame(0)) < 1e-6);
  CHECK(!steady.moving(0));
  steady.release(1000);
  CHECK(steady.moving(1000));
  CHECK(close(steady.frame(1000)) < 1e-6);
  CHECK(!steady.moving(1000 + 5000));
  CHECK(steady.frame(1000 + 5000) == figure::kIdentity);

  Steady still;
  still.reduced_motion = true;
  still.follow(before), still.follow(flipped);
  CHECK(still.frame(0) == figure::kIdentity);
  still.forget();
  CHECK(still.reduced_motion);

  Steady other;
  other.follow(before);
  other.forget();
  other.follow(flipped);
  CHECK(other.frame(0) == figure::kIdentity);
}

TEST_CASE("ranges that overlap are matched by position, those that do not start afresh", "[app][steady]") {
  const auto path = [](int first, int last, double sign) {
    figure::Curve p;
    p.first = first;
    for (int i = first; i <= last; ++i) p.points.push_back({sign * std::cos(0.3 * i), std::sin(0.3 * i), 0.1 * i});
    return p;
  };
  Steady steady;
  steady.follow(path(0, 30, 1));
  steady.follow(path(20, 60, -1));
  CHECK(steady.frame(0)[0][0] == Approx(-1));
  steady.follow(path(200, 260, 1));
  CHECK(steady.frame(0) == figure::kIdentity);
}

}  // namespace app_test
