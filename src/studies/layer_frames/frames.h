// The geometry of frames: which components of a layer's tokens are signal, and how two spaces lie to each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/matrix.h"
#include "base/task.h"
#include "studies/layer_frames/layer_frames.h"

namespace helix::studies::layer_frames {

/// Principal components of rows about their mean.
struct Components {
  std::size_t samples = 0, features = 0;  // rows, less one for the mean; columns
  std::vector<double> values;             // [min(samples, features)] eigenvalues of the covariance, largest first
  Matrix<double> directions;              // [k, features] orthonormal rows: the right singular vectors

  double total() const;
  std::size_t bytes() const { return (values.size() + directions.data.size()) * sizeof(double); }
};
Task<Components> components_of(std::shared_ptr<const Matrix<double>> rows, std::size_t k);
/// Of so many rows of independent normal numbers (Pcg64); no directions.
Task<Components> components_of_noise(std::size_t samples, std::size_t features, std::uint32_t seed);

/// The median of Marchenko and Pastur's distribution of variance 1, for a ratio of the sides between 0 and 1.
double median_of_noise(double ratio);

/// The edge above which eigenvalues are signal, in their units; NaN for a criterion that has none.
double edge_of(const Components& layer, Criterion criterion);

/// The largest Q = (λᵢ − λᵢ₊₁) / (λᵢ₊₁ − λᵢ₊₂), and how many components stand before this gap; NaN with fewer than three.
struct Gap {
  double q;
  std::size_t at = 0;
};
Gap largest_gap(const Components& layer);

std::size_t signal_dimensions(const Components& layer, Criterion criterion);
/// (Σλ)² / Σλ²; NaN where nothing varies.
double participation(const Components& layer);

/// Principal angles between the spans of orthonormal rows, in degrees, smallest first, as many as the smaller has rows.
/// From their cosines: angles below 1e-6 radian cannot be told from 0 and are 0. The views outlive the task.
Task<std::vector<double>> principal_angles(MatrixView<const double> a, MatrixView<const double> b);

/// Orthonormal rows of each layer, of which the first `dimensions` are its frame.
using Frames = std::vector<std::shared_ptr<const Matrix<double>>>;
/// Spans of independent normal vectors.
Task<Frames> random_frames(std::vector<std::size_t> dimensions, std::size_t features, std::uint32_t seed);

/// All layers' frames beside each other. Pairs without angles, since a frame has no dimension, are NaN.
struct Compared {
  std::vector<std::size_t> dimensions;      // [layer]
  Matrix<double> sum, geodesic;             // [layer, layer] degrees: Σθ, √(Σθ²)
  std::vector<std::vector<double>> angles;  // of layers i < j, row after row
  std::vector<double> together;             // singular values of all frames below each other

  std::size_t layers() const { return dimensions.size(); }
  std::size_t common(std::size_t i, std::size_t j) const { return std::min(dimensions[i], dimensions[j]); }
};
Task<Compared> compare(Frames frames, std::vector<std::size_t> dimensions);

/// Numbers over all pairs of different layers that have angles; NaN where there are none.
struct Summary {
  double mean, most, least, consecutive, dispersion, order;
};
Summary summary_of(const Compared& frames);
/// Fractions of the angles of two layers with a cosine above the threshold, [layer, layer], and their mean over pairs.
Matrix<double> overlaps(const Compared& frames, double threshold);
double mean_of_pairs(const Matrix<double>& pairs);
std::size_t union_rank(const Compared& frames, double tolerance);
/// exp of the entropy of the squared singular values; NaN without any.
double union_effective(const Compared& frames);

/// [layer, layer]
Matrix<double> distances(const Compared& frames, Distance distance);
/// Classical multidimensional scaling to two dimensions; entries without distances are left out (NaN). Stress: Kruskal's
/// √(Σ(d − δ)² / Σδ²).
struct Map {
  Matrix<double> at;  // [layer, 2]
  double stress;
};
Task<Map> map_of(Matrix<double> distances);

}  // namespace helix::studies::layer_frames
