// Matrices as textures: a texel a cell, uploaded once for as long as it is drawn.
#pragma once

#include <imgui.h>

#include <memory>
#include <vector>

#include "figure/drawing.h"

namespace helix::ui {

/// Only while a WebGL2 context is current. Owns its textures.
class GlImages {
 public:
  GlImages() = default;
  ~GlImages();
  GlImages(const GlImages&) = delete;
  GlImages& operator=(const GlImages&) = delete;

  /// The texture of an image's whole matrix in its colours.
  ImTextureID texture(const figure::Image& image);
  /// Once a frame: lets go of what was not drawn in it.
  void sweep();

 private:
  struct Texture {
    std::shared_ptr<const figure::Shades> shades;  // held, so that no other gets its address
    std::shared_ptr<const figure::Palette> palette;
    unsigned name = 0;
    bool used = true;
  };
  std::vector<Texture> textures_;
};

}  // namespace helix::ui
