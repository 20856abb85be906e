// Interventions as values: read from the text that links and the command line share, checked against a model, and turned
// into what a forward pass does differently.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "checkpoint/config.h"
#include "model/forward.h"

namespace helix::model {

enum class EditKind {
  // the table of positions, in the order given, before anything runs
  group_positions,    // :g           rows 1..g, g+1..2g, … become their mean; row 0 is kept
  permute_positions,  // :seed[:3]    rows 1 .. are shuffled; with :3 only within each triple 1 2 3, 4 5 6, …
  shift_positions,    // :K           the token at i takes row i + K; a row beyond the table is an error
  zero_positions,     //              no positions at all
  replace_positions,  // :sinusoidal[:base]   scaled to the learned rows' mean norm
  rank_positions,     // :k           only the first k principal components are kept, and the mean
  // the pass
  zero_tokens,     //                     no word embeddings
  no_mask,         //                     every token sees every other
  group_residual,  // :L:g            rows 1..g, g+1..2g, … of the residual stream before layer L become their mean
  mask_previous,  // :layers:n[:after]   every n-th query cannot see the key before it: −∞ before the softmax, or 0 after
  set_score,      // :L.H:query:key:value    the masked score; the future stays masked
  move_attention,  // :L.H:query:from:to      raw score of `from` goes to `to`, and 0 to `from`
  scale_head,      // :L.H:factor         the head's z
  scale_attn,      // :L:factor           the whole layer's attention output, bias included
  ablate_head      // :L.H                the head's z becomes 0
};

/// One edit, read. Which fields mean something follows from the kind; layers and heads count from 0.
struct ParsedEdit {
  EditKind kind = EditKind::no_mask;
  std::size_t first_layer = 0, last_layer = 0;  // inclusive; equal where one layer is named
  std::size_t head = 0;
  std::vector<double> numbers;  // the others, in order
  bool flag = false;            // :after, :3
};

/// The forms, for a help text: "scale_head:L.H:factor".
std::vector<std::string> edit_forms();

/// An error says what is wrong and which form the edit has.
Expected<ParsedEdit> parse_edit(std::string_view spec);

/// Whether it changes the table of positions; those are the caller's to apply, see Interventions::positions.
bool edits_positions(EditKind kind);

/// What a pass of `n_tokens` does, from the edits that do not change the table of positions. An error names an edit that
/// does not fit the model or the prompt.
Expected<Interventions> interventions(const std::vector<std::pair<std::string, ParsedEdit>>& edits,
                                      const checkpoint::Config& config, std::size_t n_tokens);

}  // namespace helix::model
