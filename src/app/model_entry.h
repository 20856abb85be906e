// The models that the page offers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/schema.h"

namespace helix::app {

/// A model the page can open, as models/index.json lists it.
struct ModelEntry {
  std::string name, sha256, config_json;
  std::uint64_t bytes = 0;
  std::vector<std::string> missing{};  // tensors it lacks for predictions, as far as that is known
  std::vector<std::string> files{};    // names of the files beside the weights
  bool far = false;                    // these are on another host
};

/// Whether a model has what a study of this kind reads, as far as the list says.
bool suits(const ModelEntry& model, Reads reads);

}  // namespace helix::app
