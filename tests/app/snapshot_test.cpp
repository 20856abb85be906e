#include "app/snapshot.h"

#include "figure/table.h"
#include "protocol/json.h"
#include "state/permalink.h"
#include "tests/app/shown.h"

namespace snapshot_test {

using namespace helix;
using namespace helix::app;
using namespace helix::app::testing;
using protocol::Json;

namespace {

Json parsed(const std::string& text) {
  auto json = protocol::parse_json(text);
  REQUIRE(json);
  return *json;
}

void check_keys(const Json& json, const std::vector<std::string>& keys) {
  for (const std::string& key : keys) {
    CAPTURE(key);
    CHECK(json.contains(key));
  }
}

void done(App& app, const std::string& action) {
  CAPTURE(action);
  const auto outcome = dispatch(app, action);
  CHECK(outcome.ok());
}

}  // namespace

TEST_CASE("a snapshot has what the page renders, before and after a result", "[app][snapshot]") {
  Desk desk;
  const auto snapshot = [&] { return parsed(snapshot_json(desk.app, {})); };
  const std::vector<std::string> keys{"link",    "state",  "models", "models_known", "figure",
                                      "reading", "result", "undo",   "redo",         "status"};
  Json json = snapshot();
  check_keys(json, keys);
  CHECK(json["models_known"] == false);
  CHECK(json["status"]["busy"] == true);
  CHECK(json["reading"].is_null());
  CHECK(json["result"]["provenance"] == "");

  desk.settle("#v=1&model=gpt2&study=position_helix&position_helix.last=50&focus=position:17");
  desk.app.set_theme(state::Theme::dark);
  json = snapshot();
  check_keys(json, keys);
  CHECK(json["link"] == desk.app.link());
  check_keys(json["state"], {"model", "study", "params", "theme", "map", "axes", "camera", "focus", "windows"});
  CHECK(json["state"]["params"]["last"] == "50");
  CHECK(json["state"]["params"].size() == desk.app.schema().params.size());
  CHECK(json["state"]["theme"] == "dark");
  CHECK(json["state"]["camera"] == Json::array({45.0, 20.0, 1.0, 0.0, 0.0}));
  CHECK(json["state"]["focus"]["position"] == 17);
  CHECK(json["models"].size() == 2);
  CHECK(json["models"][1]["name"] == "other");
  check_keys(json["figure"], {"title", "subtitle", "summary", "notes", "tables"});
  CHECK(json["figure"]["tables"][1]["rows"] == 50);
  CHECK(json["figure"]["notes"][1]["kind"] == "equation");
  CHECK(json["reading"]["title"] == "position 17");
  CHECK(json["reading"]["locked"] == true);
  CHECK(!json["reading"].contains("x"));  // there is no drawing yet
  check_keys(json["result"], {"study", "fingerprint", "complete", "notes", "claims", "provenance"});
  CHECK(json["result"]["claims"][0]["id"] == "H1");
  CHECK(json["result"]["claims"][0]["holds"] == true);
  CHECK(json["result"]["provenance"].get<std::string>().find("gpt2") == 0);
  CHECK(json["undo"] == true);
  CHECK(json["redo"] == false);
  check_keys(json["status"],
             {"busy", "phase", "done", "total", "have", "want", "notices", "failure", "opened", "engine"});
  CHECK(json["status"]["busy"] == false);

  figure::Drawing drawing;
  figure::Hit hit;
  hit.spots = figure::Hit::Spots{"position", 17, {{5, 6}}};
  drawing.hits = {hit};
  CHECK(parsed(snapshot_json(desk.app, drawing))["reading"]["x"] == 5);
  desk.app.receive(protocol::Failure{0, "gpt2", "No.", true});
  CHECK(snapshot()["status"]["failure"]["sentence"] == "No.");
  desk.app.add_notice("not \xff text");
  CHECK(snapshot()["status"]["notices"].size() == 1);
}

TEST_CASE("the schemas tell the page all it needs for its controls", "[app][snapshot]") {
  const App app(studies::view_studies(), {});
  const Json json = parsed(schemas_json(app.schemas()));
  REQUIRE(json.size() == app.schemas().size());
  for (std::size_t i = 0; i < json.size(); ++i) {
    check_keys(json[i], {"id", "title", "group", "question", "source", "params", "presets"});
    REQUIRE(json[i]["params"].size() == app.schemas()[i].params.size());
    for (std::size_t k = 0; k < json[i]["params"].size(); ++k) {
      const Json& p = json[i]["params"][k];
      check_keys(p, {"key", "label", "help", "unit", "type", "default", "min", "max", "logarithmic", "follows", "minor",
                     "count", "bound", "choices", "shown_when"});
      CHECK(p["key"] == app.schemas()[i].params[k].key);
      CHECK(p["type"] == std::string(type_name(app.schemas()[i].params[k].type)));
      CHECK(p["default"] == app.schemas()[i].params[k].default_text);
    }
    for (const Json& preset : json[i]["presets"]) check_keys(preset, {"id", "label", "note", "fragment"});
  }
}

TEST_CASE("tables are headings and rows of text", "[app][snapshot]") {
  Desk desk;
  desk.settle("#v=1&model=gpt2&study=position_helix&position_helix.last=50");
  const Json json = parsed(tables_json(desk.app.figure()));
  REQUIRE(json.size() == desk.app.figure().tables.size());
  for (std::size_t i = 0; i < json.size(); ++i) {
    CHECK(json[i]["rows"].size() == figure::row_count(desk.app.figure().tables[i]));
    for (const Json& row : json[i]["rows"]) CHECK(row.size() == json[i]["headings"].size());
  }
  CHECK(json[1]["rows"][0][0] == "1");
  CHECK(json[2]["rows"][0][1] == "0.4000");
}

TEST_CASE("the page is told what a figure offers", "[app][snapshot]") {
  using figure::Gesture;
  const auto told = [](std::vector<figure::Panel> panels, std::vector<figure::Table> tables = {}) {
    const ShownStage stage([&](const ParamValues&) {
      figure::Figure f;
      f.panels = panels, f.tables = tables;
      return f;
    });
    const Json json = parsed(snapshot_json(const_cast<App&>(stage.app), stage.canvas.drawing()))["figure"];
    check_keys(json, {"has_spaces", "components", "windows", "has_colours", "gestures", "last_moment", "tables"});
    return json;
  };
  const Json nothing = told({{"number", "", figure::Number{"5"}}});
  CHECK(nothing["has_spaces"] == false);
  CHECK(nothing["has_colours"] == false);
  CHECK(nothing["components"] == 0);
  CHECK(nothing["windows"] == Json::object());
  CHECK(nothing["gestures"] == Json::array());
  CHECK(nothing["last_moment"].is_null());
  CHECK(nothing["tables"] == Json::array());

  const auto space_of = [](std::size_t axes) {
    figure::Space space;
    space.axes.resize(axes);
    return figure::Panel{"space", "", space};
  };
  CHECK(told({space_of(3)})["has_spaces"] == true);
  CHECK(told({space_of(3)})["has_colours"] == true);
  CHECK(told({space_of(3)})["components"] == 0);  // no axes to choose from
  CHECK(told({space_of(5)})["components"] == 5);
  CHECK(told({space_of(20)})["components"] == 8);  // as many as a link can hold

  figure::Plot matrix = matrix_over("query", 12, "key", 9), curves{figure::over("moment", 5, 20)};
  matrix.gestures = {{Gesture::On::brush, {"query", "key"}, Gesture::Effect::window, "", "Drag around a part."}};
  curves.gestures = {{Gesture::On::drag, {"moment"}, Gesture::Effect::set, "step={moment}", "Drag along."},
                     {Gesture::On::click, {"moment"}, Gesture::Effect::go, "step={moment}", ""}};
  Json json = told({{"matrix", "", matrix}, {"curves", "", curves}});
  CHECK(json["has_spaces"] == false);
  CHECK(json["has_colours"] == false);
  CHECK(json["windows"] == Json{{"key", 9}, {"query", 12}});
  CHECK(json["gestures"] == Json{"Drag around a part.", "Drag along."});
  CHECK(json["last_moment"] == 24);
  matrix.colour = figure::ColourScale();
  CHECK(told({{"matrix", "", matrix}})["has_colours"] == true);

  figure::Table plain{"Numbers", {{"a", "", 0, {1, 2}}}}, rows{"Rows", {{"word", "", 0, {}, {"x", "y", "z"}}}};
  rows.go = {"step=1", "step=2", "step=3"}, rows.open = true;
  json = told({}, {plain, rows})["tables"];
  CHECK(json[0] == Json{{"title", "Numbers"}, {"rows", 2}, {"open", false}, {"leads", false}, {"cards", false}});
  CHECK(json[1] == Json{{"title", "Rows"}, {"rows", 3}, {"open", true}, {"leads", true}, {"cards", false}});
}

TEST_CASE("a table whose rows are cards says which column is what, and which numbers are missing", "[app][snapshot]") {
  figure::Figure f;
  f.tables = {{"Claims",
               {{"id", "", 0, {}, {"A", "B"}}, {"stated", "", 2, {1.5, 0.5}}, {"here", "", 2, {1.25, std::nan("")}}}}};
  CHECK(parsed(tables_json(f))[0]["cards"].is_null());
  f.tables.front().cards = figure::Table::Cards{.name = 0, .stated = 1, .here = 2};
  const Json cards = parsed(tables_json(f))[0]["cards"];
  CHECK(cards["name"] == 0);
  CHECK(cards["numbers"]["stated"] == Json{1.5, 0.5});
  CHECK(cards["numbers"]["here"] == Json{1.25, nullptr});
}

TEST_CASE("a table says which columns are numbers, and where its rows lead", "[app][snapshot]") {
  figure::Table table{"Words", {{"word", "", 0, {}, {"cat", "dog"}}, {"score", "nats", 2, {1.5, -2}}}};
  table.go = {"step=1", "study=elsewhere"}, table.help = "Shows the word.", table.open = true;
  figure::Figure f;
  f.tables = {table, {"Numbers", {{"a", "", 0, {7}}}}};
  const Json json = parsed(tables_json(f));
  REQUIRE(json.size() == 2);
  CHECK(json[0]["headings"] == Json{"word", "score (nats)"});
  CHECK(json[0]["numeric"] == Json{false, true});
  CHECK(json[0]["rows"][1][0] == "dog");
  CHECK(json[0]["rows"][1].size() == 2);
  CHECK(json[0]["go"] == Json{"step=1", "study=elsewhere"});
  CHECK(json[0]["help"] == "Shows the word.");
  CHECK(json[0]["open"] == true);
  CHECK(json[1]["go"] == Json::array());
  CHECK(json[1]["open"] == false);

  // The page's action for a row.
  ShownStage stage([&](const ParamValues&) { return f; });
  done(stage.app, R"({"do":"go","fragment":")" + json[0]["go"][0].get<std::string>() + "\"}");
  CHECK(stage.param("step") == "1");
  done(stage.app, R"({"do":"go","fragment":")" + json[0]["go"][1].get<std::string>() + "\"}");
  CHECK(stage.app.state().study == "elsewhere");
}

