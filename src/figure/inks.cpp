#include "figure/inks.h"

#include <cmath>

namespace helix::figure {

Rgba ink_of(const Ink& ink, const Theme& theme) {
  using Role = Ink::Role;
  switch (ink.role) {
    case Role::text:
      return theme.text;
    case Role::mute:
      return theme.mute;
    case Role::line:
      return theme.line;
    case Role::warm:
      return theme.warm;
    case Role::good:
      return theme.dark ? Rgba{95, 211, 141, 255} : Rgba{27, 127, 75, 255};
    case Role::bad:
      return theme.dark ? Rgba{255, 138, 128, 255} : Rgba{179, 38, 30, 255};
    case Role::accent:
    case Role::along:
    case Role::value:
      return theme.accent;
    case Role::series:
      break;
  }
  // After the page's own colours, those of Okabe and Ito that stay distinct from them under colour vision deficiencies.
  const Rgba green = theme.dark ? Rgba{92, 201, 158, 255} : Rgba{0, 128, 94, 255};
  const Rgba pink = theme.dark ? Rgba{226, 141, 190, 255} : Rgba{170, 78, 131, 255};
  switch (((ink.series % kSeriesColours) + kSeriesColours) % kSeriesColours) {
    case 0:
      return theme.accent;
    case 1:
      return theme.warm;
    case 2:
      return theme.text;
    case 3:
      return theme.mute;
    case 4:
      return green;
    default:
      return pink;
  }
}

Rgba ink_along(ColourMap map, std::size_t i, std::size_t n, const Theme& theme) {
  return mark_colour(map, n > 1 ? static_cast<double>(i) / static_cast<double>(n - 1) : 0.5, theme.dark);
}

namespace {

/// From near the ground into the map: on a light ground from its bright end.
Rgba cell_colour(ColourMap map, double t, const Theme& theme) {
  if (map == ColourMap::jet) return colour(map, t, theme.dark);
  constexpr double reach = 0.3, least = 0.1;  // the part of the scale that is mixed with the ground, and zero's share
  const Rgba own = colour(map, theme.dark ? t : 1 - t, theme.dark);
  return mix(theme.background, own, std::min(least + (1 - least) * t / reach, 1.0));
}

template <class ColourOf>
std::shared_ptr<const Palette> palette_with(const ShadeScale& scale, const Theme& theme, const ColourOf& at) {
  auto palette = std::make_shared<Palette>();
  (*palette)[0] = masked_colour(theme);
  for (std::size_t i = 1; i < palette->size(); ++i) {
    const double t = static_cast<double>(i - 1) / 254;
    (*palette)[i] = scale.diverging ? diverging_colour(2 * t - 1, theme) : at(t);
  }
  return palette;
}

}  // namespace

std::shared_ptr<const Palette> palette_of(const ShadeScale& scale, ColourMap map, const Theme& theme) {
  return palette_with(scale, theme, [&](double t) { return cell_colour(map, t, theme); });
}

std::shared_ptr<const Palette> point_palette_of(const ShadeScale& scale, ColourMap map, const Theme& theme) {
  return palette_with(scale, theme, [&](double t) { return mark_colour(map, t, theme.dark); });
}

bool is_dashed(const Line& line) {
  return line.dashed || (line.ink.role == Ink::Role::series && (line.ink.series / kSeriesColours) % 2 == 1);
}

/// After WCAG 2: above a luminance of 0.179 black has the better contrast.
Rgba ink_on(Rgba ground) {
  const auto linear = [](std::uint8_t channel) {
    const double c = channel / 255.0;
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  };
  const double luminance = 0.2126 * linear(ground.r) + 0.7152 * linear(ground.g) + 0.0722 * linear(ground.b);
  return luminance > 0.179 ? Rgba{0, 0, 0, 255} : Rgba{255, 255, 255, 255};
}

void add_frame(Layer& layer, const Rect& r, float width, Rgba ink) {
  layer.boxes.push_back({{r.x - width, r.y - width, r.w + 2 * width, width}, ink, 0});
  layer.boxes.push_back({{r.x - width, r.bottom(), r.w + 2 * width, width}, ink, 0});
  layer.boxes.push_back({{r.x - width, r.y, width, r.h}, ink, 0});
  layer.boxes.push_back({{r.right(), r.y, width, r.h}, ink, 0});
}

}  // namespace helix::figure
