// How long the forward pass takes here, beside what the machine could do at best.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/expected.h"
#include "base/task.h"
#include "kernels/probe.h"
#include "model/network.h"

namespace helix::model {

struct SpeedRow {
  std::string work;         // "prefill 64": N tokens, logits of the last; "decode 32": one token, N in the cache
  double milliseconds = 0;  // median of the repeats, pauses for the page included
  double limit = 0;         // what the roofs allow, in milliseconds
};

struct Speed {
  kernels::Roofs roofs;
  std::vector<SpeedRow> rows;
};

/// On the network's threads. Lengths beyond the model's context are left out. The limits are computed as follows, with
/// R and bytes for the precision: prefill N takes max(2·N·M/R, M·bytes/B) + the causal scores and values at G + the
/// head read once; a token with N in the cache takes the reading of all matrices, the head, and N keys and values of
/// every layer. `known`: roofs measured before on the same threads, zero where there are none; the better of each pair
/// counts, since another program can only lower them.
Task<Expected<Speed>> measure_speed(std::shared_ptr<const Network> network, std::vector<int> prefill,
                                    std::vector<int> decode, int repeats, kernels::Roofs known = {});

}  // namespace helix::model
