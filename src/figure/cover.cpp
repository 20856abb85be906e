#include "figure/cover.h"

#include <cmath>

namespace helix::figure {
namespace {

constexpr std::size_t kCloudSample = 4000;  // points of a cloud

bool is_ground(const FilledRect& b, const Rect& room) {
  return std::min(b.rect.w, b.rect.h) <= 1.6f || b.rect.w > room.w * 0.9f || b.rect.h > room.h * 0.9f;
}

void add_cloud(const Cloud& cloud, Cover& cover) {
  const std::size_t stride = std::max<std::size_t>(cloud.points->size() / kCloudSample, 1);
  for (std::size_t i = 0; i < cloud.points->size(); i += stride) {
    Vec3 p{};
    for (std::size_t a = 0; a < 3; ++a)
      if (cloud.axes[a] < cloud.points->dims) p[a] = (*cloud.points)(i, cloud.axes[a]);
    cover.add(cloud.projection.at(p), Cover::kShade);
  }
}

}  // namespace

void Cover::add(Point p, int cost) {
  if (!rect_.contains(p)) return;
  auto& cell = cost_[column(p.x) + row(p.y) * across_];
  cell = std::max(cell, cost);
}

void Cover::add(Point from, Point to, int cost) {
  const float length = std::hypot(to.x - from.x, to.y - from.y);
  if (!std::isfinite(length) || length > 1e5f) return;
  const int steps = static_cast<int>(length / (kCell * 0.75f)) + 1;
  for (int i = 0; i <= steps; ++i) {
    const float t = static_cast<float>(i) / static_cast<float>(steps);
    add(Point{from.x + (to.x - from.x) * t, from.y + (to.y - from.y) * t}, cost);
  }
}

void Cover::add(const Rect& r, int cost) {
  const Rect inside{std::max(r.x, rect_.x), std::max(r.y, rect_.y), 0, 0};
  const float right = std::min(r.right(), rect_.right()), bottom = std::min(r.bottom(), rect_.bottom());
  for (float y = inside.y; y <= bottom; y += kCell)
    for (float x = inside.x; x <= right; x += kCell) add(Point{x, y}, cost);
}

void Cover::sum() {
  sums_.assign((across_ + 1) * (down_ + 1), 0);
  for (std::size_t y = 0; y < down_; ++y)
    for (std::size_t x = 0; x < across_; ++x)
      sums_[index(x + 1, y + 1)] =
          cost_[x + y * across_] + sums_[index(x, y + 1)] + sums_[index(x + 1, y)] - sums_[index(x, y)];
}

std::pair<int, int> Cover::under(const Rect& r) const {
  const std::size_t left = column(r.x), right = column(r.right()) + 1, top = row(r.y), foot = row(r.bottom()) + 1;
  return {sums_[index(right, foot)] - sums_[index(left, foot)] - sums_[index(right, top)] + sums_[index(left, top)],
          static_cast<int>((right - left) * (foot - top))};
}

Cover covered_ground(const Block& block, const Rect& room) {
  Cover cover(room);
  for (const Layer& layer : block.layers) {
    for (const Image& i : layer.images) cover.add(i.rect, Cover::kShade);
    for (const FilledRect& b : layer.boxes)
      if (!is_ground(b, room)) cover.add(b.rect, Cover::kMark);
    for (const Capsule& c : layer.capsules) cover.add(c.a, c.b, c.radius > 0.65f ? Cover::kMark : Cover::kShade);
    for (const Ring& r : layer.rings)
      cover.add(Rect{r.centre.x - r.radius, r.centre.y - r.radius, 2 * r.radius, 2 * r.radius}, Cover::kMark);
    for (const Cloud& c : layer.clouds) add_cloud(c, cover);
  }
  cover.sum();
  return cover;
}

}  // namespace helix::figure
