#include "studies/rope/rotary.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"

namespace helix::studies::rope {
namespace {

constexpr std::size_t kPairs = kDimensions / 2;

}  // namespace

Vector gaussian(std::uint64_t& state) {
  Vector out(kDimensions);
  for (double& x : out) x = random_normal(state);
  return out;
}

double angle_of(std::size_t pair, double position, double base) {
  return position / std::pow(base, 2 * static_cast<double>(pair) / static_cast<double>(kDimensions));
}

Vector rotated(const Vector& vector, double position, double base, Pairing pairing) {
  Vector out(vector.size());
  for (std::size_t i = 0; i < kPairs; ++i) {
    const std::size_t a = pairing == Pairing::half ? i : 2 * i, b = pairing == Pairing::half ? i + kPairs : 2 * i + 1;
    const double angle = angle_of(i, position, base), c = std::cos(angle), s = std::sin(angle);
    out[a] = vector[a] * c - vector[b] * s;
    out[b] = vector[a] * s + vector[b] * c;
  }
  return out;
}

Vector with_added(const Vector& vector, double position, double base) {
  Vector out = vector;
  for (std::size_t i = 0; i < kPairs; ++i) {
    const double angle = angle_of(i, position, base);
    out[2 * i] += std::sin(angle), out[2 * i + 1] += std::cos(angle);
  }
  return out;
}

double score(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum / std::sqrt(static_cast<double>(kDimensions));
}

double largest_spread(const std::vector<double>& rows, std::size_t cols) {
  double largest = 0;
  for (std::size_t j = 0; j < cols; ++j) {
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (std::size_t i = j; i < rows.size(); i += cols) low = std::min(low, rows[i]), high = std::max(high, rows[i]);
    largest = std::max(largest, high - low);
  }
  return largest;
}

}  // namespace helix::studies::rope
