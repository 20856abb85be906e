// Draws clouds of points with WebGL2: uploaded once and projected in the vertex shader, so that rotating tens of
// thousands of points costs the CPU almost nothing. What is near hides what is behind it, and edges are lit by depth.
#pragma once

#include <array>
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
  struct Surface {
    const figure::Rect& clip;
    float width, height, density;
  };
  Uploaded& upload(const figure::Cloud& cloud);
  void project(unsigned program, const figure::Cloud& cloud, const Surface& on);
  void bind_palette(const std::shared_ptr<const figure::Palette>& palette);
  /// Draws the nearest depth of each pixel; false where the browser cannot: the cloud is then drawn flat.
  bool find_depths(const Uploaded& held, const figure::Cloud& cloud, const Surface& on);
  bool size_depths(int width, int height);
  void forget_depths();

  unsigned program_ = 0, palette_ = 0;
  unsigned depth_program_ = 0, frame_ = 0, depths_ = 0;
  std::array<int, 2> depth_size_{};
  std::shared_ptr<const figure::Palette> held_palette_;
  std::vector<Uploaded> clouds_;
};

}  // namespace helix::ui
