// What an edit does, by where it acts, and what several kinds have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "base/edit_forms.h"
#include "base/expected.h"
#include "base/matrix.h"
#include "base/task.h"
#include "checkpoint/config.h"
#include "model/edits.h"
#include "model/hooks.h"
#include "model/network.h"

namespace helix::model {

/// On the table of positions, before anything runs: rows [position, d_model], which may become fewer.
struct OnPositions {
  Task<Matrix<double>> (*change)(Matrix<double> rows, ParsedEdit edit);
};

/// On the mask: every token sees every other.
struct WithoutMask {};

/// On the biases b_Q, b_K and b_V of the edit's layer, side by side [3·d_model].
struct OnBiases {
  void (*change)(const ParsedEdit& edit, std::span<float> biases);
};

/// On the values of a pass.
struct Change {
  std::vector<Tap> taps;
  bool looks_ahead = false;  // rows also depend on later ones
  std::size_t frozen = 0;    // only so many tokens have the values that are put in; 0: all
};
struct InPass {
  Change (*change)(const ParsedEdit& edit, const checkpoint::Config& config);
};

/// On the values of a pass, by what another run of the same network gives.
struct FromRun {
  /// Tokens of that run; an error if they are not known. Their embeddings have been read when `change` is called.
  Expected<std::vector<std::int32_t>> (*tokens)(const ParsedEdit& edit, const EditedText& text);
  Task<Expected<Change>> (*change)(ParsedEdit edit, std::shared_ptr<Network> network, EditedText text);
};

using Effect = std::variant<OnPositions, WithoutMask, OnBiases, InPass, FromRun>;

namespace effects {

// The effect of each kind.
#define EDIT(name) Effect name();
#include "base/edits/edits.def"
#undef EDIT

inline void scale(MatrixView<float> rows, std::size_t from, std::size_t count, float factor) {
  for (std::size_t i = 0; i < rows.rows; ++i)
    for (float& value : rows.row(i).subspan(from, count)) value *= factor;
}

/// Multiplies what a head passes on.
inline Tap scaled_head(const ParsedEdit& edit, const checkpoint::Config& config, float factor) {
  return {{HookKind::z, edit.first_layer}, [head = edit.head, d_head = config.d_head, factor](const Chunk& chunk) {
            scale(chunk.rows, head * d_head, d_head, factor);
          }};
}

/// Calls `change(row)` if the chunk holds the row of this query.
template <class ChangeRow>
void at_query(const Chunk& chunk, std::size_t query, ChangeRow change) {
  if (query >= chunk.first && query < chunk.first + chunk.rows.rows) change(chunk.rows.row(query - chunk.first));
}

/// Changes the scores of one query of the edit's head, after the mask: `change(row)`, a row being [key].
template <class ChangeRow>
Tap at_scores(const ParsedEdit& edit, std::size_t query, ChangeRow change) {
  return {{HookKind::scores, edit.first_layer}, [=](const Chunk& chunk) { at_query(chunk, query, change); }, edit.head};
}

/// Tokens that a run needs besides those of the text: none.
inline Expected<std::vector<std::int32_t>> no_tokens(const ParsedEdit&, const EditedText&) {
  return std::vector<std::int32_t>();
}

}  // namespace effects
}  // namespace helix::model
