// The kinds of edits, each declared once. The parser, the page's form and the command line's list are all made from the
// declaration. What an edit does is in model/edits and studies/positions_compute.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "base/schema.h"

namespace helix {

enum class EditKind {
  // the table of positions, in the order given, before anything runs
  group_positions,
  permute_positions,
  shift_positions,
  zero_positions,
  replace_positions,
  rank_positions,
  // the pass
  zero_tokens,
  no_mask,
  group_residual,
  mask_previous,
  set_score,
  move_attention,
  scale_head,
  scale_attn,
  ablate_head
};

/// What a field holds. token: a position of the prompt. flag: the field's name, or nothing. word: its name, always.
enum class EditValue { layer, last_layer, head, token, whole, real, flag, word };
std::string_view value_name(EditValue value);

/// A part of an edit's text, and a control of its form.
struct EditField {
  EditValue value;
  std::string_view name;             // in the written form: "query"; of a flag or a word, the text itself
  std::string_view label{};          // of its control
  std::string_view start{};          // the control's first value, if within the open model's bounds
  double min = 0, max = 2147483647;  // whole, real
  Bound bound = Bound::none;         // whole: the upper end of the control in the open model
  bool optional = false;             // may be left out, together with its separator
  bool endless = false;              // real: −∞ is a value, too
  char before = ':';                 // what separates it from what comes earlier
  std::string_view told{"{}"};       // what it adds to the label; {} is its value
};

struct EditForm {
  EditKind kind;
  std::string_view name, group;
  std::string_view label;     // "Switch a head off"
  std::string_view sentence;  // what it does
  std::string_view told;      // the label of one edit: "Head {layer}.{head} off"
  std::vector<EditField> fields{};
};

/// All kinds, those of a group together.
const std::vector<EditForm>& edit_forms();

/// "scale_head:layer.head:factor"; what may be left out stands in brackets.
std::string written(const EditForm& form);

/// One edit, read. Which members mean something follows from the kind; layers and heads count from 0.
struct ParsedEdit {
  EditKind kind = EditKind::no_mask;
  std::size_t first_layer = 0, last_layer = 0;  // inclusive; equal where one layer is named
  std::size_t head = 0;
  std::vector<double> numbers;  // the others, in order
  bool flag = false;
};

/// An error says what is wrong and which form the edit has.
Expected<ParsedEdit> parse_edit(std::string_view spec);

/// An edit's label: "Head 4.11 off". The text itself if it is not an edit.
std::string edit_label(std::string_view spec);

/// What edits must fit into; 0: not known yet.
struct EditRoom {
  std::size_t n_layer = 0, n_head = 0, n_ctx = 0, n_tokens = 0;
};

/// An error names the part of the edit that does not fit the model or the prompt. `shifted`: by the edits before it.
Expected<void> check_edit(std::string_view spec, const ParsedEdit& edit, const EditRoom& room, double shifted = 0);

/// Whether it changes the table of positions.
bool edits_positions(EditKind kind);
/// Whether it sets a head's whole output to 0.
bool silences_head(const ParsedEdit& edit);

}  // namespace helix
