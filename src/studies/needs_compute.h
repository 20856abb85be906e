// What a study reads of which model, and how it finds it: asked before a run, by the engine and by the command line.
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

/// The sizes of a model; 0 where its files do not tell one.
struct ModelSize {
  std::size_t n_layer = 0, n_head = 0, d_model = 0, n_ctx = 0, n_vocab = 0;
  bool operator==(const ModelSize&) const = default;
};

/// What is known before a run; more of it each time the needs are asked for.
struct Known {
  /// The sizes of a model by its name ("": the run's own); nothing until its header has been read.
  std::function<std::optional<ModelSize>(const std::string&)> size;
  /// The run's tokens in its own model's vocabulary, BOS in front where it is asked for; none until they can be told.
  std::function<std::vector<std::int32_t>()> tokens = [] { return std::vector<std::int32_t>(); };
};

struct TensorRows {
  std::string tensor;
  std::vector<std::size_t> rows;
};

/// What must be there of one model before a study runs.
struct ModelNeeds {
  std::string model;                 // "": the run's own
  std::vector<std::string> tensors;  // whole
  std::vector<TensorRows> rows = {};
  Reads reads = Reads::weights;  // more than that: its tokenizer, its network or the record of its training as well
  bool optional = false;         // the study runs without this model too, and shows the sentence why it is not there
};

/// A model of a run: what is there of it, or the sentence why it is not there.
struct ModelInputs {
  std::string name;
  std::string why_not{};                                    // empty where it is there
  std::shared_ptr<const checkpoint::WeightFile> weights{};  // null where it is not
  std::string sha256{};  // first digits of the file's hash; empty when it is not known
  std::shared_ptr<const tokenizer::Tokenizer> tokenizer{};
  std::string no_tokenizer{};
  std::shared_ptr<model::Network> network{};
  std::shared_ptr<model::Session> session{};  // of this network; never null where that is not
  std::string no_network{};
};

/// Names the models that a study has read, the first as the provenance's own.
void set_models(protocol::Provenance& provenance, const std::vector<protocol::UsedModel>& models);

}  // namespace helix::studies
