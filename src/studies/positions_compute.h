// Edits of the table of positions, before anything runs: averaged, shuffled, replaced, or without their small components.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/matrix.h"
#include "base/task.h"
#include "model/edits.h"
#include "model/network.h"

namespace helix::studies {

/// wpe [n_ctx, d_model] after those of the edits that change it, in order; null when none does. Computed in double.
Task<std::shared_ptr<const Matrix<float>>> edited_positions(std::shared_ptr<const model::Network> network,
                                                            std::vector<std::pair<std::string, ParsedEdit>> edits);

}  // namespace helix::studies
