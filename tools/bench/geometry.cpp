// Compares geometry/ with Eigen on the same tasks: one line of JSON for each row, with the fastest of some rounds in milliseconds.
#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>

#include "geometry/dense.h"
#include "geometry/orthonormal.h"
#include "geometry/products.h"
#include "geometry/singular.h"
#include "geometry/symmetric.h"

using namespace helix;
using namespace helix::geometry;
using Eigen::MatrixXd;

namespace {

constexpr int kRounds = 6, kFew = 1;  // after the first
double seen = 0;                      // printed at the end, so that the compiler cannot remove the measured work

template <class Work>
double milliseconds(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  seen += work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

/// Interleaved, and the fastest round counts: other programs can only slow a round down.
template <class Ours, class Theirs>
void row(const char* work, const char* eigens, const Ours& ours, const Theirs& theirs, int rounds = kRounds) {
  double a = milliseconds(ours), b = milliseconds(theirs);
  for (int i = 0; i < rounds; ++i) a = std::min(a, milliseconds(ours)), b = std::min(b, milliseconds(theirs));
  std::printf("{\"work\":\"%s\",\"ours\":%.4g,\"eigen\":%.4g,\"eigens\":\"%s\"}\n", work, a, b, eigens);
  std::fflush(stdout);
}

std::shared_ptr<const Matrix<double>> falling(std::size_t n, std::size_t d) {
  auto rows = std::make_shared<Matrix<double>>(n, d);
  FixedNoise(7).fill(rows->data);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < d; ++j) (*rows)(i, j) /= 1 + 0.05 * static_cast<double>(j);
  return rows;
}

double first_value(const Spectrum& s) { return s.values[0]; }
double first_value(const Expected<Singular>& s) { return s->values[0]; }

template <int Options>
double svd(const MatrixXd& m) {
  return Eigen::BDCSVD<MatrixXd, Options>(m).singularValues()[0];
}

void products(const std::shared_ptr<const Matrix<double>>& rows) {
  row(
      "Gram matrix of 1024 x 768", "rankUpdate", [&] { return run_to_end(gram(rows, true))(0, 0); },
      [&] {
        MatrixXd sums = MatrixXd::Zero(768, 768);
        sums.selfadjointView<Eigen::Lower>().rankUpdate(map(*rows).transpose());
        return sums(0, 0);
      });
  Matrix<double> block(10, 768);
  FixedNoise(8).fill(block.data);
  row(
      "1024 x 768 applied to 10 directions, twice", "products",
      [&] { return run_to_end(through_covariance(rows, block))(0, 0); },
      [&] {
        const RowMatrix along = map(*rows) * map(block).transpose();
        const RowMatrix sums = along.transpose() * map(*rows);
        return sums(0, 0);
      });
}

void spectra(const Matrix<double>& upper) {
  const MatrixXd lower = map(upper).transpose();
  const auto eigen = [&](int options) {
    return [&lower, options] { return Eigen::SelfAdjointEigenSolver<MatrixXd>(lower, options).eigenvalues()[0]; };
  };
  const auto ours = [&upper](std::size_t k) {
    return [&upper, k] { return first_value(run_to_end(symmetric_spectrum(upper, k))); };
  };
  row("eigh of 768, values", "EigenvaluesOnly", ours(0), eigen(Eigen::EigenvaluesOnly));
  row("eigh of 768, 8 vectors", "all vectors", ours(8), eigen(Eigen::ComputeEigenvectors));
  row("eigh of 768, all vectors", "all vectors", ours(768), eigen(Eigen::ComputeEigenvectors));
}

void singular() {
  const auto tall = falling(768, 64), square = falling(768, 768);
  const MatrixXd of_tall = map(*tall), of_square = map(*square);
  const auto ours = [](const std::shared_ptr<const Matrix<double>>& m, std::size_t k) {
    return [&m, k] { return first_value(run_to_end(right_singular(row_blocks(m), false, k))); };
  };
  row("svd of 768 x 64, right vectors", "BDCSVD", ours(tall, 64), [&] { return svd<Eigen::ComputeThinV>(of_tall); });
  row("svd of 768 x 768, values", "BDCSVD", ours(square, 0), [&] { return svd<0>(of_square); });
  row("svd of 768 x 768, right vectors", "BDCSVD", ours(square, 768),
      [&] { return svd<Eigen::ComputeThinV>(of_square); });
}

/// The largest tasks of the studies on GPT-2 small: every head's W_Q, and the token embeddings.
void of_gpt2() {
  constexpr int kHeads = 144;
  const auto head = falling(768, 64);
  const MatrixXd of_head = map(*head);
  row(
      "144 svds of 768 x 64, right vectors", "BDCSVD",
      [&] {
        double sum = 0;
        for (int i = 0; i < kHeads; ++i) sum += first_value(run_to_end(right_singular(row_blocks(head), false, 64)));
        return sum;
      },
      [&] {
        double sum = 0;
        for (int i = 0; i < kHeads; ++i) sum += svd<Eigen::ComputeThinV>(of_head);
        return sum;
      },
      kFew);
  const auto words = falling(50257, 768);
  row(
      "singular values of 50257 x 768", "rankUpdate, EigenvaluesOnly",
      [&] { return first_value(run_to_end(right_singular(row_blocks(words), false, 0))); },
      [&] {
        MatrixXd sums = MatrixXd::Zero(768, 768);
        sums.selfadjointView<Eigen::Lower>().rankUpdate(map(*words).transpose());
        return Eigen::SelfAdjointEigenSolver<MatrixXd>(sums, Eigen::EigenvaluesOnly).eigenvalues()[0];
      },
      kFew);
}

}  // namespace

int main() {
  const auto rows = falling(1024, 768);
  products(rows);
  spectra(run_to_end(gram(rows, true)));
  singular();
  of_gpt2();
  std::fprintf(stderr, "%g\n", seen);
}
