#include "model/pack_quality.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <span>

namespace helix::model {
namespace {

// log softmax(logits) = logits − this.
double log_sum(std::span<const float> logits) {
  const double top = static_cast<double>(*std::max_element(logits.begin(), logits.end()));
  double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit) - top);
  return top + std::log(sum);
}

// Σ p·(ln p − ln q), which rounding can take below 0.
double divergence(std::span<const float> p, std::span<const float> q) {
  const double p_sum = log_sum(p), q_sum = log_sum(q);
  double total = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double log_p = static_cast<double>(p[i]) - p_sum;
    total += std::exp(log_p) * (log_p - (static_cast<double>(q[i]) - q_sum));
  }
  return std::max(total, 0.0);
}

std::ptrdiff_t top_of(std::span<const float> logits) {
  return std::max_element(logits.begin(), logits.end()) - logits.begin();
}

}  // namespace

std::vector<std::int32_t> quality_tokens(std::size_t n_vocab, std::size_t n_ctx) {
  std::vector<std::int32_t> tokens(std::min<std::size_t>(128, n_ctx));
  for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] = static_cast<std::int32_t>(i * 7919 % n_vocab);
  return tokens;
}

double surprise(MatrixView<const float> logits, std::span<const std::int32_t> next) {
  assert(logits.rows == next.size());
  double total = 0;
  for (std::size_t i = 0; i < next.size(); ++i) {
    const auto row = logits.row(i);
    total += log_sum(row) - static_cast<double>(row[static_cast<std::size_t>(next[i])]);
  }
  return total;
}

PredictionDifference compare_predictions(MatrixView<const float> exact, MatrixView<const float> stored) {
  assert(exact.rows == stored.rows && exact.cols == stored.cols && exact.rows > 0 && exact.cols > 0);
  PredictionDifference found;
  const auto positions = static_cast<double>(exact.rows);
  std::vector<double> kl;
  for (std::size_t i = 0; i < exact.rows; ++i) {
    const auto p = exact.row(i), q = stored.row(i);
    double sum = 0;
    for (std::size_t j = 0; j < p.size(); ++j) {
      const double apart = std::abs(static_cast<double>(p[j]) - static_cast<double>(q[j]));
      found.max_logit = std::max(found.max_logit, apart);
      sum += apart;
    }
    found.mean_logit += sum / static_cast<double>(p.size()) / positions;
    kl.push_back(divergence(p, q));
    found.mean_kl += kl.back() / positions;
    found.top1 += (top_of(p) == top_of(q) ? 1 : 0) / positions;
  }
  std::sort(kl.begin(), kl.end());
  found.p99_kl = kl[static_cast<std::size_t>(std::ceil(0.99 * positions)) - 1];
  return found;
}

}  // namespace helix::model
