#include "ui/figure_surface.h"

#include <algorithm>

#include "tests/support.h"

using namespace helix;
using namespace helix::figure;
using ui::FigureEvents;

namespace {

/// One surface with two panels: a path of three points, and a strip with a handle.
struct Bench {
  ui::FigureSurface surface;
  Drawing drawing;
  Theme theme;
  float dim = 0;
  std::vector<std::pair<std::size_t, Rect>> painted;
  FigureEvents last;
  // Draw callbacks keep a pointer to it until the frame is rendered.
  ui::CapsulePainter painter = [this](std::span<const Capsule> c, const Rect& clip) {
    painted.emplace_back(c.size(), clip);
  };
  ImGuiContext* context = ImGui::CreateContext();

  Bench() {
    ImGui::SetCurrentContext(context);
    ImGui::GetIO().IniFilename = nullptr;
    ImGui::GetIO().BackendFlags |= ImGuiBackendFlags_RendererHasTextures;
    drawing.width = 400, drawing.height = 300;
    Block path{"path", {0, 0, 400, 200}, {}, {}, {}, {}}, strip{"strip", {0, 200, 400, 100}, {}, {}, {}, {}},
        text{"", {0, 0, 400, 300}, {}, {}, {}, {}};
    for (const float x : {50.0f, 100.0f, 150.0f})
      path.capsules.push_back({{x, 100}, {x, 100}, 3, theme.accent, theme.accent});
    path.labels.push_back({{200, 20}, "label", 12, theme.text, Anchor::middle, Weight::strong});
    strip.boxes.push_back({{10, 210, 50, 20}, theme.warm, 2});
    path.rings.push_back({{100, 100}, 6, 2, theme.text});
    drawing.blocks = {text, path, strip};
    drawing.handles = {{Handle::Which::last, {290, 240, 20, 20}}};
    frames();
  }
  ~Bench() {
    for (ImTextureData* texture : ImGui::GetPlatformIO().Textures) texture->SetStatus(ImTextureStatus_Destroyed);
    ImGui::DestroyContext(context);
  }
  Bench(const Bench&) = delete;

  void frame() {
    ImGui::GetIO().DisplaySize = {400, 300};
    ImGui::GetIO().DeltaTime = 1.0f / 60;
    ImGui::NewFrame();
    last = surface.frame(drawing, theme, {}, dim, painter);
    ImGui::Render();
    for (ImTextureData* texture : ImGui::GetPlatformIO().Textures)
      if (texture->Status != ImTextureStatus_OK) texture->SetTexID(1), texture->SetStatus(ImTextureStatus_OK);
  }
  std::vector<FigureEvents> frames(int n = 4) {
    std::vector<FigureEvents> seen;
    for (int i = 0; i < n; ++i) frame(), seen.push_back(last);
    return seen;
  }
  std::vector<FigureEvents> move(float x, float y) {
    ImGui::GetIO().AddMousePosEvent(x, y);
    return frames();
  }
  std::vector<FigureEvents> button(bool down, int which = 0) {
    ImGui::GetIO().AddMouseButtonEvent(which, down);
    return frames();
  }
};

template <class Test>
int count(const std::vector<FigureEvents>& events, Test test) {
  return static_cast<int>(std::count_if(events.begin(), events.end(), test));
}

}  // namespace

TEST_CASE("a drawing is painted: shapes, text, and its capsules by the painter with their clip", "[ui]") {
  Bench bench;
  const ImDrawData* data = ImGui::GetDrawData();
  CHECK(data->TotalVtxCount > 50);
  for (const ImDrawList* list : data->CmdLists)
    for (const ImDrawCmd& command : list->CmdBuffer)
      if (command.UserCallback && command.UserCallback != ImDrawCallback_ResetRenderState)
        command.UserCallback(list, &command);
  REQUIRE(bench.painted.size() == 1);
  CHECK(bench.painted[0].first == 3);
  CHECK(bench.painted[0].second.h == 200);

  const int plain = data->TotalVtxCount;
  bench.dim = 0.5f;
  bench.frame();
  CHECK(ImGui::GetDrawData()->TotalVtxCount > plain);  // the veil
  bench.drawing = {};
  bench.frame();
  CHECK(ImGui::GetDrawData()->TotalVtxCount < plain);
}

