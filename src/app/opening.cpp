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

/// Whether a preset's text would take the place of something that the visitor has made.
bool has_own_text(const Subject& subject) {
  return subject.prompt != kDefaultPrompt || !subject.tokens.empty() || !subject.edits.empty();
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
  const StudySchema* before = state::find_study(schemas, from.study);
  if (!before || before->id == study.id) return out;
  if (auto head = carried_head(*before, from.params, study)) {
    out.params = std::move(*head);
    return out;
  }
  if (study.presets.empty() || from.compare != state::Compare::none) return out;
  const std::string& fragment = study.presets.front().fragment;
  const auto shown =
      state::apply_fragment(out, has_own_text(from.subject) ? without_subject(fragment) : fragment, schemas);
  return shown ? shown->state : out;
}

}  // namespace helix::app
