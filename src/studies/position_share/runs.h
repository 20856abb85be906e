// The texts, and one pass over each of them: the residual stream before every layer and at the end, taken apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "studies/context_compute.h"
#include "studies/position_share/parts.h"
#include "studies/position_share/position_share.h"

namespace helix::studies::position_share {

struct Texts {
  std::vector<std::vector<std::int32_t>> windows;  // all of one length, with BOS in front where the prompt has it
  std::size_t first = 0;                           // the first position that counts
  std::size_t step = 0, tokens = 0;                // between the beginnings of two windows; of the whole text
  std::string of;                                  // "the bundled books"
  std::vector<protocol::Token> prompt;             // where it is the text
  std::vector<std::string> notes;

  std::size_t size() const { return windows.front().size(); }
  std::size_t positions() const { return size() - first; }
};

/// Windows of the books or of the prompt, which may be longer than the model's context.
Expected<Texts> texts_of(const Params& params, const Context& context);

/// Before layer 0, 1, … and at the end.
struct Layers {
  std::vector<Parts> of;
  std::size_t bytes() const;
};
/// The context and the texts outlive the task.
Task<Expected<std::shared_ptr<const Layers>>> layers_of(Context* context, const Texts* texts);

/// Names what layers_of(…) returns.
std::string key_of(const Texts& texts, const Subject& subject);

}  // namespace helix::studies::position_share
