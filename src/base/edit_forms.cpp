#include "base/edit_forms.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "base/text.h"

namespace helix {
namespace {

constexpr double kLargestBase = 1e9, kLargest = 1e30;

// Fields that several kinds have.
constexpr EditField kLayer{EditValue::layer, "layer", "Layer", "0"};
constexpr EditField kHead{.value = EditValue::head, .name = "head", .label = "Head", .start = "0", .before = '.'};
constexpr EditField kQuery{EditValue::token, "query", "Query position"};
constexpr EditField kFactor{
    .value = EditValue::real, .name = "factor", .label = "Factor", .start = "2", .min = -kLargest, .max = kLargest};
constexpr EditField kGroup{.value = EditValue::whole,
                           .name = "g",
                           .label = "Rows in a group",
                           .start = "10",
                           .min = 1,
                           .bound = Bound::last_position};

std::vector<EditForm> heads() {
  const char* group = "Heads";
  return {{EditKind::ablate_head,
           "ablate_head",
           group,
           "Switch a head off",
           "Sets the head's output to 0. Its attention pattern is still computed.",
           "Head {layer}.{head} off",
           {kLayer, kHead}},
          {EditKind::scale_head,
           "scale_head",
           group,
           "Scale a head",
           "Multiplies the head's output by a factor: 0 switches the head off, −1 reverses it.",
           "Head {layer}.{head} × {factor}",
           {kLayer, kHead, kFactor}},
          {EditKind::scale_attn,
           "scale_attn",
           group,
           "Scale all heads of a layer",
           "Multiplies the whole attention output of the layer, bias included, by a factor.",
           "Attention of layer {layer} × {factor}",
           {kLayer, kFactor}}};
}

std::vector<EditForm> scores() {
  const char* group = "Attention scores and mask";
  const EditField key{EditValue::token, "key", "Key position"}, from{EditValue::token, "from", "From key"},
      to{EditValue::token, "to", "To key"};
  const EditField value{.value = EditValue::real,
                        .name = "value",
                        .label = "Score",
                        .start = "-inf",
                        .min = -kLargest,
                        .max = kLargest,
                        .endless = true};
  const EditField last{.value = EditValue::last_layer,
                       .name = "last",
                       .label = "Last layer",
                       .start = "0",
                       .optional = true,
                       .before = '-',
                       .told = "–{}"};
  const EditField every{.value = EditValue::whole,
                        .name = "n",
                        .label = "Every … tokens",
                        .start = "1",
                        .min = 1,
                        .bound = Bound::last_position};
  const EditField after{.value = EditValue::flag,
                        .name = "after",
                        .label = "after the softmax: the rest of the row keeps its shares",
                        .optional = true,
                        .told = ", after the softmax"};
  return {{EditKind::set_score,
           "set_score",
           group,
           "Set one attention score",
           "Replaces the score of one query and one key before the softmax; −∞ keeps the query from seeing the key.",
           "Head {layer}.{head}: score {query} → {key} is {value}",
           {kLayer, kHead, kQuery, key, value}},
          {EditKind::move_attention,
           "move_attention",
           group,
           "Move attention to another key",
           "Gives the score that a query has for one key to another key, and 0 to the first, before the softmax.",
           "Head {layer}.{head}: query {query} attends to {to} instead of {from}",
           {kLayer, kHead, kQuery, from, to}},
          {EditKind::mask_previous,
           "mask_previous",
           group,
           "Hide the previous token",
           "In these layers every n-th token cannot attend to the token before it.",
           "Layer {layer}{last}: previous token hidden, every {n}{after}",
           {{.value = EditValue::layer, .name = "layer", .label = "First layer", .start = "0"}, last, every, after}},
          {EditKind::no_mask, "no_mask", group, "Let tokens see the future",
           "Removes the causal mask: every token can attend to every other, later ones included.", "No causal mask"}};
}

std::vector<EditForm> positions() {
  const char* group = "Positions";
  const EditField seed{.value = EditValue::whole, .name = "seed", .label = "Seed", .start = "1"};
  const EditField triples{.value = EditValue::flag,
                          .name = "3",
                          .label = "only within 1 2 3, 4 5 6, …",
                          .optional = true,
                          .told = " within threes"};
  const EditField by{
      .value = EditValue::whole, .name = "K", .label = "Rows", .start = "10", .bound = Bound::last_position};
  const EditField kept{.value = EditValue::whole,
                       .name = "k",
                       .label = "Components",
                       .start = "3",
                       .min = 1,
                       .bound = Bound::last_dimension};
  const EditField base{.value = EditValue::real,
                       .name = "base",
                       .label = "Base",
                       .start = "10000",
                       .min = 1.000001,
                       .max = kLargestBase,
                       .optional = true,
                       .told = ", base {}"};
  return {{EditKind::zero_positions, "zero_positions", group, "Remove positions",
           "Sets every row of the table of positions to 0, so that tokens carry no position.", "No positions"},
          {EditKind::shift_positions,
           "shift_positions",
           group,
           "Shift positions",
           "The token at position i takes row i + K of the table of positions.",
           "Positions shifted by {K}",
           {by}},
          {EditKind::permute_positions,
           "permute_positions",
           group,
           "Shuffle positions",
           "Shuffles the rows of the table of positions from row 1 on; the same seed gives the same order.",
           "Positions shuffled{3}, seed {seed}",
           {seed, triples}},
          {EditKind::group_positions,
           "group_positions",
           group,
           "Average neighbouring positions",
           "Replaces rows 1 to g, g + 1 to 2g and so on of the table by their mean; row 0 is kept.",
           "Positions averaged in groups of {g}",
           {kGroup}},
          {EditKind::rank_positions,
           "rank_positions",
           group,
           "Keep few components of the positions",
           "Keeps the mean of the table of positions and its first k principal components.",
           "Positions: {k} components kept",
           {kept}},
          {EditKind::replace_positions,
           "replace_positions",
           group,
           "Use sinusoidal positions",
           "Replaces the learned rows by sines and cosines, scaled to the mean norm of the learned rows.",
           "Sinusoidal positions{base}",
           {{EditValue::word, "sinusoidal"}, base}}};
}

std::vector<EditForm> streams() {
  const char* group = "Embeddings and residual stream";
  return {{EditKind::zero_tokens, "zero_tokens", group, "Remove token embeddings",
           "Sets every token embedding to 0: the model sees positions alone.", "No token embeddings"},
          {EditKind::group_residual,
           "group_residual",
           group,
           "Average the residual stream",
           "Before the layer, rows 1 to g, g + 1 to 2g and so on of the residual stream become their mean; row 0 is "
           "kept.",
           "Residual stream before layer {layer} averaged in groups of {g}",
           {kLayer, kGroup}}};
}

const EditForm* find_form(std::string_view spec) {
  const std::string_view name = spec.substr(0, spec.find(':'));
  const auto form = std::ranges::find(edit_forms(), name, &EditForm::name);
  return form == edit_forms().end() ? nullptr : &*form;
}

/// The text of each field; nothing for a field that is left out.
using Texts = std::vector<std::optional<std::string_view>>;

/// Nothing if the text lacks the form's separators.
std::optional<Texts> texts_of(const EditForm& form, std::string_view spec) {
  Texts texts;
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
    case EditValue::whole:
    case EditValue::real: {
      const auto number = number_of(field, text);
      edit.numbers.push_back(number.value_or(0));
      return number.has_value();
    }
    case EditValue::flag:
      edit.flag = true;
      return text == field.name;
    case EditValue::word:
      return text == field.name;
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
  static constexpr std::array<std::string_view, 8> names{"layer", "last_layer", "head", "token",
                                                         "whole", "real",       "flag", "word"};
  return names[static_cast<std::size_t>(value)];
}

const std::vector<EditForm>& edit_forms() {
  static const std::vector<EditForm> all = [] {
    std::vector<EditForm> forms;
    for (const auto& some : {heads(), scores(), positions(), streams()})
      forms.insert(forms.end(), some.begin(), some.end());
    return forms;
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

std::string edit_label(std::string_view spec) {
  if (!parse_edit(spec)) return std::string(spec);
  const EditForm& form = *find_form(spec);
  const auto texts = texts_of(form, spec);
  std::string label(form.told);
  for (std::size_t i = 0; i < texts->size(); ++i) {
    const EditField& field = form.fields[i];
    std::string told;
    if ((*texts)[i]) replace(told = field.told, "{}", printed(*(*texts)[i]));
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
  for (const EditField& field : find_form(spec)->fields) {
    const bool number =
        field.value == EditValue::token || field.value == EditValue::whole || field.value == EditValue::real;
    if (!number || at >= edit.numbers.size()) continue;
    const double value = edit.numbers[at++];
    if (field.value == EditValue::token && beyond(value, room.n_tokens))
      return past("position", value, "the last token is at", room.n_tokens);
  }
  if (edit.kind == EditKind::shift_positions) shifted += edit.numbers[0];
  if (const double last = shifted + static_cast<double>(room.n_tokens) - 1; beyond(last, room.n_ctx))
    return refuse("puts the last token at position " + to_text(last) + ", but this model's last position is " +
                  std::to_string(room.n_ctx - 1));
  return {};
}

bool edits_positions(EditKind kind) { return kind <= EditKind::rank_positions; }

bool silences_head(const ParsedEdit& edit) {
  return edit.kind == EditKind::ablate_head || (edit.kind == EditKind::scale_head && edit.numbers[0] == 0);
}

}  // namespace helix
