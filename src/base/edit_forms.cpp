#include "base/edit_forms.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "base/edits/form.h"
#include "base/text.h"
#include "base/words.h"

namespace helix {
namespace {

const EditForm* find_form(std::string_view spec) {
  const std::string_view name = spec.substr(0, spec.find(':'));
  const auto form = std::ranges::find(edit_forms(), name, &EditForm::name);
  return form == edit_forms().end() ? nullptr : &*form;
}

const EditForm& form_of(EditKind kind) { return edit_forms()[static_cast<std::size_t>(kind)]; }

/// The text of each field; nothing for a field that is left out.
using Captures = std::vector<std::optional<std::string_view>>;

/// Nothing if the text lacks the form's separators.
std::optional<Captures> texts_of(const EditForm& form, std::string_view spec) {
  Captures texts;
  spec.remove_prefix(form.name.size());
  for (std::size_t i = 0; i < form.fields.size(); ++i) {
    const EditField& field = form.fields[i];
    if (spec.empty() || spec.front() != field.before) {
      if (!field.optional) return std::nullopt;
      texts.emplace_back();
      continue;
    }
    spec.remove_prefix(1);
    const char next = i + 1 < form.fields.size() ? form.fields[i + 1].before : ':';
    const std::size_t end = std::min(spec.find_first_of(std::array{':', next, '\0'}.data()), spec.size());
    texts.emplace_back(spec.substr(0, end));
    spec.remove_prefix(end);
  }
  if (!spec.empty()) return std::nullopt;
  return texts;
}

std::optional<std::size_t> whole_number(std::string_view text) {
  const auto number = parse_int(text);
  if (!number || *number < 0) return std::nullopt;
  return static_cast<std::size_t>(*number);
}

std::optional<double> number_of(const EditField& field, std::string_view text) {
  if (field.endless && text == "-inf") return -std::numeric_limits<double>::infinity();
  std::optional<double> number;
  if (field.value == EditValue::real)
    number = parse_real(text);
  else if (const auto whole = whole_number(text))
    number = static_cast<double>(*whole);
  return number && *number >= field.min && *number <= field.max ? number : std::nullopt;
}

/// Whether a field's value is one of the edit's numbers.
bool is_number(EditValue value) {
  return value == EditValue::token || value == EditValue::row || value == EditValue::whole ||
         value == EditValue::real || value == EditValue::choice;
}

/// The place of a word among those of a choice.
std::optional<double> place_of(std::string_view word, std::string_view words) {
  for (double place = 0;; ++place) {
    const std::size_t end = words.find('|');
    if (words.substr(0, end) == word) return place;
    if (end == std::string_view::npos) return std::nullopt;
    words.remove_prefix(end + 1);
  }
}

bool read_field(const EditField& field, std::string_view text, ParsedEdit& edit) {
  switch (field.value) {
    case EditValue::layer:
    case EditValue::last_layer: {
      const auto layer = whole_number(text);
      if (field.value == EditValue::layer) edit.first_layer = layer.value_or(0);
      edit.last_layer = layer.value_or(0);
      return layer && edit.first_layer <= edit.last_layer;
    }
    case EditValue::head: {
      const auto head = whole_number(text);
      edit.head = head.value_or(0);
      return head.has_value();
    }
    case EditValue::token:
    case EditValue::row:
    case EditValue::whole:
    case EditValue::real:
    case EditValue::choice: {
      const auto number = field.value == EditValue::choice ? place_of(text, field.name) : number_of(field, text);
      edit.numbers.push_back(number.value_or(0));
      return number.has_value();
    }
    case EditValue::flag:
      edit.flag = true;
      return text == field.name;
    case EditValue::word:
      return text == field.name;
    case EditValue::hook:
      edit.hook = text;
      return !text.empty();
  }
  return false;
}

void replace(std::string& text, const std::string& what, std::string_view with) {
  if (const std::size_t at = text.find(what); at != std::string::npos) text.replace(at, what.size(), with);
}

/// A number as it is printed: with a minus sign, and ∞.
std::string printed(std::string_view number) {
  if (number == "-inf") return "−∞";
  return number.starts_with('-') ? "−" + std::string(number.substr(1)) : std::string(number);
}

}  // namespace

std::string_view value_name(EditValue value) {
  static constexpr std::array<std::string_view, 11> names{"layer", "last_layer", "head", "token",  "row", "whole",
                                                          "real",  "flag",       "word", "choice", "hook"};
  return names[static_cast<std::size_t>(value)];
}

const std::vector<EditForm>& edit_forms() {
  static const std::vector<EditForm> all = [] {
    std::vector<EditForm> made;
#define EDIT(id) made.push_back(forms::id()), made.back().kind = EditKind::id, made.back().name = #id;
#include "base/edits/edits.def"
#undef EDIT
    return made;
  }();
  return all;
}

std::string written(const EditForm& form) {
  std::string text(form.name);
  for (const EditField& field : form.fields) {
    const std::string part = field.before + std::string(field.name);
    text += field.optional ? "[" + part + "]" : part;
  }
  return text;
}

Expected<ParsedEdit> parse_edit(std::string_view spec) {
  const EditForm* form = find_form(spec);
  if (!form) {
    std::vector<std::string> names;
    for (const EditForm& each : edit_forms()) names.emplace_back(each.name);
    return Error{"There is no edit " + in_quotes(spec) + "; there are " + join(names, ", ") + "."};
  }
  const Error wrong{"The edit " + in_quotes(spec) + " does not have the form " + written(*form) + "."};
  const auto texts = texts_of(*form, spec);
  if (!texts) return wrong;
  ParsedEdit edit;
  edit.kind = form->kind;
  for (std::size_t i = 0; i < texts->size(); ++i)
    if (const auto& text = (*texts)[i]; text && !read_field(form->fields[i], *text, edit)) return wrong;
  return edit;
}

namespace {

/// A field's part of the label, in the language of the words. A space before it is not theirs.
std::string told_in_words(std::string_view told) {
  const std::size_t start = std::min(told.find_first_not_of(' '), told.size());
  return std::string(told.substr(0, start)) + in_words(told.substr(start));
}

}  // namespace

std::string edit_label(std::string_view spec) {
  if (!parse_edit(spec)) return std::string(spec);
  const EditForm& form = *find_form(spec);
  const auto texts = texts_of(form, spec);
  std::string label = in_words(form.told);
  for (std::size_t i = 0; i < texts->size(); ++i) {
    const EditField& field = form.fields[i];
    std::string told;
    if ((*texts)[i]) replace(told = told_in_words(field.told), "{}", printed(*(*texts)[i]));
    replace(label, "{" + std::string(field.name) + "}", told);
  }
  return label;
}

Expected<void> check_edit(std::string_view spec, const ParsedEdit& edit, const EditRoom& room, double shifted) {
  const auto refuse = [&](const std::string& why) { return Error{"The edit " + in_quotes(spec) + " " + why + "."}; };
  const auto beyond = [](double index, std::size_t count) { return count > 0 && index >= static_cast<double>(count); };
  const auto past = [&](const char* what, double index, const char* last, std::size_t count) {
    return refuse("names " + std::string(what) + " " + to_text(index) + ", but " + last + " " +
                  std::to_string(count - 1));
  };
  const auto layer = static_cast<double>(edit.last_layer), head = static_cast<double>(edit.head);
  if (beyond(layer, room.n_layer)) return past("layer", layer, "the last one is", room.n_layer);
  if (beyond(head, room.n_head)) return past("head", head, "the last one is", room.n_head);
  std::size_t at = 0;
  for (const EditField& field : form_of(edit.kind).fields) {
    if (!is_number(field.value) || at >= edit.numbers.size()) continue;
    const double value = edit.numbers[at++];
    if (field.value == EditValue::token && beyond(value, room.n_tokens))
      return past("position", value, "the last token is at", room.n_tokens);
    if (field.value == EditValue::row && beyond(value + shifted, room.n_ctx))
      return refuse("names row " + to_text(value) + ", but the last row of positions is " +
                    to_text(static_cast<double>(room.n_ctx) - shifted - 1));
  }
  shifted += rows_shifted(edit);
  if (const double last = shifted + static_cast<double>(room.n_tokens) - 1; beyond(last, room.n_ctx))
    return refuse("puts the last token at position " + to_text(last) + ", but this model's last position is " +
                  std::to_string(room.n_ctx - 1));
  return {};
}

std::string idle_note(std::string_view spec, const ParsedEdit& edit, const EditRoom& room) {
  const EditForm& form = form_of(edit.kind);
  return form.idle && form.idle(edit, room) ? "The edit " + in_quotes(spec) + " changes nothing." : "";
}

double rows_shifted(const ParsedEdit& edit) {
  const EditForm& form = form_of(edit.kind);
  return form.rows_shifted ? form.rows_shifted(edit) : 0;
}

bool from_other(const ParsedEdit& edit) { return form_of(edit.kind).from_other; }

std::vector<std::size_t> rows_of(const ParsedEdit& edit, std::size_t row, std::size_t count) {
  const EditForm& form = form_of(edit.kind);
  return form.rows_of ? form.rows_of(edit, row, count) : std::vector{row};
}

bool silences_head(const ParsedEdit& edit) {
  const EditForm& form = form_of(edit.kind);
  return form.silences_head && form.silences_head(edit);
}

}  // namespace helix
