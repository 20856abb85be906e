// The text, whole or in windows of one length, and one pass over each window that gathers what every head attends to.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "studies/context_compute.h"
#include "studies/head_taxonomy/head_taxonomy.h"

namespace helix::studies::head_taxonomy {

struct Text {
  Prompt prompt;                                   // all of it
  std::vector<std::vector<std::int32_t>> windows;  // all of one length, with BOS in front where the prompt has it
  Ready first;                                     // the first window, ready to run
  std::string convention;

  std::size_t size() const { return windows.front().size(); }
};

/// A text that is longer than a window (params.window, or the model's context) is cut into windows, the last of which ends
/// with the text; if only its last tokens are to be kept, these are the text. A shorter text is one window. The context
/// outlives the task.
Task<Expected<Text>> text_of(Params params, Context* context);

/// What one pass gathers of every head.
struct Window {
  std::vector<double> diagonals;                  // means of all of them, [layer, head, lag]
  std::array<std::vector<double>, kKinds> kinds;  // [layer, head]
  std::array<double, kKinds> even;                // of a head that attends evenly to the same tokens
};

struct Seen {
  std::size_t layers = 0, heads = 0, lags = 0;
  std::vector<Window> windows;

  std::size_t bytes() const;
};

/// The context and the text outlive the task.
Task<Expected<std::shared_ptr<const Seen>>> seen_in(Context* context, const Text* text);

}  // namespace helix::studies::head_taxonomy
