#include <GLES3/gl3.h>

#include "ui/text_painter.h"

namespace helix::ui {
namespace {

constexpr int kIdleFrames = 240;

}  // namespace

GlTexts::~GlTexts() {
  for (const Written& w : written_) glDeleteTextures(1, &w.name);
}

TextPicture GlTexts::picture(const figure::Label& label, float density) {
  const bool strong = label.weight == figure::Weight::strong;
  for (Written& w : written_)
    if (w.text == label.text && w.size == label.size && w.density == density && w.colour == label.colour &&
        w.strong == strong) {
      w.idle = 0;
      return w.picture;
    }
  Written made{label.text, label.size, density, label.colour, strong, {}, 0, 0};
  glGenTextures(1, &made.name);
  made.picture = write_(made.name, label, density);
  made.picture.texture = made.name;
  return written_.emplace_back(std::move(made)).picture;
}

void GlTexts::sweep() {
  std::erase_if(written_, [](Written& w) {
    if (++w.idle <= kIdleFrames) return false;
    glDeleteTextures(1, &w.name);
    return true;
  });
}

}  // namespace helix::ui
