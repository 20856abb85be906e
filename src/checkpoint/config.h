// The sizes of a GPT-2 checkpoint, read from its tensors and checked against its config.json; and what the checkpoint
// can be used for: a partial one is reported, it is not an error.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "checkpoint/safetensors.h"

namespace helix::checkpoint {

/// A size of 0 means that neither the tensors nor config.json contain it.
struct Config {
  std::size_t n_layer = 0;
  std::size_t n_head = 0;  // read it through known_heads() where it is needed
  std::size_t d_model = 0;
  std::size_t d_head = 0;
  std::size_t n_ctx = 0;
  std::size_t n_vocab = 0;
  std::size_t d_mlp = 0;
  double layer_norm_epsilon = 1e-5;
  bool tied_head = true;  // the output head is wte; false: lm_head.weight
  /// One sentence saying why text cannot be run through this model although its tensors are there, such as another
  /// activation function; usually empty. Studies of the weights themselves are not affected.
  std::string forward_obstacle;
};

/// `config_json`: the text of the model's config.json, if there is one. An error where tensors or config.json
/// contradict each other, or where this is not a GPT-2. `source`: what to call the model in an error.
Expected<Config> make_config(const Header& header, std::optional<std::string_view> config_json,
                             std::string_view source);

/// n_head, or the sentence that asks for config.json.
Expected<std::size_t> known_heads(const Config& config, std::string_view source);

/// What a study may need of a checkpoint.
enum class Need { Positions, Attention, Everything };

/// The tensors for a need, as this config has them, named without "transformer.".
std::vector<std::string> tensors_for(Need need, const Config& config);

/// What a checkpoint offers.
struct Parts {
  bool positions = false;          // wpe
  bool attention_weights = false;  // the attention matrices and their biases, and the LayerNorm before, of all layers
  bool everything = false;         // predictions are possible, as far as the tensors go
  std::vector<std::string> missing_tensors;  // for predictions, by name
  std::vector<std::string> missing_parts;    // the same in words: "word embeddings (wte.weight)", "the MLP matrices"

  /// "word embeddings (wte.weight) and the MLP matrices are missing"; empty when everything is there.
  std::string missing_text() const;
};

Parts parts_of(const Header& header, const Config& config);

}  // namespace helix::checkpoint
