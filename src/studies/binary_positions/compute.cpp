#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "base/text.h"
#include "studies/binary_positions/binary_positions.h"
#include "studies/binary_positions/counter.h"
#include "studies/context_compute.h"

namespace helix::studies::binary_positions {
namespace {

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double x : values) sum += x;
  return sum / static_cast<double>(values.size());
}

/// The waves at the positions 0 .. shown − 1.
void add_waves(Output& out, std::size_t bits, std::size_t shown) {
  for (std::size_t b = 0; b < bits; ++b)
    for (std::size_t p = 0; p < shown; ++p) {
      out.bit.data.push_back(bit_of(p, b));
      out.sinusoid.data.push_back(sinusoid_at(static_cast<double>(p), std::exp2(b + 1)));
    }
  out.bit.shape = out.sinusoid.shape = {bits, shown};
  const std::size_t counted = (std::size_t{1} << bits) - 1;
  for (std::size_t p = 0; p < shown; ++p)
    out.flips.data.push_back(p ? std::popcount((p ^ (p - 1)) & counted) : std::nan(""));
  out.flips.shape = {shown};
}

/// Over `count` positions: whole periods of every wave, including twice the last bit's period.
void add_numbers(Output& out, std::size_t bits, std::size_t count) {
  double step = 0;
  for (std::size_t b = 0; b < bits; ++b) {
    const auto period = static_cast<double>(period_of([b](std::size_t p) { return bit_of(p, b); }, 2 * count));
    out.period.data.push_back(period);
    out.agreement_by_bit.data.push_back(sign_agreement(b, period, count));
    out.chance_by_bit.data.push_back(sign_agreement(b, 2 * period, count));
    out.correlation_by_bit.data.push_back(correlation(b, period, count));
    const double chord = 2 * std::sin(std::numbers::pi / period);  // between neighbours on a circle of radius 1
    step += chord * chord;
  }
  for (protocol::Grid* grid : {&out.period, &out.agreement_by_bit, &out.chance_by_bit, &out.correlation_by_bit})
    grid->shape = {bits};
  const std::string over = "over " + std::to_string(count) + " positions, mean over the bits";
  out.agreement = {mean(out.agreement_by_bit.data), over};
  out.chance = {mean(out.chance_by_bit.data), over + "; what waves that have nothing to do with each other agree in"};
  out.correlation = {mean(out.correlation_by_bit.data), over};
  const double most = *std::max_element(out.flips.data.begin() + 1, out.flips.data.end());
  out.largest_jump = {2 * std::sqrt(most), "a bit that flips moves by 2"};
  out.sinusoid_step = {std::sqrt(step), "the same from every position to the next"};
}

protocol::Claim judged(const Output& out) {
  bool doubles = out.period.data.front() == 2;
  for (std::size_t b = 1; b < out.period.data.size(); ++b)
    doubles = doubles && out.period.data[b] == 2 * out.period.data[b - 1];
  return {"P2",
          out.agreement.value,
          doubles && out.agreement.value == 1,
          {},
          out.convention +
              "; holds where the measured periods of the bits are 2, 4, 8, … and all signs agree; with "
              "sinusoids of twice the period a share of " +
              to_text(out.chance.value) + " does"};
}

Task<Expected<Output>> compute(Params params, Context& context) {
  context.without_model();
  const auto bits = static_cast<std::size_t>(params.bits);
  Output out;
  const std::size_t shown = std::size_t{1} << std::max<std::size_t>(bits, 4);
  out.convention = std::to_string(bits) + (bits == 1 ? " bit" : " bits") +
                   ", sinusoids −sin(2π (p + ½) / period), which are low where the bit is 0";
  co_await pause_point(0, 2, "waves");
  add_waves(out, bits, shown);
  co_await pause_point(1, 2, "waves");
  add_numbers(out, bits, 2 * shown);
  out.claims = {judged(out)};
  co_return std::move(out);
}

}  // namespace

ComputeStudy compute_study() { return study_of<describe, compute>(); }

}  // namespace helix::studies::binary_positions
