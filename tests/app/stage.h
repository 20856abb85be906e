// A page without a browser: an App whose engine is the test, and a Canvas on Dear ImGui without a renderer.
#pragma once

#include <imgui.h>

#include <memory>
#include <string>
#include <vector>

#include "app/app.h"
#include "app/canvas.h"
#include "tests/support.h"

namespace helix::app::testing {

using protocol::Open;
using protocol::Run;

/// The study's result for the rows that a run requested: a helix, so that neighbouring rows are close.
inline protocol::Result answer_to(const Run& run, int positions = 1024) {
  const auto number = [&](const char* key) { return std::stoi(*find_value(run.params, key)); };
  const int first = number("first"), last = std::min(number("last"), positions - 1);
  const auto n = static_cast<std::size_t>(std::max(last - first + 1, 0));
  protocol::Result r;
  r.study = run.study, r.params = run.params;
  r.provenance = {run.model, "0123456789ab", "F32", "test", "0", {}};
  r.scalars = {{"explained_first3", 0.9106, "fraction", "rows"},
               {"components_for_90", 3, "components", ""},
               {"turns", 3.02, "turns", ""},
               {"turns_skipped", 1, "steps", ""},
               {"positions", static_cast<double>(positions), "rows", ""}};
  protocol::Array points{"points", {n, 8}, {"position", "component"}, "", {}, first};
  protocol::Array residual{"residual", {n}, {"position"}, "", {}, first};
  for (int i = first; i <= last; ++i) {
    const double angle = 6.283 * 3 * i / positions;
    for (const double x :
         {2 * std::cos(angle), 2 * std::sin(angle), 3.0 * i / positions - 1.5, 0.1, 0.1, 0.1, 0.1, 0.1})
      points.data.push_back(x);
    residual.data.push_back(0.2 + 0.1 * std::sin(angle));
  }
  r.arrays = {points, {"explained", {4}, {"component"}, "fraction", {0.4, 0.3, 0.2106, 0.05}, 1}, residual};
  r.claims = {{"H1", 0.9106, true, {}, "rows 1..1023, centred"}};
  return r;
}

/// An App, and what it requested from its host.
struct Desk {
  std::vector<protocol::Request> sent;
  int changes = 0, turns = 0;
  double clock = 0;
  App app;

  explicit Desk(const std::vector<studies::ViewStudy>& list = studies::view_studies())
      : app(list, Host{[this](const protocol::Request& r) { sent.push_back(r); }, [this] { ++changes; },
                       [this] { return clock; }, [] {}, [this] { ++turns; }}) {}

  template <class Message>
  std::vector<Message> all() const {
    std::vector<Message> found;
    for (const auto& r : sent)
      if (const auto* m = std::get_if<Message>(&r)) found.push_back(*m);
    return found;
  }
  std::vector<Run> runs() const { return all<Run>(); }
  Run last_run() const {
    REQUIRE(!runs().empty());
    return runs().back();
  }
  std::string asked(const char* key) const { return *find_value(last_run().params, key); }
  std::string param(const char* key) const { return *find_value(app.state().params, key); }
  void set(const char* key, int value, Commit commit = Commit::committed) {
    app.set_param(key, std::to_string(value), commit);
  }

  void answer(const Run& run, bool complete = true, int positions = 1024) {
    protocol::Result result = answer_to(run, positions);
    result.complete = complete;
    app.receive(protocol::Finished{run.job, run.slot, protocol::encode(result, app.schema())});
  }
  void answer_last() { answer(last_run()); }
  void models(const std::vector<std::string>& names = {"gpt2", "other"}) {
    std::vector<ModelEntry> list;
    for (const std::string& name : names) list.push_back({name, "sha of " + name, "", 1000});
    app.set_models(list);
  }
  /// An opened page that has its first answer.
  void settle(const std::string& link = "#v=1&model=gpt2&study=position_helix") {
    app.open_link(link);
    models();
    answer_last();
    sent.clear();
  }
};

/// The canvas of a Desk, driven by pointer events through Dear ImGui itself.
struct Stage : Desk {
  Canvas canvas{app};
  ImGuiContext* context = ImGui::CreateContext();
  // Of the last frame.
  std::size_t painted = 0;   // capsules
  std::size_t pictures = 0;  // images
  std::vector<figure::Cloud> clouds;
  std::vector<std::string> written;  // labels whose text the font lacks

  explicit Stage(const std::vector<studies::ViewStudy>& list = studies::view_studies()) : Desk(list) {
    ImGui::SetCurrentContext(context);
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures;
    canvas.painters.capsules = [this](std::span<const figure::Capsule> capsules, const figure::Rect&) {
      painted += capsules.size();
    };
    canvas.painters.cloud = [this](const figure::Cloud& cloud, const figure::Rect&) { clouds.push_back(cloud); };
    canvas.painters.image = [this](const figure::Image&) {
      ++pictures;
      return ImTextureID(1);
    };
    canvas.painters.text = [this](const figure::Label& label) {
      written.push_back(label.text);
      return ui::TextPicture{ImTextureID(1), 20, 10};
    };
  }
  ~Stage() {
    for (ImTextureData* texture : ImGui::GetPlatformIO().Textures) texture->SetStatus(ImTextureStatus_Destroyed);
    ImGui::DestroyContext(context);
  }
  Stage(const Stage&) = delete;

  void frame() {
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = {std::max(canvas.width, 1.0f), std::max(canvas.height, 1.0f)};
    io.DeltaTime = 1.0f / 60;
    clock += 1000.0 / 60;
    painted = pictures = 0, clouds.clear(), written.clear();
    ImGui::NewFrame();
    canvas.frame();
    ImGui::Render();
    for (ImTextureData* texture : ImGui::GetPlatformIO().Textures)
      if (texture->Status != ImTextureStatus_OK) texture->SetTexID(1), texture->SetStatus(ImTextureStatus_OK);
    for (const ImDrawList* list : ImGui::GetDrawData()->CmdLists)
      for (const ImDrawCmd& command : list->CmdBuffer)
        if (command.UserCallback && command.UserCallback != ImDrawCallback_ResetRenderState)
          command.UserCallback(list, &command);
  }
  /// Dear ImGui processes events over several frames, as on the page.
  void frames(int n = 4) {
    while (n-- > 0) frame();
  }
  void move(figure::Point p) {
    canvas.pointer_came();
    ImGui::GetIO().AddMousePosEvent(p.x, p.y);
    frames();
  }
  void button(bool down, int which = 0) {
    ImGui::GetIO().AddMouseButtonEvent(which, down);
    frames();
  }
  void click(figure::Point p) {
    move(p), button(true), button(false);
    frames(60);  // so that the next click is not the second of a double click
  }
  void drag(figure::Point from, figure::Point to) { move(from), button(true), move(to), button(false); }
  static figure::Point middle(const figure::Rect& r) { return {r.x + r.w / 2, r.y + r.h / 2}; }
  figure::Point spot(int index) const {
    const figure::Rect r = canvas.drawing().rect_of({{"position", index}}, "helix");
    REQUIRE(r.w > 0);
    return middle(r);
  }
  /// A point in the helix panel that is not near any point of the curve.
  figure::Point empty_place() const {
    const figure::Rect r = canvas.rect("figure.helix");
    for (float y = r.y + 20; y < r.bottom() - 40; y += 10)
      for (float x = r.x + 20; x < r.right() - 40; x += 10)
        if (!canvas.drawing().pick({x, y}, 20)) return {x, y};
    FAIL("no empty place");
    return {};
  }
};

}  // namespace helix::app::testing
