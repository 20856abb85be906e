// By hand: what is in focus is carried, by pointer, finger and keys; and acts, by keys, from a menu and on a selection.
#include <cmath>

#include "app/menu_json.h"
#include "figure/text_on_line.h"
#include "protocol/json.h"
#include "tests/app/shown.h"

namespace hands_test {

using namespace helix;
using namespace helix::app;
using namespace helix::app::testing;
using figure::Gesture;

namespace {

figure::Panel pattern() {
  figure::Plot plot = matrix_over("query", 6, "key", 6);
  Gesture carry{
      Gesture::On::carry, {"key", "query"}, Gesture::Effect::edit, "move_attention:0.0:{query}:{key}:{to}", ""};
  carry.until = "query", carry.first = 0;
  plot.gestures = {{Gesture::On::brush, {"query", "key"}, Gesture::Effect::window, "", "Enlarge."}, carry};
  return {"pattern", "", plot};
}

figure::Panel heads() {
  figure::Plot plot = matrix_over("layer", 3, "head", 4);
  Gesture off{Gesture::On::act, {"layer", "head"}, Gesture::Effect::edit, "ablate_head:{layer}.{head}", ""};
  off.key = "Delete", off.label = "Switch off";
  Gesture twice{Gesture::On::act, {"layer", "head"}, Gesture::Effect::edit, "scale_head:{layer}.{head}:2", ""};
  twice.key = "2", twice.label = "Double";
  plot.gestures = {
      {Gesture::On::click, {"layer", "head"}, Gesture::Effect::set, "layer={layer}&head={head}", ""}, off, twice};
  plot.chosen = {{"layer", 0}, {"head", 3}};
  return {"heads", "", plot};
}

/// A curve with a text on it, whose positions follow the edits.
struct OnCurve : ShownStage {
  OnCurve()
      : ShownStage([](const ParamValues&) {
          figure::Space space;
          space.axes = {{"a"}, {"b"}, {"c"}};
          figure::Line curve{"position", 0, {3, {}}};
          for (int i = 0; i < 60; ++i)
            for (const double x : {std::cos(0.1 * i), std::sin(0.1 * i), i / 30.0 - 1}) curve.at.data.push_back(x);
          curve.dots = true;
          space.marks = {curve};
          figure::Figure f;
          f.panels = {{"space", "", space}};
          f.across = {"position", 0, 59};
          figure::put_text(f, {"The", "cat", "sat", "on"}, 10, 30, [](std::size_t i) { return std::vector{i}; });
          return f;
        }) {}
};

std::vector<std::string> specs(const App& app) {
  std::vector<std::string> out;
  for (const Edit& edit : app.state().subject.edits) out.push_back(edit.spec);
  return out;
}
using Specs = std::vector<std::string>;

}  // namespace

TEST_CASE("a cell in a locked focus is carried along its row, one edit a drag", "[app][hands]") {
  ShownStage stage({pattern()});
  const figure::Point from = stage.at("pattern.query.4.key.1"), to = stage.at("pattern.query.4.key.3");
  stage.click(from);
  REQUIRE(stage.focus() == Focus({{"query", 4}, {"key", 1}}, true));
  CHECK(stage.canvas.takes_touch(from));
  CHECK(!stage.canvas.takes_touch(to));
  stage.move(from), stage.button(true), stage.move({from.x + 6, from.y}), stage.move(to);
  CHECK(specs(stage.app) == Specs{"move_attention:0.0:4:1:3"});
  CHECK(stage.app.state().view.windows.empty());
  stage.move(stage.at("pattern.query.4.key.5"));
  CHECK(specs(stage.app) == Specs{"move_attention:0.0:4:1:4"});  // no token attends to a later one
  stage.move(to), stage.button(false);
  CHECK(specs(stage.app) == Specs{"move_attention:0.0:4:1:3"});
  stage.app.undo();
  CHECK(specs(stage.app).empty());
  stage.app.redo();
  stage.drag(from, stage.at("pattern.query.4.key.0"));
  CHECK(specs(stage.app) == Specs{"move_attention:0.0:4:1:0"});  // in place of the one before
  stage.click(from);
  CHECK(!stage.focus().locked);  // a press that does not move is a click
  CHECK(specs(stage.app) == Specs{"move_attention:0.0:4:1:0"});
}

TEST_CASE("a cell is carried by keys, back to where it was without an edit", "[app][hands]") {
  ShownStage stage({pattern()});
  CHECK(!stage.canvas.key("ArrowRight", false, true));  // nothing is in focus: the key is the browser's
  stage.click(stage.at("pattern.query.4.key.1"));
  CHECK(stage.canvas.key("ArrowRight", false, true));
  CHECK(stage.canvas.key("ArrowRight", false, true));
  CHECK(specs(stage.app) == Specs{"move_attention:0.0:4:1:3"});
  CHECK(stage.focus().at("key") == 1);
  for (int i = 0; i < 2; ++i) stage.canvas.key("ArrowLeft", false, true);
  CHECK(specs(stage.app).empty());
}

TEST_CASE("a head in focus is switched off or doubled by a key, and back", "[app][hands]") {
  ShownStage stage({heads()});
  stage.move(stage.at("heads.layer.1.head.2"));
  CHECK(stage.canvas.key("Delete", false));
  CHECK(specs(stage.app) == Specs{"ablate_head:1.2"});
  CHECK(stage.canvas.key("2", false));
  CHECK(specs(stage.app) == Specs{"scale_head:1.2:2"});  // one of the two holds
  CHECK(stage.canvas.key("2", false));
  CHECK(specs(stage.app).empty());
  stage.canvas.pointer_left();
  CHECK(stage.canvas.key("Delete", false));
  CHECK(specs(stage.app) == Specs{"ablate_head:0.3"});  // without a focus, the chosen head
  CHECK(stage.param("layer") == "0");
}

TEST_CASE("a head that is doubled is marked in the figure of a study that does not run the prompt", "[app][hands]") {
  ShownStage stage({heads()});
  stage.app.open_link("#v=1&model=gpt2&study=weights");
  stage.reply();
  const auto tags = [&] {
    const figure::Plot& plot = std::get<figure::Plot>(stage.app.figure().panels[0].content);
    return std::get<figure::Cells>(plot.marks[0]).tags;
  };
  CHECK(tags().empty());
  stage.move(stage.at("heads.layer.1.head.2"));
  stage.canvas.key("2", false);
  stage.frames();
  REQUIRE(tags().size() == 1);
  CHECK(tags()[0].row == 1);
  CHECK(tags()[0].col == 2);
  CHECK(tags()[0].text == "×2");
  CHECK(stage.app.figure().summary.ends_with(" Heads with edits: 1.2 ×2."));
  stage.canvas.key("2", false);
  stage.frames();
  CHECK(tags().empty());
}

TEST_CASE("the menu says what can be done to what lies there, and does it", "[app][hands]") {
  ShownStage stage({heads(), pattern()});
  CHECK(!stage.canvas.menu());
  CHECK(!stage.canvas.open_menu(stage.at("pattern.query.4.key.1")));
  REQUIRE(stage.canvas.open_menu(stage.at("heads.layer.2.head.1")));
  const auto menu = stage.canvas.menu();
  REQUIRE(menu);
  CHECK(menu->title == "layer 2, head 1");
  REQUIRE(menu->items.size() == 2);
  CHECK(!menu->items[0].on);
  const auto json = protocol::parse_json(menu_json(*menu));
  REQUIRE(json);
  CHECK((*json)["items"][1]["key"] == "2");
  stage.canvas.act(0);
  CHECK(!stage.canvas.menu());
  CHECK(specs(stage.app) == Specs{"ablate_head:2.1"});
  stage.frames();
  stage.canvas.open_menu(stage.at("heads.layer.2.head.1"));
  CHECK(stage.canvas.menu()->items[0].on);
  stage.canvas.act(0);
  CHECK(specs(stage.app).empty());
}

TEST_CASE("heads that are dragged over are acted on together, as one step", "[app][hands]") {
  ShownStage stage({heads()});
  stage.drag(stage.at("heads.layer.0.head.1"), stage.at("heads.layer.1.head.2"));
  const auto menu = stage.canvas.menu();
  REQUIRE(menu);
  CHECK(menu->title == "4 selected");
  CHECK(specs(stage.app).empty());
  stage.canvas.act(0);
  CHECK(specs(stage.app) == Specs{"ablate_head:0.1", "ablate_head:0.2", "ablate_head:1.1", "ablate_head:1.2"});
  stage.app.undo();
  CHECK(specs(stage.app).empty());
}

TEST_CASE("a position of the text is carried to another row alone, and averaged with others", "[app][hands]") {
  OnCurve stage;
  const figure::Point from = stage.at("space.position.11"), to = stage.at("space.position.25");
  stage.drag(from, to);
  CHECK(specs(stage.app) == Specs{"shift_positions:24"});  // not in a locked focus: the whole text
  stage.app.undo();
  stage.frames();
  stage.click(from);
  REQUIRE(stage.focus() == Focus({{"position", 11}}, true));
  stage.drag(from, to);
  CHECK(specs(stage.app) == Specs{"replace_position:11:25"});
  CHECK(stage.canvas.key("ArrowRight", false, true));
  CHECK(specs(stage.app) == Specs{"replace_position:11:26"});
  CHECK(stage.canvas.key("ArrowLeft", true, true));
  CHECK(specs(stage.app) == Specs{"average_positions:11:10", "replace_position:11:26"});
  REQUIRE(stage.canvas.open_menu());
  CHECK(stage.canvas.menu()->title == "position 11");
  stage.canvas.act(0);
  CHECK(specs(stage.app)[0] == "average_positions:6:16");
}

TEST_CASE("a finger near a pinned position holds that one, though its neighbour is nearer", "[app][hands]") {
  OnCurve stage;
  ImGui::GetIO().AddMouseSourceEvent(ImGuiMouseSource_TouchScreen);
  const figure::Point pinned = stage.at("space.position.11"), next = stage.at("space.position.12"),
                      to = stage.at("space.position.25");
  REQUIRE(std::hypot(next.x - pinned.x, next.y - pinned.y) < ui::kTouchReach);
  stage.click(pinned);
  REQUIRE(stage.focus() == Focus({{"position", 11}}, true));
  CHECK(stage.canvas.holds(next));
  stage.drag(next, {to.x + next.x - pinned.x, to.y + next.y - pinned.y});
  CHECK(specs(stage.app) == Specs{"replace_position:11:25"});
}

TEST_CASE("with Shift a position of the text is averaged with those up to another, pinned or not", "[app][hands]") {
  OnCurve stage;
  const figure::Point from = stage.at("space.position.11"), to = stage.at("space.position.25");
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Shift, true);
  stage.drag(from, to);
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Shift, false);
  CHECK(specs(stage.app) == Specs{"average_positions:11:25"});
  CHECK(!stage.focus().locked);
  stage.app.undo();
  CHECK(specs(stage.app).empty());
}

