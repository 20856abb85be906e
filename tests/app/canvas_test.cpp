#include "app/canvas.h"

#include "figure/heading.h"
#include "tests/app/stage.h"

namespace canvas_test {

using namespace helix;
using namespace helix::app;
using namespace helix::app::testing;
using Catch::Approx;

namespace {

/// A page that shows a result of 40 rows on the canvas.
struct Open40 : Stage {
  Open40() {
    settle("#v=1&model=gpt2&study=position_helix&position_helix.last=39");
    app.receive(protocol::Finished{0, "main", {}});  // a job that this app never started
    app.dismiss_notices();
    app.set_param("last", "40", Commit::committed);
    answer(last_run(), true, 41);
    sent.clear();
    frames(60);  // until the figure no longer moves
  }
  const Camera& camera() const { return app.state().view.camera; }
  const Focus& focus() const { return app.state().view.focus; }
};

}  // namespace

TEST_CASE("the canvas paints the figure's shapes inside itself", "[app][canvas]") {
  Open40 stage;
  CHECK(stage.painted > 80);  // 40 points, 39 pieces between them, and axes
  CHECK(ImGui::GetDrawData()->TotalVtxCount > 100);
  CHECK(stage.canvas.drawing().width == stage.canvas.width);
  for (const float size : {0.0f, 1.0f, 40.0f}) {
    stage.canvas.width = stage.canvas.height = size;
    stage.frames();
  }
}

TEST_CASE("hovering reads the nearest point, leaving forgets it", "[app][canvas]") {
  Open40 stage;
  stage.move(stage.spot(17));
  CHECK(stage.focus().at("position") == 17);
  CHECK(!stage.focus().locked);
  CHECK(stage.app.reading().title == "position 17");
  stage.move(stage.empty_place());
  CHECK(stage.focus().at("position") == -1);
  stage.move(stage.spot(30));
  CHECK(stage.focus().at("position") == 30);
  stage.canvas.pointer_left();
  CHECK(stage.focus().at("position") == -1);
  CHECK(!stage.app.history().can_redo());
  CHECK(stage.sent.empty());  // changing the view computes nothing
}

TEST_CASE("a pointer that has left before its last moves are drawn points at nothing", "[app][canvas]") {
  Open40 stage;
  const figure::Point at = stage.spot(17);
  ImGuiIO& io = ImGui::GetIO();
  io.AddMousePosEvent(at.x, at.y);
  io.AddMouseWheelEvent(0, 0.001f);  // what follows waits for the next frame
  io.AddMousePosEvent(-FLT_MAX, -FLT_MAX);
  stage.canvas.pointer_left();
  SECTION("and nothing is read") {
    stage.frames();
    CHECK(stage.focus().at("position") == -1);
  }
  SECTION("and keys that come before them walk on") {
    stage.canvas.key("End", false, false);
    stage.canvas.key("ArrowLeft", false, false);
    const int walked = stage.focus().at("position");
    stage.frames();
    CHECK(walked > 17);
    CHECK(stage.focus().at("position") == walked);
  }
  stage.move(at);
  CHECK(stage.focus().at("position") == 17);
}

TEST_CASE("the strip reads the position under the pointer", "[app][canvas]") {
  Open40 stage;
  const figure::Rect bar = stage.canvas.drawing().rect_of({{"position", 12}}, "rows");
  stage.move({bar.x + bar.w / 2, bar.y + bar.h / 2});
  CHECK(stage.focus().at("position") == 12);
}

TEST_CASE("a click locks a point, a second unlocks it", "[app][canvas]") {
  Open40 stage;
  stage.click(stage.spot(17));
  CHECK(stage.focus() == Focus{{{"position", 17}}, true});
  CHECK(stage.app.link().find("focus=position:17") != std::string::npos);
  stage.move(stage.spot(30));
  CHECK(stage.focus() == Focus{{{"position", 17}}, true});  // locked: hovering elsewhere changes nothing
  stage.canvas.pointer_left();
  CHECK(stage.focus() == Focus{{{"position", 17}}, true});
  stage.click(stage.spot(17));
  CHECK(!stage.focus().locked);
  stage.click(stage.spot(17));
  stage.click(stage.spot(30));
  CHECK(stage.focus() == Focus{{{"position", 30}}, true});
  stage.click(stage.empty_place());
  CHECK(stage.focus().at("position") == -1);
  CHECK(stage.camera() == Camera());
}

TEST_CASE("a drag on the figure orbits, with shift it shifts", "[app][canvas]") {
  Open40 stage;
  const figure::Point at = stage.empty_place();
  stage.move(at), stage.button(true);
  const int changes = stage.changes, turns = stage.turns;
  stage.move({at.x + 50, at.y + 20});
  CHECK(stage.turns > turns);
  CHECK(stage.changes == changes);  // the page around the figure need not follow
  CHECK(stage.camera().azimuth == Approx(45 - 50 * 0.4));
  CHECK(stage.camera().elevation == Approx(20 + 20 * 0.4));
  CHECK(!stage.app.history().can_redo());
  stage.button(false);
  CHECK(stage.changes > changes);
  const Camera turned = stage.camera();
  stage.move({at.x, at.y});
  CHECK(stage.camera() == turned);  // released
  CHECK(!stage.focus().locked);     // a drag is not a click

  ImGui::GetIO().AddKeyEvent(ImGuiMod_Shift, true);
  stage.drag(at, {at.x + 52, at.y - 26});
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Shift, false);
  stage.frames();
  CHECK(stage.camera().azimuth == turned.azimuth);
  CHECK(stage.camera().x > 0.05);
  CHECK(stage.camera().y < -0.02);
  const std::string link = stage.app.link();
  stage.app.undo();
  CHECK(stage.camera() == Camera());  // rotating and shifting are one step
  stage.app.redo();
  CHECK(stage.app.link() == link);
  CHECK(stage.sent.empty());
}

