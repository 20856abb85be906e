#include "studies/claims/visits.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "state/fragment.h"

namespace helix::studies::claims {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

Pairs pairs_of(const std::string& fragment) {
  Pairs pairs;
  if (fragment.empty()) return pairs;
  for (const std::string& part : split(fragment, '&')) {
    const std::size_t at = std::min(part.find('='), part.size());
    pairs.emplace_back(part.substr(0, at), at < part.size() ? part.substr(at + 1) : "");
  }
  return pairs;
}

std::string fragment_of(const Pairs& pairs) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : pairs) parts.push_back(key + "=" + value);
  return join(parts, "&");
}

Visit visit(const ComputeStudy& study, const std::string& fragment) {
  state::AppState start;
  start.study = study.schema.id, start.params = defaults(study.schema);
  auto applied = state::apply_fragment(start, fragment, {study.schema});
  if (!applied) return {&study, fragment, start.params, start.subject, applied.error().sentence};
  return {&study, fragment, std::move(applied->state.params), std::move(applied->state.subject), ""};
}

/// Each claim's own setting first, then the presets. Studies of a text skip the presets, which have texts of their own.
std::vector<std::string> fragments_of(const StudySchema& schema, const Params& params) {
  std::vector<std::string> all;
  const auto add = [&](const std::string& fragment) {
    if (std::ranges::find(all, fragment) == all.end()) all.push_back(fragment);
  };
  for (const ClaimSpec& claim : schema.claims)
    if (is_asked_for(claim.id, params.only)) add(claim.fragment);
  if (params.presets && !all.empty() && !reads_prompt(schema.reads))
    for (const Preset& preset : schema.presets) add(preset.fragment);
  return all;
}

Expected<std::vector<Visit>> every_convention(const std::string& id) {
  for (const ComputeStudy& study : compute_studies()) {
    const ClaimSpec* claim = study.schema.claim(id);
    if (!claim) continue;
    if (claim->conventions.settings.empty())
      return Error{"The text of claim " + id + " leaves no convention open; choose another claim, or none."};
    std::vector<Visit> all;
    for (const std::string& fragment : combinations(claim->fragment, claim->conventions.settings))
      all.push_back(visit(study, fragment));
    return all;
  }
  return Error{"No study judges a claim " + in_quotes(id) + "; leave it empty to see all claims."};
}

/// "centred", "not: centred", "Rows 0", "queries (W_Q)".
std::string setting_words(const StudySchema& schema, const std::string& key, const std::string& value) {
  const ParamSpec* spec = schema.find(key);
  if (!spec) return key + " " + value;
  if (spec->type == ParamType::boolean) {
    std::string label = spec->label;
    if (!label.empty() && label[0] >= 'A' && label[0] <= 'Z') label[0] = static_cast<char>(label[0] - 'A' + 'a');
    return parse_bool(value).value_or(false) ? label : "not " + label;
  }
  for (const Choice& choice : spec->choices)
    if (choice.id == value) return choice.label;
  return spec->label + " " + value;
}

}  // namespace

std::vector<std::string> combinations(const std::string& fragment, const std::string& settings) {
  std::vector<Pairs> all{pairs_of(fragment)};
  for (const auto& [key, choices] : pairs_of(settings)) {
    std::vector<Pairs> next;
    for (const Pairs& so_far : all)
      for (const std::string& choice : split(choices, '|')) {
        Pairs one = so_far;
        const auto same = std::ranges::find(one, key, &Pairs::value_type::first);
        if (same == one.end())
          one.emplace_back(key, choice);
        else
          same->second = choice;
        next.push_back(std::move(one));
      }
    all = std::move(next);
  }
  std::vector<std::string> out;
  for (const Pairs& pairs : all) out.push_back(fragment_of(pairs));
  return out;
}

bool is_asked_for(std::string_view id, const std::string& only) {
  return only.empty() || id == only || id.starts_with(only + "-");
}

std::vector<std::string> settings_text(const StudySchema& schema, const std::vector<std::string>& fragments) {
  std::vector<Pairs> all;
  for (const std::string& fragment : fragments) all.push_back(pairs_of(fragment));
  const auto differs = [&](const Pairs::value_type& pair) {
    return std::ranges::any_of(all, [&](const Pairs& other) { return std::ranges::find(other, pair) == other.end(); });
  };
  std::vector<std::string> out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::vector<std::string> words;
    for (const auto& pair : all[i])
      if (differs(pair)) words.push_back(setting_words(schema, pair.first, pair.second));
    out.push_back(words.empty() ? fragments[i] : join(words, ", "));
  }
  return out;
}

Expected<std::vector<Visit>> visits_of(const Params& params) {
  if (!params.conventions.empty()) return every_convention(params.conventions);
  std::vector<Visit> all;
  for (const ComputeStudy& study : compute_studies())
    for (const std::string& fragment : fragments_of(study.schema, params)) all.push_back(visit(study, fragment));
  return all;
}

}  // namespace helix::studies::claims
