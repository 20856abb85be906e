#include "studies/judge_compute.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "protocol/result.h"
#include "state/fragment.h"

namespace helix::studies {
namespace {

/// "norm=once|twice&centre=1|0" leaves norm open between once and twice, and centre between true and false. `value` is as
/// parameters are written, the alternatives are as links write them.
bool leaves_open(const Conventions& conventions, const StudySchema& schema, const std::string& key,
                 const std::string& value) {
  if (conventions.settings.empty()) return false;
  const auto is_value = [&](const std::string& alternative) {
    state::AppState start;
    start.study = schema.id, start.params = defaults(schema);
    const auto asked = state::apply_fragment(start, key + "=" + alternative, {schema});
    const std::string* written = asked ? find_value(asked->state.params, key) : nullptr;
    return written && *written == value;
  };
  return std::ranges::any_of(split(conventions.settings, '&'), [&](const std::string& part) {
    return part.starts_with(key + "=") && std::ranges::any_of(split(part.substr(key.size() + 1), '|'), is_value);
  });
}

std::vector<std::string> active_edits(const Subject& subject) {
  std::vector<std::string> specs;
  for (const Edit& edit : subject.edits)
    if (edit.on) specs.push_back(edit.spec);
  return specs;
}

/// Whether what ran is what the claim's fragment asks for. The text and its edits count where the study reads one.
bool is_setting_of(const ClaimSpec& claim, const StudySchema& schema, const Subject& subject,
                   const ParamValues& params) {
  state::AppState start;
  start.study = schema.id, start.params = defaults(schema);
  const auto asked = state::apply_fragment(start, claim.fragment, {schema});
  if (!asked) return false;
  for (const auto& [key, value] : asked->state.params) {
    const std::string* here = find_value(params, key);
    if (here && *here != value && !leaves_open(claim.conventions, schema, key, *here)) return false;
  }
  if (!reads_prompt(schema.reads)) return true;
  const Subject& text = asked->state.subject;
  return text.prompt == subject.prompt && text.tokens == subject.tokens && text.bos == subject.bos &&
         active_edits(text) == active_edits(subject);
}

/// The place of an entry in a row-major array; nothing outside of it.
std::optional<std::size_t> place_in(const protocol::Array& array, const std::vector<long long>& at) {
  if (at.size() != array.shape.size()) return std::nullopt;
  std::size_t place = 0;
  for (std::size_t i = 0; i < at.size(); ++i) {
    const long long index = at[i] - (i == 0 ? array.first : 0);
    if (index < 0 || static_cast<std::size_t>(index) >= array.shape[i]) return std::nullopt;
    place = place * array.shape[i] + static_cast<std::size_t>(index);
  }
  return place < array.data.size() ? std::optional(place) : std::nullopt;
}

}  // namespace

std::optional<NumberName> number_name(std::string_view text) {
  const std::size_t open = text.find('[');
  NumberName name{std::string(text.substr(0, open)), {}};
  if (open == std::string_view::npos) return name;
  if (!text.ends_with(']')) return std::nullopt;
  for (const std::string& index : split(std::string(text.substr(open + 1, text.size() - open - 2)), ',')) {
    const auto value = parse_int(index);
    if (!value) return std::nullopt;
    name.at.push_back(*value);
  }
  return name;
}

std::optional<double> number_in(const protocol::Result& result, std::string_view text) {
  const auto name = number_name(text);
  if (!name) return std::nullopt;
  double value = std::nan("");
  if (name->at.empty()) {
    if (const protocol::Scalar* scalar = result.scalar(name->output)) value = scalar->value;
  } else if (const protocol::Array* array = result.array(name->output)) {
    if (const auto place = place_in(*array, name->at)) value = array->data[*place];
  }
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

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
    const bool there = result.scalar(numbers.front()) != nullptr;  // undefined, it is shown as not judged
    const auto here = number_in(result, numbers.front());
    if (here || there)
      result.claims.push_back(
          compare_with_stated(claim, here.value_or(std::nan("")),
                              result.provenance.convention + "; holds within " + to_text(claim.conventions.within)));
  }
}

}  // namespace helix::studies
