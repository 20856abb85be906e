// Draws capsules with WebGL2: one draw call; the fragment shader smooths edges by their distance.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "figure/drawing.h"

namespace helix::ui {

/// Needs a current WebGL2 context. Owns its program and its texture.
class GlCapsules {
 public:
  GlCapsules();
  ~GlCapsules();
  GlCapsules(const GlCapsules&) = delete;
  GlCapsules& operator=(const GlCapsules&) = delete;

  bool ready() const { return program_ != 0; }
  /// `width`, `height`: the surface in CSS pixels; `density`: device pixels per CSS pixel.
  void draw(std::span<const figure::Capsule> capsules, const figure::Rect& clip, float width, float height,
            float density);

 private:
  void upload(std::span<const figure::Capsule> capsules);

  unsigned program_ = 0, vertices_ = 0, texture_ = 0;
  int surface_ = -1, density_ = -1, capsules_ = -1;
  int rows_ = 0;  // of the texture
  std::vector<std::uint32_t> words_;
};

}  // namespace helix::ui
