// The canvas as a window: GLFW owns it and its WebGL2 context, Dear ImGui draws into it, bridge.cpp feeds it input.
// Without a context (missing or lost) frames still run, so that input works, and the page shows the SVG.
#pragma once

#include <memory>
#include <utility>

#include "app/canvas.h"
#include "ui/capsule_painter.h"
#include "ui/cloud_painter.h"
#include "ui/image_painter.h"
#include "ui/text_painter.h"

namespace helix::app {

class Window {
 public:
  /// `write`: lets the browser write a text into a texture.
  Window(Canvas& canvas, ui::TextWriter write) : canvas_(canvas), write_(std::move(write)) {}

  /// False if the browser has no WebGL2: the page then shows Canvas::svg() after each frame.
  bool open(int width, int height);
  bool is_open() const { return open_; }
  /// CSS pixels, and device pixels per CSS pixel.
  void resize(float width, float height, float density);
  /// TrueType bytes; copied.
  void add_font(const unsigned char* data, int size, bool strong);
  void apply_theme();
  void draw(double now);
  /// The context was lost or restored; its buffers and textures are gone.
  void context_lost();
  bool context_restored();

 private:
  bool start_painting();
  void stop_painting();
  void paint();

  Canvas& canvas_;
  ui::TextWriter write_;
  std::unique_ptr<ui::GlCapsules> capsules_;
  std::unique_ptr<ui::GlClouds> clouds_;
  std::unique_ptr<ui::GlImages> images_;
  std::unique_ptr<ui::GlTexts> texts_;
  bool open_ = false;      // Dear ImGui is initialised
  bool painting_ = false;  // its frames reach a context
  float density_ = 1;
  double last_ = 0;
};

}  // namespace helix::app
