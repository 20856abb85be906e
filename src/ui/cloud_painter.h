// Draws clouds of points with WebGL2: uploaded once and projected in the vertex shader, so that rotating tens of
// thousands of points costs the CPU almost nothing.
#pragma once

#include <memory>
#include <vector>

#include "figure/drawing.h"

namespace helix::ui {

/// Needs a current WebGL2 context. Owns its program, buffers and textures.
class GlClouds {
 public:
  GlClouds();
  ~GlClouds();
  GlClouds(const GlClouds&) = delete;
  GlClouds& operator=(const GlClouds&) = delete;

  /// `width`, `height`: the surface in CSS pixels; `density`: device pixels per CSS pixel.
  void draw(const figure::Cloud& cloud, const figure::Rect& clip, float width, float height, float density);
  /// Once per frame: frees what was not drawn in it.
  void sweep();

 private:
  struct Uploaded {
    std::shared_ptr<const figure::Coordinates> points;  // held, so that its address is not reused
    std::shared_ptr<const std::vector<std::uint8_t>> shades;
    std::array<std::size_t, 3> axes{};
    unsigned vertices = 0, buffer = 0;
    int count = 0;
    bool used = true;
  };
  Uploaded& upload(const figure::Cloud& cloud);

  unsigned program_ = 0, palette_ = 0;
  std::shared_ptr<const figure::Palette> held_palette_;
  std::vector<Uploaded> clouds_;
};

}  // namespace helix::ui
