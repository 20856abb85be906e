// JSON for messages and results: one alias, and getters that cannot fail (a wrong type reads as the fallback).
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace helix::protocol {

using Json = nlohmann::ordered_json;  // keys stay in the order they were written: documents read top down

/// Parses a whole document; nothing when it is not JSON, or nested too deeply to be walked.
std::optional<Json> parse_json(std::string_view text);
/// One line, invalid UTF-8 replaced (never aborts).
std::string dump(const Json& json);

/// A finite number as itself, others as "inf", "-inf", "nan": JSON cannot express them as numbers.
Json number(double value);
double to_number(const Json& json);

const Json* find(const Json& object, std::string_view key);
std::string text_at(const Json& object, std::string_view key, std::string_view fallback = {});
double number_at(const Json& object, std::string_view key, double fallback = 0);
bool flag_at(const Json& object, std::string_view key, bool fallback = false);

}  // namespace helix::protocol
