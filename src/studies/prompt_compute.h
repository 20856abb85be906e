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
  std::vector<std::string> notes;  // what was done differently from what was asked
};

/// The subject's tokens, BOS in front where it is asked for. More than `most` (0: any number) are an error that offers to
/// keep the last of them; where that was chosen, those at the start are lost, BOS excepted, and a note says so.
Expected<Prompt> read_prompt(const Inputs& inputs, std::size_t most);

/// A prompt ready to run: weights prepared (without `logits` all but the output head), edits read.
struct Ready {
  Prompt prompt;
  model::Interventions edits;
  std::string convention;          // "12 tokens, no BOS, edits: scale_head:4.11:2"
  std::vector<std::string> specs;  // the edits that are on, as they were written
};
Task<Expected<Ready>> make_ready(Inputs inputs, bool logits = true);

/// Names the tokens and edits of a run: two runs of one network with equal keys see the same at every hook.
std::string run_key(const Ready& ready);

/// The readable text of a token; "token 17" where no tokenizer is at hand.
std::string token_text(const Inputs& inputs, std::int32_t id);
/// `provenance` of what a network computes.
protocol::Provenance provenance_of(const Inputs& inputs);

}  // namespace helix::studies
