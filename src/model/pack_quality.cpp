#include "model/pack_quality.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <span>

#include "model/exponential.h"

namespace helix::model {
namespace {

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
    total += log_sum_exp(row) - static_cast<double>(row[static_cast<std::size_t>(next[i])]);
  }
  return total;
}

std::vector<std::span<const std::int32_t>> windows_of(std::span<const std::int32_t> tokens, std::size_t n_ctx) {
  std::vector<std::span<const std::int32_t>> found;
  const std::size_t window = std::min(kJudgedWindow, n_ctx);
  for (std::size_t at = 0; at + 1 < tokens.size(); at += window)
    found.push_back(tokens.subspan(at, std::min(window, tokens.size() - at)));
  return found;
}

void PredictionComparison::add(MatrixView<const float> exact, MatrixView<const float> stored) {
  assert(exact.rows == stored.rows && exact.cols == stored.cols && exact.rows > 0 && exact.cols > 0);
  for (std::size_t i = 0; i < exact.rows; ++i) {
    const auto p = exact.row(i), q = stored.row(i);
    double sum = 0;
    for (std::size_t j = 0; j < p.size(); ++j) {
      const double apart = std::abs(static_cast<double>(p[j]) - static_cast<double>(q[j]));
      max_logit_ = std::max(max_logit_, apart);
      sum += apart;
    }
    mean_logit_ += sum / static_cast<double>(p.size());
    kl_.push_back(divergence(p, q));
    if (top_of(p) == top_of(q)) ++same_top_;
  }
}

PredictionDifference PredictionComparison::difference() const {
  assert(!kl_.empty());
  const auto positions = static_cast<double>(kl_.size());
  std::vector<double> sorted = kl_;
  std::sort(sorted.begin(), sorted.end());
  return {.max_logit = max_logit_,
          .mean_logit = mean_logit_ / positions,
          .mean_kl = std::accumulate(kl_.begin(), kl_.end(), 0.0) / positions,
          .p99_kl = sorted[static_cast<std::size_t>(std::ceil(0.99 * positions)) - 1],
          .top1 = static_cast<double>(same_top_) / positions};
}

PredictionDifference compare_predictions(MatrixView<const float> exact, MatrixView<const float> stored) {
  PredictionComparison all;
  all.add(exact, stored);
  return all.difference();
}

}  // namespace helix::model
