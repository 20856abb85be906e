#include "model/exponential.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "base/elementary.h"

namespace helix::model {
namespace {

/// Calls `use(i, e^(logit i − less))`, where no logit is above `less`.
template <class Use>
void each_exponential(std::span<const float> logits, double less, const Use& use) {
  std::array<double, 512> some;
  for (std::size_t at = 0; at < logits.size(); at += some.size()) {
    const std::size_t n = std::min(some.size(), logits.size() - at);
    for (std::size_t i = 0; i < n; ++i) some[i] = static_cast<double>(logits[at + i]) - less;
    exponentials(std::span(some).first(n));
    for (std::size_t i = 0; i < n; ++i) use(at + i, some[i]);
  }
}

}  // namespace

void exponentials(std::span<double> x) {
  for (double& each : x) each = exponential(each);
}

double log_sum_exp(std::span<const float> logits) {
  const auto top = static_cast<double>(*std::ranges::max_element(logits));
  double sum = 0;
  each_exponential(logits, top, [&](std::size_t, double e) { sum += e; });
  return top + std::log(sum);
}

double divergence(std::span<const float> p, std::span<const float> q) {
  const double p_sum = log_sum_exp(p), q_sum = log_sum_exp(q);
  double total = 0;
  each_exponential(p, p_sum, [&](std::size_t i, double e) {
    if (e > 0) total += e * (static_cast<double>(p[i]) - p_sum - (static_cast<double>(q[i]) - q_sum));
  });
  return std::max(total, 0.0);
}

}  // namespace helix::model
