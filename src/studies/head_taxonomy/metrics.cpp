#include "studies/head_taxonomy/metrics.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace helix::studies::head_taxonomy {

std::vector<std::vector<std::uint32_t>> earlier_places(const std::vector<std::int32_t>& ids) {
  std::vector<std::vector<std::uint32_t>> out(ids.size());
  std::unordered_map<std::int32_t, std::vector<std::uint32_t>> seen;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    std::vector<std::uint32_t>& places = seen[ids[i]];
    out[i] = places;
    places.push_back(static_cast<std::uint32_t>(i));
  }
  return out;
}

void Gathered::add(std::size_t i, std::span<const float> row, const std::vector<std::uint32_t>& same) {
  if (i == 0) return;  // it sees only itself
  const auto put = [&](Kind kind, double value) {
    sum_[static_cast<std::size_t>(kind)] += value, ++count_[static_cast<std::size_t>(kind)];
  };
  const auto at = [&](std::size_t j) { return static_cast<double>(row[j]); };
  put(Kind::self, at(i)), put(Kind::first, at(0));
  double again = 0, after = 0;
  bool any_after = false;
  for (const std::uint32_t j : same) {
    again += at(j);
    if (j + 1u < i) after += at(j + 1u), any_after = true;
  }
  if (!same.empty()) put(Kind::duplicate, again);
  if (any_after) put(Kind::induction, after);
  double entropy = 0;
  for (const float p : row)
    if (p > 0) entropy -= static_cast<double>(p) * std::log2(static_cast<double>(p));
  put(Kind::entropy, entropy);
}

double Gathered::mean(Kind kind) const {
  const auto k = static_cast<std::size_t>(kind);
  return count_[k] > 0 ? sum_[k] / static_cast<double>(count_[k]) : std::nan("");
}

model::Tap HeadMetrics::tap() {
  return {hook_, [this](const model::Chunk& chunk) {
            for (std::size_t r = 0; r < chunk.rows.rows; ++r) {
              const std::size_t i = chunk.first + r;
              heads_[chunk.head].add(i, chunk.rows.row(r), (*same_)[i]);
            }
          }};
}

Gathered even_metrics(const std::vector<std::vector<std::uint32_t>>& same, bool causal) {
  Gathered out;
  std::vector<float> row(same.size(), 0);
  for (std::size_t i = 0; i < same.size(); ++i) {
    const std::size_t keys = causal ? i + 1 : same.size();
    std::fill_n(row.begin(), keys, 1 / static_cast<float>(keys));
    out.add(i, row, same[i]);
  }
  return out;
}

}  // namespace helix::studies::head_taxonomy
