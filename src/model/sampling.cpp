#include "model/sampling.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.h"
#include "model/exponential.h"

namespace helix::model {

std::vector<double> probabilities(std::span<const float> logits, double temperature) {
  std::vector<double> p(logits.begin(), logits.end());
  const double top = *std::max_element(p.begin(), p.end());
  for (double& x : p) x = (x - top) / temperature;
  exponentials(p);
  double sum = 0;
  for (const double x : p) sum += x;
  for (double& x : p) x /= sum;
  return p;
}

double entropy_nats(std::span<const double> p) {
  double entropy = 0;
  for (const double x : p)
    if (x > 0) entropy -= x * std::log(x);
  return entropy;
}

std::vector<std::int32_t> top_ids(std::span<const float> logits, std::size_t count) {
  std::vector<std::int32_t> ids(logits.size());
  std::iota(ids.begin(), ids.end(), 0);
  const auto value = [&](std::int32_t id) {
    const float x = logits[static_cast<std::size_t>(id)];
    return std::isnan(x) ? -std::numeric_limits<float>::infinity() : x;
  };
  count = std::min(count, ids.size());
  std::partial_sort(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(count), ids.end(),
                    [&](std::int32_t a, std::int32_t b) { return value(a) != value(b) ? value(a) > value(b) : a < b; });
  ids.resize(count);
  return ids;
}

double Sampler::uniform() { return random_unit(state_); }

std::int32_t Sampler::choose(std::span<const float> logits) {
  if (how_.greedy) return top_ids(logits, 1)[0];
  const bool cut = how_.top_k > 0 && how_.top_k < logits.size();
  const std::vector<std::int32_t> ids = top_ids(logits, cut ? how_.top_k : logits.size());
  std::vector<double> p(ids.size());
  const double top = logits[static_cast<std::size_t>(ids[0])];
  double sum = 0;
  for (std::size_t i = 0; i < ids.size(); ++i)
    sum += p[i] = std::exp((static_cast<double>(logits[static_cast<std::size_t>(ids[i])]) - top) / how_.temperature);
  std::size_t kept = ids.size();
  double mass = 0;
  for (std::size_t i = 0; i < ids.size(); ++i)
    if ((mass += p[i]) >= how_.top_p * sum) {
      kept = i + 1;
      break;
    }
  double draw = uniform() * std::min(mass, sum);
  for (std::size_t i = 0; i + 1 < kept; ++i)
    if ((draw -= p[i]) < 0) return ids[i];
  return ids[kept - 1];
}

}  // namespace helix::model
