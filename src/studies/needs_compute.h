// What a study reads from which model: asked before a run, by the engine and by the command line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/schema.h"
#include "checkpoint/weights.h"
#include "model/network.h"
#include "model/session.h"
#include "protocol/result.h"
#include "tokenizer/tokenizer.h"

namespace helix::studies {

/// The sizes of a model; 0 if its files do not give one.
struct ModelSize {
  std::size_t n_layer = 0, n_head = 0, d_model = 0, n_ctx = 0, n_vocab = 0;
  bool operator==(const ModelSize&) const = default;
};

/// What is known before a run; each time the needs are asked for, more is known.
struct Known {
  /// The sizes of a model by its name ("": the run's own); nothing until its header has been read.
  std::function<std::optional<ModelSize>(const std::string&)> size;
  /// The run's tokens in its own model's vocabulary, with BOS in front if requested; none until they are known.
  std::function<std::vector<std::int32_t>()> tokens = [] { return std::vector<std::int32_t>(); };
};

struct TensorRows {
  std::string tensor;
  std::vector<std::size_t> rows;
};

/// What must be loaded of one model before a study runs.
struct ModelNeeds {
  std::string model;                 // "": the run's own
  std::vector<std::string> tensors;  // whole
  std::vector<TensorRows> rows = {};
  Reads reads = Reads::weights;  // above weights: also its tokenizer, its network or its training record
  bool optional = false;         // the study runs without this model too, and shows the sentence why it is missing
  bool vocabulary = false;       // also its tokenizer, for prompts of the study's own

  bool wants_tokenizer() const { return vocabulary || reads_prompt(reads); }
};

/// A model of a run: what is loaded of it, or the sentence why it is missing.
struct ModelInputs {
  std::string name;
  std::string why_not{};                                    // empty if it is loaded
  std::shared_ptr<const checkpoint::WeightFile> weights{};  // null if it is not
  std::string sha256{};  // first digits of the file's hash; empty if the hash is unknown
  std::shared_ptr<const tokenizer::Tokenizer> tokenizer{};
  std::string no_tokenizer{};
  std::shared_ptr<model::Network> network{};
  std::shared_ptr<model::Sessions> session{};  // of this network; null only if the network is
  std::string no_network{};
  std::shared_ptr<const checkpoint::Pinned> pinned{};  // what was asked for stays until the run ends
};

/// The tensors that are read of a model, whole or in part.
std::vector<std::string> tensors_of(const ModelNeeds& needs);

/// Names the models that a study has read, the first as the provenance's own.
void set_models(protocol::Provenance& provenance, const std::vector<protocol::UsedModel>& models);

}  // namespace helix::studies
