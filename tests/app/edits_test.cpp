// Edits on the page: what the shell is told about them, and comparing runs with and without them.
#include "app/edits_json.h"
#include "app/snapshot.h"
#include "tests/app/shown.h"
#include "tests/app/stage.h"
#include "tests/planted.h"

namespace app_edits_test {

using namespace helix;
using namespace helix::testing;
using namespace helix::app;
using namespace helix::app::testing;
using protocol::Json;
using state::Compare;

namespace {

Json parsed(const std::string& text) {
  auto json = protocol::parse_json(text);
  REQUIRE(json);
  return *json;
}

Json snapshot_of(App& app) { return parsed(snapshot_json(app, figure::Drawing())); }

/// Attention on a planted model: 3 layers of 2 heads, 100 positions.
struct AttentionDesk : Desk {
  std::map<std::string, protocol::Result> results;  // by slot

  explicit AttentionDesk(const std::string& rest = "") {
    app.open_link("#v=1&model=gpt2&study=attention&prompt=the he at the" + rest);
    models();
    protocol::Opened opened;
    opened.model = "gpt2", opened.n_layer = 3, opened.n_head = 2, opened.n_ctx = 100;
    app.receive(opened);
    answer_all();
  }

  /// Runs the requests as the engine would.
  void answer_all() {
    const studies::ComputeStudy* study = studies::find_compute_study("attention");
    const auto asked = runs();
    sent.clear();
    for (const Run& run : asked) {
      studies::Inputs inputs = planted_inputs();
      inputs.subject = run.subject;
      auto result = run_to_end(study->run(run.params, inputs));
      REQUIRE(result);
      results[run.slot] = *result;
      app.receive(protocol::Finished{run.job, run.slot, protocol::encode(*result, study->schema)});
    }
  }
  void compare(Compare mode) {
    REQUIRE(app.set_compare(mode, "edit="));
    answer_all();
  }
  void edit(std::vector<Edit> edits) {
    app.set_edits(std::move(edits));
    answer_all();
  }
};

const double kMargin = 1e-6;

}  // namespace

TEST_CASE("the page makes its form of edits from their declaration", "[app][edits]") {
  const Json forms = parsed(edit_forms_json());
  REQUIRE(forms.size() == edit_forms().size());
  for (std::size_t i = 0; i < forms.size(); ++i) {
    const EditForm& form = edit_forms()[i];
    CHECK(forms[i]["name"] == form.name);
    CHECK(forms[i]["sentence"] == form.sentence);
    CHECK(forms[i]["written"] == written(form));
    REQUIRE(forms[i]["fields"].size() == form.fields.size());
    for (const Json& field : forms[i]["fields"])
      for (const char* key :
           {"value", "name", "label", "start", "min", "max", "bound", "optional", "endless", "before"})
        CHECK(field.contains(key));
  }
  const auto bounds_of = [&](const char* name) {
    std::vector<std::string> bounds;
    for (const Json& form : forms)
      if (form["name"] == name)
        for (const Json& field : form["fields"]) bounds.push_back(field["bound"]);
    return bounds;
  };
  CHECK(bounds_of("ablate_head") == std::vector<std::string>{"last_layer", "last_head", ""});
  CHECK(bounds_of("replace_position") == std::vector<std::string>{"last_position", "last_position"});
  CHECK(bounds_of("set_score") ==
        std::vector<std::string>{"last_layer", "last_head", "last_prompt_position", "last_prompt_position", ""});
  CHECK(bounds_of("rank_positions") == std::vector<std::string>{"last_dimension"});
}

TEST_CASE("each edit has its label, and what is wrong with it on the open model", "[app][edits]") {
  AttentionDesk desk;
  desk.app.set_edits({{"ablate_head:1.1"}, {"ablate_head:1.5"}, {"nonsense", false}, {"shift_positions:60"}});
  const Json edits = snapshot_of(desk.app)["state"]["subject"]["edits"];
  REQUIRE(edits.size() == 4);
  CHECK(edits[0]["spec"] == "ablate_head:1.1");
  CHECK(edits[0]["label"] == "Head 1.1 off");
  CHECK(edits[0]["problem"] == "");
  CHECK(edits[2]["on"] == false);
  CHECK(edits[1]["problem"] == "The edit “ablate_head:1.5” names head 5, but the last one is 1.");
  CHECK(edits[2]["label"] == "nonsense");
  check_sentence(edits[2]["problem"], "nonsense");
  CHECK(edits[3]["problem"] == "");

  const auto problem = [&](const char* spec) { return parsed(told_edit_json(desk.app, spec))["problem"]; };
  CHECK(problem("ablate_head:2.1") == "");
  check_sentence(problem("ablate_head:3.1"), "layer 3");
  check_sentence(problem("set_score:0.0:9:0:-inf"), "position 9");
  check_sentence(problem("shift_positions:60"), "position 126");  // the state's own edit has already shifted them
  CHECK(problem("shift_positions:10") == "");
  CHECK(parsed(told_edit_json(desk.app, "scale_head:0.1:3"))["label"] == "Head 0.1 × 3");
}

TEST_CASE("the run without edits is shown alone, less, and beside; a link keeps which", "[app][edits]") {
  AttentionDesk desk("&edit=scale_head:0.0:3&attention.layer=1");
  desk.compare(Compare::other);
  CHECK(desk.results.at(kAgainstSlot).edits.empty());
  CHECK(desk.app.result().edits.empty());
  const auto numbers = [](const protocol::Result& r) { return r.array("pattern")->data; };
  const auto &with = numbers(desk.results.at(kMainSlot)), &without = numbers(desk.results.at(kAgainstSlot));
  CHECK(with != without);
  CHECK(numbers(desk.app.result()) == without);
  CHECK(desk.app.exported().array("against_pattern") == nullptr);
  CHECK(numbers(desk.app.exported()) == without);
  CHECK(desk.app.figure().title.find("edit") == std::string::npos);
  CHECK(desk.app.link().find("&compare=other&against=edit%3D") != std::string::npos);
  CHECK(snapshot_of(desk.app)["state"]["compare"] == "other");

  const std::string link = desk.app.link();
  desk.compare(Compare::difference);  // both sides have results: nothing runs again
  CHECK(desk.app.result().difference);
  desk.compare(Compare::none);
  CHECK(desk.app.figure().title.ends_with("with 1 edit"));
  CHECK(numbers(desk.app.result()) == with);
  desk.app.undo();
  desk.app.undo();
  CHECK(desk.app.link() == link);
  desk.answer_all();
  CHECK(numbers(desk.app.result()) == without);
}

TEST_CASE("switching between two sides that are there runs nothing", "[app][edits]") {
  AttentionDesk desk("&edit=ablate_head:0.0");
  desk.compare(Compare::other);
  for (const Compare mode : {Compare::difference, Compare::beside, Compare::other}) {
    REQUIRE(desk.app.set_compare(mode, "edit="));
    CHECK(desk.runs().empty());
    CHECK(!desk.app.busy());
  }
}

TEST_CASE("a difference is read with the numbers that it is of", "[app][edits]") {
  AttentionDesk desk("&edit=scale_head:0.0:3&attention.layer=1");
  desk.compare(Compare::difference);
  ViewState view = desk.app.state().view;
  view.focus = Focus({{"query", 2}, {"key", 1}}, false);
  desk.app.set_view(view, Commit::dragging);
  const auto lines = desk.app.reading().lines;
  REQUIRE(lines.size() == 5);
  const auto number = [](const std::string& line) { return std::stod(line.substr(line.rfind(' ') + 1)); };
  CHECK(lines[1].starts_with("Head 0.0 × 3: attention"));
  CHECK(lines[2].starts_with("Head 0.0 × 3: as it is"));
  CHECK(lines[3].starts_with("As it is: attention"));
  CHECK(lines[4].starts_with("change: "));
  const std::size_t n = desk.results.at(kMainSlot).array("pattern")->shape[1];
  for (const auto& [line, slot] : {std::pair(1, kMainSlot), std::pair(2, kAgainstSlot), std::pair(3, kAgainstSlot)})
    CHECK(std::abs(number(lines[static_cast<std::size_t>(line)]) -
                   desk.results.at(slot).array("pattern")->data[2 * n + 1]) < 6e-5);
}

TEST_CASE("with the last edit the comparison with the run without edits ends", "[app][edits]") {
  AttentionDesk desk("&edit=ablate_head:0.0");
  desk.compare(Compare::difference);
  desk.edit({{"ablate_head:0.0", false}});
  CHECK(desk.app.state().compare == Compare::difference);  // an edit that is switched off keeps the comparison
  for (const double x : desk.app.result().array("pattern")->data) CHECK(std::abs(x) < kMargin);
  desk.edit({});
  CHECK(desk.app.state().compare == Compare::none);
  CHECK(desk.app.link().find("against") == std::string::npos);
  REQUIRE(desk.app.set_compare(Compare::difference, "edit=zero_positions"));
  desk.edit({});
  CHECK(desk.app.state().compare == Compare::difference);  // a different comparison
}

TEST_CASE("the page is told which head a figure is about", "[app][edits]") {
  AttentionDesk desk("&attention.layer=2&attention.head=1");
  CHECK(snapshot_of(desk.app)["figure"]["head"] == Json{{"layer", 2}, {"head", 1}});
  Desk positions;
  positions.settle();
  CHECK(snapshot_of(positions.app)["figure"]["head"].is_null());
}

}  // namespace app_edits_test
