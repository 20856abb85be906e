// The places of a forward pass where values can be read and changed: TransformerLens' names, so that papers, notebooks
// and this program mean the same tensors. Weights are unprocessed (no folding, no centring), and there is no batch
// axis.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "base/matrix.h"

namespace helix::model {

/// In the order of the pass. Shapes: [pos, d_model] where nothing else is said.
enum class HookKind {
  embed,            // hook_embed
  pos_embed,        // hook_pos_embed
  resid_pre,        // blocks.L.hook_resid_pre
  ln1_scale,        // blocks.L.ln1.hook_scale [pos, 1]
  ln1_normalized,   // blocks.L.ln1.hook_normalized, before ·w+b
  q,                // blocks.L.attn.hook_q [pos, head, d_head]
  k,                // blocks.L.attn.hook_k [pos, head, d_head]
  v,                // blocks.L.attn.hook_v [pos, head, d_head]
  scores_raw,       // blocks.L.attn.hook_scores_raw [head, query, key]: ours, q·k/√d_head before the mask
  scores,           // blocks.L.attn.hook_attn_scores [head, query, key]: after the mask
  pattern,          // blocks.L.attn.hook_pattern [head, query, key]: after the softmax
  z,                // blocks.L.attn.hook_z [pos, head, d_head]
  result,           // blocks.L.attn.hook_result [pos, head, d_model]: what each head adds, without the bias
  attn_out,         // blocks.L.hook_attn_out
  resid_mid,        // blocks.L.hook_resid_mid
  ln2_scale,        // blocks.L.ln2.hook_scale [pos, 1]
  ln2_normalized,   // blocks.L.ln2.hook_normalized
  mlp_pre,          // blocks.L.mlp.hook_pre [pos, d_mlp]
  mlp_post,         // blocks.L.mlp.hook_post [pos, d_mlp]
  mlp_out,          // blocks.L.hook_mlp_out
  resid_post,       // blocks.L.hook_resid_post
  final_scale,      // ln_final.hook_scale [pos, 1]
  final_normalized  // ln_final.hook_normalized
};

/// One place. `layer` counts from 0; 0 too where a kind belongs to no layer.
struct Hook {
  HookKind kind = HookKind::embed;
  std::size_t layer = 0;
  bool operator==(const Hook&) const = default;
};

/// Whether a kind occurs once in every layer.
bool in_layers(HookKind kind);
/// Whether a kind has one [query, key] matrix a head.
bool has_heads_apart(HookKind kind);

/// "blocks.4.attn.hook_pattern".
std::string hook_name(Hook hook);
/// An error for an unknown name, or a layer the model does not have.
Expected<Hook> parse_hook(std::string_view name, std::size_t n_layer);
/// All of them, in the order of the pass.
std::vector<Hook> all_hooks(std::size_t n_layer);

/// Part of the values at a hook: `rows` are the positions (queries) first, first+1, … and hold all of their numbers;
/// they may be changed. Scores and patterns come head by head, some queries at a time: there `head` says which, and a
/// row is [key]; all others are whole, heads side by side in a row.
struct Chunk {
  Hook hook;
  std::size_t head = 0;
  std::size_t first = 0;
  MatrixView<float> rows;
};

/// Reads the values at a hook, or changes them.
struct Tap {
  Hook hook;
  std::function<void(const Chunk&)> see;
  std::optional<std::size_t> head = std::nullopt;  // only this head, at hooks that come head by head
  /// Of a tap that changes values: names the change, so that what is kept of a pass serves the passes with equal keys.
  /// A change without a name is made anew each time; a tap that only reads needs none.
  std::string key{};
};

}  // namespace helix::model
