// What each head attends to, as one number a kind, gathered as the rows of its pattern pass by. The first row is left out, because
// its query sees only itself. The first column stays: the first token is one of the things that heads attend to.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "model/hooks.h"
#include "studies/head_taxonomy/head_taxonomy.h"

namespace helix::studies::head_taxonomy {

/// For every token of a text, the earlier places of the same token.
std::vector<std::vector<std::uint32_t>> earlier_places(const std::vector<std::int32_t>& ids);

/// The numbers of the rows of one head, or of a head that attends evenly.
class Gathered {
 public:
  /// A row of a pattern: of query i, whose token stood at `same` before.
  void add(std::size_t i, std::span<const float> row, const std::vector<std::uint32_t>& same);
  /// NaN where no row has such keys.
  double mean(Kind kind) const;

 private:
  std::array<double, kKinds> sum_{};
  std::array<std::size_t, kKinds> count_{};
};

/// Of all heads of a layer.
class HeadMetrics {
 public:
  HeadMetrics(model::Hook hook, std::size_t n_head, std::shared_ptr<const std::vector<std::vector<std::uint32_t>>> same)
      : hook_(hook), heads_(n_head), same_(std::move(same)) {}
  /// For one pass over all positions; this object must outlive it.
  model::Tap tap();
  double mean(std::size_t head, Kind kind) const { return heads_[head].mean(kind); }

 private:
  model::Hook hook_;
  std::vector<Gathered> heads_;
  std::shared_ptr<const std::vector<std::vector<std::uint32_t>>> same_;
};

/// The same numbers of a head that attends to every key that it sees alike.
Gathered even_metrics(const std::vector<std::vector<std::uint32_t>>& same, bool causal);

}  // namespace helix::studies::head_taxonomy
