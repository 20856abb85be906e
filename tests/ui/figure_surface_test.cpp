#include "ui/figure_surface.h"

#include <algorithm>

#include "tests/support.h"

namespace figure_surface_test {

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
  std::vector<std::pair<Cloud, Rect>> clouds;
  std::vector<std::string> written;  // labels with characters that the fonts lack
  // Draw callbacks keep a pointer to it until the frame is rendered.
  ui::Painters painters;
  ui::TextPicture picture{ImTextureID(7), 30, 14};
  ImGuiContext* context = ImGui::CreateContext();

  Bench() {
    ImGui::SetCurrentContext(context);
    ImGui::GetIO().IniFilename = nullptr;
    ImGui::GetIO().BackendFlags |= ImGuiBackendFlags_RendererHasTextures;
    drawing.width = 400, drawing.height = 300;
    Block path{"path", {0, 0, 400, 200}}, strip{"strip", {0, 200, 400, 100}}, text{"", {0, 0, 400, 300}};
    for (const float x : {50.0f, 100.0f, 150.0f})
      path.top().capsules.push_back({{x, 100}, {x, 100}, 3, theme.accent, theme.accent});
    path.labels.push_back({{200, 20}, "label", 12, theme.text, Anchor::middle, Weight::strong});
    strip.top().boxes.push_back({{10, 210, 50, 20}, theme.warm, 2});
    path.top().rings.push_back({{100, 100}, 6, 2, theme.text});
    drawing.blocks = {text, path, strip};
    Grip grip;
    grip.part = Grip::Part::last, grip.panel = "strip", grip.rect = {290, 240, 20, 20};
    drawing.grips = {grip};
    painters.capsules = [this](std::span<const Capsule> c, const Rect& clip) { painted.emplace_back(c.size(), clip); };
    painters.cloud = [this](const Cloud& cloud, const Rect& clip) { clouds.emplace_back(cloud, clip); };
    painters.text = [this](const Label& label) {
      written.push_back(label.text);
      return picture;
    };
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
    last = surface.frame(drawing, theme, {}, dim, painters);
    ImGui::Render();
    for (ImTextureData* texture : ImGui::GetPlatformIO().Textures)
      if (texture->Status != ImTextureStatus_OK) texture->SetTexID(1), texture->SetStatus(ImTextureStatus_OK);
  }
  /// Runs the draw callbacks, as a renderer would.
  void call_back() {
    for (const ImDrawList* list : ImGui::GetDrawData()->CmdLists)
      for (const ImDrawCmd& command : list->CmdBuffer)
        if (command.UserCallback && command.UserCallback != ImDrawCallback_ResetRenderState)
          command.UserCallback(list, &command);
  }
  /// The bounding box of a texture's vertices; nothing if it was not painted.
  std::optional<Rect> painted_with(ImTextureID texture) const {
    std::optional<Rect> box;
    for (const ImDrawList* list : ImGui::GetDrawData()->CmdLists)
      for (const ImDrawCmd& command : list->CmdBuffer) {
        if (command.UserCallback || command.GetTexID() != texture) continue;
        for (unsigned i = 0; i < command.ElemCount; ++i) {
          const ImVec2 p = list->VtxBuffer[static_cast<int>(list->IdxBuffer[static_cast<int>(command.IdxOffset + i)] +
                                                            command.VtxOffset)]
                               .pos;
          const Rect was = box.value_or(Rect{p.x, p.y, 0, 0});
          const float x = std::min(was.x, p.x), y = std::min(was.y, p.y);
          box = Rect{x, y, std::max(was.right(), p.x) - x, std::max(was.bottom(), p.y) - y};
        }
      }
    return box;
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
  bench.call_back();
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

TEST_CASE("what is missing to paint with is left out", "[ui]") {
  Bench bench;
  Layer& layer = bench.drawing.blocks[1].above();
  layer.images.push_back({{0, 0, 10, 10}, std::make_shared<Shades>(Shades{1, 1, 1, 1, 1, {9}}), {}, 0, 0, 1, 1});
  layer.clouds.push_back({});
  bench.drawing.blocks[1].labels.push_back({{50, 50}, "語", 12, bench.theme.text});
  bench.painters = {};
  bench.frame();
  bench.call_back();
  CHECK(bench.painted.empty());
  CHECK(ImGui::GetDrawData()->TotalVtxCount > 50);
}

TEST_CASE("a cloud goes to its painter, with the clip of its panel", "[ui]") {
  Bench bench;
  Cloud cloud;
  cloud.points = std::make_shared<Coordinates>(Coordinates{3, std::vector<double>(30)});
  cloud.axes = {2, 0, 1}, cloud.radius = 4;
  bench.drawing.blocks[1].above().clouds.push_back(cloud);
  bench.frame();
  bench.call_back();
  REQUIRE(bench.clouds.size() == 1);
  CHECK(bench.clouds[0].first.points == cloud.points);  // the same object, not a copy: it is uploaded once
  CHECK(bench.clouds[0].first.axes == cloud.axes);
  CHECK(bench.clouds[0].second.h == 200);
  CHECK(bench.painted.size() == 1);  // the layer of the cloud has no capsules
}

TEST_CASE("a label that the font lacks is written by another painter, where it belongs", "[ui]") {
  Bench bench;
  auto& labels = bench.drawing.blocks[1].labels;
  bench.frame();
  CHECK(bench.written.empty());  // "label"
  CHECK(!bench.painted_with(7));
  const auto box_of = [&](Label label) {
    labels = {std::move(label)};
    bench.written.clear();
    bench.frame();
    return bench.painted_with(7);
  };
  for (const char* text : {"語", "the 猫", "\xF0\x9F\x98\x80"}) {
    CAPTURE(text);
    CHECK(box_of({{100, 60}, text, 12, bench.theme.text}));
    CHECK(bench.written == std::vector<std::string>{text});
  }
  const auto check_box = [&](const Label& label, const Rect& wanted) {
    const auto box = box_of(label);
    REQUIRE(box);
    CHECK(box->x == wanted.x);
    CHECK(box->y == wanted.y);
    CHECK(box->w == wanted.w);
    CHECK(box->h == wanted.h);
  };
  const Rgba ink = bench.theme.text;
  check_box({{100, 60}, "語", 12, ink}, {100, 53, 30, 14});
  check_box({{100, 60}, "語", 12, ink, Anchor::middle}, {85, 53, 30, 14});
  check_box({{100, 60}, "語", 12, ink, Anchor::end}, {70, 53, 30, 14});
  // Upwards: the text begins at the bottom.
  check_box({{100, 60}, "語", 12, ink, Anchor::start, Weight::regular, true}, {93, 30, 14, 30});
  check_box({{100, 60}, "語", 12, ink, Anchor::end, Weight::regular, true}, {93, 60, 14, 30});

  bench.picture = {};  // without a picture the font draws what it can
  CHECK(!box_of({{100, 60}, "語", 12, ink}));
  CHECK(bench.written.size() == 1);
  CHECK(box_of({{100, 60}, "", 12, ink}) == std::nullopt);
}

TEST_CASE("the surface says what the pointer is over", "[ui]") {
  Bench bench;
  bench.move(100, 50);
  CHECK(bench.last.hovered);
  CHECK(bench.last.panel == "path");  // the block of texts has no name and blocks nothing
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
  events = bench.move(150, 280);  // leaving the panel does not end the drag
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

TEST_CASE("a grip is taken from a little outside, and is no click", "[ui]") {
  Bench bench;
  bench.move(285, 250);
  bench.button(true);
  auto events = bench.move(200, 250);
  CHECK(count(events, [](const auto& e) { return e.grip && e.grip->part == Grip::Part::last; }) == 4);
  CHECK(count(events, [](const auto& e) { return e.orbiting || e.panning; }) == 0);
  events = bench.button(false);
  CHECK(count(events, [](const auto& e) { return e.clicked; }) == 0);
  CHECK(count(events, [](const auto& e) { return e.released && e.grip.has_value(); }) == 1);
  CHECK(!bench.last.grip);
}

TEST_CASE("a finger takes a grip from farther away than a mouse does", "[ui]") {
  for (const bool finger : {false, true}) {
    Bench bench;
    ImGui::GetIO().AddMouseSourceEvent(finger ? ImGuiMouseSource_TouchScreen : ImGuiMouseSource_Mouse);
    bench.move(272, 250);
    bench.button(true);
    const auto events = bench.move(200, 250);
    CHECK(count(events, [](const auto& e) { return e.grip.has_value(); }) == (finger ? 4 : 0));
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
  CHECK(count(events, [](const auto& e) { return e.clicked; }) == 1);  // the next click counts again
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

}  // namespace figure_surface_test