TEST_CASE("the surface says what the pointer is over", "[ui]") {
  Bench bench;
  bench.move(100, 50);
  CHECK(bench.last.hovered);
  CHECK(bench.last.panel == "path");  // the block of texts has no name and is in nobody's way
  CHECK(bench.last.pointer.x == 100);
  bench.move(100, 250);
  CHECK(bench.last.panel == "strip");
  bench.move(500, 500);
  CHECK(!bench.last.hovered);
  CHECK(bench.last.panel.empty());
}

TEST_CASE("a press that stays is a click, one that moves is a drag", "[ui]") {
  Bench bench;
  bench.move(100, 50);
  bench.button(true);
  bench.move(102, 51);
  auto events = bench.button(false);
  CHECK(count(events, [](const auto& e) { return e.clicked; }) == 1);
  CHECK(count(events, [](const auto& e) { return e.released || e.orbiting; }) == 0);

  bench.button(true);
  events = bench.move(150, 60);
  CHECK(count(events, [](const auto& e) { return e.orbiting; }) > 0);
  CHECK(count(events, [](const auto& e) { return e.hovered; }) == 0);
  float moved = 0;
  for (const auto& e : events) moved += e.moved.x;
  CHECK(moved == 48);
  events = bench.move(150, 280);  // leaving the panel does not end it
  CHECK(bench.last.panel == "path");
  events = bench.button(false);
  CHECK(count(events, [](const auto& e) { return e.released; }) == 1);
  CHECK(count(events, [](const auto& e) { return e.clicked; }) == 0);
}

TEST_CASE("the other buttons and shift pan", "[ui]") {
  for (const int which : {1, 2}) {
    Bench bench;
    bench.move(100, 50);
    bench.button(true, which);
    const auto events = bench.move(140, 50);
    CHECK(count(events, [](const auto& e) { return e.panning; }) > 0);
    CHECK(count(events, [](const auto& e) { return e.orbiting; }) == 0);
  }
}

TEST_CASE("a handle is taken from a little outside, and is no click", "[ui]") {
  Bench bench;
  bench.move(285, 250);
  bench.button(true);
  auto events = bench.move(200, 250);
  CHECK(count(events, [](const auto& e) { return e.handle == Handle::Which::last; }) == 4);
  CHECK(count(events, [](const auto& e) { return e.orbiting || e.panning; }) == 0);
  events = bench.button(false);
  CHECK(count(events, [](const auto& e) { return e.clicked; }) == 0);
  CHECK(count(events, [](const auto& e) { return e.released && e.handle.has_value(); }) == 1);
  CHECK(!bench.last.handle);
}

TEST_CASE("a finger takes a handle from farther away than a mouse does", "[ui]") {
  for (const bool finger : {false, true}) {
    Bench bench;
    ImGui::GetIO().AddMouseSourceEvent(finger ? ImGuiMouseSource_TouchScreen : ImGuiMouseSource_Mouse);
    bench.move(272, 250);
    bench.button(true);
    const auto events = bench.move(200, 250);
    CHECK(count(events, [](const auto& e) { return e.handle.has_value(); }) == (finger ? 4 : 0));
  }
}

TEST_CASE("a press that was forgotten is neither a click nor a drag", "[ui]") {
  Bench bench;
  bench.move(200, 100);
  bench.button(true);
  bench.surface.forget_press();
  auto events = bench.button(false);
  for (const auto& e : bench.move(100, 100)) events.push_back(e);
  CHECK(count(events, [](const auto& e) { return e.clicked || e.released || e.orbiting; }) == 0);
  bench.button(true);
  events = bench.button(false);
  CHECK(count(events, [](const auto& e) { return e.clicked; }) == 1);  // the next one counts again
}

TEST_CASE("the wheel counts only over the surface", "[ui]") {
  Bench bench;
  bench.move(100, 50);
  ImGui::GetIO().AddMouseWheelEvent(0, 1.5f);
  const auto events = bench.frames();
  float notches = 0;
  for (const auto& e : events) notches += e.wheel;
  CHECK(notches == 1.5f);
  bench.move(900, 50);
  ImGui::GetIO().AddMouseWheelEvent(0, 1);
  for (const auto& e : bench.frames()) CHECK(e.wheel == 0);
}

TEST_CASE("the theme reaches ImGui's own widgets", "[ui]") {
  Bench bench;
  ui::apply_theme(Theme::light());
  const ImVec4 text = ImGui::GetStyle().Colors[ImGuiCol_Text];
  CHECK(text.x == Catch::Approx(21 / 255.0));
  CHECK(text.w == 1);
}
