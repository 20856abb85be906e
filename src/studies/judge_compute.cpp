#include "studies/judge_compute.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "state/fragment.h"

namespace helix::studies {
namespace {

/// "norm=once|twice&centre=1|0" leaves norm and centre open.
bool leaves_open(const Conventions& conventions, const std::string& key) {
  if (conventions.settings.empty()) return false;
  return std::ranges::any_of(split(conventions.settings, '&'),
                             [&](const std::string& part) { return part.starts_with(key + "="); });
}

/// Whether what ran is what the claim's fragment asks for. The text counts where the study reads one.
bool is_setting_of(const ClaimSpec& claim, const StudySchema& schema, const Subject& subject,
                   const ParamValues& params) {
  state::AppState start;
  start.study = schema.id, start.params = defaults(schema);
  const auto asked = state::apply_fragment(start, claim.fragment, {schema});
  if (!asked) return false;
  for (const auto& [key, value] : asked->state.params) {
    const std::string* here = find_value(params, key);
    if (here && *here != value && !leaves_open(claim.conventions, key)) return false;
  }
  if (!reads_prompt(schema.reads)) return true;
  const Subject& text = asked->state.subject;
  return text.prompt == subject.prompt && text.tokens == subject.tokens && text.bos == subject.bos &&
         std::ranges::none_of(subject.edits, &Edit::on);
}

}  // namespace

std::vector<std::string> numbers_of(const ClaimSpec& claim) {
  if (claim.conventions.number.empty()) return {};
  return split(claim.conventions.number, '|');
}

bool is_stated(const ClaimSpec& claim, double here) {
  return claim.stated && std::abs(here - *claim.stated) <= claim.conventions.within;
}

protocol::Claim compare_with_stated(const ClaimSpec& claim, double here, std::string convention) {
  protocol::Claim judged{claim.id, std::nullopt, std::nullopt, {}, std::move(convention)};
  if (!std::isfinite(here)) return judged;
  judged.here = here, judged.holds = is_stated(claim, here);
  return judged;
}

void judge_stated(const StudySchema& schema, const Subject& subject, protocol::Result& result) {
  if (!result.complete) return;
  for (const ClaimSpec& claim : schema.claims) {
    const std::vector<std::string> numbers = numbers_of(claim);
    const bool declared = claim.stated && claim.conventions.within > 0 && !numbers.empty();
    const bool judged = std::ranges::find(result.claims, claim.id, &protocol::Claim::id) != result.claims.end();
    if (!declared || judged || !is_setting_of(claim, schema, subject, result.params)) continue;
    const protocol::Scalar* number = result.scalar(numbers.front());
    if (number) result.claims.push_back(compare_with_stated(claim, number->value, result.provenance.convention));
  }
}

}  // namespace helix::studies