namespace {

/// Two fingers on a text: where they lie, and where they are when so much of the way to each other is left.
struct Fingers {
  OnCurve stage;
  figure::Point a = stage.at("space.position.10"), b = stage.at("space.position.13");

  figure::Point toward(figure::Point from, figure::Point to, float left) const {
    const float x = (from.x + to.x) / 2, y = (from.y + to.y) / 2;
    return {x + (from.x - x) * left, y + (from.y - y) * left};
  }
  /// How far the two words' points lie from each other as they are drawn.
  float apart() const {
    for (const figure::Hit& hit : stage.canvas.drawing().hits)
      if (hit.carried && hit.spots)
        return std::hypot(hit.spots->at[0].x - hit.spots->at[3].x, hit.spots->at[0].y - hit.spots->at[3].y);
    return -1;
  }
  bool pull(float left) {
    const bool held = stage.canvas.pull(toward(a, b, left), toward(b, a, left));
    stage.frames();
    return held;
  }
};

}  // namespace

TEST_CASE("two fingers pull two positions of the text together: they and those between them are averaged",
          "[app][hands][pull]") {
  Fingers two;
  OnCurve& stage = two.stage;
  const auto before = stage.app.state().view.camera;
  REQUIRE(two.apart() > 20);
  REQUIRE(stage.canvas.holds_two(two.a, two.b));
  CHECK(two.pull(0.95f));
  CHECK(specs(stage.app).empty());  // not yet clear what they do
  CHECK(two.pull(0.5f));
  CHECK(specs(stage.app) == Specs{"average_positions:10:13"});
  CHECK(two.pull(1));
  CHECK(specs(stage.app).empty());  // back where they began: no edit
  CHECK(two.pull(0.4f));
  stage.canvas.end_pull();
  CHECK(specs(stage.app) == Specs{"average_positions:10:13"});
  CHECK(stage.app.state().view.camera == before);
  stage.app.undo();
  CHECK(specs(stage.app).empty());
  CHECK(!stage.canvas.pull(two.a, two.b));  // nothing is held any more
}

