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

/// The same, and a network of it: for studies that run text and read weights. Its tensors stay when the network has packed
/// them.
inline studies::Inputs runnable_model(const TinySizes& sizes, const std::function<void(Tensors&)>& change = {}) {
  studies::Inputs inputs = noise_model(sizes, change);
  const auto weights = std::const_pointer_cast<checkpoint::WeightFile>(inputs.weights);
  auto network = model::Network::make(weights, tiny_config(sizes, *weights->header()), "noise");
  REQUIRE(network);
  inputs.network = *network, inputs.session = std::make_shared<model::Sessions>();
  inputs.provenance.kernels = "test", inputs.provenance.version = "0";
  std::vector<std::string> names;
  for (const auto& tensor : weights->header()->tensors) names.push_back(tensor.name);
  inputs.models = {{"noise", "", weights}};
  inputs.models.front().pinned = std::make_shared<const checkpoint::Pinned>(weights, names);
  return inputs;
}

}  // namespace helix::testing
