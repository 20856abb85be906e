#include "model/diagonal_means.h"

#include <cassert>

namespace helix::model {

DiagonalMeans::DiagonalMeans(Hook hook, const checkpoint::Config& config, std::size_t n_tokens, std::size_t left_out)
    : hook_(hook),
      n_head_(config.n_head),
      left_out_(left_out),
      lags_(n_tokens > left_out ? n_tokens - left_out : 0),
      sums_(n_head_ * lags_) {
  assert(has_heads_apart(hook.kind));
}

Tap DiagonalMeans::tap() {
  return {hook_, [this](const Chunk& chunk) { see(chunk); }};
}

void DiagonalMeans::see(const Chunk& chunk) {
  for (std::size_t i = 0; i < chunk.rows.rows; ++i) {
    const std::size_t query = chunk.first + i;
    if (query < left_out_) continue;
    const auto row = chunk.rows.row(i);
    double* sum = &sums_[chunk.head * lags_];
    for (std::size_t key = left_out_; key <= query; ++key) sum[query - key] += static_cast<double>(row[key]);
  }
}

}  // namespace helix::model