TEST_CASE("two fingers on the text that move apart, or aside together, hold nothing: they zoom", "[app][hands][pull]") {
  Fingers two;
  REQUIRE(two.stage.canvas.holds_two(two.a, two.b));
  CHECK(!two.pull(2));
  CHECK(!two.pull(0.2f));  // and it stays a zoom
  REQUIRE(two.stage.canvas.holds_two(two.a, two.b));
  CHECK(!two.stage.canvas.pull({two.a.x + 20, two.a.y}, {two.b.x + 20, two.b.y}));
  CHECK(!two.stage.canvas.holds_two(two.a, two.a));  // one position
  CHECK(!two.stage.canvas.holds_two(two.a, two.stage.at("space.position.45")));
  two.stage.canvas.end_pull();
  CHECK(specs(two.stage.app).empty());
}

TEST_CASE("what is pulled together is averaged as it lies there, and moves with the text", "[app][hands][pull]") {
  Fingers two;
  App& app = two.stage.app;
  const auto pulled = [&](std::vector<Edit> edits) {
    app.set_edits(std::move(edits));
    two.stage.frames();
    REQUIRE(two.stage.canvas.holds_two(two.a, two.b));
    two.pull(0.3f);
    two.stage.canvas.end_pull();
    return specs(app);
  };
  CHECK(pulled({{"replace_position:11:12"}, {"shift_positions:10"}}) ==
        Specs{"replace_position:11:12", "average_positions:10:13", "shift_positions:10"});
  CHECK(pulled({{"average_positions:12:11"}, {"shift_positions:10"}}) ==
        Specs{"average_positions:10:13", "shift_positions:10"});  // the mean of all is the same without the other
  CHECK(pulled({{"average_positions:13:20"}}) == Specs{"average_positions:10:20"});  // what lies there comes along
}

TEST_CASE("fingers that the browser takes away leave the text as it was", "[app][hands][pull]") {
  Fingers two;
  REQUIRE(two.stage.canvas.holds_two(two.a, two.b));
  two.pull(0.3f);
  two.stage.canvas.cancel_press();
  two.stage.canvas.end_pull();
  CHECK(specs(two.stage.app).empty());
}

TEST_CASE("a position without a word is not carried", "[app][hands]") {
  OnCurve stage;
  stage.click(stage.at("space.position.45"));
  CHECK(!stage.canvas.key("ArrowRight", false, true));
  CHECK(!stage.canvas.open_menu());
  CHECK(specs(stage.app).empty());
}

}  // namespace hands_test
