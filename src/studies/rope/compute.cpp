#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/text.h"
#include "studies/context_compute.h"
#include "studies/rope/rotary.h"

namespace helix::studies::rope {
namespace {

constexpr std::size_t kLags = 128;          // distances from key to query, from 0 on
constexpr double kSame = 1e-9;              // relative to the range of the scores: smaller differences are rounding
constexpr double kDegreesPerPosition = 10;  // of the text's example
constexpr double kBlue = 1, kDog = 2;       // positions of its two words, whose content vectors are equal

double range_of(const double* from, std::size_t count) {
  const auto [low, high] = std::minmax_element(from, from + count);
  return *high - *low;
}

/// Dot products of two vectors (1, 0) of one pair at these positions: rotated, and with the position's sinusoid added.
struct Example {
  double turned, added;
};
Example example(double blue, double dog) {
  const double a = blue * kDegreesPerPosition * std::numbers::pi / 180;
  const double b = dog * kDegreesPerPosition * std::numbers::pi / 180;
  return {std::cos(a) * std::cos(b) + std::sin(a) * std::sin(b),
          (1 + std::cos(a)) * (1 + std::cos(b)) + std::sin(a) * std::sin(b)};
}

void add_example(Output& out, double shift) {
  const Example before = example(kBlue, kDog), after = example(kBlue + shift, kDog + shift);
  const char* note = "vectors of length 1 in one pair of dimensions, 10° a position";
  out.dot_before = {before.turned, note}, out.dot_after = {after.turned, note};
  out.added_before = {before.added, note}, out.added_after = {after.added, note};
  for (const double moved : {0.0, shift})
    for (const double position : {kBlue, kDog}) out.angle.data.push_back((position + moved) * kDegreesPerPosition);
  out.angle.shape = {2, 2};
}

void add_numbers(Output& out, const Params& params, const Vector& query, const Vector& key) {
  const std::string places = "over " + std::to_string(kLags) + " distances at " +
                             std::to_string(out.start.data.size()) + " places, from key position 0 to " +
                             to_fixed(out.start.data.back(), 0);
  out.score_residual = {largest_spread(out.rotary.data, kLags), places};
  out.added_spread = {largest_spread(out.added.data, kLags), places + "; the same query and key"};
  out.score_range = {range_of(out.rotary.data.data(), kLags), "over " + std::to_string(kLags) + " distances"};
  const Pairing other = params.pairing == Pairing::half ? Pairing::interleaved : Pairing::half;
  double largest = 0;
  for (std::size_t lag = 0; lag < kLags; ++lag)
    largest = std::max(largest, std::fabs(score(rotated(query, static_cast<double>(lag), params.base, other), key) -
                                          out.rotary.data[lag]));
  out.pairing_difference = {largest, "the same query and key: weights made for one pairing are wrong with the other"};
  for (std::size_t pair = 0; pair < kDimensions / 2; ++pair)
    out.wavelength.data.push_back(2 * std::numbers::pi / angle_of(pair, 1, params.base));
  out.wavelength.shape = {out.wavelength.data.size()};
}

protocol::Claim judged(const Output& out) {
  const double residual = out.score_residual.value, range = out.score_range.value;
  return {
      "P4",
      residual,
      residual < kSame * range,
      {},
      out.convention +
          "; holds where scores at one distance differ by less than a billionth of their range over the distances, " +
          to_fixed(range, 2) + "; with sinusoidal positions added they differ by up to " +
          to_fixed(out.added_spread.value, 2)};
}

Task<Expected<Output>> compute(Params params, Context& context) {
  context.without_model();
  Output out;
  auto state = static_cast<std::uint64_t>(params.seed);
  const Vector query = gaussian(state), key = gaussian(state);
  for (const int factor : {0, 1, 10, 100}) out.start.data.push_back(factor * params.shift);
  const std::size_t places = out.start.data.size();
  out.start.shape = {places};
  for (std::size_t i = 0; i < places; ++i) {
    co_await pause_point(static_cast<double>(i), static_cast<double>(places), "scores");
    const double at = out.start.data[i];
    const Vector turned_key = rotated(key, at, params.base, params.pairing),
                 key_there = with_added(key, at, params.base);
    for (std::size_t lag = 0; lag < kLags; ++lag) {
      const double query_at = at + static_cast<double>(lag);
      out.rotary.data.push_back(score(rotated(query, query_at, params.base, params.pairing), turned_key));
      out.added.data.push_back(score(with_added(query, query_at, params.base), key_there));
    }
  }
  out.rotary.shape = out.added.shape = {places, kLags};
  out.convention = "a Gaussian query and key of " + std::to_string(kDimensions) + " dimensions (seed " +
                   std::to_string(params.seed) + "), base " + to_text(params.base) +
                   (params.pairing == Pairing::half ? ", dimensions i and i + 32 paired" : ", neighbours paired");
  add_numbers(out, params, query, key);
  add_example(out, params.shift);
  out.claims = {judged(out)};
  co_return std::move(out);
}

}  // namespace

ComputeStudy compute_study() { return study_of<describe, compute>(); }

}  // namespace helix::studies::rope
