#include "app/opening.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "state/fragment.h"
#include "state/link_text.h"

namespace helix::app {
namespace {

/// What the study's first preset says of a parameter; empty where it says nothing.
std::string first_value(const StudySchema& study, std::string_view key) {
  if (study.presets.empty()) return {};
  const auto pairs = state::split_link(study.presets.front().fragment);
  const std::string* value = pairs ? state::first_value(*pairs, key) : nullptr;
  return value ? *value : "";
}

/// Another study's defaults with the head that was chosen in the study before; nothing where not both are about a single
/// head, or the visitor has not chosen the one that is there.
std::optional<ParamValues> carried_head(const StudySchema& from, const ParamValues& values, const StudySchema& to) {
  ParamValues out = defaults(to);
  const std::array<std::pair<const char*, Bound>, 2> parts{{{"layer", Bound::last_layer}, {"head", Bound::last_head}}};
  const auto has = [&](const StudySchema& schema, const auto& part) {
    const ParamSpec* spec = schema.find(part.first);
    return spec && spec->type == ParamType::integer && spec->bound == part.second;
  };
  ParamValues chosen;
  for (const auto& part : parts) {
    const std::string* value = find_value(values, part.first);
    if (!has(from, part) || !has(to, part) || !value || value->starts_with("-")) return {};
    chosen.emplace_back(part.first, *value);
  }
  if (std::ranges::all_of(chosen, [&](const auto& c) { return c.second == from.find(c.first)->default_text; }) ||
      std::ranges::all_of(chosen, [&](const auto& c) { return c.second == first_value(from, c.first); }))
    return {};
  for (const auto& [key, value] : chosen)
    if (!set_value(to, out, key, value, false)) return {};
  return out;
}

/// Whether two subjects have the same text and the same edits.
bool same_text_and_edits(const Subject& a, const Subject& b) {
  return a.prompt == b.prompt && a.tokens == b.tokens && a.bos == b.bos && a.edits == b.edits;
}

bool has_text(const Subject& subject) {
  return subject.prompt != kDefaultPrompt || !subject.tokens.empty() || !subject.edits.empty();
}

/// Whether a preset of this study has put the text and the edits there.
bool is_of_preset(const state::AppState& state, const StudySchema& study, const std::vector<StudySchema>& schemas) {
  return std::ranges::any_of(study.presets, [&](const Preset& preset) {
    const auto there = state::apply_fragment(state, preset.fragment, schemas, state::From::start);
    return there && same_text_and_edits(there->state.subject, state.subject);
  });
}

/// The state with the default text, without edits.
state::AppState with_default_text(state::AppState state, const std::vector<StudySchema>& schemas) {
  const Subject start = state::default_state(schemas).subject;
  state.subject.prompt = start.prompt, state.subject.tokens = start.tokens, state.subject.bos = start.bos;
  state.subject.edits = start.edits;
  return state;
}

/// The fragment without the keys of the subject.
std::string without_subject(std::string_view fragment) {
  std::string out;
  const auto pairs = state::split_link(fragment);
  if (!pairs) return out;
  for (const auto& [key, value] : *pairs)
    if (key != "prompt" && key != "tokens" && key != "bos" && key != "edit")
      out += (out.empty() ? "" : "&") + key + "=" + state::percent_encode(value);
  return out;
}

}  // namespace

state::AppState opened(const state::AppState& from, const StudySchema& study, const std::vector<StudySchema>& schemas) {
  state::AppState out = from;
  out.study = study.id;
  out.params = defaults(study);
  out.view = ViewState();
  if (study.text_tokens.empty()) out.predict = false;
  const StudySchema* before = state::find_study(schemas, from.study);
  if (!before || before->id == study.id) return out;
  if (auto head = carried_head(*before, from.params, study)) {
    out.params = std::move(*head);
    return out;
  }
  if (from.compare != state::Compare::none) return out;
  const bool given = has_text(from.subject) && is_of_preset(from, *before, schemas);
  if (given) out = with_default_text(std::move(out), schemas);
  if (study.presets.empty()) return out;
  const std::string& fragment = study.presets.front().fragment;
  const auto shown = state::apply_fragment(out, has_text(out.subject) ? without_subject(fragment) : fragment, schemas);
  return shown ? shown->state : out;
}

}  // namespace helix::app
