#include "figure/project.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace helix::figure {
namespace {

double determinant(const Mat3& m) {
  return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
         m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

/// The inverse transpose: cofactors over the determinant.
Mat3 inverse_transposed(const Mat3& m, double det) {
  Mat3 out{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      const std::size_t a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
      out[i][j] = (m[a][c] * m[b][d] - m[a][d] * m[b][c]) / det;
    }
  return out;
}

Mat3 multiply(const Mat3& a, const Mat3& b) {
  Mat3 out{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k) out[i][j] += a[i][k] * b[k][j];
  return out;
}

}  // namespace

Vec3 apply(const Mat3& m, const Vec3& v) {
  Vec3 out{};
  for (std::size_t i = 0; i < 3; ++i) out[i] = m[i][0] * v[0] + m[i][1] * v[1] + m[i][2] * v[2];
  return out;
}

Point Projection::at(const Vec3& p) const {
  const Vec3 v = apply(turn, p);
  return {static_cast<float>(centre.x + scale * v[0]), static_cast<float>(centre.y + scale * v[1])};
}

double Projection::depth(const Vec3& p) const { return turn[2][0] * p[0] + turn[2][1] * p[1] + turn[2][2] * p[2]; }

Projection project(const Camera& camera, const Mat3& frame, const Rect& rect, double extent) {
  const double az = camera.azimuth * std::numbers::pi / 180, el = camera.elevation * std::numbers::pi / 180;
  // The eye stands at (cos el cos az, cos el sin az, sin el); the third axis points up in the picture.
  const Mat3 orbit{{{-std::sin(az), std::cos(az), 0},
                    {std::sin(el) * std::cos(az), std::sin(el) * std::sin(az), -std::cos(el)},
                    {-std::cos(el) * std::cos(az), -std::cos(el) * std::sin(az), -std::sin(el)}}};
  const double side = std::min(rect.w, rect.h);
  Projection p;
  p.turn = multiply(orbit, frame);
  p.scale = side / 2 / std::max(extent, 1e-300) * camera.zoom;
  p.centre = {static_cast<float>(rect.x + rect.w / 2 + camera.x * side),
              static_cast<float>(rect.y + rect.h / 2 + camera.y * side)};
  return p;
}

double extent_of(std::span<const Vec3> points) {
  double most = 0;
  for (const Vec3& p : points) most = std::max(most, p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
  return most > 0 && std::isfinite(most) ? std::sqrt(most) : 1;
}

Mat3 align(std::span<const Vec3> now, std::span<const Vec3> before) {
  Mat3 m{};  // Σ before·nowᵀ
  for (std::size_t k = 0; k < std::min(now.size(), before.size()); ++k)
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) m[i][j] += before[k][i] * now[k][j];
  double size = 0;
  for (const Vec3& row : m)
    for (const double x : row) size += x * x;
  size = std::sqrt(size);
  if (!(size > 0) || !std::isfinite(size)) return kIdentity;
  for (Vec3& row : m)
    for (double& x : row) x /= size;
  for (int step = 0; step < 60; ++step) {
    const double det = determinant(m);
    if (std::abs(det) < 1e-12) return kIdentity;  // flat: the rotation about the missing axis is undetermined
    const Mat3 other = inverse_transposed(m, det);
    double change = 0;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) {
        const double next = (m[i][j] + other[i][j]) / 2;
        change = std::max(change, std::abs(next - m[i][j]));
        m[i][j] = next;
      }
    if (change < 1e-12) break;
  }
  return m;
}

Mat3 relax(const Mat3& frame, double t) {
  Mat3 out{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) out[i][j] = frame[i][j] * (1 - t) + kIdentity[i][j] * t;
  return out;
}

}  // namespace helix::figure
