#include "studies/position_norms/internet.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "base/text.h"
#include "geometry/positions.h"

namespace helix::studies::position_norms {
namespace {

constexpr double kBases[] = {10000, 1000, 1024};
constexpr double kNear = 5e-6, kNearSum = 2e-5;  // of float32: half of the last digit, and ten roundings near 20
constexpr std::size_t kStep = 100;               // positions from one printed norm to the next

/// ‖e + p‖ of the positions that the slides print.
std::vector<double> sums(const std::vector<double>& embedding, double base) {
  const Matrix<double> table =
      geometry::sinusoidal_positions(kStep * std::size(kInternetPlus) + 1, embedding.size(), base);
  std::vector<double> norms;
  for (std::size_t k = 1; k <= std::size(kInternetPlus); ++k) {
    double square = 0;
    for (std::size_t j = 0; j < embedding.size(); ++j) {
      const double x = embedding[j] + table(k * kStep, j);
      square += x * x;
    }
    norms.push_back(std::sqrt(square));
  }
  return norms;
}

struct Closest {
  double here = 0, apart = std::numeric_limits<double>::infinity();
  int token = 0;
  double base = 0;
};

protocol::Claim norm_claim(std::span<const Candidate> candidates) {
  Closest best;
  for (const Candidate& c : candidates) {
    double square = 0;
    for (const double x : c.embedding) square += x * x;
    if (const double apart = std::abs(std::sqrt(square) - kInternet); apart < best.apart)
      best = {std::sqrt(square), apart, c.token, 0};
  }
  return {"F8",
          best.here,
          best.apart <= kNear,
          {},
          "token " + std::to_string(best.token) +
              ", the closer one of 37675 (“internet”) and 5230 (“ internet”); holds within " + to_text(kNear)};
}

protocol::Claim sum_claim(std::span<const Candidate> candidates) {
  Closest best;
  for (const Candidate& c : candidates)
    for (const double base : kBases) {
      const std::vector<double> norms = sums(c.embedding, base);
      double apart = 0;
      for (std::size_t i = 0; i < norms.size(); ++i) apart = std::max(apart, std::abs(norms[i] - kInternetPlus[i]));
      if (apart < best.apart) best = {norms.front(), apart, c.token, base};
    }
  return {"F8-sum",
          best.here,
          best.apart <= kNearSum,
          {},
          "token " + std::to_string(best.token) + " and base " + to_text(best.base) +
              ", the closest of 37675 and 5230 with the bases 10000, 1000 and 1024: all ten norms within " +
              number_text(best.apart, 6) + "; holds within " + to_text(kNearSum)};
}

}  // namespace

std::vector<protocol::Claim> internet_claims(std::span<const Candidate> candidates) {
  if (candidates.empty() || candidates.front().embedding.size() % 2 != 0) return {};
  return {norm_claim(candidates), sum_claim(candidates)};
}

}  // namespace helix::studies::position_norms
