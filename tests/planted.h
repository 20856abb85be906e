// What a study may read, planted: positions on a helix, and a small complete model with a vocabulary of its own.
#pragma once

#include <memory>
#include <string>

#include "studies/registry_compute.h"
#include "tests/model/emergence_file.h"
#include "tests/model/tiny_network.h"
#include "tests/model/tiny_vocabulary.h"
#include "tests/support.h"

namespace helix::testing {

inline std::shared_ptr<const model::Tokenizer> planted_tokenizer() {
  const auto files = model::testing::files_of({{" ", "t"}, {"h", "e"}, {" t", "he"}, {"a", "t"}, {" ", "c"}});
  auto tokenizer = model::Tokenizer::read(files.vocab_json, files.merges_txt, "planted");
  REQUIRE(tokenizer);
  return std::make_shared<const model::Tokenizer>(std::move(*tokenizer));
}

inline TinySizes planted_sizes() { return {3, 24, 2, 100, planted_tokenizer()->size()}; }

/// For studies of every kind: weights, a prompt, a network.
inline studies::Inputs planted_inputs() {
  studies::Inputs inputs;
  inputs.weights = weights_of(checkpoint_of(helix_rows(40, 10, 2, 0.05)));
  inputs.provenance.model = "planted";
  inputs.provenance.kernels = "test", inputs.provenance.version = "0";
  inputs.tokenizer = planted_tokenizer();
  inputs.network = tiny_network(planted_sizes());
  inputs.session = std::make_shared<model::Session>();
  auto record = model::testing::planted_emergence().read();
  REQUIRE(record);
  inputs.training = std::make_shared<const model::Emergence>(std::move(*record));
  return inputs;
}

/// The result of a study with these parameters, or the sentence why there is none.
inline Expected<protocol::Result> run_study(const char* id, studies::Inputs inputs,
                                            const std::vector<std::pair<std::string, std::string>>& values = {}) {
  const studies::ComputeStudy* study = studies::find_compute_study(id);
  REQUIRE(study);
  ParamValues params = defaults(study->schema);
  for (const auto& [key, text] : values) REQUIRE(set_value(study->schema, params, key, text, true));
  return run_to_end(study->run(params, std::move(inputs)));
}

}  // namespace helix::testing
