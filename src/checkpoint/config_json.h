// The entries of a model's config.json that change what is computed; all others are ignored.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/expected.h"

namespace helix::checkpoint {

struct ConfigEntries {
  std::optional<std::uint64_t> n_layer, n_head, n_embd, n_positions, n_ctx, vocab_size, n_inner;
  std::optional<double> layer_norm_epsilon;
  std::optional<bool> tie_word_embeddings, scale_attn_weights, scale_attn_by_inverse_layer_idx;
  std::optional<std::string> model_type, activation_function;
};

/// `source`: the model whose config.json this is, for the error's sentence.
Expected<ConfigEntries> read_config_json(std::string_view json, std::string_view source);

/// The entries that are set, in the form of a config.json.
std::string to_json(const ConfigEntries& entries);

}  // namespace helix::checkpoint
