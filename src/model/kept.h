// Matrices that a network's weights determine and that cost more than a pass may wait for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/matrix.h"

namespace helix::model {

/// Some of them by name, up to a number of bytes: those that were not used for longest make room for a new one.
class KeptMatrices {
 public:
  static constexpr std::size_t kMostBytes = 32 << 20;  // ten tables of GPT-2's positions

  /// Null if it is not kept.
  std::shared_ptr<const Matrix<float>> find(std::string_view name) {
    const auto at = std::ranges::find(kept_, name, [](const Kept& kept) { return std::string_view(kept.first); });
    if (at == kept_.end()) return nullptr;
    std::rotate(at, at + 1, kept_.end());
    return kept_.back().second;
  }
  void keep(std::string name, std::shared_ptr<const Matrix<float>> matrix) {
    const std::size_t bytes = matrix->data.size() * sizeof(float);
    if (bytes > kMostBytes) return;
    bytes_ += bytes;
    auto first = kept_.begin();
    for (; bytes_ > kMostBytes; ++first) bytes_ -= first->second->data.size() * sizeof(float);
    kept_.erase(kept_.begin(), first);
    kept_.emplace_back(std::move(name), std::move(matrix));
  }

 private:
  using Kept = std::pair<std::string, std::shared_ptr<const Matrix<float>>>;
  std::vector<Kept> kept_;  // by last use
  std::size_t bytes_ = 0;
};

}  // namespace helix::model
