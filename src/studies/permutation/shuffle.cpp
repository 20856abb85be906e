#include "studies/permutation/shuffle.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.h"

namespace helix::studies::permutation {

std::vector<std::size_t> shuffled(std::size_t count, std::uint64_t seed) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  shuffle(order, seed);
  if (count > 1 && std::ranges::is_sorted(order)) std::swap(order.front(), order.back());
  return order;
}

double relative_change(std::span<const float> a, std::span<const float> b) {
  double difference = 0, length = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double x = static_cast<double>(a[i]), y = static_cast<double>(b[i]);
    difference += (x - y) * (x - y), length += y * y;
  }
  return difference == 0 ? 0 : std::sqrt(difference / length);
}

std::vector<double> changes(MatrixView<const float> after, MatrixView<const float> before,
                            const std::vector<std::size_t>& order) {
  std::vector<double> out(before.rows);
  for (std::size_t j = 0; j < order.size(); ++j) out[order[j]] = relative_change(after.row(j), before.row(order[j]));
  return out;
}

double mean_change_in_place(MatrixView<const float> after, MatrixView<const float> before) {
  double sum = 0;
  for (std::size_t i = 0; i < before.rows; ++i) sum += relative_change(after.row(i), before.row(i));
  return sum / static_cast<double>(before.rows);
}

}  // namespace helix::studies::permutation
