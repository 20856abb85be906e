#include <GLES3/gl3.h>

#include <utility>

#include "ui/image_painter.h"

namespace helix::ui {

GlImages::~GlImages() {
  for (const Texture& t : textures_) glDeleteTextures(1, &t.name);
}

ImTextureID GlImages::texture(const figure::Image& image) {
  for (Texture& t : textures_)
    if (t.shades == image.shades && (t.palette == image.palette || *t.palette == *image.palette)) {
      t.used = true;
      t.palette = image.palette;  // share the pointer: faster to compare in the next image
      return t.name;
    }
  std::vector<figure::Rgba> pixels;
  pixels.reserve(image.shades->data.size());
  for (const std::uint8_t s : image.shades->data) pixels.push_back((*image.palette)[s]);
  Texture made{image.shades, image.palette};
  glGenTextures(1, &made.name);
  glBindTexture(GL_TEXTURE_2D, made.name);
  for (const unsigned filter : {GL_TEXTURE_MIN_FILTER, GL_TEXTURE_MAG_FILTER})
    glTexParameteri(GL_TEXTURE_2D, filter, GL_NEAREST);
  for (const unsigned side : {GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T})
    glTexParameteri(GL_TEXTURE_2D, side, GL_CLAMP_TO_EDGE);
  glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, static_cast<GLsizei>(image.shades->width()),
               static_cast<GLsizei>(image.shades->height()), 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
  glBindTexture(GL_TEXTURE_2D, 0);
  textures_.push_back(std::move(made));
  return textures_.back().name;
}

void GlImages::sweep() {
  std::erase_if(textures_, [](Texture& t) {
    if (!t.used) glDeleteTextures(1, &t.name);
    return !std::exchange(t.used, false);
  });
}

}  // namespace helix::ui
