// softmax(q·kᵀ/√d_head + mask)·v of one layer, head by head and some queries at a time. Threads share these blocks; if
// a tap is on the scores, the blocks come one after the other, in order.
#pragma once

#include <cstddef>
#include <vector>

#include "base/matrix.h"
#include "base/task.h"
#include "kernels/kernels.h"
#include "kernels/threads.h"
#include "model/session.h"
#include "model/taps.h"

namespace helix::model {

struct Attention {
  const kernels::Table* kernels = nullptr;
  kernels::Threads* threads = nullptr;
  const Taps* taps = nullptr;
  std::size_t layer = 0, n_head = 0, d_head = 0;
  bool causal = true;

  /// `q` [query, head·d_head] are the queries of positions first, first+1, …; `cache` holds the keys and values of all
  /// positions up to the last of them. z [query, head·d_head].
  Task<Done> run(MatrixView<const float> q, std::size_t first, const KeyValues* cache, MatrixView<float> z) const;

 private:
  bool is_watched() const;
  /// Scores, mask, softmax and z of one head for some queries; `scores` has room for [queries, total].
  void block(std::size_t head, MatrixView<const float> q, std::size_t first, std::size_t total, const KeyValues& cache,
             float* scaled, float* scores, MatrixView<float> z) const;
};

}  // namespace helix::model
