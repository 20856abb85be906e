// Draws capsules with WebGL2: one instanced draw call; the fragment shader smooths edges by their distance.
#pragma once

#include <span>

#include "figure/drawing.h"

namespace helix::ui {

/// Needs a current WebGL2 context. Owns its program and buffers.
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
  unsigned program_ = 0, vertices_ = 0, buffer_ = 0;
  int surface_ = -1, density_ = -1;
};

}  // namespace helix::ui
