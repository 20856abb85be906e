// The published numbers that need a run: losses, a greedy continuation, and which of two names is the likelier. GPT-2
// small reads its own tokens; another model the same words in its own, for a comparison.
#pragma once

#include "studies/context_compute.h"
#include "studies/verification/verification.h"

namespace helix::studies::verification {

/// Adds the claims and their numbers; without a network, that it is missing. Both pointers outlive the task.
Task<Expected<void>> compare_texts(Context* context, Output* out);

/// Claim F3: each logit after a short text against its sum in double precision, and the sum of the softmax. The same
/// pointers.
Task<Expected<void>> check_head(Context* context, Output* out);

/// Whether the open model has GPT-2 small's sizes, so that its tokens can be GPT-2's.
bool has_published_sizes(const Context& context);
/// What a claim states.
double stated(const std::string& id);

/// For the Store, roughly: what a result holds besides a few numbers.
inline std::size_t kept_bytes(const Output& out) {
  return 500 * (out.claims.size() + out.name_prompt.size()) +
         8 * (out.product_error.data.size() + out.greedy.data.size());
}

inline constexpr const char* kWhole = "the whole checkpoint";

}  // namespace helix::studies::verification
