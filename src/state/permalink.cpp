#include "state/permalink.h"

#include <utility>

#include "state/fragment.h"
#include "state/page_keys.h"
#include "state/subject_keys.h"
#include "state/view_keys.h"

namespace helix::state {
namespace {

Decoded fall_back(const std::vector<StudySchema>& schemas, std::string why) {
  return {
      default_state(schemas), {"This link could not be read: " + std::move(why) + ". Showing the default view."}, true};
}

}  // namespace

AppState default_state(const std::vector<StudySchema>& schemas) {
  AppState state;
  if (schemas.empty()) return state;
  state.study = schemas.front().id;
  state.params = defaults(schemas.front());
  return state;
}

std::string encode(const AppState& state, const std::vector<StudySchema>& schemas) {
  std::string out = "#v=" + std::to_string(kLinkVersion) + "&model=" + percent_encode(state.model) +
                    "&study=" + percent_encode(state.study);
  const auto add = [&](const std::string& key, std::string_view value) {
    out += "&" + percent_encode(key) + "=" + percent_encode(value);
  };
  if (const StudySchema* study = find_study(schemas, state.study))
    for (const auto& [key, value] : state.params)
      if (const ParamSpec* spec = study->find(key); spec && value != spec->default_text)
        add(study->id + "." + key, value);
  write_subject(state.subject, add);
  if (state.predict) add("predict", "1");
  write_view(state.view, add);
  if (state.compare != Compare::none) add("compare", kCompareNames[static_cast<std::size_t>(state.compare)]);
  if (!state.against.empty()) add("against", state.against);
  write_page(state, add);
  for (const auto& [key, value] : state.unknown) add(key, value);
  return out;
}

std::string short_link(const AppState& state) {
  if (state.lesson.empty()) return {};
  std::string out = "#v=" + std::to_string(kLinkVersion);
  write_page(state,
             [&](const std::string& key, std::string_view value) { out += "&" + key + "=" + percent_encode(value); });
  return out;
}

Decoded decode(std::string_view hash, const std::vector<StudySchema>& schemas) {
  if (hash.starts_with('#')) hash.remove_prefix(1);
  if (hash.empty()) return {default_state(schemas), {}, false};
  const auto pairs = split_link(hash);
  if (!pairs) return fall_back(schemas, pairs.error().sentence);
  if (!first_value(*pairs, "v")) return fall_back(schemas, "it has no version (v=1)");
  auto applied = apply_pairs(default_state(schemas), *pairs, Form::link, schemas);
  if (!applied) return fall_back(schemas, applied.error().sentence);
  return {std::move(applied->state), std::move(applied->notices), false};
}

}  // namespace helix::state
