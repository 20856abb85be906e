#include "model/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/products.h"

namespace helix::model {
namespace {

// Queries that share one walk over the keys while their scores stay in the cache; whole tiles of 4, 6 or 12 rows.
constexpr std::size_t kQueries = 36;
constexpr double kFlopAtOnce = 1.5e7;  // of a thread between two pause points

}  // namespace

void Attention::block(std::size_t head, MatrixView<const float> q, std::size_t first, std::size_t total,
                      const KeyValues& cache, float* scaled, float* scores, MatrixView<float> z) const {
  const Hook raw{HookKind::scores_raw, layer}, masked{HookKind::scores, layer}, pattern{HookKind::pattern, layer};
  const bool see_raw = taps->any(raw, head), see_masked = taps->any(masked, head),
             see_pattern = taps->any(pattern, head);
  const std::size_t queries = q.rows;
  // Scores of future keys are computed only if a tap reads them.
  const std::size_t keys = causal && !see_raw ? first + queries : total;
  const auto visible = [&](std::size_t i) { return causal ? first + i + 1 : total; };

  // 1/√d_head goes into the queries: fewer products, and exact for the usual 64.
  const float scale = 1.0f / std::sqrt(static_cast<float>(d_head));
  for (std::size_t i = 0; i < queries; ++i)
    for (std::size_t j = 0; j < d_head; ++j) scaled[i * d_head + j] = q(i, j) * scale;
  const kernels::PackedView k = cache.keys(head, keys);
  kernels->matmul(scaled, d_head, queries, k, 0, k.panels(), nullptr, scores, total);

  const MatrixView<float> rows(scores, queries, total);
  if (see_raw) taps->see({raw, head, first, rows});
  if (see_masked) {
    for (std::size_t i = 0; i < queries; ++i)
      std::fill(rows.row(i).begin() + static_cast<std::ptrdiff_t>(visible(i)), rows.row(i).end(),
                -std::numeric_limits<float>::infinity());
    taps->see({masked, head, first, rows});
  }
  for (std::size_t i = 0; i < queries; ++i) {
    kernels->softmax(rows.row(i).data(), visible(i));
    std::fill(rows.row(i).begin() + static_cast<std::ptrdiff_t>(visible(i)), rows.row(i).end(), 0.0f);
  }
  if (see_pattern) taps->see({pattern, head, first, rows});
  // Beyond what is visible the pattern is 0, so more keys than a query sees do not change its sum.
  const kernels::PackedView v = cache.values(head, see_pattern ? total : std::min(keys, total));
  kernels->matmul(scores, total, queries, v, 0, v.panels(), nullptr, &z(0, head * d_head), z.stride);
}

bool Attention::is_watched() const {
  for (const HookKind kind : {HookKind::scores_raw, HookKind::scores, HookKind::pattern})
    if (taps->any({kind, layer})) return true;
  return false;
}

Task<Done> Attention::run(MatrixView<const float> q, std::size_t first, const KeyValues* cache,
                          MatrixView<float> z) const {
  const std::size_t total = first + q.rows, blocks = (q.rows + kQueries - 1) / kQueries, all = n_head * blocks;
  // At most, for one block: the causal mask halves it on average.
  const double flop = 4.0 * static_cast<double>(std::min(kQueries, q.rows) * total * d_head);
  const std::size_t helpers = is_watched() ? 1 : threads->count();
  const std::size_t at_once = static_cast<std::size_t>(kFlopAtOnce / flop + 1) * helpers;
  const std::size_t grain = helpers == 1 ? all : static_cast<std::size_t>(kFlopToShare / flop) + 1;

  std::vector<float> scaled(helpers * kQueries * d_head);
  const kernels::Aligned<float> scores = kernels::aligned_floats(helpers * kQueries * total);
  for (std::size_t done = 0; done < all; done += at_once) {
    threads->share(std::min(at_once, all - done), grain, [&](std::size_t from, std::size_t end, std::size_t who) {
      for (std::size_t i = done + from; i < done + end; ++i) {
        const std::size_t head = i / blocks, at = i % blocks * kQueries, count = std::min(kQueries, q.rows - at);
        const MatrixView<const float> queries(&q(at, head * d_head), count, d_head, q.stride);
        block(head, queries, first + at, total, *cache, &scaled[who * kQueries * d_head],
              &scores[who * kQueries * total], z.slice(at, count));
      }
    });
    co_await pause_point();
  }
  co_return Done{};
}

}  // namespace helix::model
