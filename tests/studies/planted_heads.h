// A model whose heads attend to fixed distances, for studies that tell heads apart.
#pragma once

#include "tests/planted.h"

namespace helix::testing {

inline constexpr std::size_t kLoud = 200;  // of 300 ids

inline const std::vector<std::int32_t> kTokens = [] {
  std::vector<std::int32_t> ids;
  for (std::int32_t i = 0; i < 40; ++i) ids.push_back(i * 13 % 200);
  return ids;
}();

/// A model without MLPs whose attention depends on positions alone: in layer 0, head 0 attends one token back, head 1
/// uniformly, head 2 to itself, head 3 two back. Of tokens from kLoud on, hardly anything of the position is left, so that every
/// head attends to them uniformly.
inline studies::Inputs planted_heads(std::size_t n) {
  const TinySizes sizes{1, 256, 4, 64, 300};
  const std::size_t d = sizes.d_model, d_head = d / sizes.n_head;
  Tensors tensors;
  Bytes file = tiny_checkpoint(sizes, 0, 1, &tensors);
  auto& wpe = tensors.at("wpe.weight");
  auto& qkv = tensors.at("h.0.attn.c_attn.weight");
  for (float& x : wpe) x = 0;
  for (std::size_t p = 0; p < 64; ++p) wpe[p * d + p] = 1;  // position p is the unit vector p
  for (std::size_t t = kLoud; t < sizes.n_vocab; ++t) tensors.at("wte.weight")[t * d + d - 1] = 1e4f;
  const int back[4] = {1, -1, 0, 2};
  for (std::size_t head = 0; head < 4; ++head)
    for (std::size_t p = 0; p < 64 && back[head] >= 0; ++p) {
      const std::size_t to = p - std::min<std::size_t>(p, static_cast<std::size_t>(back[head]));
      qkv[p * 3 * d + head * d_head + to] = 8;     // a query of position p looks for `to`
      qkv[p * 3 * d + d + head * d_head + p] = 8;  // a key of position p matches p
    }
  std::size_t at = file.size();
  const auto entries = testing::tiny_gpt2(1, d, 64, 300);
  for (const auto& entry : entries) at -= static_cast<std::size_t>(entry_bytes(entry));
  for (const auto& entry : entries) {
    std::memcpy(&file[at], tensors.at(entry.name).data(), static_cast<std::size_t>(entry_bytes(entry)));
    at += static_cast<std::size_t>(entry_bytes(entry));
  }
  const auto weights = std::make_shared<checkpoint::WeightFile>("planted heads", file.size());
  REQUIRE(weights->feed(0, file));
  auto network = model::Network::make(weights, tiny_config(sizes, *weights->header()), "planted heads");
  REQUIRE(network);
  weights->want((*network)->unread());
  REQUIRE(weights->feed(0, file));
  studies::Inputs inputs = planted_inputs();
  inputs.network = *network;
  inputs.session = std::make_shared<model::Sessions>();
  inputs.subject.tokens.assign(kTokens.begin(), kTokens.begin() + static_cast<std::ptrdiff_t>(n));
  return inputs;
}

}  // namespace helix::testing
