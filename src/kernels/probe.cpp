#include "kernels/probe.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>

namespace helix::kernels {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// How far apart two readings of the clock can be: a browser's may tick at 0.1 ms only.
double clock_tick() {
  double tick = 1;
  for (int i = 0; i < 3; ++i) {
    const auto start = Clock::now();
    double passed = 0;
    while (passed == 0) passed = seconds_since(start);
    tick = std::min(tick, passed);
  }
  return tick;
}

/// The best `amount` a second of many calls; a browser compiles hot functions anew while they run. They are timed in
/// batches, as long as the clock needs and no longer: the shorter, the likelier one has the processor to itself.
template <class F>
double best_rate(double amount, double budget, F f) {
  const double enough = std::max(0.0003, 50 * clock_tick());
  const auto begin = Clock::now();
  double best = 0;
  for (std::size_t batch = 1; seconds_since(begin) < budget;) {
    const auto start = Clock::now();
    for (std::size_t i = 0; i < batch; ++i) f();
    const double took = seconds_since(start);
    best = took < enough ? best : std::max(best, amount * static_cast<double>(batch) / took);
    if (took < enough) batch *= 2;
  }
  return best;
}

double best_of(std::span<const RoofTile> tiles) {
  const std::size_t floats = RoofTile::kBytes / sizeof(float);
  const Aligned<float> a = aligned_floats(floats), b = aligned_floats(floats), c = aligned_floats(floats);
  double best = 0;
  for (const RoofTile& tile : tiles)
    best = std::max(best, best_rate(tile.operations, 0.04, [&] { tile.run(a.get(), b.get(), c.get()); }));
  return best / 1e9;
}

/// One stream from begin to end, a megabyte a call: a call must be short to be compiled well while it is measured.
[[gnu::noinline]] std::uint32_t read(const float* from, std::size_t count) {
  typedef std::uint32_t Bits __attribute__((vector_size(16)));
  Bits seen[4] = {};
  for (std::size_t i = 0; i < count; i += 16) {
    Bits now[4];
    std::memcpy(now, from + i, sizeof now);
    for (std::size_t v = 0; v < 4; ++v) seen[v] |= now[v];
  }
  const Bits all = seen[0] | seen[1] | seen[2] | seen[3];
  return all[0] | all[1] | all[2] | all[3];
}

double reading_speed() {
  constexpr std::size_t kCount = std::size_t(16) << 20, kPart = std::size_t(1) << 18;
  const Aligned<float> memory = aligned_floats(kCount);
  volatile std::uint32_t seen = 0;
  const double rate = best_rate(kCount * sizeof(float), 0.15, [&] {
    for (std::size_t i = 0; i < kCount; i += kPart) seen = seen | read(memory.get() + i, kPart);
  });
  return rate / 1e9;
}

}  // namespace

Roofs probe() {
  const Table& table = tables().back();
  return {best_of(table.roof), best_of(table.q8.roof), reading_speed()};
}

}  // namespace helix::kernels
