// Parameters shared by studies of one matrix of a checkpoint: which matrix, and its preprocessing.
#pragma once

#include <vector>

#include "base/fields.h"

namespace helix::studies {

/// o is attn.c_proj, fc is mlp.c_fc, mlp is mlp.c_proj.
enum class MatrixId { wpe, wte, q, k, v, o, fc, mlp };

/// In the order of MatrixId.
inline std::vector<const char*> matrix_choices() { return {"wpe", "wte", "q", "k", "v", "o", "fc", "mlp"}; }

template <class V, class Number>
void layer_and_head_fields(V&& v, Number& layer, Number& head) {
  v(Field{"layer", "layer"}, layer, Whole{0, 999, Bound::last_layer});
  v(Field{"head", "head"}, head, Whole{-1, 999, Bound::last_head});
}

template <class V, class Switch>
void gain_and_centre_fields(V&& v, Switch& gain, Switch& centre) {
  v(Field{"gain"}, gain);
  v(Field{"centre"}, centre);
}

}  // namespace helix::studies
