// The matrices of a checkpoint whose singular directions studies compare: the tables of positions and tokens, and those
// of a layer, each with the directions of one of its sides.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/expected.h"
#include "base/task.h"
#include "geometry/singular.h"
#include "studies/matrix_fields.h"
#include "studies/registry_compute.h"

namespace helix::studies {

struct MatrixChoice {
  MatrixId id = MatrixId::wpe;
  std::size_t layer = 0;
  int head = -1;            // −1: all
  bool other_side = false;  // not the residual stream's side; tables have only that one
  bool gain = false;        // with the gain of the LayerNorm before it folded in
  bool centre = false;      // tables: minus the mean row; weights: without the residual stream's all-ones direction
};

/// Whether it is a table of rows (wpe, wte), not a weight of a layer.
bool is_table(MatrixId id);
/// Whether a LayerNorm precedes it, whose gain can be folded in.
bool has_gain(MatrixId id);
/// Whether it has a part for each head.
bool has_heads(MatrixId id);

/// The tensors it is made from; the matrix itself first.
std::vector<std::string> tensors_of(const MatrixChoice& choice);
/// "W_Q of layer 0, head 3, ln_1 gain folded in".
std::string matrix_name(const MatrixChoice& choice);

/// An error if no model is open, or its layer or head does not exist. Missing tensors are reported later.
Expected<void> check_choice(const MatrixChoice& choice, const Inputs& inputs);

enum class Numbers { finite, any };

/// The rows of a tensor of two dimensions, its columns scaled by `gain` as they are read, if there is one. Numbers that
/// are not finite are an error of the reading, unless any will do.
geometry::RowBlocks table_rows(const checkpoint::TensorView& tensor,
                               std::shared_ptr<const checkpoint::WeightFile> weights, std::vector<double> gain = {},
                               Numbers numbers = Numbers::finite);

/// SHA-256 of a tensor of the open model, in steps; kept for all studies, because hashing 154 MB takes a second.
Task<Expected<std::string>> hash_tensor(Inputs inputs, std::string name);

/// The singular directions of the chosen side, as rows, at most as many as the smaller dimension. An error is one sentence:
/// a tensor is missing or has another shape, a layer or head does not exist, a number is not finite.
Task<Expected<geometry::Singular>> singular_directions(MatrixChoice choice, Inputs inputs);

using Directions = std::shared_ptr<const geometry::Singular>;

/// The same, kept for all studies: another blur, k or partner costs no decomposition. An error where the matrix is zero,
/// whose directions are arbitrary.
Task<Expected<Directions>> known_directions(MatrixChoice choice, Inputs inputs);

}  // namespace helix::studies
