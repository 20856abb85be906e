// Parameters shared by studies of one matrix of a checkpoint: which matrix, and its preprocessing.
#pragma once

#include <vector>

#include "base/fields.h"

namespace helix::studies {

/// o is attn.c_proj, fc is mlp.c_fc, mlp is mlp.c_proj.
enum class MatrixId { wpe, wte, q, k, v, o, fc, mlp };

/// In the order of MatrixId.
inline std::vector<Choice> matrix_choices() {
  return {{"wpe", "positions (wpe)"}, {"wte", "tokens (wte)"},         {"q", "queries (W_Q)"}, {"k", "keys (W_K)"},
          {"v", "values (W_V)"},      {"o", "attention output (W_O)"}, {"fc", "MLP input"},    {"mlp", "MLP output"}};
}

template <class V, class Number>
void layer_and_head_fields(V&& v, Number& layer, Number& head) {
  v(Field{"layer", "Layer", "Of a weight matrix, counted from 0.", "layer"}, layer, Whole{0, 999, Bound::last_layer});
  v(Field{"head", "Head", "Only this head's part of W_Q, W_K, W_V and W_O; −1: all heads.", "head"}, head,
    Whole{-1, 999, Bound::last_head});
}

template <class V, class Switch>
void gain_and_centre_fields(V&& v, Switch& gain, Switch& centre) {
  v(Field{"gain", "Fold the LayerNorm gain",
          "Multiply the inputs of W_Q, W_K, W_V (ln_1), the MLP (ln_2) and wte as output head (ln_f) by the gain in "
          "front of them."},
    gain);
  v(Field{"centre", "Centred",
          "Subtract the mean row from embeddings; remove the all-ones direction from weights, as a LayerNorm does."},
    centre);
}

}  // namespace helix::studies
