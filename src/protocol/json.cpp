#include "protocol/json.h"

#include <cmath>
#include <limits>

#include "base/nesting.h"
#include "base/text.h"

namespace helix::protocol {

std::optional<Json> parse_json(std::string_view text) {
  if (nested_too_deeply(text)) return std::nullopt;
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return std::nullopt;
  return std::optional<Json>(std::in_place, std::move(json));
}

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json number(double value) {
  if (std::isfinite(value)) return value;
  return to_text(value);
}

double to_number(const Json& json) {
  if (json.is_number()) return json.get<double>();
  if (!json.is_string()) return std::numeric_limits<double>::quiet_NaN();
  const auto& word = json.get_ref<const std::string&>();
  if (word == "inf") return std::numeric_limits<double>::infinity();
  if (word == "-inf") return -std::numeric_limits<double>::infinity();
  return std::numeric_limits<double>::quiet_NaN();
}

const Json* find(const Json& object, std::string_view key) {
  if (!object.is_object()) return nullptr;
  const auto it = object.find(std::string(key));
  return it == object.end() ? nullptr : &*it;
}

std::string text_at(const Json& object, std::string_view key, std::string_view fallback) {
  const Json* found = find(object, key);
  return found && found->is_string() ? found->get<std::string>() : std::string(fallback);
}

double number_at(const Json& object, std::string_view key, double fallback) {
  const Json* found = find(object, key);
  return found && found->is_number() ? found->get<double>() : fallback;
}

bool flag_at(const Json& object, std::string_view key, bool fallback) {
  const Json* found = find(object, key);
  return found && found->is_boolean() ? found->get<bool>() : fallback;
}

}  // namespace helix::protocol
