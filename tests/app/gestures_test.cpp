// What a click, a drag and a key do when a figure declares gestures: parameters, link fragments, edits.
#include "figure/text_on_line.h"
#include "protocol/json.h"
#include "tests/app/shown.h"

namespace gestures_test {

using namespace helix;
using namespace helix::app;
using namespace helix::app::testing;
using figure::Gesture;
using Part = figure::Grip::Part;

namespace {

figure::Panel ranking_with(Gesture gesture) {
  figure::Plot plot = ranking_of(4);
  plot.gestures = {std::move(gesture)};
  return {"ranking", "", std::move(plot)};
}

figure::Panel matrix_with(Gesture gesture) {
  figure::Plot plot = matrix_over("layer", 3, "head", 4);
  plot.gestures = {std::move(gesture)};
  return {"heads", "", std::move(plot)};
}

/// Curves with a draggable moment, above bars with a draggable range.
figure::Figure with_grips(const ParamValues& asked) {
  figure::Plot curves{figure::over("moment", 0, 20), figure::quantity("loss")};
  curves.marks = {figure::Line{"moment", 0, figure::over_index(std::vector<double>(20, 1))}};
  Gesture drag{Gesture::On::drag, {"moment"}, Gesture::Effect::set, "step={moment}", "Drag."};
  drag.first = number_of(asked, "step");
  curves.gestures = {drag};
  figure::Plot rows{figure::over("position", 0, 20), figure::quantity("length")};
  rows.marks = {figure::Bars{"position", 0, std::vector<double>(20, 1)}};
  Gesture brush{Gesture::On::brush,
                {"position"},
                Gesture::Effect::set,
                "first={position.first}&last={position.last}",
                "Drag the ends."};
  brush.first = number_of(asked, "first"), brush.last = number_of(asked, "last");
  rows.gestures = {brush};
  figure::Figure f;
  f.panels = {{"curves", "", curves}, {"rows", "", rows}};
  return f;
}

struct Grips : ShownStage {
  Grips() : ShownStage(with_grips) {}
  const figure::Grip& grip(const char* panel, Part part) const {
    const figure::Grip* found = canvas.drawing().grip_of(panel, part);
    REQUIRE(found);
    return *found;
  }
  figure::Point place(const char* panel, int index) const {
    const figure::Grip& any = grip(panel, std::string(panel) == "rows" ? Part::first : Part::mark);
    return {any.x_of(index), middle(any.rect).y};
  }
  int value(const char* key) const { return std::stoi(param(key)); }
};

}  // namespace

TEST_CASE("a click leads where the figure says, with the index that was clicked", "[app][gestures]") {
  ShownStage stage({ranking_with({Gesture::On::click,
                                  {"item"},
                                  Gesture::Effect::go,
                                  "study=elsewhere&layer={item}&edit=zero_positions",
                                  "Click."})});
  const std::string before = stage.app.link();
  stage.move(stage.at("ranking.item.2"));
  CHECK(stage.focus() == Focus{{"item", 2}});
  CHECK(stage.app.state().study == "shown");  // hovering is not a click
  stage.click(stage.at("ranking.item.2"));
  CHECK(stage.app.state().study == "elsewhere");
  CHECK(stage.asked("layer") == "2");
  CHECK(stage.last_run().subject.edits == std::vector<Edit>{{"zero_positions"}});
  CHECK(!stage.focus().locked);
  CHECK(stage.app.status().notices.empty());
  stage.app.undo();
  CHECK(stage.app.link() == before);
  CHECK(!stage.app.history().can_undo());  // the click was one step
}

TEST_CASE("a click that leads nowhere is told, and changes nothing", "[app][gestures]") {
  ShownStage stage(
      {ranking_with({Gesture::On::click, {"item"}, Gesture::Effect::go, "study=nowhere&layer={item}", ""})});
  const std::string before = stage.app.link();
  stage.click(stage.at("ranking.item.1"));
  CHECK(stage.app.link() == before);
  CHECK(stage.sent.empty());
  REQUIRE(stage.app.status().notices.size() == 1);
  helix::testing::check_sentence(stage.app.status().notices[0], "nowhere");
}

TEST_CASE("a click needs an index for each axis that it names, else it holds what was clicked", "[app][gestures]") {
  ShownStage stage(
      {ranking_with({Gesture::On::click, {"item", "layer"}, Gesture::Effect::set, "head={item}&layer={layer}", ""})});
  stage.click(stage.at("ranking.item.1"));
  CHECK(stage.param("head") == "0");
  CHECK(stage.focus() == Focus({{"item", 1}}, true));
}

TEST_CASE("a click makes an edit, once", "[app][gestures]") {
  ShownStage stage({matrix_with(
      {Gesture::On::click, {"layer", "head"}, Gesture::Effect::edit, "ablate_head:{layer}.{head}", "Click."})});
  stage.app.set_edits({{"no_mask", false}});
  stage.reply();
  stage.sent.clear();
  const std::vector<Edit> both{{"no_mask", false}, {"ablate_head:1.2"}};
  stage.click(stage.at("heads.layer.1.head.2"));
  CHECK(stage.app.state().subject.edits == both);
  REQUIRE(stage.runs().size() == 1);
  CHECK(stage.last_run().subject.edits == both);
  stage.reply();
  stage.click(stage.at("heads.layer.1.head.2"));
  CHECK(stage.app.state().subject.edits == both);
  CHECK(stage.runs().size() == 1);
  stage.app.set_edits({{"ablate_head:1.2", false}});
  stage.click(stage.at("heads.layer.1.head.2"));
  CHECK(stage.app.state().subject.edits == std::vector<Edit>{{"ablate_head:1.2"}});  // switched on again
  stage.app.undo();
  CHECK(stage.app.state().subject.edits == std::vector<Edit>{{"ablate_head:1.2", false}});
}

TEST_CASE("a click appends a token to the prompt, by its text where that is whole characters, else by its id",
          "[app][gestures]") {
  Gesture append{Gesture::On::click, {"item"}, Gesture::Effect::append};
  append.tokens = {{7, " cat"}, {8, "\xE2"}, {9, ""}};
  ShownStage stage({ranking_with(append)});
  stage.app.set_prompt("The", Commit::committed);
  stage.click(stage.at("ranking.item.0"));
  CHECK(stage.app.state().subject.prompt == "The cat");
  CHECK(stage.app.state().subject.tokens.empty());
  stage.click(stage.at("ranking.item.3"));  // there is no such token
  CHECK(stage.app.state().subject.prompt == "The cat");
  stage.app.set_tokens({1, 2}, Commit::committed);
  stage.click(stage.at("ranking.item.0"));
  CHECK(stage.app.state().subject.tokens == std::vector<std::int32_t>{1, 2, 7});
  stage.click(stage.at("ranking.item.1"));
  CHECK(stage.app.state().subject.tokens == std::vector<std::int32_t>{1, 2, 7, 8});
  stage.app.undo();
  CHECK(stage.app.state().subject.tokens == std::vector<std::int32_t>{1, 2, 7});
}

TEST_CASE("what a click sets over two axes is stepped by W, A, S and D", "[app][gestures]") {
  ShownStage stage({matrix_with(
      {Gesture::On::click, {"layer", "head"}, Gesture::Effect::set, "step={layer}&head={head}", "Click."})});
  stage.click(stage.at("heads.layer.1.head.2"));
  CHECK(stage.param("step") == "1");
  CHECK(stage.param("head") == "2");
  CHECK(stage.param("layer") == "0");  // an axis is not a parameter, even if they share a name
  const auto after = [&](const char* keys) {
    for (const char* k = keys; *k; ++k) CHECK(stage.canvas.key(std::string(1, *k), false));  // no waiting for answers
    return stage.param("step") + "." + stage.param("head");
  };
  CHECK(after("s") == "2.2");
  CHECK(after("s") == "2.2");  // the last layer
  CHECK(after("d") == "2.3");
  CHECK(after("D") == "2.3");
  CHECK(after("Aaaa") == "2.0");
  CHECK(after("wWw") == "0.0");
  CHECK(stage.canvas.key("w", true));
  CHECK(stage.param("step") == "0");
  CHECK(stage.app.history().can_undo());
}

TEST_CASE("where nothing was chosen, these keys start from the study's own choice", "[app][gestures]") {
  figure::Panel heads =
      matrix_with({Gesture::On::click, {"layer", "head"}, Gesture::Effect::set, "step={layer}&head={head}", "Click."});
  std::get<figure::Plot>(heads.content).chosen = {{"layer", 1}, {"head", 2}};
  ShownStage stage({heads});
  stage.app.set_params({{"step", "-1"}, {"head", "-1"}}, Commit::committed);
  stage.reply();
  CHECK(stage.canvas.key("s", false));
  CHECK(stage.param("step") == "2");
  CHECK(stage.param("head") == "2");
}

TEST_CASE("without a space and such a click these keys mean nothing", "[app][gestures]") {
  ShownStage stage({ranking_with({Gesture::On::click, {"item"}, Gesture::Effect::set, "step={item}", ""})});
  for (const char* name : {"w", "a", "s", "d"}) CHECK(!stage.canvas.key(name, false));
  CHECK(stage.param("step") == "0");
}

TEST_CASE("the mark of an index follows the hand, and is kept where it is let go", "[app][gestures]") {
  Grips stage;
  const float height = stage.canvas.rect("figure.curves").h;
  CHECK(stage.canvas.rect("grip.curves.mark").h > height / 3);
  CHECK(stage.canvas.rect("figure.curves.mark").x == stage.canvas.rect("grip.curves.mark").x);
  stage.move(stage.place("curves", 0)), stage.button(true);
  stage.move(stage.place("curves", 7));
  CHECK(stage.value("step") == 7);
  CHECK(Stage::middle(stage.canvas.rect("grip.curves.mark")).x == Catch::Approx(stage.place("curves", 7).x));
  CHECK(!stage.app.history().can_undo());
  CHECK(stage.runs().size() == 1);
  stage.move(stage.place("curves", 12));
  CHECK(stage.value("step") == 12);
  CHECK(stage.runs().size() == 1);  // the first run is still unanswered
  stage.button(false);
  CHECK(stage.runs().size() == 2);
  CHECK(stage.asked("step") == "12");
  CHECK(stage.app.history().can_undo());
  stage.app.undo();
  CHECK(stage.value("step") == 0);
  CHECK(!stage.app.history().can_undo());
}

TEST_CASE("a mouse takes the mark anywhere, a finger only at the mark", "[app][gestures]") {
  Grips stage;
  const figure::Point there = stage.place("curves", 15);
  CHECK(!stage.canvas.takes_touch(there));
  CHECK(stage.canvas.takes_touch(stage.at("grip.curves.mark")));
  stage.move(there), stage.button(true), stage.button(false);  // pressing without moving sets it
  stage.frames(60);
  CHECK(stage.value("step") == 15);
  CHECK(stage.app.history().can_undo());
  stage.move({there.x + 100, there.y});
  CHECK(stage.value("step") == 15);
  stage.drag(stage.place("curves", 15), {-500, there.y});  // it stops at the first moment
  CHECK(stage.value("step") == 0);

  ImGui::GetIO().AddMouseSourceEvent(ImGuiMouseSource_TouchScreen);
  stage.drag(stage.place("curves", 10), stage.place("curves", 4));
  CHECK(stage.value("step") == 0);
  stage.drag(stage.place("curves", 0), stage.place("curves", 4));
  CHECK(stage.value("step") == 4);
  stage.click(stage.place("curves", 16));  // a tap does not scroll
  CHECK(stage.value("step") == 16);
}

TEST_CASE("a bar is pulled up and down where it was taken", "[app][gestures]") {
  ShownStage stage([](const ParamValues&) {
    figure::Plot plot{figure::over("position", 0, 10), figure::quantity("share")};
    plot.marks = {figure::Bars{"position", 0, std::vector<double>(10, 0.5)}};
    plot.y.low = 0, plot.y.high = 1;
    Gesture pull{Gesture::On::drag, {"position", "height"}, Gesture::Effect::set, "first={position}&last={height}", ""};
    pull.steps = 100;
    plot.gestures = {pull};
    figure::Figure f;
    f.panels = {{"row", "", plot}};
    return f;
  });
  const figure::Grip grip = *stage.canvas.drawing().grip_of("row", Part::mark);
  const auto at = [&](int index, float up) {
    return figure::Point{grip.x_of(index), grip.track.bottom() - up * grip.track.h};
  };
  stage.drag(at(3, 0.5f), at(7, 0.8f));
  CHECK(stage.param("first") == "3");  // the bar that was taken, though the pointer is over another
  CHECK(stage.param("last") == "80");
  stage.drag(at(5, 0.5f), at(5, -3));
  CHECK(stage.param("first") == "5");
  CHECK(stage.param("last") == "0");
  CHECK(stage.app.history().can_undo());
  stage.app.undo();
  CHECK(stage.param("last") == "80");
}

TEST_CASE("the ends of a range and all of it follow the hand, one step of the history each", "[app][gestures]") {
  Grips stage;
  stage.move(stage.at("grip.rows.last")), stage.button(true);
  stage.move(stage.place("rows", 14));
  CHECK(stage.value("last") == 14);
  stage.move(stage.place("rows", 16));
  CHECK(stage.value("last") == 16);
  CHECK(!stage.app.history().can_undo());
  stage.button(false);
  stage.reply();
  CHECK(stage.asked("last") == "16");
  stage.drag(stage.at("grip.rows.first"), stage.place("rows", 6));
  CHECK(stage.value("first") == 6);
  stage.reply();

  const figure::Point middle = stage.at("grip.rows.whole");
  stage.move(middle), stage.button(true);
  stage.move({middle.x + stage.place("rows", 2).x - stage.place("rows", 0).x, middle.y});
  CHECK(stage.value("first") == 8);
  CHECK(stage.value("last") == 18);
  stage.move({5000, middle.y});  // the whole range moves, up to the end
  CHECK(stage.value("first") == 9);
  CHECK(stage.value("last") == 19);
  stage.move({middle.x, middle.y});  // and back, while it is held
  CHECK(stage.value("first") == 6);
  CHECK(stage.value("last") == 16);
  stage.button(false);
  stage.app.undo();
  CHECK(stage.value("first") == 0);  // a drag that ends where it began is not a step
  stage.app.undo();
  CHECK(stage.value("last") == 9);
  CHECK(!stage.app.history().can_undo());
}

TEST_CASE("a point of a space leads on, too", "[app][gestures]") {
  figure::Space space;
  space.axes = {{"a"}, {"b"}, {"c"}};
  figure::Line curve{"position", 0, {3, {1, 0, 0, 0, 1, 0, 0, 0, 1, -1, -1, -1}}};
  curve.dots = true;
  space.marks = {curve};
  space.gestures = {{Gesture::On::click, {"position"}, Gesture::Effect::go, "step={position}", "Click a point."}};
  ShownStage stage({{"space", "", space}});
  stage.click(stage.at("space.position.3"));
  CHECK(stage.param("step") == "3");
  CHECK(!stage.focus().locked);
}

TEST_CASE("a text is carried along its curve by a word, however far that is written from its point",
          "[app][gestures]") {
  ShownStage stage([](const ParamValues&) {
    figure::Space space;
    space.axes = {{"a"}, {"b"}, {"c"}};
    figure::Line curve{"position", 0, {3, {}}};
    for (int i = 0; i < 60; ++i)
      for (const double x : {std::cos(0.1 * i), std::sin(0.1 * i), i / 30.0 - 1}) curve.at.data.push_back(x);
    curve.dots = true;
    space.marks = {curve};
    figure::Figure f;
    f.panels = {{"space", "", space}};
    figure::put_text(f, {"The", "cat", "sat", "on"}, 0, 30, [](std::size_t i) { return std::vector{i}; });
    return f;
  });
  const auto word = [&](int index) {
    for (const figure::Hit& hit : stage.canvas.drawing().hits)
      if (hit.carried && !hit.spots && hit.places[0].index == index) return Stage::middle(hit.rect);
    FAIL("the word is not there");
    return figure::Point();
  };
  const figure::Point from = stage.at("space.position.1"), to = stage.at("space.position.21"), held = word(1);
  CHECK(std::hypot(held.x - from.x, held.y - from.y) > 16);  // out of reach of the point itself
  const auto camera = stage.app.state().view.camera;
  stage.drag(held, {held.x + to.x - from.x, held.y + to.y - from.y});
  CHECK(stage.app.state().subject.edits == std::vector<Edit>{{"shift_positions:20"}});
  CHECK(stage.app.state().view.camera == camera);
  const figure::Point end = stage.at("space.position.59");
  stage.drag(from, end);  // the point itself, and no farther than the text may go
  CHECK(stage.app.state().subject.edits == std::vector<Edit>{{"shift_positions:30"}});
}

TEST_CASE("a large cloud is painted as one, and each of its points can be held", "[app][gestures]") {
  auto at = std::make_shared<figure::Coordinates>();
  at->dims = 3;
  for (int i = 0; i < 6000; ++i)
    for (const double x : {std::cos(0.7 * i), std::sin(0.7 * i), i / 3000.0 - 1}) at->data.push_back(x);
  figure::Space space;
  space.axes = {{"a"}, {"b"}, {"c"}};
  space.marks = {figure::Points{"token", 100, at}};
  ShownStage stage({{"space", "", space}});
  REQUIRE(stage.clouds.size() == 1);
  CHECK(stage.clouds[0].points == at);
  CHECK(stage.painted < 100);  // the axes; not the points one by one
  const figure::Point p = stage.at("space.token.1234"),
                      told = stage.clouds[0].projection.at({(*at)(1134, 0), (*at)(1134, 1), (*at)(1134, 2)});
  CHECK(p.x == Catch::Approx(told.x).margin(0.01));
  CHECK(p.y == Catch::Approx(told.y).margin(0.01));
  stage.click(stage.at("space.token.101"));
  CHECK(stage.focus().locked);
  CHECK(stage.focus().has("token"));
  const auto before = stage.clouds[0].projection.turn;
  CHECK(stage.canvas.key("d", false));
  stage.frames();
  CHECK(stage.clouds[0].projection.turn != before);
}

TEST_CASE("a text that the font lacks is a picture", "[app][gestures]") {
  figure::Plot plot = ranking_of(2);
  plot.y.kind = figure::ScaleKind::band, plot.y.names = {"cat", "猫"};
  ShownStage stage({{"ranking", "", plot}});
  CHECK(stage.written == std::vector<std::string>{"猫"});
}

}  // namespace gestures_test
