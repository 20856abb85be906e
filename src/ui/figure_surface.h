// Paints a drawing with Dear ImGui and reports what the pointer did to it. It knows drawings, not what they mean.
#pragma once

#include <imgui.h>

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "figure/drawing.h"
#include "figure/theme.h"

namespace helix::ui {

/// Fonts of the two weights; null until the page has supplied them (until then ImGui's own font is used).
struct Fonts {
  ImFont* regular = nullptr;
  ImFont* strong = nullptr;
  float regular_height = 1, strong_height = 1;  // line height per em: ImGui sizes fonts by line height, labels by em
};

/// A text as a picture, for scripts that the fonts lack: a texture and its size in CSS pixels.
struct TextPicture {
  ImTextureID texture = ImTextureID_Invalid;
  float width = 0, height = 0;
};

/// Painters for the shapes that Dear ImGui lacks. If one is missing, its shapes are not drawn.
struct Painters {
  /// Capsules: many, with smooth edges. WebGL2 on the page; a test may count them instead.
  std::function<void(std::span<const figure::Capsule>, const figure::Rect& clip)> capsules;
  std::function<void(const figure::Cloud&, const figure::Rect& clip)> cloud;
  /// The texture that holds an image's matrix.
  std::function<ImTextureID(const figure::Image&)> image;
  /// Draws a label with characters that the fonts lack: the browser has a font for them.
  std::function<TextPicture(const figure::Label&)> text;
};

/// What happened on the surface in this frame.
struct FigureEvents {
  bool hovered = false;   // the pointer is over the surface and not dragging
  figure::Point pointer;  // in CSS pixels of the surface
  std::string panel;      // under the pointer or, during a drag, where it began
  bool orbiting = false, panning = false;
  figure::Point moved;     // pointer movement while dragging
  figure::Point pressed;   // where the drag began
  bool selecting = false;  // dragged with only the primary button of a mouse
  float wheel = 0;         // notches, up is positive
  bool clicked = false;
  std::optional<figure::Grip> grip;  // the grip being dragged, as it was when grabbed
  bool released = false;             // a drag ended
  bool ended = false;                // the press ended, whether it moved or not
  bool finger = false;               // the pointer is a finger
};

/// Pixels around a grip that still grab it, for a finger.
inline constexpr float kTouchReach = 22;

class FigureSurface {
 public:
  /// Call between ImGui::NewFrame and ImGui::Render. `dim` 0..1: how far the figure fades into the background.
  FigureEvents frame(const figure::Drawing& drawing, const figure::Theme& theme, const Fonts& fonts, float dim,
                     const Painters& painters);
  /// Ends the current press without a click.
  void forget_press() { dragging_ = false; }

 private:
  FigureEvents handle_pointer(const figure::Drawing& drawing);

  std::string dragged_panel_;
  std::optional<figure::Grip> dragged_grip_;
  bool dragging_ = false, moved_far_ = false;
  figure::Point pressed_at_;
};

/// The colours and metrics of ImGui's own widgets, from the page's tokens.
void apply_theme(const figure::Theme& theme);

}  // namespace helix::ui
