// Planted inputs of studies: positions on a helix, and a small complete model with a vocabulary of its own.
#pragma once

#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "studies/registry_compute.h"
#include "tests/checkpoint/emergence_file.h"
#include "tests/model/tiny_network.h"
#include "tests/support.h"
#include "tests/tokenizer/tiny_vocabulary.h"

namespace helix::testing {

inline std::shared_ptr<const tokenizer::Tokenizer> planted_tokenizer() {
  const auto files = testing::files_of({{" ", "t"}, {"h", "e"}, {" t", "he"}, {"a", "t"}, {" ", "c"}});
  auto tokenizer = tokenizer::Tokenizer::read(files.vocab_json, files.merges_txt, "planted");
  REQUIRE(tokenizer);
  return std::make_shared<const tokenizer::Tokenizer>(std::move(*tokenizer));
}

inline TinySizes planted_sizes() { return {3, 24, 2, 100, planted_tokenizer()->size()}; }

/// Alters a tensor's numbers, given by its name.
using Change = std::function<void(const std::string&, std::span<float>)>;

/// A tiny checkpoint with its tensors altered.
inline Bytes changed_checkpoint(const TinySizes& sizes, const Change& change) {
  const auto entries = tiny_gpt2(sizes.n_layer, sizes.d_model, sizes.n_ctx, sizes.n_vocab);
  Bytes file = tiny_checkpoint(sizes);
  std::size_t at = file.size();
  for (const auto& entry : entries) at -= static_cast<std::size_t>(entry_bytes(entry));
  for (const auto& entry : entries) {
    const auto bytes = static_cast<std::size_t>(entry_bytes(entry));
    std::vector<float> numbers(bytes / sizeof(float));
    std::memcpy(numbers.data(), &file[at], bytes);
    change(entry.name, numbers);
    std::memcpy(&file[at], numbers.data(), bytes);
    at += bytes;
  }
  return file;
}

/// A checkpoint of one layer whose positions lie on a helix, completely loaded; everything else is noise.
inline std::shared_ptr<const checkpoint::WeightFile> planted_weights() {
  static std::vector<std::string> names;
  static const Bytes file = [] {
    const Matrix<double> wpe = helix_rows(40, 10, 2, 0.05);
    return changed_checkpoint({1, wpe.cols, 2, wpe.rows, 64}, [&](const std::string& name, std::span<float> numbers) {
      names.push_back(name);
      for (std::size_t i = 0; name == "wpe.weight" && i < numbers.size(); ++i)
        numbers[i] = static_cast<float>(wpe.data[i]);
    });
  }();
  const auto weights = std::make_shared<checkpoint::WeightFile>("planted", file.size());
  weights->want(names);
  REQUIRE(weights->feed(0, file));
  return weights;
}

/// The planted network with its tensors altered.
inline std::shared_ptr<model::Network> network_with(const Change& change) {
  const TinySizes sizes = planted_sizes();
  const Bytes file = changed_checkpoint(sizes, change);
  auto weights = std::make_shared<checkpoint::WeightFile>("changed", file.size());
  REQUIRE(weights->feed(0, file));
  auto network = model::Network::make(weights, tiny_config(sizes, *weights->header()), "changed");
  REQUIRE(network);
  weights->want((*network)->unread());
  REQUIRE(weights->feed(0, file));
  return *network;
}

/// The planted network in which every tensor whose name contains `part` is zero.
inline std::shared_ptr<model::Network> network_without(std::string_view part) {
  return network_with([part](const std::string& name, std::span<float> numbers) {
    if (name.find(part) != std::string::npos) std::ranges::fill(numbers, 0.0f);
  });
}

/// For studies of every kind: weights, a prompt, a network.
inline studies::Inputs planted_inputs() {
  studies::Inputs inputs;
  inputs.weights = planted_weights();
  inputs.size = studies::ModelSize{1, 2, 10, 40, 64};
  inputs.provenance.model = "planted";
  inputs.provenance.kernels = "test", inputs.provenance.version = "0";
  inputs.tokenizer = planted_tokenizer();
  inputs.network = tiny_network(planted_sizes());
  inputs.session = std::make_shared<model::Sessions>();
  auto record = testing::planted_emergence().read();
  REQUIRE(record);
  inputs.training = std::make_shared<const checkpoint::Emergence>(std::move(*record));
  inputs.models = {{"planted", "", inputs.weights, "", inputs.tokenizer, "", inputs.network, inputs.session, ""}};
  return inputs;
}

/// A model that holds just these tensors, with the planted vocabulary; a single row is a vector.
inline studies::Inputs inputs_with(const std::map<std::string, Matrix<double>>& tensors) {
  std::vector<Entry> entries;
  std::vector<std::string> names;
  for (const auto& [name, m] : tensors) {
    entries.push_back(m.rows == 1 ? Entry{name, {m.cols}} : Entry{name, {m.rows, m.cols}});
    names.push_back(name);
  }
  Bytes file = file_of(entries);
  std::size_t at = file.size();
  for (const Entry& entry : entries) at -= static_cast<std::size_t>(entry_bytes(entry));
  for (const auto& [name, m] : tensors)
    for (const double number : m.data) {
      const auto x = static_cast<float>(number);
      std::memcpy(&file[at], &x, sizeof x);
      at += sizeof x;
    }
  const auto weights = std::make_shared<checkpoint::WeightFile>("planted", file.size());
  weights->want(names);
  REQUIRE(weights->feed(0, file));
  studies::Inputs inputs;
  inputs.weights = weights;
  inputs.tokenizer = planted_tokenizer();
  inputs.provenance.model = "planted";
  return inputs;
}

/// Parameters as text, by name.
using Given = std::vector<std::pair<std::string, std::string>>;

/// The result of a study with these parameters, or the sentence of its error.
inline Expected<protocol::Result> run_study(const char* id, studies::Inputs inputs, const Given& values = {}) {
  const studies::ComputeStudy* study = studies::find_compute_study(id);
  REQUIRE(study);
  ParamValues params = defaults(study->schema);
  for (const auto& [key, text] : values) REQUIRE(set_value(study->schema, params, key, text, true));
  return run_to_end(study->run(params, std::move(inputs)));
}

/// The same on a checkpoint that holds only these positions.
inline Expected<protocol::Result> run_on_positions(const char* id, const Matrix<double>& rows,
                                                   const Given& values = {}) {
  studies::Inputs inputs;
  inputs.weights = weights_of(checkpoint_of(rows));
  inputs.provenance.model = "planted";
  return run_study(id, inputs, values);
}

}  // namespace helix::testing
