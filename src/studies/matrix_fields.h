// Parameters shared by studies of one matrix of a checkpoint: which matrix, and its preprocessing.
#pragma once

#include <initializer_list>

#include "base/fields.h"

namespace helix::studies {

/// o is attn.c_proj, fc is mlp.c_fc, mlp is mlp.c_proj.
enum class MatrixId { wpe, wte, q, k, v, o, fc, mlp };

/// In the order of MatrixId.
inline constexpr std::initializer_list<const char*> kMatrixChoices = {"wpe", "wte", "q", "k", "v", "o", "fc", "mlp"};

inline void layer_and_head_fields(ParamVisitor& v, int& layer, int& head) {
  v(Field{"layer", "layer"}, layer, Whole{0, 999, Bound::last_layer});
  v(Field{"head", "head"}, head, Whole{-1, 999, Bound::last_head});
}

inline void gain_and_centre_fields(ParamVisitor& v, bool& gain, bool& centre) {
  v(Field{"gain"}, gain);
  v(Field{"centre"}, centre);
}

}  // namespace helix::studies
