// Matrices as textures: one texel per cell, kept for as long as the image is drawn.
#pragma once

#include <imgui.h>

#include <memory>
#include <vector>

#include "figure/drawing.h"

namespace helix::ui {

/// Needs a current WebGL2 context. Owns its textures.
class GlImages {
 public:
  GlImages() = default;
  ~GlImages();
  GlImages(const GlImages&) = delete;
  GlImages& operator=(const GlImages&) = delete;

  /// The texture of an image's whole matrix in its colours.
  ImTextureID texture(const figure::Image& image);
  /// Once per frame: frees what was not drawn in it.
  void sweep();

 private:
  struct Texture {
    std::shared_ptr<const figure::Shades> shades;  // held, so that its address is not reused
    std::shared_ptr<const figure::Palette> palette;
    unsigned name = 0;
    bool used = true;
  };
  std::vector<Texture> textures_;
};

}  // namespace helix::ui
