#include "studies/head_sources/composition.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "base/pcg64.h"
#include "geometry/dense.h"
#include "studies/null_range.h"

namespace helix::studies::head_sources {

std::vector<double> compositions(const Source& source, const std::vector<Matrix<double>>& readers) {
  using geometry::map;
  const geometry::RowMatrix vv = map(source.v) * map(source.v).transpose();
  const geometry::RowMatrix oo = map(source.o) * map(source.o).transpose();
  const double own = vv.cwiseProduct(oo).sum();
  std::vector<double> out;
  for (const Matrix<double>& reader : readers) {
    const geometry::RowMatrix product = map(source.o) * map(reader).transpose();
    const double joint = (vv * product).cwiseProduct(product).sum(), norms = own * map(reader).squaredNorm();
    out.push_back(norms > 0 ? std::sqrt(std::max(joint, 0.0) / norms) : std::nan(""));
  }
  return out;
}

Matrix<double> qk_reader(const Matrix<double>& q, const Matrix<double>& k) {
  using geometry::map;
  const geometry::RowMatrix gram = map(q).transpose() * map(q);  // ‖M W_Qᵀ‖ = ‖M √(W_Qᵀ W_Q)‖
  const Eigen::SelfAdjointEigenSolver<geometry::RowMatrix> solved(gram);
  const geometry::RowMatrix reader = solved.operatorSqrt() * map(k).transpose();
  Matrix<double> out(q.cols, k.rows);
  std::copy_n(reader.data(), out.data.size(), out.data.begin());
  return out;
}

Task<std::vector<double>> random_reader_means(std::size_t d_model, std::size_t d_head, std::size_t readers) {
  std::vector<double> out;
  for (std::uint32_t seed = 1; seed <= kNullSeeds; ++seed) {
    Pcg64 rng(seed);
    const auto drawn = [&](std::size_t rows, std::size_t cols) {
      Matrix<double> m(rows, cols);
      rng.normal(std::span(m.data));
      return m;
    };
    const Matrix<double> v = drawn(d_head, d_model), o = drawn(d_head, d_model);
    std::vector<Matrix<double>> with;
    for (std::size_t i = 0; i < readers; ++i) {
      const Matrix<double> q = drawn(d_model, d_head), k = drawn(d_model, d_head);
      with.push_back(qk_reader(q, k));
      co_await pause_point();
    }
    double sum = 0;
    for (const double one : compositions({v, o}, with)) sum += one / static_cast<double>(readers);
    out.push_back(sum);
    co_await pause_point();
  }
  co_return std::move(out);
}

Task<std::vector<double>> random_compositions(std::size_t d_model, std::size_t d_head) {
  std::vector<double> out;
  for (std::uint32_t seed = 1; seed <= kNullSeeds; ++seed) {
    Pcg64 rng(seed);
    const auto drawn = [&] {
      Matrix<double> m(d_head, d_model);
      rng.normal(std::span(m.data));
      return m;
    };
    Source source{drawn(), drawn()};
    out.push_back(compositions(source, {drawn()}).front());
    co_await pause_point();
  }
  co_return std::move(out);
}

}  // namespace helix::studies::head_sources
