#include "state/page_keys.h"

#include <algorithm>

#include "base/text.h"
#include "state/fragment.h"

namespace helix::state {
namespace {

KeyOutcome read_flag(bool& flag, const std::string& key, const std::string& value) {
  if (value != "0" && value != "1") return {true, key + " needs 0 or 1, not " + in_quotes(value)};
  flag = value == "1";
  return {};
}

KeyOutcome read_hide(Surroundings& page, const std::string& value) {
  if (const std::string others = unknown_parts(value); !others.empty())
    return {true, "hide does not know " + in_quotes(others)};
  page.hide.clear();  // a fragment replaces the list
  hide_known(page, value);
  return {};
}

}  // namespace

void hide_known(Surroundings& page, std::string_view parts) {
  const std::vector<std::string> named = split(parts, ','), before = page.hide;
  page.hide.clear();
  for (const std::string_view name : kHideNames)
    if (std::ranges::find(named, name) != named.end() || std::ranges::find(before, name) != before.end())
      page.hide.emplace_back(name);
}

std::string unknown_parts(std::string_view parts) {
  std::vector<std::string> found;
  for (const std::string& part : split(parts, ','))
    if (!part.empty() && index_of(kHideNames, part) < 0) found.push_back(part);
  return join(found, ",");
}

KeyOutcome read_page_key(AppState& state, const std::string& key, const std::string& value) {
  if (key == "v" || key == "study") return {};  // read before all others
  if (key == "lang") return {};                 // the page's alone, which adds it to its links
  if (key == "model") {
    state.model = value;
    return {};
  }
  if (key == "against") {
    state.against = value;
    return {};
  }
  if (key == "compare") {
    const int at = index_of(kCompareNames, value);
    if (at < 0) return {true, "compare needs beside, difference, other or none, not " + in_quotes(value)};
    state.compare = static_cast<Compare>(at);
    return {};
  }
  if (key == "lesson") {
    if (!value.empty() && !is_lesson_step(value))
      return {true, "lesson needs a name and a step, not " + in_quotes(value)};
    state.lesson = value;
    return {};
  }
  if (key == "seed") {
    const auto seed = parse_int(value);
    if (!seed || *seed < 0 || *seed > kLargestSeed)
      return {true,
              "seed needs a whole number from 0 to " + std::to_string(kLargestSeed) + ", not " + in_quotes(value)};
    state.seed = *seed;
    return {};
  }
  if (key == "predict") return read_flag(state.predict, key, value);
  if (key == "embed") return read_flag(state.page.embed, key, value);
  if (key == "present") return read_flag(state.page.present, key, value);
  if (key == "hide") return read_hide(state.page, value);
  if (key != "theme") return {false, ""};
  const int at = index_of(kThemeNames, value);
  if (at < 0) return {true, "theme does not know " + in_quotes(value)};
  state.theme = static_cast<Theme>(at);
  return {};
}

void write_page(const AppState& state, const AddPair& add) {
  if (state.theme != Theme::system) add("theme", kThemeNames[static_cast<std::size_t>(state.theme)]);
  if (!state.lesson.empty()) add("lesson", state.lesson);
  if (state.seed != 0) add("seed", std::to_string(state.seed));
  if (state.page.embed) add("embed", "1");
  if (state.page.present) add("present", "1");
  if (!state.page.hide.empty()) add("hide", join(state.page.hide, ","));
}

}  // namespace helix::state
