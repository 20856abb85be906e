#include "model/speed.h"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "model/forward.h"

namespace helix::model {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

double median(std::vector<double> times) {
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

/// Short runs are repeated for a while: a single timing of one means little.
bool enough(const std::vector<double>& times, int repeats) {
  constexpr double kWhile = 500;  // milliseconds
  return times.size() >= static_cast<std::size_t>(repeats) && std::reduce(times.begin(), times.end()) >= kWhile;
}

std::vector<std::int32_t> some_tokens(std::size_t count, const checkpoint::Config& config) {
  std::vector<std::int32_t> tokens(count);
  for (std::size_t i = 0; i < count; ++i) tokens[i] = static_cast<std::int32_t>(i * 7919 % config.n_vocab);
  return tokens;
}

kernels::Roofs better(const kernels::Roofs& a, const kernels::Roofs& b) {
  return {std::max(a.f32, b.f32), std::max(a.int8, b.int8), std::max(a.reading, b.reading)};
}

/// The lower limits of a model's times, in milliseconds.
struct Floors {
  double matrices, head, score_flop, cache_bytes, bytes, rate;
  kernels::Roofs roofs;

  Floors(const Network& network, const kernels::Roofs& r) : roofs(r) {
    const checkpoint::Config& c = network.config();
    const auto real = [](std::size_t x) { return static_cast<double>(x); };
    const bool f32 = network.precision() == Precision::f32;
    matrices = real(c.n_layer) * real(c.d_model) * (4 * real(c.d_model) + 2 * real(c.d_mlp));
    head = real(c.n_vocab) * real(c.d_model);
    score_flop = real(c.n_layer) * real(c.d_model) * 4;  // of a query and a key
    cache_bytes = real(c.n_layer) * real(c.d_model) * 2 * sizeof(float);
    bytes = f32 ? sizeof(float) : 1;
    rate = f32 ? r.f32 : r.int8;
  }
  double prefill(double n) const {
    const double products = std::max(2 * n * matrices / rate, matrices * bytes / roofs.reading);
    return (products + score_flop * n * (n + 1) / 2 / roofs.f32 + head * bytes / roofs.reading) / 1e6;
  }
  double decode(double n) const { return ((matrices + head) * bytes + cache_bytes * n) / roofs.reading / 1e6; }
};

Task<Expected<double>> time_prefill(std::shared_ptr<const Network> network, std::size_t n) {
  Asked asked;
  asked.tokens = some_tokens(n, network->config());
  asked.logits_at.push_back(n - 1);
  const auto session = std::make_shared<Session>();
  const Clock::time_point start = Clock::now();
  const auto logits = co_await forward(network, session, asked);
  if (!logits) co_return logits.error();
  co_return milliseconds_since(start);
}

/// A browser recompiles hot code, so each measurement first runs untimed: for a while, if it is short.
Task<Expected<void>> warm_up(std::shared_ptr<const Network> network, std::size_t n) {
  constexpr double kEnough = 1000;  // milliseconds
  const Clock::time_point start = Clock::now();
  while (milliseconds_since(start) < kEnough) {
    const auto time = co_await time_prefill(network, n);
    if (!time) co_return time.error();
  }
  co_return Expected<void>();
}

/// Tokens one after the other, the first with n in the cache.
Task<Expected<double>> time_decode(std::shared_ptr<const Network> network, std::size_t n, int repeats) {
  Asked asked;
  asked.tokens = some_tokens(n, network->config());
  const auto session = std::make_shared<Session>();
  const auto read = co_await forward(network, session, asked);
  if (!read) co_return read.error();
  std::vector<double> times;
  while (!enough(times, repeats) && asked.tokens.size() < network->config().n_ctx) {
    asked.tokens.push_back(static_cast<std::int32_t>(times.size()));
    asked.logits_at.assign(1, asked.tokens.size() - 1);
    const Clock::time_point start = Clock::now();
    const auto logits = co_await forward(network, session, asked);
    if (!logits) co_return logits.error();
    times.push_back(milliseconds_since(start));
  }
  co_return median(std::move(times));
}

}  // namespace

Task<Expected<Speed>> measure_speed(std::shared_ptr<const Network> network, std::vector<int> prefill,
                                    std::vector<int> decode, int repeats, kernels::Roofs known) {
  Speed speed;
  speed.roofs = better(kernels::probe(network->threads()), known);
  co_await pause_point();
  const Floors floors(*network, speed.roofs);
  const auto n_ctx = static_cast<int>(network->config().n_ctx);
  for (const int n : prefill) {
    if (n > n_ctx) continue;
    const auto warm = co_await warm_up(network, static_cast<std::size_t>(n));
    if (!warm) co_return warm.error();
    std::vector<double> times;
    while (!enough(times, repeats)) {
      const auto time = co_await time_prefill(network, static_cast<std::size_t>(n));
      if (!time) co_return time.error();
      times.push_back(*time);
    }
    speed.rows.push_back({"prefill " + std::to_string(n), median(std::move(times)), floors.prefill(n)});
  }
  for (const int n : decode) {
    if (n >= n_ctx) continue;
    const auto warm = co_await warm_up(network, 1);
    if (!warm) co_return warm.error();
    const auto time = co_await time_decode(network, static_cast<std::size_t>(n), repeats);
    if (!time) co_return time.error();
    speed.rows.push_back({"decode " + std::to_string(n), *time, floors.decode(n)});
  }
  co_return speed;
}

}  // namespace helix::model
