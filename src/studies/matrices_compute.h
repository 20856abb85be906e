// The matrices of a checkpoint whose singular directions studies compare: the tables of positions and tokens, and those
// of a layer, each with the directions of one of its sides.
#pragma once

#include <cstddef>
#include <map>
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

/// Hashes of tensors, cached as long as the file is the same: hashing 154 MB takes a second.
struct TensorHashes {
  std::shared_ptr<const checkpoint::WeightFile> of;
  std::map<std::string, std::string> by_name;
};
/// SHA-256 of an existing tensor, in steps. `weights` and `kept` outlive the task.
Task<Expected<std::string>> hash_tensor(std::shared_ptr<const checkpoint::WeightFile> weights, std::string name,
                                        TensorHashes* kept);

/// The singular directions of the chosen side, as rows, at most as many as the smaller dimension. An error is one sentence:
/// a tensor is missing or has another shape, a layer or head does not exist, a number is not finite.
Task<Expected<geometry::Singular>> singular_directions(MatrixChoice choice, Inputs inputs);

using Directions = std::shared_ptr<const geometry::Singular>;

/// Decompositions kept from run to run: another blur, k or partner costs none.
struct KnownDirections {
  struct Known {
    std::string key;  // the tensors' hashes and what was done to them
    Directions directions;
  };
  TensorHashes hashes;
  std::vector<Known> known;                // oldest first
  static constexpr std::size_t kMost = 8;  // of 768 × 768: 38 MB
};

/// The same from memory where it is known, and an error where the matrix is zero, whose directions are arbitrary; the tensors go into the provenance, once each. `kept` and `provenance` outlive
/// the task.
Task<Expected<Directions>> known_directions(MatrixChoice choice, Inputs inputs, KnownDirections* kept,
                                            protocol::Provenance* provenance);

}  // namespace helix::studies
