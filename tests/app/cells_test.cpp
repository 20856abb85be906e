// Matrices on the canvas: cells are focused and locked, parts are selected and zoomed, small matrices are chosen.
#include "app/snapshot.h"
#include "protocol/json.h"
#include "tests/app/stage.h"

namespace app_cells_test {

using namespace helix;
using namespace helix::app;
using namespace helix::app::testing;
using protocol::Json;

namespace {

constexpr std::size_t kTokens = 12, kLayers = 3, kHeads = 4;
std::size_t count = kTokens;  // number of tokens of the text
int views_made = 0;

/// A study of a matrix, made by this test: the contents of the result do not matter.
figure::Figure view(const protocol::Result& result, const ParamValues& asked) {
  using figure::Gesture;
  ++views_made;
  const int n = result.study.empty() ? 0 : static_cast<int>(count);
  figure::Plot one{figure::over("key", 0, n), figure::over("query", 0, n)};
  figure::Plot all{figure::over("head", 0, n ? kHeads : 0), figure::over("layer", 0, n ? kLayers : 0)};
  one.colour = all.colour = figure::ColourScale();
  figure::Cells cells, tiles;
  if (n) {
    cells.cells = figure::pyramid_of(std::vector<double>(count * count, 0.5), count, count, {});
    tiles.cells = figure::pyramid_of_tiles(std::vector<double>(kLayers * kHeads * count * count, 0.5), kLayers, kHeads,
                                           count, count, {});
  }
  cells.row_axis = tiles.row_axis = "query", cells.col_axis = tiles.col_axis = "key";
  tiles.down_axis = "layer", tiles.across_axis = "head";
  one.marks = {cells}, all.marks = {tiles};
  one.gestures = {{Gesture::On::brush, {"query", "key"}, Gesture::Effect::window, "", "Drag around a part."}};
  all.gestures = {{Gesture::On::click, {"layer", "head"}, Gesture::Effect::set, "layer={layer}&head={head}", "Click."}};
  for (const char* key : {"layer", "head"}) all.chosen.push_back({key, std::stoi(*find_value(asked, key))});
  figure::Figure f;
  f.title = "Matrix", f.summary = "A matrix.";
  f.panels = {{"pattern", "one head", one}, {"heads", "all heads", all}};
  f.down = {"query", 0, n - 1}, f.across = {"key", 0, n - 1};
  f.tables = {{"Numbers", {{"a", "", 0, {1}}}}};
  return f;
}

figure::Reading reading(const figure::Reading&, const protocol::Result&, const ParamValues&, const ViewState& state) {
  const Focus& f = state.focus;
  if (!f.has("query") || !f.has("key")) return {};
  return {"cell " + std::to_string(f.at("query")) + " " + std::to_string(f.at("key")), {"0.5000"}};
}

Focus at_cell(int query, int key, bool locked = false) { return Focus({{"query", query}, {"key", key}}, locked); }

const std::vector<studies::ViewStudy>& list() {
  static const std::vector<studies::ViewStudy> studies = [] {
    StudySchema matrix, plain;
    matrix.id = "matrix", matrix.title = "Matrix", matrix.reads = Reads::forward;
    ParamSpec layer;
    layer.key = "layer", layer.default_text = "0", layer.max = 99;
    layer.bound = Bound::last_layer;
    ParamSpec head = layer;
    head.key = "head", head.bound = Bound::last_head;
    matrix.params = {layer, head};
    plain = matrix;
    plain.id = "plain", plain.reads = Reads::weights;
    StudySchema tokens = matrix;
    tokens.id = "tokens_only", tokens.reads = Reads::tokens;
    return std::vector<studies::ViewStudy>{{matrix, view, reading}, {plain, view, reading}, {tokens, view, reading}};
  }();
  return studies;
}

struct MatrixStage : Stage {
  MatrixStage() : Stage(list()) {
    count = kTokens;
    app.open_link("#v=1&model=gpt2&study=matrix");
    models();
    reply();
    frames();
  }
  void reply() {
    protocol::Result r;
    r.study = last_run().study, r.params = last_run().params;
    r.tokens = {{464, "The"}, {3797, " cat"}, {128, "\xE2"}};
    app.receive(protocol::Finished{last_run().job, "main", protocol::encode(r, app.schema())});
    frames();
  }
  const Focus& focus() const { return app.state().view.focus; }
  figure::Point cell(int q, int k) const {
    const figure::Rect r = canvas.drawing().rect_of({{"query", q}, {"key", k}});
    REQUIRE(r.w > 0);
    return middle(r);
  }
  bool act(const std::string& json) { return dispatch(app, json).ok(); }
  const std::vector<Window>& windows() const { return app.state().view.windows; }
  bool shows_all() const { return windows().empty(); }
  /// The part of an axis that is shown; all of it without a window.
  Window shown(const char* axis) const {
    const Window* w = app.state().view.window(axis);
    return w ? *w : Window{axis, 0, static_cast<int>(count) - 1};
  }
  /// The hit of the large matrix: the cells that are drawn.
  const figure::Hit& matrix() const {
    const auto& hits = canvas.drawing().hits;
    const auto hit = std::ranges::find(hits, "pattern", &figure::Hit::panel);
    REQUIRE(hit != hits.end());
    return *hit;
  }
  /// The number of highlight dots on the small matrices.
  long dots() const {
    long found = 0;
    const figure::Block* block = canvas.drawing().find("heads");
    REQUIRE(block);
    for (const figure::Layer& layer : block->layers)
      found += std::ranges::count_if(layer.boxes, [&](const auto& b) { return b.fill == canvas.theme.warm; });
    return found;
  }
};

std::vector<Window> part(int first_query, int last_query, int first_key, int last_key) {
  return {{"key", first_key, last_key}, {"query", first_query, last_query}};
}

}  // namespace

TEST_CASE("a cell is read under the pointer, held by a click, and let go", "[app][cells]") {
  MatrixStage stage;
  CHECK(stage.pictures == 1 + kLayers * kHeads);
  stage.move(stage.cell(7, 3));
  CHECK(stage.focus() == at_cell(7, 3));
  CHECK(stage.app.link().find("focus") == std::string::npos);
  CHECK(stage.app.reading().title == "cell 7 3");
  CHECK(stage.dots() == kLayers * kHeads);  // highlighted in all of them
  stage.click(stage.cell(7, 3));
  CHECK(stage.focus() == at_cell(7, 3, true));
  CHECK(stage.app.link().ends_with("&focus=cell:7:3"));
  stage.move(stage.cell(2, 2));
  CHECK(stage.focus() == at_cell(7, 3, true));
  stage.click(stage.cell(7, 3));
  CHECK(stage.focus() == at_cell(7, 3));  // no longer locked
  stage.move({-5, -5});
  stage.canvas.pointer_left();
  CHECK(stage.focus().nothing());
}

TEST_CASE("how a figure is looked at makes no new figure", "[app][cells]") {
  MatrixStage stage;
  const int before = views_made;
  for (int k = 0; k < 8; ++k) stage.move(stage.cell(9, k));
  CHECK(views_made == before);
  CHECK(stage.app.reading().title == "cell 9 7");
  REQUIRE(stage.act(R"({"do":"view","windows":{"query":[2,5],"key":[2,5]},"map":"jet","axes":[2,1,3]})"));
  stage.frames();
  CHECK(stage.matrix().y.count == 4);
  CHECK(views_made == before);
  stage.set("head", 1);  // the frame around the chosen head moves at once
  stage.frames();
  CHECK(views_made == before + 1);
  stage.reply();
  CHECK(views_made == before + 2);
}

TEST_CASE("arrows walk the cells, and keys choose heads and parts", "[app][cells]") {
  MatrixStage stage;
  Canvas& canvas = stage.canvas;
  const auto key = [&](const char* name, bool shift = false) {
    const bool known = canvas.key(name, shift);
    stage.frames(1);
    return known;
  };
  REQUIRE(key("ArrowDown"));
  CHECK(stage.focus() == at_cell(11, 0));
  key("ArrowRight"), key("ArrowRight"), key("ArrowUp");
  CHECK(stage.focus() == at_cell(10, 2));
  key("ArrowRight", true), key("ArrowRight", true);
  CHECK(stage.focus() == at_cell(10, 11));
  key("Home"), key("PageUp");
  CHECK(stage.focus() == at_cell(0, 0));
  key("Enter"), key("ArrowDown");
  CHECK(stage.focus() == at_cell(1, 0, true));
  key("+");
  CHECK(!stage.shows_all());
  CHECK(stage.matrix().y.count == 6);
  CHECK(stage.app.link().find("view.window=") != std::string::npos);
  key("-");
  CHECK(stage.shows_all());
  key("+"), key("Escape");
  CHECK(stage.focus().nothing());
  CHECK(!stage.shows_all());
  key("Escape");
  CHECK(stage.shows_all());
  key("s"), key("s"), key("d");
  CHECK(stage.param("layer") == "2");
  CHECK(stage.param("head") == "1");
  key("s"), key("a"), key("a");
  CHECK(stage.param("layer") == "2");
  CHECK(stage.param("head") == "0");
  CHECK(!key("q"));
  CHECK(stage.app.link().find("view.camera") == std::string::npos);  // nothing here has a camera
}

TEST_CASE("a mouse draws around a part, a double click shows all again", "[app][cells]") {
  MatrixStage stage;
  stage.drag(stage.cell(3, 2), stage.cell(8, 6));
  CHECK(stage.windows() == part(3, 8, 2, 6));
  CHECK(stage.focus().locked == false);
  stage.frames();
  CHECK(stage.canvas.drawing().rect_of({{"query", 2}, {"key", 2}}).w == 0);
  CHECK(stage.canvas.rect("cell.3.2").w > 0);
  CHECK(stage.canvas.rect("cell.2.2").w == 0);
  stage.canvas.double_click(stage.cell(5, 5));
  stage.frames();
  CHECK(stage.shows_all());
  // A part that is too small is not selected; one that leaves the matrix ends at its edge.
  stage.drag(stage.cell(3, 3), {stage.cell(3, 3).x + 6, stage.cell(3, 3).y + 6});
  CHECK(stage.shows_all());
  stage.drag(stage.cell(9, 9), {stage.cell(11, 11).x + 300, stage.cell(11, 11).y + 5});
  CHECK(stage.windows() == part(9, 11, 9, 11));
}

TEST_CASE("two fingers zoom a matrix about what lies under them, and move it", "[app][cells]") {
  MatrixStage stage;
  const figure::Point at = stage.cell(5, 7);
  const auto pinch = [&](double scale, float dx = 0) {
    CHECK(stage.canvas.pinch(at.x + dx, at.y, static_cast<float>(scale), dx, 0, false));
    stage.frames(1);
  };
  CHECK(stage.canvas.takes_pinch(at));
  CHECK(!stage.canvas.takes_pinch(Stage::middle(stage.canvas.rect("head.1.1"))));  // the page zooms there
  for (int i = 0; i < 12; ++i) pinch(1.05);                                        // each too little for a cell
  for (const char* axis : {"query", "key"})                                        // 12 / 1.05^12 = 6.7
    CHECK(stage.shown(axis).last - stage.shown(axis).first + 1 == 7);
  CHECK((stage.shown("query").first <= 5 && stage.shown("query").last >= 5));
  CHECK((stage.shown("key").first <= 7 && stage.shown("key").last >= 7));
  stage.canvas.pinch(at.x, at.y, 1, 0, 0, true);
  CHECK(stage.app.link().find("view.window=") != std::string::npos);
  const Window queries = stage.shown("query"), keys = stage.shown("key");
  pinch(1, stage.canvas.rect("cell.5.7").w * 2);  // as far as two cells are wide
  CHECK(stage.shown("query") == queries);
  CHECK(stage.shown("key") == Window{"key", keys.first - 2, keys.last - 2});
  stage.canvas.pinch(at.x, at.y, 1, 0, 0, true);
  REQUIRE(stage.act(R"({"do":"undo"})"));
  CHECK(stage.shows_all());
  for (int i = 0; i < 9; ++i) pinch(3);
  for (const char* axis : {"query", "key"}) CHECK(stage.shown(axis).last - stage.shown(axis).first == 1);
  for (int i = 0; i < 9; ++i) pinch(0.4);
  CHECK(stage.shows_all());
}

TEST_CASE("a wheel zooms a matrix by small steps that add up", "[app][cells]") {
  MatrixStage stage;
  const auto wheel = [&](int notches, float way) {
    while (notches-- > 0) ImGui::GetIO().AddMouseWheelEvent(0, way), stage.frames(2);
  };
  stage.move(stage.cell(9, 2));
  wheel(5, 1);
  CHECK(stage.matrix().y.count == 7);  // 12 / 1.12^5 = 6.8
  CHECK(stage.cell(9, 2).x > 0);
  wheel(8, -1);
  CHECK(stage.shows_all());
  count = 4;  // the next text is shorter
  REQUIRE(stage.act(R"({"do":"prompt","text":"Hi"})"));
  stage.reply();
  stage.move(stage.cell(2, 2));
  wheel(5, 1);
  CHECK(stage.matrix().y.count == 2);  // 4 / 1.12^5 = 2.3
}

TEST_CASE("a finger reads a cell and leaves the page to scroll", "[app][cells]") {
  MatrixStage stage;
  CHECK(!stage.canvas.takes_touch(stage.cell(5, 5)));
  ImGui::GetIO().AddMouseSourceEvent(ImGuiMouseSource_TouchScreen);
  stage.drag(stage.cell(3, 2), stage.cell(8, 6));
  CHECK(stage.shows_all());
  stage.click(stage.cell(4, 1));
  CHECK(stage.focus() == at_cell(4, 1, true));
}

TEST_CASE("a small matrix is chosen by a click and read by pointing", "[app][cells]") {
  MatrixStage stage;
  const figure::Rect tile = stage.canvas.rect("head.2.3");
  REQUIRE(tile.w > 0);
  stage.move(Stage::middle(tile));
  CHECK(stage.focus().at("layer") == 2);
  CHECK(stage.focus().at("head") == 3);
  const std::size_t before = stage.runs().size();
  stage.click(Stage::middle(tile));
  CHECK(stage.param("layer") == "2");
  CHECK(stage.param("head") == "3");
  CHECK(stage.runs().size() == before + 1);
  CHECK(stage.app.history().can_undo());
}

TEST_CASE("typing runs as it goes and is one step when it rests", "[app][subject]") {
  MatrixStage stage;
  std::size_t runs = stage.runs().size();
  REQUIRE(stage.act(R"({"do":"prompt","text":"H","dragging":true})"));
  REQUIRE(stage.act(R"({"do":"prompt","text":"Hé","dragging":true})"));
  CHECK(!stage.app.history().can_undo());
  stage.reply();
  CHECK(stage.runs().size() == runs + 2);  // the first letter, and the newest text after its answer
  CHECK(stage.last_run().subject.prompt == "Hé");
  REQUIRE(stage.act(R"({"do":"prompt","text":"Hé"})"));
  CHECK(stage.app.history().can_undo());
  CHECK(stage.app.link().find("prompt=H%C3%A9") != std::string::npos);
  stage.app.undo();
  CHECK(stage.app.state().subject == Subject());
  stage.reply();
  CHECK(stage.last_run().subject.prompt == kDefaultPrompt);
  stage.app.redo();
  CHECK(stage.app.state().subject.prompt == "Hé");
}

TEST_CASE("ids, BOS and edits are part of the state; a text takes the place of ids", "[app][subject]") {
  MatrixStage stage;
  REQUIRE(stage.act(R"({"do":"tokens","ids":[1,2,3]})"));
  CHECK(stage.last_run().subject.tokens == std::vector<std::int32_t>{1, 2, 3});
  CHECK(!stage.act(R"({"do":"tokens","ids":[1,-2]})"));
  REQUIRE(stage.act(R"({"do":"prompt","text":"x"})"));
  CHECK(stage.app.state().subject.tokens.empty());
  REQUIRE(stage.act(R"({"do":"bos","on":true})"));
  REQUIRE(stage.act(R"({"do":"edits","list":[{"spec":"ablate_head:1.2"},{"spec":"no_mask","on":false}]})"));
  CHECK(stage.app.link().find("edit=ablate_head:1.2&edit=!no_mask&prompt=x&bos=1") != std::string::npos);
  const auto json = protocol::parse_json(snapshot_json(stage.app, stage.canvas.drawing()));
  REQUIRE(json);
  const auto& subject = (*json)["state"]["subject"];
  CHECK(subject["prompt"] == "x");
  CHECK(subject["bos"] == true);
  REQUIRE(stage.act(R"({"do":"keep_last","on":true})"));
  CHECK(stage.last_run().subject.keep_last);
  CHECK(stage.app.link().find("&prompt=x&bos=1&keep=last") != std::string::npos);
  CHECK(subject["edits"][1]["on"] == false);
}

TEST_CASE("a study runs again only when what it reads is another", "[app][subject]") {
  const auto runs_after = [](const char* study, const char* action) {
    MatrixStage stage;
    REQUIRE(stage.app.choose_study(study));
    stage.reply();
    const std::size_t before = stage.runs().size();
    REQUIRE(stage.act(action));
    return stage.runs().size() - before;
  };
  const char *text = R"({"do":"prompt","text":"x"})", *edits = R"({"do":"edits","list":[{"spec":"no_mask"}]})";
  CHECK(runs_after("plain", text) == 0);
  CHECK(runs_after("plain", edits) == 0);
  CHECK(runs_after("tokens_only", text) == 1);
  CHECK(runs_after("tokens_only", edits) == 0);
  CHECK(runs_after("matrix", text) == 1);
  CHECK(runs_after("matrix", edits) == 1);
}

TEST_CASE("the shell gets what it lights and shows", "[app][cells]") {
  MatrixStage stage;
  REQUIRE(stage.act(R"({"do":"view","focus":{"query":7,"key":3},"locked":true})"));
  stage.frames();
  auto json = protocol::parse_json(snapshot_json(stage.app, stage.canvas.drawing()));
  REQUIRE(json);
  CHECK((*json)["state"]["focus"]["query"] == 7);
  CHECK((*json)["figure"]["windows"] == Json{{"key", kTokens}, {"query", kTokens}});
  CHECK((*json)["figure"]["has_spaces"] == false);
  CHECK((*json)["state"]["windows"] == Json::object());
  CHECK((*json)["reading"]["x"].get<float>() == Catch::Approx(stage.cell(7, 3).x));
  CHECK((*json)["result"]["tokens"] == 3);
  json = protocol::parse_json(tokens_json(stage.app.result()));
  REQUIRE(json);
  CHECK((*json)[1]["text"] == " cat");
  CHECK((*json)[2]["bytes"] == "e2");
  REQUIRE(stage.act(R"({"do":"view","focus":{"position":2}})"));
  CHECK(stage.focus() == Focus{{"position", 2}});
  for (const char* bad : {R"({"query":[5,2]})", R"({"query":[1]})", R"({"query":[-1,2]})", R"({"query":5})", "[1,2]"})
    CHECK(!stage.act(std::string(R"({"do":"view","windows":)") + bad + "}"));
  CHECK(stage.shows_all());
  REQUIRE(stage.act(R"({"do":"view","windows":{"query":[1,2],"key":[0,1]}})"));
  CHECK(stage.windows() == part(1, 2, 0, 1));
  json = protocol::parse_json(snapshot_json(stage.app, stage.canvas.drawing()));
  REQUIRE(json);
  CHECK((*json)["state"]["windows"] == Json{{"key", {0, 1}}, {"query", {1, 2}}});
  REQUIRE(stage.act(R"({"do":"view","windows":{"query":null}})"));
  CHECK(stage.windows() == std::vector<Window>{{"key", 0, 1}});
  REQUIRE(stage.act(R"({"do":"view","windows":{"key":null}})"));
  CHECK(stage.shows_all());
  json = protocol::parse_json(schemas_json(stage.app.schemas()));
  REQUIRE(json);
  CHECK((*json)[0]["reads"] == "forward");
  CHECK((*json)[0]["params"][1]["bound"] == "last_head");
}

TEST_CASE("a configuration that comes late is passed on, and changes what runs", "[app]") {
  MatrixStage stage;
  stage.sent.clear();
  REQUIRE(stage.act(R"({"do":"config","model":"other","config":"{}"})"));
  CHECK(stage.sent.empty());
  REQUIRE(stage.act(R"({"do":"config","model":"gpt2","config":"{}"})"));
  REQUIRE(stage.all<Open>().size() == 1);
  CHECK(stage.all<Open>().front().config_json == "{}");
  CHECK(stage.runs().size() == 1);
  REQUIRE(stage.act(R"({"do":"config","model":"gpt2","config":"{}"})"));
  CHECK(stage.all<Open>().size() == 1);  // no second request
}

}  // namespace app_cells_test
