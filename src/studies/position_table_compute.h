// The table of positions that a study reads: a model's learned one, or the sinusoidal encoding.
#pragma once

#include "studies/matrices_compute.h"
#include "studies/position_fields.h"

namespace helix::studies {

/// What must be loaded for it: nothing for the sinusoidal encoding.
std::vector<ModelNeeds> needs_of(PositionSource source);

/// Rows in double, [position, d_model]; their source is written to `provenance`. An error is one sentence: no model
/// is open, the model has no such table, a shape is wrong. `provenance` outlives the task.
Task<Expected<Matrix<double>>> position_table(PositionSource source, double base, Inputs inputs,
                                              protocol::Provenance* provenance);

}  // namespace helix::studies
