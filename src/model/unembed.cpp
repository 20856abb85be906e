#include "model/unembed.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/exponential.h"
#include "model/products.h"
#include "model/sampling.h"

namespace helix::model {
namespace {

constexpr std::size_t kLogitRows = 8;  // of logits: 1.6 MB of GPT-2's vocabulary

Matrix<float> slice(const Matrix<float>& rows, std::size_t first, std::size_t count) {
  Matrix<float> out(count, rows.cols);
  std::copy_n(rows.row(first).begin(), out.data.size(), out.data.begin());
  return out;
}

/// Normalizes a row to mean 0 and variance 1; returns its scale.
float normalize(const Network& network, const float* row, std::span<float> into) {
  return network.kernels().layer_norm(row, into.size(), network.config().layer_norm_epsilon, into.data());
}

/// Less its mean, over a given scale.
void freeze(std::span<const float> row, float scale, std::span<float> into) {
  double mean = 0;
  for (const float x : row) mean += static_cast<double>(x) / static_cast<double>(row.size());
  for (std::size_t j = 0; j < row.size(); ++j)
    into[j] = static_cast<float>((static_cast<double>(row[j]) - mean) / static_cast<double>(scale));
}

void scale_and_shift(const Affine& affine, std::span<float> row) {
  for (std::size_t j = 0; j < row.size(); ++j) row[j] = row[j] * affine.gain[j] + affine.shift[j];
}

}  // namespace

std::vector<float> final_scales(const Network& network, MatrixView<const float> rows) {
  std::vector<float> scales, row(rows.cols);
  for (std::size_t i = 0; i < rows.rows; ++i) scales.push_back(normalize(network, &rows(i, 0), row));
  return scales;
}

Matrix<float> final_norm(const Network& network, MatrixView<const float> rows, FinalNorm how,
                         std::span<const float> scales) {
  Matrix<float> out(rows.rows, rows.cols);
  for (std::size_t i = 0; i < rows.rows; ++i) {
    std::ranges::copy(rows.row(i), out.row(i).begin());
    if (how == FinalNorm::none) continue;
    if (how == FinalNorm::frozen)
      freeze(rows.row(i), scales[i], out.row(i));
    else
      normalize(network, &rows(i, 0), out.row(i));
    scale_and_shift(network.ln_f(), out.row(i));
    if (how != FinalNorm::twice) continue;
    const std::vector<float> once(out.row(i).begin(), out.row(i).end());
    normalize(network, once.data(), out.row(i));
    scale_and_shift(network.ln_f(), out.row(i));
  }
  return out;
}

Task<Matrix<float>> head_logits(const Network* network, Matrix<float> normalized) {
  Matrix<float> logits(normalized.rows, network->config().n_vocab);
  if (normalized.rows > 0) co_await multiply(network, normalized.view(), &network->head(), nullptr, logits.view());
  co_return logits;
}

Task<Matrix<float>> unembed(std::shared_ptr<const Network> network, Matrix<float> rows) {
  Matrix<float> normalized = final_norm(*network, rows.view());
  co_return co_await head_logits(network.get(), std::move(normalized));
}

Task<Readout> read_out(std::shared_ptr<const Network> network, Matrix<float> normalized, std::size_t k) {
  k = std::min(k, network->config().n_vocab);
  Readout out{Matrix<std::int32_t>(normalized.rows, k), Matrix<double>(normalized.rows, k), {}};
  for (std::size_t first = 0; first < normalized.rows; first += kLogitRows) {
    co_await pause_point(static_cast<double>(first), static_cast<double>(normalized.rows), "reading the layers out");
    const std::size_t count = std::min(kLogitRows, normalized.rows - first);
    const Matrix<float> logits = co_await head_logits(network.get(), slice(normalized, first, count));
    for (std::size_t i = 0; i < count; ++i) {
      co_await pause_point();
      const std::vector<double> p = probabilities(logits.row(i));
      out.entropy.push_back(entropy_nats(p));
      const std::vector<std::int32_t> ids = top_ids(logits.row(i), k);
      for (std::size_t j = 0; j < k; ++j)
        out.top(first + i, j) = ids[j], out.probability(first + i, j) = p[static_cast<std::size_t>(ids[j])];
    }
  }
  co_return out;
}

Task<std::vector<double>> log_probabilities(std::shared_ptr<const Network> network, Matrix<float> normalized,
                                            std::vector<std::int32_t> targets) {
  std::vector<double> out;
  for (std::size_t first = 0; first < normalized.rows; first += kLogitRows) {
    co_await pause_point(static_cast<double>(first), static_cast<double>(normalized.rows), "reading the predictions");
    const std::size_t count = std::min(kLogitRows, normalized.rows - first);
    const Matrix<float> logits = co_await head_logits(network.get(), slice(normalized, first, count));
    for (std::size_t i = 0; i < count; ++i) {
      const float logit = logits(i, static_cast<std::size_t>(targets[first + i]));
      out.push_back(static_cast<double>(logit) - log_sum_exp(logits.row(i)));
    }
  }
  co_return out;
}

Task<std::vector<double>> divergence(std::shared_ptr<const Network> network, Matrix<float> p, Matrix<float> q) {
  std::vector<double> out;
  for (std::size_t i = 0; i < p.rows; ++i) {
    co_await pause_point(static_cast<double>(i), static_cast<double>(p.rows), "comparing predictions");
    const Matrix<float> one = co_await head_logits(network.get(), slice(p, i, 1));
    const Matrix<float> other = co_await head_logits(network.get(), slice(q, i, 1));
    out.push_back(divergence(one.row(0), other.row(0)));
  }
  co_return out;
}

}  // namespace helix::model
