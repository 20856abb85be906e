// The kinds of edits, one declaration each (base/edits). The parser, the page's form and the command line's list are made
// from it. What an edit does is in model/edits.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "base/schema.h"

namespace helix {

/// One for each line of edits.def.
enum class EditKind {
#define EDIT(name) name,
#include "base/edits/edits.def"
#undef EDIT
};

/// What a field holds. token: a position of the prompt. row: one of the table of positions. flag: the field's name, or
/// nothing. word: always the field's name. choice: one of the words that make up its name, as in "q|k"; its number is
/// the word's place. hook: the name of a place in the pass, which the model checks.
enum class EditValue { layer, last_layer, head, token, row, whole, real, flag, word, choice, hook };
std::string_view value_name(EditValue value);

/// A part of an edit's text, and a control of its form.
struct EditField {
  EditValue value;
  std::string_view name;             // in the written form: "query"; for a flag or a word, the text itself
  std::string_view label{};          // of its control
  std::string_view start{};          // the control's initial value, if within the open model's bounds
  double min = 0, max = 2147483647;  // whole, real
  Bound bound = Bound::none;         // whole: the upper end of the control in the open model
  bool optional = false;             // may be left out, together with its separator
  bool endless = false;              // real: −∞ is allowed
  char before = ':';                 // its separator from the previous field
  std::string_view told{"{}"};       // its part of the edit's label; {} stands for its value
};

/// A parsed edit. Its kind says which members are used; layers and heads count from 0.
struct ParsedEdit {
  EditKind kind{};
  std::size_t first_layer = 0, last_layer = 0;  // inclusive; equal where one layer is named
  std::size_t head = 0;
  std::vector<double> numbers;  // the other fields' values, in order
  bool flag = false;
  std::string hook{};

  /// One of the numbers, unless its field is real.
  std::size_t index(std::size_t i) const { return static_cast<std::size_t>(numbers[i]); }
};

/// The sizes that edits must fit; 0: not known yet.
struct EditRoom {
  std::size_t n_layer = 0, n_head = 0, n_ctx = 0, n_tokens = 0;
};

/// A kind of edit. What it does is in model/edits.
struct EditForm {
  EditKind kind{};  // this and the name: from edits.def
  std::string_view name{}, group{};
  std::string_view label{};     // "Switch a head off"
  std::string_view sentence{};  // what the edit does
  std::string_view told{};      // the label of one edit: "Head {layer}.{head} off"
  std::vector<EditField> fields{};
  /// How many rows it shifts the positions by; null: none.
  double (*rows_shifted)(const ParsedEdit&) = nullptr;
  /// Whether it sets a head's whole output to 0; null: never.
  bool (*silences_head)(const ParsedEdit&) = nullptr;
  /// The rows of the table before it whose mean is this row after it, of so many rows; null: the row itself.
  std::vector<std::size_t> (*rows_of)(const ParsedEdit&, std::size_t row, std::size_t count) = nullptr;
  /// It takes values from the other side of a comparison.
  bool from_other = false;
  /// Whether it changes no number of any run in this room; null: never.
  bool (*idle)(const ParsedEdit&, const EditRoom&) = nullptr;
};

/// All kinds, those of a group together.
const std::vector<EditForm>& edit_forms();

/// "scale_head:layer.head:factor"; what may be left out stands in brackets.
std::string written(const EditForm& form);

/// An error says what is wrong and gives the form of the edit.
Expected<ParsedEdit> parse_edit(std::string_view spec);

/// The label that a reader sees: "Head 4.11 off"; the text itself if it is not an edit.
std::string edit_label(std::string_view spec);

/// An error names the part of the edit that does not fit the model or the prompt. `shifted`: how far earlier edits have
/// shifted the positions.
Expected<void> check_edit(std::string_view spec, const ParsedEdit& edit, const EditRoom& room, double shifted = 0);

/// "The edit “shift_positions:0” changes nothing."; empty if it may change something.
std::string idle_note(std::string_view spec, const ParsedEdit& edit, const EditRoom& room);
/// By how many rows it shifts the positions.
double rows_shifted(const ParsedEdit& edit);
/// Whether it sets a head's whole output to 0.
bool silences_head(const ParsedEdit& edit);
/// Whether it takes values from the other side of a comparison.
bool from_other(const ParsedEdit& edit);
/// The rows of the table of positions, of so many, whose mean is the row after the edit.
std::vector<std::size_t> rows_of(const ParsedEdit& edit, std::size_t row, std::size_t count);

}  // namespace helix
