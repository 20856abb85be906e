// What all studies of a prompt share: its tokens, its edits, and the run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/expected.h"
#include "base/task.h"
#include "model/forward.h"
#include "protocol/result.h"
#include "studies/registry_compute.h"

namespace helix::studies {

struct Prompt {
  std::vector<std::int32_t> ids;
  std::vector<protocol::Token> tokens;
  std::vector<std::string> notes;  // deviations from what was requested
};

/// The subject's tokens, with BOS in front if requested. More than `most` (0: no limit) are an error that offers to
/// keep the last of them; if that option is set, the first ones are dropped, except BOS, and a note says so.
Expected<Prompt> read_prompt(const Inputs& inputs, std::size_t most);

/// Tokens that the active edits run besides those of the prompt.
std::vector<std::int32_t> tokens_of_edits(const Inputs& inputs);

/// A prompt ready to run: weights prepared (without `logits` all but the output head), edits parsed.
struct Ready {
  Prompt prompt;
  model::Interventions edits;
  std::string convention;          // "12 tokens, no BOS, edits: scale_head:4.11:2"
  std::vector<std::string> specs;  // the active edits as text
};
Task<Expected<Ready>> make_ready(Inputs inputs, bool logits = true);

/// A key of the run's tokens and edits: two runs of one network with equal keys give the same values at every hook.
std::string run_key(const Ready& ready);

/// The readable text of a token; "token 17" without a tokenizer.
std::string token_text(const Inputs& inputs, std::int32_t id);
/// The provenance of what a network computes.
protocol::Provenance provenance_of(const Inputs& inputs);

}  // namespace helix::studies
