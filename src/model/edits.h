// Edits (base/edit_forms) that have been read, checked against a model and turned into what a forward pass does
// differently.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/edit_forms.h"
#include "base/expected.h"
#include "checkpoint/config.h"
#include "model/forward.h"

namespace helix::model {

/// The interventions in a pass of `n_tokens` that these edits ask for; edits of the table of positions are left out. An
/// error names an edit that does not fit the model or the prompt.
Expected<Interventions> interventions(const std::vector<std::pair<std::string, ParsedEdit>>& edits,
                                      const checkpoint::Config& config, std::size_t n_tokens);

}  // namespace helix::model
