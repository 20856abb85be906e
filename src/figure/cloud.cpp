#include "figure/cloud.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace helix::figure {
namespace {

constexpr float kFine = 2;  // cells per pixel

Vec3 point_of(const Cloud& cloud, std::size_t i) {
  Vec3 p{};
  for (std::size_t a = 0; a < 3; ++a)
    if (cloud.axes[a] < cloud.points->dims && std::isfinite((*cloud.points)(i, cloud.axes[a])))
      p[a] = (*cloud.points)(i, cloud.axes[a]);
  return p;
}

}  // namespace

Image picture_of(const Cloud& cloud, const Rect& rect) {
  Image image{rect, nullptr, nullptr, 0, 0, 0, 0};
  const auto w = static_cast<std::size_t>(std::clamp(rect.w * kFine, 0.0f, 4096.0f)),
             h = static_cast<std::size_t>(std::clamp(rect.h * kFine, 0.0f, 4096.0f));
  if (!cloud.points || !w || !h) return image;
  auto shades = std::make_shared<Shades>();
  shades->rows = h, shades->cols = w, shades->data.assign(w * h, 0);
  std::vector<float> depth(w * h, std::numeric_limits<float>::infinity());
  const int r = std::max(1, static_cast<int>(std::lround(cloud.radius * kFine)));
  for (std::size_t i = 0; i < cloud.points->size(); ++i) {
    const Vec3 p = point_of(cloud, i);
    const Point at = cloud.projection.at(p);
    const auto away = static_cast<float>(cloud.projection.depth(p));
    const int cx = static_cast<int>((at.x - rect.x) * kFine), cy = static_cast<int>((at.y - rect.y) * kFine);
    const std::uint8_t one =
        cloud.shades && i < cloud.shades->size() ? std::max<std::uint8_t>((*cloud.shades)[i], 1) : std::uint8_t{255};
    for (int y = std::max(cy - r, 0); y <= std::min(cy + r, static_cast<int>(h) - 1); ++y)
      for (int x = std::max(cx - r, 0); x <= std::min(cx + r, static_cast<int>(w) - 1); ++x) {
        const std::size_t cell = static_cast<std::size_t>(y) * w + static_cast<std::size_t>(x);
        if ((x - cx) * (x - cx) + (y - cy) * (y - cy) > r * r || away >= depth[cell]) continue;
        depth[cell] = away, shades->data[cell] = one;
      }
  }
  auto palette = std::make_shared<Palette>(*cloud.palette);
  (*palette)[0].a = 0;
  image.shades = std::move(shades), image.palette = std::move(palette);
  image.cols = static_cast<float>(w), image.rows = static_cast<float>(h);
  return image;
}

}  // namespace helix::figure
