// Rows with a known structure, and Eigen as a reference, for the geometry tests.
#pragma once

#include <Eigen/QR>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numbers>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/matrix.h"

namespace helix::geometry::samples {

using Dense = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

inline Dense dense(const Matrix<double>& m) {
  Dense out(static_cast<Eigen::Index>(m.rows), static_cast<Eigen::Index>(m.cols));
  std::copy(m.data.begin(), m.data.end(), out.data());
  return out;
}

inline Matrix<double> matrix(const Dense& m) {
  Matrix<double> out(static_cast<std::size_t>(m.rows()), static_cast<std::size_t>(m.cols()));
  std::copy_n(m.data(), out.data.size(), out.data.begin());
  return out;
}

inline std::shared_ptr<const Matrix<double>> shared(Matrix<double> m) {
  return std::make_shared<const Matrix<double>>(std::move(m));
}

inline Matrix<double> noise(std::size_t n, std::size_t d, unsigned seed, double size = 1) {
  std::mt19937_64 bits(seed);
  std::normal_distribution<double> normal(0, size);
  Matrix<double> out(n, d);
  for (double& x : out.data) x = normal(bits);
  return out;
}

/// Orthonormal columns [n, k].
inline Dense orthonormal_columns(std::size_t n, std::size_t k, unsigned seed) {
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(dense(noise(n, k, seed)));
  return qr.householderQ() * Eigen::MatrixXd::Identity(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(k));
}

/// n points on a helix of radius r: (r cos, r sin, pitch t) for t in [0, 1), `turns` whole turns, as [n, 3].
inline Matrix<double> helix_points(std::size_t n, double turns, double r, double pitch) {
  Matrix<double> out(n, 3);
  for (std::size_t i = 0; i < n; ++i) {
    const double t = static_cast<double>(i) / static_cast<double>(n), angle = 2 * std::numbers::pi * turns * t;
    out(i, 0) = r * std::cos(angle);
    out(i, 1) = r * std::sin(angle);
    out(i, 2) = pitch * t;
  }
  return out;
}

/// Points [n, 3] turned into d dimensions about an offset that is not zero.
inline Matrix<double> embedded(const Matrix<double>& points, std::size_t d, unsigned seed) {
  Dense out = dense(points) * orthonormal_columns(d, points.cols, seed).transpose();
  out.rowwise() += Eigen::RowVectorXd::LinSpaced(static_cast<Eigen::Index>(d), -1, 2);
  return matrix(out);
}

inline Matrix<double> rows_between(const Matrix<double>& m, std::size_t first, std::size_t last) {
  Matrix<double> out(last - first + 1, m.cols);
  std::copy_n(m.row(first).data(), out.data.size(), out.data.begin());
  return out;
}

/// GPT-2 small's wpe [1024, 768], if a copy of its weights is available: the file or folder in
/// HELIXSCOPE_GPT2, else shared/gpt2 beside the repository.
inline std::optional<Matrix<double>> gpt2_positions() {
  const std::string here = __FILE__;
  const char* given = std::getenv("HELIXSCOPE_GPT2");
  std::string path = given ? given : here.substr(0, here.rfind("tests/geometry")) + "../shared/gpt2";
  if (!path.ends_with(".safetensors")) path += "/gpt2-small-partial.safetensors";
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (!file) return std::nullopt;
  const auto closed = std::unique_ptr<std::FILE, int (*)(std::FILE*)>(file, std::fclose);
  std::uint64_t length = 0;
  if (std::fread(&length, 8, 1, file) != 1 || length > 1'000'000) return std::nullopt;
  std::string header(static_cast<std::size_t>(length), ' ');
  if (std::fread(header.data(), 1, header.size(), file) != header.size()) return std::nullopt;
  const std::size_t entry = header.find("wpe.weight\""), offsets = header.find("data_offsets", entry);
  if (entry == std::string::npos || offsets == std::string::npos) return std::nullopt;
  const long begin = std::strtol(header.c_str() + header.find('[', offsets) + 1, nullptr, 10);
  std::vector<float> values(1024 * 768);
  std::fseek(file, static_cast<long>(8 + length) + begin, SEEK_SET);
  if (std::fread(values.data(), sizeof(float), values.size(), file) != values.size()) return std::nullopt;
  Matrix<double> out(1024, 768);
  std::copy(values.begin(), values.end(), out.data.begin());
  return out;
}

}  // namespace helix::geometry::samples
