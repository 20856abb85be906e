#include "geometry/products.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "geometry/pace.h"
#include "geometry/simd.h"

namespace helix::geometry {
namespace {

constexpr std::size_t kPanel = 4;    // columns of a register tile: 4 x 4 doubles are 8 of 16 vector registers
constexpr std::size_t kDepth = 128;  // terms packed at a time: 768 columns of them, 0.8 MB, stay in the L2 cache

/// Terms first..first+depth-1 of every vector, as panels [count / 4][depth][4], the last panel filled with
/// zeros.
void pack(const Matrix<double>& rows, bool of_columns, std::size_t first, std::size_t depth,
          std::vector<double>& panels) {
  const std::size_t count = of_columns ? rows.cols : rows.rows;
  for (std::size_t begin = 0; begin < count; begin += kPanel) {
    double* to = panels.data() + begin * depth;
    const std::size_t width = std::min(kPanel, count - begin);
    for (std::size_t t = 0; t < depth; ++t, to += kPanel) {
      for (std::size_t c = 0; c < width; ++c)
        to[c] = of_columns ? rows(first + t, begin + c) : rows(begin + c, first + t);
      for (std::size_t c = width; c < kPanel; ++c) to[c] = 0;
    }
  }
}

/// to [4, 4] += Σ_t a[t, :]ᵀ b[t, :], one term after the other.
void add_tile(const double* a, const double* b, std::size_t depth, double* to, std::size_t stride) {
  V2 s[kPanel][2];
  for (std::size_t r = 0; r < kPanel; ++r) {
    s[r][0] = load(to + r * stride);
    s[r][1] = load(to + r * stride + 2);
  }
  for (std::size_t t = 0; t < depth; ++t, a += kPanel, b += kPanel) {
    const V2 left = load(b), right = load(b + 2);
    for (std::size_t r = 0; r < kPanel; ++r) {
      const V2 scale = splat(a[r]);
      s[r][0] += scale * left;
      s[r][1] += scale * right;
    }
  }
  for (std::size_t r = 0; r < kPanel; ++r) {
    store(to + r * stride, s[r][0]);
    store(to + r * stride + 2, s[r][1]);
  }
}

/// Drops the columns that filled up the last panel.
Matrix<double> trimmed(Matrix<double> padded, std::size_t count) {
  if (padded.cols == count) return padded;
  Matrix<double> out(count, count);
  for (std::size_t i = 0; i < count; ++i) std::copy_n(padded.row(i).data(), count, out.row(i).data());
  return out;
}

/// R x M inner products; two running sums each, whatever R and M are, so that a value never depends on its
/// tile.
template <std::size_t R, std::size_t M>
void dot_tile(const double* x, std::size_t x_stride, const double* v, std::size_t v_stride, std::size_t d, double* out,
              std::size_t out_stride) {
  V2 s[R][M] = {};
  std::size_t j = 0;
  for (; j + 2 <= d; j += 2) {
    V2 along[M];
    for (std::size_t m = 0; m < M; ++m) along[m] = load(v + m * v_stride + j);
    for (std::size_t r = 0; r < R; ++r) {
      const V2 row = load(x + r * x_stride + j);
      for (std::size_t m = 0; m < M; ++m) s[r][m] += row * along[m];
    }
  }
  for (std::size_t r = 0; r < R; ++r) {
    for (std::size_t m = 0; m < M; ++m) {
      double total = sum(s[r][m]);
      for (std::size_t t = j; t < d; ++t) total += x[r * x_stride + t] * v[m * v_stride + t];
      out[r * out_stride + m] = total;
    }
  }
}

/// M sums += R weighted rows, in the order of the rows.
template <std::size_t R, std::size_t M>
void sum_tile(const double* x, std::size_t x_stride, const double* w, std::size_t w_stride, std::size_t d, double* sums,
              std::size_t s_stride) {
  std::size_t j = 0;
  for (; j + 2 <= d; j += 2) {
    V2 row[R];
    for (std::size_t r = 0; r < R; ++r) row[r] = load(x + r * x_stride + j);
    for (std::size_t m = 0; m < M; ++m) {
      V2 s = load(sums + m * s_stride + j);
      for (std::size_t r = 0; r < R; ++r) s += splat(w[r * w_stride + m]) * row[r];
      store(sums + m * s_stride + j, s);
    }
  }
  for (; j < d; ++j) {
    for (std::size_t m = 0; m < M; ++m) {
      for (std::size_t r = 0; r < R; ++r) sums[m * s_stride + j] += w[r * w_stride + m] * x[r * x_stride + j];
    }
  }
}

template <std::size_t R>
void dot_rows(const double* x, std::size_t x_stride, MatrixView<const double> v, double* out, std::size_t out_stride) {
  std::size_t m = 0;
  for (; m + 2 <= v.rows; m += 2)
    dot_tile<R, 2>(x, x_stride, v.data + m * v.stride, v.stride, v.cols, out + m, out_stride);
  if (m < v.rows) dot_tile<R, 1>(x, x_stride, v.data + m * v.stride, v.stride, v.cols, out + m, out_stride);
}

template <std::size_t R>
void sum_rows(const double* x, std::size_t x_stride, const double* w, std::size_t w_stride, MatrixView<double> sums) {
  std::size_t m = 0;
  for (; m + 2 <= sums.rows; m += 2)
    sum_tile<R, 2>(x, x_stride, w + m, w_stride, sums.cols, sums.data + m * sums.stride, sums.stride);
  if (m < sums.rows) sum_tile<R, 1>(x, x_stride, w + m, w_stride, sums.cols, sums.data + m * sums.stride, sums.stride);
}

}  // namespace

Task<Matrix<double>> gram(std::shared_ptr<const Matrix<double>> rows, bool of_columns) {
  const std::size_t count = of_columns ? rows->cols : rows->rows, terms = of_columns ? rows->rows : rows->cols;
  const std::size_t padded = (count + kPanel - 1) / kPanel * kPanel;
  Matrix<double> sums(padded, padded);
  std::vector<double> panels(padded * std::min(terms, kDepth));
  Pace pace;
  for (std::size_t first = 0; first < terms; first += kDepth) {
    const std::size_t depth = std::min(kDepth, terms - first);
    pack(*rows, of_columns, first, depth, panels);
    for (std::size_t i = 0; i < padded; i += kPanel) {
      for (std::size_t j = i; j < padded; j += kPanel)
        add_tile(&panels[i * depth], &panels[j * depth], depth, &sums.data[i * padded + j], padded);
      if (!pace.due(2.0 * static_cast<double>(kPanel * (padded - i) * depth))) continue;
      co_await pause_point(static_cast<double>(first + depth * i / padded), static_cast<double>(terms), "covariance");
    }
  }
  Matrix<double> out = trimmed(std::move(sums), count);
  co_return std::move(out);
}

Task<Matrix<double>> through_covariance(std::shared_ptr<const Matrix<double>> rows, Matrix<double> block) {
  constexpr std::size_t kRows = 8;  // of 768 doubles: read twice, the second time from the L1 cache
  Matrix<double> sums(block.rows, block.cols), along(kRows, block.rows);
  Pace pace;
  for (std::size_t i = 0; i < rows->rows; i += kRows) {
    const std::size_t count = std::min(kRows, rows->rows - i);
    const MatrixView<const double> some = rows->view().slice(i, count);
    const MatrixView<double> weights = along.view().slice(0, count);
    inner_products(some, block, weights);
    add_weighted_rows(some, weights, sums.view());
    if (pace.due(4.0 * static_cast<double>(count * block.data.size()))) co_await pause_point();
  }
  co_return std::move(sums);
}

void inner_products(MatrixView<const double> rows, MatrixView<const double> directions, MatrixView<double> out) {
  std::size_t i = 0;
  for (; i + 4 <= rows.rows; i += 4)
    dot_rows<4>(rows.data + i * rows.stride, rows.stride, directions, out.data + i * out.stride, out.stride);
  for (; i < rows.rows; ++i)
    dot_rows<1>(rows.data + i * rows.stride, rows.stride, directions, out.data + i * out.stride, out.stride);
}

void add_weighted_rows(MatrixView<const double> rows, MatrixView<const double> weights, MatrixView<double> sums) {
  std::size_t i = 0;
  for (; i + 4 <= rows.rows; i += 4)
    sum_rows<4>(rows.data + i * rows.stride, rows.stride, weights.data + i * weights.stride, weights.stride, sums);
  for (; i < rows.rows; ++i)
    sum_rows<1>(rows.data + i * rows.stride, rows.stride, weights.data + i * weights.stride, weights.stride, sums);
}

}  // namespace helix::geometry
