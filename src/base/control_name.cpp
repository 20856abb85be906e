#include "base/control_name.h"

#include <algorithm>
#include <limits>

#include "base/shared_words.h"
#include "base/text.h"

namespace helix {
namespace {

Error not_a_control(std::string_view name) {
  return {in_quotes(std::string(name)) +
          " names no control; the form is control:KIND:SEED with walk, rows, noise or weights and a whole number, such "
          "as control:walk:3, and @MODEL behind it names the model that it is made from."};
}

}  // namespace

Expected<ControlName> parse_control(std::string_view name) {
  if (!is_control(name)) return not_a_control(name);
  const std::string_view rest = name.substr(kControlPrefix.size());
  const std::size_t colon = rest.find(':'), at = rest.find('@');
  if (colon == std::string_view::npos || at < colon) return not_a_control(name);
  const auto kind = std::ranges::find(kControlKinds, rest.substr(0, colon));
  const std::string_view digits = rest.substr(colon + 1, at == std::string_view::npos ? at : at - colon - 1);
  std::uint64_t seed = 0;
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  bool valid = kind != kControlKinds.end() && !digits.empty() && digits.size() <= 10;
  for (const char c : digits) {
    valid = valid && c >= '0' && c <= '9';
    if (valid) seed = seed * 10 + static_cast<std::uint64_t>(c - '0');
  }
  if (!valid || seed > kMost) return not_a_control(name);
  const std::string base(at == std::string_view::npos ? std::string_view() : rest.substr(at + 1));
  if (is_control(base)) return not_a_control(name);  // a control of a control says no more than a control
  return ControlName{static_cast<ControlKind>(kind - kControlKinds.begin()), static_cast<std::uint32_t>(seed), base};
}

std::string to_text(const ControlName& control) {
  return std::string(kControlPrefix) + std::string(kControlKinds[static_cast<std::size_t>(control.kind)]) + ":" +
         std::to_string(control.seed) + (control.base.empty() ? "" : "@" + control.base);
}

std::string phrase(const ControlName& control) {
  const std::string base = control.base.empty() ? shared_words("the_model") : spoken_model(control.base);
  switch (control.kind) {
    case ControlKind::walk:
      return shared_words("control.walk", {{"model", base}});
    case ControlKind::rows:
      return shared_words("control.rows", {{"model", base}});
    case ControlKind::noise:
      return shared_words("control.noise", {{"model", base}});
    case ControlKind::weights:
      return shared_words("control.weights", {{"model", base}});
  }
  return {};
}

std::string spoken_model(const std::string& name) {
  if (const auto control = is_control(name) ? parse_control(name) : Expected<ControlName>(Error{}); control)
    return phrase(*control);
  if (name.empty()) return "GPT-2";
  std::string own = name.substr(name.find_last_of('/') + 1);  // without the hub's owner
  std::ranges::transform(own, own.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  if (!own.starts_with("gpt2") && !own.starts_with("gpt-2")) return name;
  for (const auto& [size, spoken] : {std::pair{"-medium", " medium"}, {"-large", " large"}, {"-xl", " XL"}})
    if (own.find(size) != std::string::npos) return std::string("GPT-2") + spoken;
  return "GPT-2";
}

}  // namespace helix