TEST_CASE("a drag moves the points as far as it turns the camera", "[app][canvas]") {
  Open40 stage;
  const figure::Point before = stage.spot(20), at = stage.empty_place();
  stage.drag(at, {at.x + 100, at.y});
  stage.frames();
  CHECK(std::hypot(stage.spot(20).x - before.x, stage.spot(20).y - before.y) > 20);
}

TEST_CASE("a finger may scroll the page where nothing turns or is dragged", "[app][canvas]") {
  Open40 stage;
  CHECK(stage.canvas.takes_touch(stage.empty_place()));
  const figure::Rect end = stage.canvas.rect("figure.rows.first");
  CHECK(stage.canvas.takes_touch(stage.middle(end)));
  CHECK(stage.canvas.takes_touch({end.x + end.w / 2 + 15, end.y + end.h / 2}));
  CHECK(!stage.canvas.takes_touch(stage.middle(stage.canvas.rect("figure.explained"))));
}

TEST_CASE("a press that the page took for scrolling locks nothing", "[app][canvas]") {
  Open40 stage;
  stage.move(stage.spot(5)), stage.button(true);
  stage.canvas.cancel_press();
  stage.button(false);
  CHECK(!stage.focus().locked);
  stage.click(stage.spot(5));
  CHECK(stage.focus().locked);
}

TEST_CASE("the wheel zooms, a double click resets", "[app][canvas]") {
  Open40 stage;
  stage.move(stage.empty_place());
  ImGui::GetIO().AddMouseWheelEvent(0, 2);
  stage.frames();
  CHECK(stage.camera().zoom == Approx(1.12 * 1.12));
  ImGui::GetIO().AddMouseWheelEvent(0, -1);
  stage.frames();
  CHECK(stage.camera().zoom == Approx(1.12));
  stage.canvas.double_click({-5, -5});
  CHECK(stage.camera().zoom == Approx(1.12));
  stage.canvas.double_click(stage.empty_place());
  CHECK(stage.camera() == Camera());
}

TEST_CASE("the ends of the strip set the range, its middle moves it", "[app][canvas]") {
  Open40 stage;
  const auto handle = [&](const char* id) { return Stage::middle(stage.canvas.rect(id)); };
  const auto x_of = [&](int index) {
    return stage.canvas.drawing().grip_of("rows", figure::Grip::Part::first)->x_of(index);
  };
  const figure::Point first = handle("figure.rows.first");
  CHECK(first.x == Approx(x_of(1)).margin(0.6));

  stage.drag(first, {x_of(10), first.y});
  CHECK(stage.param("first") == "10");
  CHECK(stage.param("last") == "40");
  CHECK(stage.asked("first") == "10");
  CHECK(stage.camera() == Camera());
  stage.answer(stage.last_run(), true, 41);
  stage.frames(60);

  const figure::Point last = handle("figure.rows.last");
  stage.drag(last, {x_of(30), last.y});
  CHECK(stage.param("last") == "30");
  stage.answer(stage.last_run(), true, 41);
  stage.frames(60);

  const figure::Point middle{(x_of(10) + x_of(30)) / 2, first.y};
  stage.drag(middle, {middle.x + x_of(5) - x_of(0), middle.y});
  CHECK(stage.param("first") == "15");
  CHECK(stage.param("last") == "35");
  stage.answer(stage.last_run(), true, 41);
  stage.frames(60);

  stage.drag(handle("figure.rows.last"), {-1000, last.y});  // an end stops at the other end
  CHECK(stage.param("last") == "15");
  CHECK(stage.app.history().can_undo());
  stage.app.undo();
  CHECK(stage.param("last") == "35");
}

