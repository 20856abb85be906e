// Which model a visit runs on: what it reads of each, what one lacks, and the first that has all of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "studies/claims/visits.h"

namespace helix::studies::claims {

inline constexpr const char* kWhole = "the whole checkpoint";

bool is_whole(const std::optional<ModelSize>& size);

/// What all visits together read from one model, as far as its sizes say that it has it.
ModelNeeds needs_of_model(const std::string& name, const std::vector<Visit>& visits, const Known& known);

/// Models that a visit names, in words: this table works on the open one and those beside it. Empty: none.
std::vector<std::string> named_models(const Visit& visit);

/// What a visit cannot run without and a model lacks; empty: the visit can run on it.
std::vector<std::string> missing_for(const Visit& visit, const ModelInputs& model);

/// The first model that has what a visit reads; nullptr: none. Some studies run in part on layers or positions alone.
const ModelInputs* model_for(const Visit& visit, const std::vector<ModelInputs>& models, const std::string& open);

}  // namespace helix::studies::claims
