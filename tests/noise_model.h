// A small checkpoint of noise in which a test plants a structure to be found.
#pragma once

#include <functional>
#include <string>

#include "tests/planted.h"

namespace helix::testing {

/// The inputs of a study of weights. `change` plants the structure; `without`: a tensor that the file lacks.
inline studies::Inputs noise_model(const TinySizes& sizes, const std::function<void(Tensors&)>& change = {},
                                   const std::string& without = {}) {
  Tensors tensors;
  static_cast<void>(tiny_checkpoint(sizes, 0.3, 7, &tensors));
  if (change) change(tensors);
  auto entries = testing::tiny_gpt2(sizes.n_layer, sizes.d_model, sizes.n_ctx, sizes.n_vocab);
  std::erase_if(entries, [&](const auto& entry) { return entry.name == without; });
  Bytes file = testing::file_of(entries);
  std::size_t at = file.size();
  std::vector<std::string> names;
  for (const auto& entry : entries) at -= static_cast<std::size_t>(entry_bytes(entry)), names.push_back(entry.name);
  for (const auto& entry : entries) {
    std::memcpy(&file[at], tensors.at(entry.name).data(), static_cast<std::size_t>(entry_bytes(entry)));
    at += static_cast<std::size_t>(entry_bytes(entry));
  }
  const auto weights = std::make_shared<checkpoint::WeightFile>("noise", file.size());
  weights->want(names);
  REQUIRE(weights->feed(0, file));
  studies::Inputs inputs;
  inputs.weights = weights;
  inputs.size = studies::ModelSize{sizes.n_layer, sizes.n_head, sizes.d_model, sizes.n_ctx, sizes.n_vocab};
  inputs.provenance.model = "noise";
  return inputs;
}

}  // namespace helix::testing
