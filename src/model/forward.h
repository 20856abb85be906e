// The only implementation of GPT-2's forward pass (Radford et al. 2019): the same code reads a prompt and continues it,
// with and without taps and edits. In f32 the order of every sum is fixed, so all of these agree to the last bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/expected.h"
#include "base/matrix.h"
#include "base/task.h"
#include "model/hooks.h"
#include "model/network.h"
#include "model/session.h"

namespace helix::model {

/// Changes the biases b_Q, b_K and b_V of a layer, side by side [3·d_model].
struct BiasChange {
  std::size_t layer = 0;
  std::function<void(std::span<float>)> change;
  std::string key{};  // names the change
};

/// Changes to a pass. Two passes over the same tokens agree up to the first layer in which the keys of their taps and
/// biases differ.
struct Interventions {
  bool causal = true;                              // false: every token sees every other
  bool looks_ahead = false;                        // rows also depend on later ones: a new token changes all
  std::size_t frozen = 0;                          // only so many tokens have the values that are put in; 0: all
  std::shared_ptr<const Matrix<float>> positions;  // [position, d_model] instead of wpe; null: wpe
  std::vector<BiasChange> biases;                  // in order; each has a key
  std::vector<Tap> taps;                           // run in order, before the taps that only read; each has a key
  std::string embedding;                           // names what is done without taps: to the positions and the mask
};

/// What names the changes before the first layer and to the mask; and those in a layer.
std::string prefix_key(const Interventions& edits);
std::string layer_key(const Interventions& edits, std::size_t layer);

/// How many tokens a pass with these changes can read, and why no more: "The model's context of 1024 tokens is full".
struct MostTokens {
  std::size_t count = 0;
  std::string why;
};
MostTokens most_tokens(const Interventions& edits, const checkpoint::Config& config);

struct Asked {
  std::vector<std::int32_t> tokens;  // 1 .. most_tokens().count ids of the vocabulary
  Interventions edits;
  std::vector<Tap> watch;                             // read the values after the edits
  std::vector<std::size_t> logits_at;                 // positions whose logits are wanted, ascending
  std::size_t layers = static_cast<std::size_t>(-1);  // only the first so many; fewer than all give no logits
  bool once = false;                                  // no later pass continues from this one
};

/// Logits [logits_at, n_vocab]. An error names a token that is not in the vocabulary, or too many of them. `session` is
/// new, or was left by an earlier pass with the same network; it remains usable for the next pass even if this one is
/// cancelled. Both outlive the task.
Task<Expected<Matrix<float>>> forward(std::shared_ptr<const Network> network, std::shared_ptr<Session> session,
                                      Asked asked);

/// The same with the session that has most of this pass already; another text or other edits do not overwrite it. A pass
/// that runs once takes from it and leaves nothing.
Task<Expected<Matrix<float>>> forward(std::shared_ptr<const Network> network, std::shared_ptr<Sessions> sessions,
                                      Asked asked);

}  // namespace helix::model
