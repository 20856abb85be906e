#include "studies/position_cosine/profile.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "studies/null_range.h"
#include "studies/walks_compute.h"

namespace helix::studies::position_cosine {
namespace {

constexpr std::size_t kSmooth = 10;        // lags on either side over which the profile is averaged to find its extrema
constexpr double kRise = 0.1;              // least rise of the mean cosine, from a minimum to a maximum, that counts
constexpr std::ptrdiff_t kFewestLags = 3;  // that have such a mean: a fall, a rise and a fall
constexpr double kNoDirection = 1e-12;     // of a row's length: what centring leaves of equal rows is rounding
constexpr std::size_t kEntries = 128;  // of a walk's profile: a walk is smooth, and all its lags would take a second

/// The mean cosine of the rows that are `lag` apart, over those that have directions; NaN where none have.
double mean_at(const Matrix<double>& directions, std::size_t lag) {
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i + lag < directions.rows; ++i) {
    const std::span<const double> a = directions.row(i), b = directions.row(i + lag);
    double cosine = 0;
    for (std::size_t j = 0; j < a.size(); ++j) cosine += a[j] * b[j];
    if (!std::isnan(cosine)) sum += cosine, ++count;
  }
  return count ? sum / static_cast<double>(count) : std::nan("");
}

}  // namespace

/// Subtracts the mean row if requested, and scales each row to length 1. A row of which nothing is left has no direction:
/// it becomes NaN, and so do its cosines. Returns how many there are.
std::size_t make_directions(Matrix<double>& rows, bool centre) {
  std::size_t without = 0;
  std::vector<double> mean(rows.cols, 0);
  for (std::size_t i = 0; centre && i < rows.rows; ++i)
    for (std::size_t j = 0; j < rows.cols; ++j) mean[j] += rows(i, j) / static_cast<double>(rows.rows);
  for (std::size_t i = 0; i < rows.rows; ++i) {
    double square = 0, before = 0;
    for (std::size_t j = 0; j < rows.cols; ++j) {
      before += rows(i, j) * rows(i, j);
      rows(i, j) -= mean[j], square += rows(i, j) * rows(i, j);
    }
    const bool none = !(square > kNoDirection * kNoDirection * before);
    const double scale = none ? std::nan("") : 1 / std::sqrt(square);
    for (double& x : rows.row(i)) x *= scale;
    without += none ? 1 : 0;
  }
  return without;
}

Period period_of(const std::vector<double>& profile, std::size_t step) {
  const std::size_t n = profile.size() - profile.size() / 10;
  const std::size_t around = std::max<std::size_t>(1, kSmooth / step);
  std::vector<double> smooth;
  for (std::size_t i = around; i + around < n; ++i) {
    double sum = 0;
    for (std::size_t k = i - around; k <= i + around; ++k) sum += profile[k];
    smooth.push_back(sum / static_cast<double>(2 * around + 1));
  }
  double lowest = HUGE_VAL, highest = -HUGE_VAL;
  Period out;
  out.known = std::ranges::count_if(smooth, [](double x) { return !std::isnan(x); }) >= kFewestLags;
  std::size_t at = 0;
  for (std::size_t i = 0; i < smooth.size(); ++i) {
    if (at && smooth[i] < highest - kRise) {  // it falls again: the maximum was at `at`
      out.lag = at;
      return out;
    }
    if (smooth[i] < lowest && !at) lowest = smooth[i], out.trough = (i + around) * step;
    if (smooth[i] > lowest + kRise && smooth[i] > highest) highest = smooth[i], at = (i + around) * step;
  }
  return out;
}

Task<Expected<WalkProfiles>> walk_profiles(std::shared_ptr<const Matrix<double>> rows, bool centre) {
  WalkProfiles out;
  out.step = std::max<std::size_t>(1, (rows->rows + kEntries - 1) / kEntries);
  const std::size_t entries = (rows->rows + out.step - 1) / out.step;
  out.least.assign(entries, HUGE_VAL), out.most.assign(entries, -HUGE_VAL);
  for (std::uint32_t seed = 1; seed <= kNullSeeds; ++seed) {
    co_await pause_point(seed, kNullSeeds, "random walks");
    Matrix<double> walk = walk_like(*rows, seed);
    make_directions(walk, centre);
    std::vector<double> profile;
    for (std::size_t k = 0; k < entries; ++k) {
      if (k % 16 == 0) co_await pause_point();
      profile.push_back(mean_at(walk, k * out.step));
      out.least[k] = std::min(out.least[k], profile.back()), out.most[k] = std::max(out.most[k], profile.back());
    }
    out.adjacent.push_back(mean_at(walk, 1));
    if (period_of(profile, out.step).lag) ++out.rising;
  }
  co_return std::move(out);
}

}  // namespace helix::studies::position_cosine
