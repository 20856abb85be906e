// Values of the run without edits, put into an edited run of the same text.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/edits/effect.h"

namespace helix::model::effects {

/// Where the values are: at these hooks, and in which row of the kept matrix the i-th row of a chunk belongs.
struct Frozen {
  std::string name;  // of what is kept
  std::vector<Hook> hooks;
  std::size_t rows = 0, cols = 0;
  std::function<std::size_t(const Chunk& chunk, std::size_t i)> place;
};

/// Runs the text without edits, unless that is kept, and replaces the values of every later run by those.
Task<Expected<Change>> freeze(std::shared_ptr<Network> network, std::vector<std::int32_t> tokens, Frozen what);

/// The tokens that this run needs besides those of the text: none.
inline Expected<std::vector<std::int32_t>> no_more_tokens(const ParsedEdit&, const EditedText&) {
  return std::vector<std::int32_t>();
}

}  // namespace helix::model::effects