TEST_CASE("the keys walk, lock, turn, zoom and reset", "[app][canvas]") {
  Open40 stage;
  const auto key = [&](const char* name, bool shift = false) { CHECK(stage.canvas.key(name, shift)); };
  key("ArrowRight");
  CHECK(stage.focus().at("position") == 1);  // the first position
  key("ArrowRight"), key("ArrowRight", true);
  CHECK(stage.focus().at("position") == 12);
  key("ArrowLeft"), key("ArrowLeft", true);
  CHECK(stage.focus().at("position") == 1);
  key("ArrowLeft");
  CHECK(stage.focus().at("position") == 1);
  key("End");
  CHECK(stage.focus().at("position") == 40);
  key("PageUp");
  CHECK(stage.focus().at("position") == 1);
  key("PageDown");
  CHECK(stage.focus().at("position") == 40);
  key("Home");
  CHECK(stage.focus().at("position") == 1);
  key("Enter");
  CHECK(stage.focus() == Focus{{{"position", 1}}, true});
  key("ArrowRight");
  CHECK(stage.focus() == Focus{{{"position", 2}}, true});
  key(" ");
  CHECK(stage.focus() == Focus{{{"position", 2}}, false});
  key("Enter"), key("Escape");
  CHECK(stage.focus() == Focus());
  key("Enter");
  CHECK(stage.focus() == Focus());  // nothing to lock
  key("ArrowLeft");
  CHECK(stage.focus().at("position") == 40);

  key("d"), key("d"), key("a");
  CHECK(stage.camera().azimuth == Approx(50));
  key("w"), key("ArrowUp"), key("s");
  CHECK(stage.camera().elevation == Approx(25));
  for (int i = 0; i < 40; ++i) key("ArrowDown");
  CHECK(stage.camera().elevation == -90);
  for (int i = 0; i < 80; ++i) key("d");
  CHECK(stage.camera().azimuth >= 0);
  CHECK(stage.camera().azimuth < 360);
  key("+"), key("="), key("-");
  CHECK(stage.camera().zoom == Approx(1.12));
  for (int i = 0; i < 100; ++i) key("-");
  CHECK(stage.camera().zoom == Approx(0.1));
  key("D"), key("W");
  CHECK(stage.camera().x > 0);
  CHECK(stage.camera().y < 0);
  key("A"), key("S");
  CHECK(stage.camera().x == Approx(0).margin(1e-12));
  key("0");
  CHECK(stage.camera() == Camera());
  for (const char* other : {"Tab", "F5", "x", ""}) CHECK(!stage.canvas.key(other, false));
}

TEST_CASE("keys walk on from a mouse that rests on the figure, until it moves", "[app][canvas]") {
  Open40 stage;
  stage.move(stage.spot(17));
  REQUIRE(stage.focus().at("position") == 17);
  CHECK(stage.canvas.key("ArrowRight", false));
  stage.frames();
  CHECK(stage.focus().at("position") == 18);
  stage.move(stage.spot(30));
  CHECK(stage.focus().at("position") == 30);
}

TEST_CASE("keys on a page without a figure do nothing", "[app][canvas]") {
  Stage stage;
  stage.frames();
  CHECK(stage.canvas.key("ArrowRight", false));
  CHECK(stage.app.state().view.focus.at("position") == -1);
  CHECK(stage.canvas.rect("row.1").w == 0);
}

