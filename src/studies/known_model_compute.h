// Whether a claim is about the open model: decided here, for every study, on the page and on the command line.
#pragma once

#include <optional>
#include <string>

#include "checkpoint/config.h"
#include "studies/registry_compute.h"

namespace helix::studies {

/// Whether a model has GPT-2 small's sizes; sizes that a partial checkpoint does not give count as matching.
bool has_gpt2_small_sizes(const checkpoint::Config& config);

/// Which of the models in the claims is open; empty if none is, or if no weights were used. The hashes of the
/// tensors that were read decide, or, if none of those is known, that of another of its tensors; never a name.
std::string which_model(const Inputs& inputs, const protocol::Provenance& used);

/// Runs a study. A claim about a model other than the open one is shown beside the number here, but not judged.
Task<Expected<protocol::Result>> run_judged(const ComputeStudy& study, ParamValues params, Inputs inputs);

/// The sizes of the open model, even if it cannot run.
std::optional<checkpoint::Config> config_of(const Inputs& inputs);

}  // namespace helix::studies