TEST_CASE("actions reach the app", "[app][snapshot]") {
  Desk desk;
  App& app = desk.app;
  done(app, R"({"do":"open","link":"#v=1&model=b&study=position_helix&position_helix.first=9"})");
  done(app, R"({"do":"models","models":[{"name":"a","bytes":5},{"name":"b","sha256":"ff","config":"{}","bytes":12}]})");
  REQUIRE(desk.all<Open>().size() == 1);
  CHECK(desk.all<Open>()[0].model == "b");
  CHECK(desk.all<Open>()[0].sha256 == "ff");
  CHECK(desk.all<Open>()[0].config_json == "{}");
  CHECK(desk.all<Open>()[0].bytes == 12);
  CHECK(desk.asked("first") == "9");
  desk.answer_last();

  done(app, R"({"do":"set","values":{"first":"20","last":"40"}})");
  CHECK(desk.asked("first") == "20");
  CHECK(desk.asked("last") == "40");
  desk.answer_last();
  const std::string committed = app.link();
  done(app, R"({"do":"set","values":{"first":"30"},"dragging":true})");
  done(app, R"({"do":"undo"})");
  CHECK(desk.param("first") == "9");
  done(app, R"({"do":"redo"})");
  CHECK(app.link() == committed);
  done(app, R"({"do":"preset","id":"averaged"})");
  CHECK(desk.param("group") == "10");
  done(app, R"({"do":"reset"})");
  CHECK(desk.param("group") == "1");
  done(app, R"({"do":"model","name":"a"})");
  CHECK(app.state().model == "a");
  done(app, R"({"do":"theme","theme":"light"})");
  CHECK(app.state().theme == state::Theme::light);
  done(app, R"({"do":"view","axes":[3,1,2],"map":"jet","focus":{"position":25},"locked":true})");
  CHECK(app.state().view.axes == std::array{3, 1, 2});
  CHECK(app.state().view.map == ColourMap::jet);
  CHECK(app.state().view.focus == Focus{{{"position", 25}}, true});
  done(app, R"({"do":"view","focus":{"position":-7},"locked":true})");
  CHECK(app.state().view.focus == Focus());
  CHECK(app.state().view.axes == std::array{3, 1, 2});  // parts that are not given stay
  ViewState turned = app.state().view;
  turned.camera.azimuth = 99;
  app.set_view(turned, Commit::committed);
  done(app, R"({"do":"view","reset_camera":true})");
  CHECK(app.state().view.camera == Camera());
  done(app, R"({"do":"notice","sentence":"The folder is empty."})");
  CHECK(app.status().notices == std::vector<std::string>{"The folder is empty."});
  done(app, R"({"do":"dismiss"})");
  CHECK(app.status().notices.empty());
  desk.sent.clear();
  done(app, R"({"do":"restarted"})");
  CHECK(desk.all<Open>().size() == 1);
  done(app, R"({"do":"retry"})");
  CHECK(desk.runs().size() == 2);
}

TEST_CASE("an action that is none is answered with a sentence and changes nothing", "[app][snapshot]") {
  Desk desk;
  desk.settle();
  const std::string link = desk.app.link();
  for (const char* action :
       {"", "{", "null", "[1]", R"({"do":1})", R"({"do":"dance"})", R"({"view":1})", R"({"do":"view","axes":[1,1,2]})",
        R"({"do":"view","axes":[1,2,9]})", R"({"do":"view","axes":["1","2","3"]})", R"({"do":"view","axes":[1.5,2,3]})",
        R"({"do":"view","map":"rainbow"})", R"({"do":"view","focus":5})", R"({"do":"view","focus":{"a-b":1}})",
        R"({"do":"view","windows":{"a:b":[1,2]}})", R"({"do":"theme","theme":"pink"})", R"({"do":"theme"})",
        R"({"do":"preset","id":"none"})", R"({"do":"study","id":"none"})"}) {
    CAPTURE(action);
    const auto outcome = dispatch(desk.app, action);
    REQUIRE(!outcome);
    helix::testing::check_sentence(outcome.error().sentence);
  }
  CHECK(desk.app.link() == link);
  CHECK(desk.sent.empty());
}

TEST_CASE("actions of any content never break the app", "[app][snapshot][fuzz]") {
  const std::vector<std::string> actions{
      R"({"do":"open","link":"#v=1&model=b&study=position_helix&position_helix.first=9&view.camera=1,2,3,4,5"})",
      R"({"do":"models","models":[{"name":"a","bytes":5}]})",
      R"({"do":"set","values":{"first":"20","last":"40","plane":"2,3","base":"1e5"},"dragging":true})",
      R"({"do":"view","axes":[3,1,2],"map":"jet","focus":{"position":25},"locked":true})",
      R"({"do":"undo"})",
      R"({"do":"redo"})",
      R"({"do":"preset","id":"averaged"})",
      R"({"do":"retry"})"};
  helix::testing::Dice dice(17);
  helix::testing::Fuzzing fuzzing(20);
  while (fuzzing.more()) {
    Desk desk;
    desk.models({"gpt2"});
    for (int i = 0; i < 40; ++i) {
      std::string action = dice.one_of(actions);
      if (dice.below(2)) action = helix::testing::mutated(action, dice);
      static_cast<void>(dispatch(desk.app, action));
      if (dice.below(4) == 0 && !desk.runs().empty()) desk.answer_last();
      const std::string link = desk.app.link();
      REQUIRE(state::encode(state::decode(link, desk.app.schemas()).state, desk.app.schemas()) == link);
    }
    parsed(snapshot_json(desk.app, {}));
  }
}

}  // namespace snapshot_test
