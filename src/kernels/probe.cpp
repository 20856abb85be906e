#include "kernels/probe.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>

namespace helix::kernels {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// The step of the clock: a browser's may be as long as 0.1 ms.
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

/// The best `amount` a second over many calls, since a browser recompiles hot functions while they run. Calls are timed
/// in batches just long enough for the clock: the shorter a batch, the likelier it has the processor to itself.
/// `f(batch)` does `amount` of work `batch` times.
template <class F>
double best_rate(double amount, double budget, F f) {
  const double enough = std::max(0.0003, 50 * clock_tick());
  const auto begin = Clock::now();
  double best = 0;
  for (std::size_t batch = 1; seconds_since(begin) < budget;) {
    const auto start = Clock::now();
    f(batch);
    const double took = seconds_since(start);
    best = took < enough ? best : std::max(best, amount * static_cast<double>(batch) / took);
    if (took < enough) batch *= 2;
  }
  return best;
}

/// Each thread on numbers of its own.
double best_of(std::span<const RoofTile> tiles, Threads& threads) {
  const std::size_t floats = RoofTile::kBytes / sizeof(float), count = threads.count();
  const Aligned<float> a = aligned_floats(count * floats), b = aligned_floats(count * floats),
                       c = aligned_floats(count * floats);
  double best = 0;
  for (const RoofTile& tile : tiles)
    best = std::max(best, best_rate(tile.operations * static_cast<double>(count), 0.04, [&](std::size_t batch) {
                      threads.share(count, 1, [&](std::size_t from, std::size_t end, std::size_t who) {
                        const std::size_t own = who * floats;
                        for (std::size_t i = from * batch; i < end * batch; ++i) tile.run(&a[own], &b[own], &c[own]);
                      });
                    }));
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

double reading_speed(Threads& threads) {
  constexpr std::size_t kCount = std::size_t(16) << 20, kPart = std::size_t(1) << 18;
  const Aligned<float> memory = aligned_floats(kCount);
  std::atomic<std::uint32_t> seen = 0;  // keeps the compiler from removing the reads
  const double rate = best_rate(kCount * sizeof(float), 0.15, [&](std::size_t batch) {
    for (std::size_t n = 0; n < batch; ++n)
      threads.share(kCount, kPart, [&](std::size_t from, std::size_t end, std::size_t) {
        for (std::size_t i = from; i < end; i += kPart) seen |= read(memory.get() + i, kPart);
      });
  });
  return rate / 1e9;
}

}  // namespace

Roofs probe(Threads& threads) {
  const Table& table = tables().back();
  return {best_of(table.roof, threads), best_of(table.q8.roof, threads), reading_speed(threads)};
}

}  // namespace helix::kernels
