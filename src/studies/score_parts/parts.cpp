#include "studies/score_parts/parts.h"

#include <algorithm>

namespace helix::studies::score_parts {
namespace {

/// Which part the product of a query's side and a key's side belongs to.
std::size_t part_of(std::size_t query, std::size_t key) {
  if (key == 2) return static_cast<std::size_t>(Part::any_shared);
  return 2 * query + key;
}

Matrix<double> product(const Matrix<double>& rows, const Matrix<double>& by, const Vec* bias) {
  Matrix<double> out(rows.rows, by.cols);
  for (std::size_t i = 0; i < rows.rows; ++i) {
    const auto into = out.row(i);
    if (bias) std::ranges::copy(*bias, into.begin());
    for (std::size_t k = 0; k < rows.cols; ++k) {
      const double x = rows(i, k);
      const auto row = by.row(k);
      for (std::size_t j = 0; j < by.cols; ++j) into[j] += x * row[j];
    }
  }
  return out;
}

}  // namespace

void normalize(Sides& sides, const Vec& scale, const HeadWeights& w) {
  for (std::size_t s = 0; s < kSides; ++s)
    for (std::size_t i = 0; i < sides[s].rows; ++i) {
      double mean = 0;
      for (const double v : sides[s].row(i)) mean += v / static_cast<double>(sides[s].cols);
      for (std::size_t j = 0; j < sides[s].cols; ++j)
        sides[s](i, j) = (sides[s](i, j) - mean) / scale[i] * w.gain[j] + (s == 2 ? w.shift[j] : 0);
    }
}

Vectors vectors_of(const Sides& sides, const Matrix<double>& w_q, const Matrix<double>& w_k, const HeadWeights& w) {
  Vectors out;
  for (std::size_t s = 0; s < kSides; ++s) {
    out.q[s] = product(sides[s], w_q, s == 2 ? &w.q_bias : nullptr);
    out.k[s] = product(sides[s], w_k, s == 2 ? &w.k_bias : nullptr);
  }
  return out;
}

Row row_of(const Vectors& v, std::size_t query, std::size_t keys) {
  Row row;
  row.fill(Vec(keys, 0));
  const double scale = 1 / std::sqrt(static_cast<double>(v.q[0].cols));
  for (std::size_t a = 0; a < kSides; ++a)
    for (std::size_t b = 0; b < kSides; ++b)
      for (std::size_t j = 0; j < keys; ++j) {
        double dot = 0;
        for (std::size_t d = 0; d < v.q[a].cols; ++d) dot += v.q[a](query, d) * v.k[b](j, d);
        row[part_of(a, b)][j] += dot * scale;
      }
  return row;
}

void compare_keys(Row& row) {
  for (Vec& part : row) {
    part.erase(part.begin(), part.begin() + kLeftOut);
    double mean = 0;
    for (const double x : part) mean += x / static_cast<double>(part.size());
    for (double& x : part) x -= mean;
  }
}

Vec sum_of(const Row& row) {
  Vec sum(row[0].size(), 0);
  for (const Vec& part : row)
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += part[j];
  return sum;
}

}  // namespace helix::studies::score_parts
