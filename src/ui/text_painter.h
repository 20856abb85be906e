// Texts in scripts that the canvas' fonts lack, written into textures by the browser, which has fonts for them.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ui/figure_surface.h"

namespace helix::ui {

/// Writes a label's text into a texture, in device pixels; the picture's size comes back in CSS pixels.
using TextWriter = std::function<TextPicture(unsigned texture, const figure::Label&, float density)>;

/// Needs a current WebGL2 context. Owns its textures.
class GlTexts {
 public:
  explicit GlTexts(TextWriter write) : write_(std::move(write)) {}
  ~GlTexts();
  GlTexts(const GlTexts&) = delete;
  GlTexts& operator=(const GlTexts&) = delete;

  TextPicture picture(const figure::Label& label, float density);
  /// Once per frame: frees what has not been written for a while.
  void sweep();

 private:
  struct Written {
    std::string text;
    float size = 0, density = 0;
    figure::Rgba colour;
    bool strong = false;
    TextPicture picture;
    unsigned name = 0;
    int idle = 0;  // frames since it was last written
  };
  TextWriter write_;
  std::vector<Written> written_;
};

}  // namespace helix::ui
