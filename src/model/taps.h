// The taps of a pass, called at every hook: edits first, then the taps that only read.
#pragma once

#include <cstddef>
#include <vector>

#include "model/hooks.h"

namespace helix::model {

/// A task that ends and returns nothing.
struct Done {};

class Taps {
 public:
  Taps() = default;
  Taps(const std::vector<Tap>& edits, const std::vector<Tap>& watch);

  bool any(Hook hook) const { return any(hook, std::nullopt); }
  /// Whether there is a tap at this hook for this head.
  bool any(Hook hook, std::optional<std::size_t> head) const;
  void see(const Chunk& chunk) const;
  /// The first layer with a tap; n_layer if there is none; 0, and `at_embedding`, if a tap is before the layers.
  std::size_t first_layer(std::size_t n_layer) const;
  bool at_embedding() const;

 private:
  std::vector<Tap> all_;
};

}  // namespace helix::model
