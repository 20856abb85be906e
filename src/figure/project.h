// From three dimensions to the surface: an orthographic orbit camera; the rotation that keeps a refitted picture still.
#pragma once

#include <span>

#include "base/view.h"
#include "figure/figure.h"
#include "figure/plane.h"

namespace helix::figure {

/// Orthographic: lengths in the picture can be compared. Depth grows away from the viewer, in the points' units.
struct Projection {
  Mat3 turn = kIdentity;  // rows: right, down, away
  Point centre;
  double scale = 1;  // pixels per unit

  Point at(const Vec3& p) const;
  double depth(const Vec3& p) const;
};

/// `extent`: the radius that fits the rect at zoom 1.
Projection project(const Camera& camera, const Mat3& frame, const Rect& rect, double extent);

/// The largest distance of a point from the origin; 1 for no points.
double extent_of(std::span<const Vec3> points);

/// The orthogonal matrix Q that brings `now` closest to `before` (Procrustes: minimises Σ‖Q·now − before‖², by polar
/// decomposition with Newton's iteration, Higham 1986); identity when the points leave it undetermined.
Mat3 align(std::span<const Vec3> now, std::span<const Vec3> before);

/// The rotation part t (0 to 1) of the way from `frame` to the identity: animates a rotation back.
Mat3 relax(const Mat3& frame, double t);

Vec3 apply(const Mat3& m, const Vec3& v);

}  // namespace helix::figure
