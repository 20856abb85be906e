#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "base/random.h"
#include "base/text.h"
#include "geometry/pace.h"
#include "geometry/products.h"
#include "studies/context_compute.h"
#include "studies/sphere_overlap/incomplete_beta.h"
#include "studies/sphere_overlap/sphere_overlap.h"

namespace helix::studies::sphere_overlap {
namespace {

constexpr double kMostBins = 80;
constexpr double kShellDigits = 5e-6, kMeanDigits = 5e-6;   // half of the last digit stated in the text
constexpr double kGaussianWork = 300, kOverlapWork = 2000;  // approximate operations, for pauses

using Rows = Matrix<double>;

/// Gaussian rows whose squared norm is length² on average; the same on every machine.
Task<std::shared_ptr<Rows>> centres(Params params) {
  auto rows = std::make_shared<Rows>(params.count, params.dimension);
  auto state = static_cast<std::uint64_t>(params.seed);
  const double spread = params.length / std::sqrt(static_cast<double>(params.dimension));
  geometry::Pace pace;
  for (std::size_t i = 0; i < rows->rows; ++i) {
    for (double& x : rows->row(i)) x = spread * random_normal(state);
    if (pace.due(kGaussianWork * static_cast<double>(rows->cols)))
      co_await pause_point(static_cast<double>(i), static_cast<double>(rows->rows), "centres");
  }
  co_return rows;
}

/// The distances between every two rows, in the order of their indices.
Task<std::vector<double>> distances(std::shared_ptr<const Rows> rows) {
  const Rows products = co_await geometry::gram(rows, false);
  std::vector<double> all;
  geometry::Pace pace;
  for (std::size_t i = 0; i < rows->rows; ++i) {
    for (std::size_t j = i + 1; j < rows->rows; ++j)
      all.push_back(std::sqrt(std::max(products(i, i) + products(j, j) - 2 * products(i, j), 0.0)));
    if (pace.due(10.0 * static_cast<double>(rows->rows))) co_await pause_point();
  }
  co_return all;
}

/// Sums numbers given by their logarithms.
class LogSum {
 public:
  void add(double log_value) {
    if (log_value > largest_)
      sum_ = sum_ * std::exp(largest_ - log_value) + 1, largest_ = log_value;
    else if (std::isfinite(log_value))
      sum_ += std::exp(log_value - largest_);
  }
  double log() const { return largest_ + std::log(sum_); }

