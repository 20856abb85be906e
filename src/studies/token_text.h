// Tokens as words in figures: with their spaces, which are part of them.
#pragma once

#include <string>

#include "base/utf8.h"
#include "protocol/result.h"

namespace helix::studies {

/// As a label: "·mat" for " mat", "¶" for a line's end (signs that the figures' font has).
inline std::string token_label(std::string_view shown) {
  std::string out;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const std::string_view escape = shown[i] == '\\' ? shown.substr(i, 2) : std::string_view();
    if (escape.size() == 2) ++i;
    if (escape == "\\n")
      out += "¶";
    else if (escape == "\\t")
      out += "»";
    else if (escape == "\\\\")
      out += "\\";
    else if (!escape.empty())
      out += escape;
    else if (shown[i] == ' ')
      out += "·";
    else
      out += shown[i];
  }
  return out;
}

/// In a sentence: “ mat”.
inline std::string token_quoted(std::string_view shown) { return "“" + std::string(shown) + "”"; }

/// The token at a position as readable text; empty where there is none.
inline std::string token_at(const protocol::Result& result, int position) {
  if (position < 0 || static_cast<std::size_t>(position) >= result.tokens.size()) return {};
  return shown_bytes(result.tokens[static_cast<std::size_t>(position)].bytes);
}

/// `position 7 “ mat”`, or the number alone.
inline std::string place_text(const protocol::Result& result, std::string_view what, int position) {
  const std::string token = token_at(result, position);
  return std::string(what) + " " + std::to_string(position) + (token.empty() ? "" : " " + token_quoted(token));
}

}  // namespace helix::studies
