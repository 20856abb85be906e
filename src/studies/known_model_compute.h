// Whether a claim speaks of the model that is open: decided here, for every study, on the page and on the command line.
#pragma once

#include <optional>
#include <string>

#include "checkpoint/config.h"
#include "studies/registry_compute.h"

namespace helix::studies {

/// Whether a model has GPT-2 small's sizes; what a part of a checkpoint does not tell counts as fitting.
bool has_gpt2_small_sizes(const checkpoint::Config& config);

/// Which model the claims know is open; empty where it is none of them, or no weights were used. Its positions say so where
/// they were hashed as 32-bit floats, else its sizes and its name together.
std::string which_model(const Inputs& inputs, const protocol::Provenance& used);

/// Runs a study. What its claims say of another model than the open one is shown beside what is here, and not judged.
Task<Expected<protocol::Result>> run_judged(const ComputeStudy& study, ParamValues params, Inputs inputs);

/// The sizes of the open model, also where it cannot run.
std::optional<checkpoint::Config> config_of(const Inputs& inputs);

}  // namespace helix::studies