 private:
  double largest_ = -HUGE_VAL, sum_ = 0;
};

/// 1, 2 or 5 times a power of ten, so that `range` has at most kMostBins bins.
double bin_width(double range) {
  const double power = std::pow(10.0, std::floor(std::log10(range / kMostBins)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (range / (factor * power) <= kMostBins) return factor * power;
  return 10 * power;
}

void add_histogram(Output& out, const std::vector<double>& apart, const LogOverlap& overlap, double radius) {
  const double reach = std::max(2 * radius, *std::max_element(apart.begin(), apart.end())) * 1.0001;
  const double width = bin_width(reach);
  const auto bins = static_cast<std::size_t>(std::ceil(reach / width));
  out.histogram = {{bins}, std::vector<double>(bins, 0)};
  for (const double d : apart) ++out.histogram.data[std::min(static_cast<std::size_t>(d / width), bins - 1)];
  out.distance.shape = out.log10_fraction.shape = {bins};
  for (std::size_t i = 0; i < bins; ++i) {
    out.distance.data.push_back((static_cast<double>(i) + 0.5) * width);
    out.log10_fraction.data.push_back(overlap(out.distance.data.back()) / std::numbers::ln10);
  }
}

/// The distance at which two balls share this fraction, by bisection.
double distance_of(double fraction, const LogOverlap& overlap, double radius) {
  double near = 0, far = 2 * radius;
  for (int i = 0; i < 200; ++i) (overlap((near + far) / 2) > std::log(fraction) ? near : far) = (near + far) / 2;
  return near;
}

void add_numbers(Output& out, const Params& params, const std::vector<double>& apart, const LogOverlap& overlap,
                 double log_sum) {
  const auto pairs = static_cast<double>(apart.size()), count = static_cast<double>(params.count);
  const auto overlapping = std::count_if(apart.begin(), apart.end(), [&](double d) { return d < 2 * params.radius; });
  double sum = 0;
  for (const double d : apart) sum += d;
  const double log_mean = log_sum - std::log(pairs);
  out.pairs_overlapping = {static_cast<double>(overlapping) / pairs, "centres less than two radii apart"};
  out.log10_mean_fraction = {log_mean / std::numbers::ln10, "over the pairs i ≠ j"};
  out.shell_fraction = {shell_fraction(params.dimension, params.epsilon), "1 − (1 − ε)^d"};
  out.mean_with_self = {(1 + (count - 1) * std::exp(log_mean)) / count, "over all i and j, i = j included"};
  out.self_share = {1 / count, "the diagonal alone: one over the number of balls"};
  out.mean_distance = {sum / pairs, out.convention};
  out.stated_distance = {distance_of(kStatedMean, overlap, params.radius), "found by halving"};
  out.shell_in_3d = {shell_fraction(3, params.epsilon), "1 − (1 − ε)³"};
  for (int d = 1; d <= params.dimension; ++d) out.shell.data.push_back(shell_fraction(d, params.epsilon));
  out.shell.shape = {out.shell.data.size()}, out.shell.first = 1;
}

std::vector<protocol::Claim> claims(const Params& params, const Output& out) {
  std::vector<protocol::Claim> all;
  const Params stated;
  if (params.dimension == stated.dimension && params.epsilon == stated.epsilon)
    all.push_back(
        {"F18",
         out.shell_fraction.value,
         std::fabs(out.shell_fraction.value - kStatedShell) <= kShellDigits,
         {},
         "1 − (1 − 0.01)^768, to the five digits stated; in three dimensions " + to_fixed(out.shell_in_3d.value, 4)});
  if (params.dimension == stated.dimension && params.count == stated.count && params.radius == stated.radius &&
      params.length == stated.length) {
    const double mean = std::pow(10.0, out.log10_mean_fraction.value);
    all.push_back({"F19",
                   mean,
                   out.pairs_overlapping.value == 1 && std::fabs(mean - kStatedMean) <= kMeanDigits,
                   {},
                   out.convention + ", pairs of different balls; holds where all overlap and the mean share is " +
                       to_text(kStatedMean) + " to its five digits; of the pairs " +
                       percent_text(out.pairs_overlapping.value, 1) +
                       " overlap; with each ball also paired with itself the mean is " +
                       to_fixed(out.mean_with_self.value, 5) + ", all of it from these pairs"});
  }
  return all;
}

Task<Expected<Output>> compute(Params params, Context& context) {
  context.without_model(), context.judges_itself();
  Output out;
  out.convention = with_thousands(params.count) + " balls of radius " + to_text(params.radius) + " in " +
                   with_thousands(params.dimension) + (params.dimension == 1 ? " dimension" : " dimensions") +
                   ", Gaussian centres of norm " + to_text(params.length) + " (seed " + std::to_string(params.seed) +
                   ")";
  co_await pause_point();
  const auto rows = co_await centres(params);
  const auto apart = co_await distances(rows);
  const LogOverlap overlap(params.dimension, params.radius);
  LogSum shared;
  geometry::Pace pace;
  for (std::size_t i = 0; i < apart.size(); ++i) {
    shared.add(overlap(apart[i]));
    if (pace.due(kOverlapWork))
      co_await pause_point(static_cast<double>(i), static_cast<double>(apart.size()), "overlaps");
  }
  add_numbers(out, params, apart, overlap, shared.log());
  add_histogram(out, apart, overlap, params.radius);
  co_await pause_point();
  out.claims = claims(params, out);
  co_return std::move(out);
}

}  // namespace

ComputeStudy compute_study() { return study_of<describe, compute>(); }

}  // namespace helix::studies::sphere_overlap
