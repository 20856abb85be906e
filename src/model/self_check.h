// Checks of the engine on the machine it runs on: its products against plain sums in double, its cache against runs
// without one.
#pragma once

#include <memory>

#include "base/expected.h"
#include "base/matrix.h"
#include "base/task.h"
#include "model/network.h"

namespace helix::model {

/// [layer, matrix], the matrices attn.c_attn, attn.c_proj, mlp.c_fc and mlp.c_proj: a seeded row times each matrix,
/// compared with the same sum in double over the same weights; the largest difference relative to the largest result.
/// In 8 bits the row is rounded, too, which causes most of the difference.
Task<Matrix<double>> matrix_errors(std::shared_ptr<const Network> network);

/// The largest |Δlogit| between a short text read at once and token by token; in f32 and in 8 bits it must be 0.
Task<Expected<double>> cache_difference(std::shared_ptr<const Network> network);

}  // namespace helix::model