TEST_CASE("two fingers zoom and shift, where the figure is", "[app][canvas]") {
  Open40 stage;
  const figure::Point at = stage.empty_place();
  CHECK(stage.canvas.pinch(at.x, at.y, 1, 30, -20, false));
  CHECK(stage.camera().x > 0);
  CHECK(stage.camera().y < 0);
  // The point under the middle of the fingers stays there: the origin moves straight away from it.
  const figure::Rect area = figure::space_area(stage.canvas.rect("figure.helix"));
  const double side = std::min(area.w, area.h);
  const auto from_middle = [&](double x, double y) {
    return std::pair(area.x + area.w / 2 + x * side - at.x, area.y + area.h / 2 + y * side - at.y);
  };
  const auto before = from_middle(stage.camera().x, stage.camera().y);
  CHECK(stage.canvas.pinch(at.x, at.y, 1.5f, 0, 0, false));
  CHECK(stage.camera().zoom == Approx(1.5));
  const auto after = from_middle(stage.camera().x, stage.camera().y);
  CHECK(after.first == Approx(1.5 * before.first));
  CHECK(after.second == Approx(1.5 * before.second));
  CHECK(!stage.canvas.pinch(-5, -5, 2, 0, 0, false));
  CHECK(stage.camera().zoom == Approx(1.5));
  CHECK(stage.canvas.pinch(at.x, at.y, 1, 0, 0, true));
  const std::string link = stage.app.link();
  stage.app.undo();
  CHECK(stage.camera() == Camera());
  stage.app.redo();
  CHECK(stage.app.link() == link);
}

TEST_CASE("places on the canvas have names", "[app][canvas]") {
  Open40 stage;
  const Canvas& canvas = stage.canvas;
  CHECK(canvas.rect("figure").w == canvas.width);
  for (const char* id : {"figure.helix", "figure.explained", "figure.rows"}) {
    CHECK(canvas.rect(id).w > 20);
    CHECK(canvas.rect(id).h > 20);
  }
  const figure::Rect row = canvas.rect("row.17");
  CHECK(Stage::middle(row).x == Approx(stage.spot(17).x).margin(0.01));
  CHECK(Stage::middle(canvas.rect("helix.position.17")).x == Stage::middle(row).x);
  // A row's rectangle is its point: the strip has positions that the result lacks.
  CHECK(canvas.rect("rows.position.0").y > canvas.rect("figure.rows").y);
  CHECK(canvas.rect("rows.position.17").y == canvas.rect("rows.position.0").y);
  CHECK(canvas.rect("explained.component.1").w > 0);
  for (const char* end : {"first", "last"}) {
    const figure::Rect old = canvas.rect(std::string("figure.rows.") + end),
                       now = canvas.rect(std::string("grip.rows.") + end);
    CHECK(old.w > 0);
    CHECK(old.x == now.x);
  }
  CHECK(canvas.rect("figure.rows.first").x < canvas.rect("figure.rows.last").x);
  for (const char* id :
       {"row.0", "row.41", "row.x", "row.", "figure.nothing", "", "nothing", "helix.position.0", "helix.position",
        "helix.token.1", "grip.rows.mark", "grip.helix.first", "grip", "cell.1.1", "item.1000"})
    CHECK(canvas.rect(id).w == 0);
}

TEST_CASE("the figure leaves the page as a document", "[app][canvas]") {
  Open40 stage;
  const std::string bare = stage.canvas.svg(figure::Theme::light(), 600, 400, "");
  const std::string whole = stage.canvas.svg(figure::Theme::light(), 600, 400, "where it is from");
  CHECK(bare.starts_with("<svg"));
  CHECK(whole.find(">where it is from</text>") != std::string::npos);
  CHECK(whole.find("position_helix.last=40") != std::string::npos);
  CHECK(bare.find("where it is from") == std::string::npos);
  const std::string own = stage.canvas.svg(figure::Theme::light(), 600, 0, "where it is from", "what was run");
  CHECK(own.find(">what was run</text>") < own.find(">where it is from</text>"));
  CHECK(own.find("<hs:provenance>where it is from") != std::string::npos);
}

TEST_CASE("a standalone figure is as high as its panels wish, within limits", "[app][canvas]") {
  figure::Page page;
  page.width = 960, page.with_text = true, page.caption = "where it is from";
  const auto height = [&](int bars) {
    figure::Bars marks{"item", 0, std::vector<double>(static_cast<std::size_t>(bars), 0.5)};
    marks.across = true;
    figure::Plot plot{figure::quantity("share", "fraction"), figure::over("item", 0, bars, {})};
    plot.marks = {std::move(marks)};
    figure::Figure f;
    f.title = "Bars", f.panels = {{"bars", "", std::move(plot)}}, f.root = figure::panel("bars");
    return figure::standalone_height(f, page);
  };
  CHECK(height(2) < 480);
  CHECK(height(2) >= 280);
  CHECK(height(30) > height(10));
  CHECK(height(30) < 960);
}

}  // namespace canvas_test
