// The whole tensor at a hook during one pass.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "checkpoint/config.h"
#include "model/hooks.h"

namespace helix::model {

class Capture {
 public:
  Capture(Hook hook, const checkpoint::Config& config, std::size_t n_tokens);

  /// For one pass over all positions; this object must outlive it.
  Tap tap();
  Hook hook() const { return hook_; }
  /// As TransformerLens has it, without the batch: [pos, d_model], [pos, head, d_head], [head, query, key], [pos, 1], …
  const std::vector<std::size_t>& shape() const { return shape_; }
  std::vector<std::string> axes() const;
  const std::vector<float>& data() const { return data_; }

 private:
  void see(const Chunk& chunk);

  Hook hook_;
  std::vector<std::size_t> shape_;
  std::vector<float> data_;
};

}  // namespace helix::model
