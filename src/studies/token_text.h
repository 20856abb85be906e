// Tokens as words in figures: including their spaces, which are part of them.
#pragma once

#include <string>

#include "base/shared_words.h"
#include "base/utf8.h"
#include "protocol/result.h"

namespace helix::studies {

/// As a label: "·mat" for " mat", "¶" for a newline (glyphs that the figures' font has).
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

/// The token at a position as readable text; empty if there is none.
inline std::string token_at(const protocol::Result& result, int position) {
  if (position < 0 || static_cast<std::size_t>(position) >= result.tokens.size()) return {};
  return shown_bytes(result.tokens[static_cast<std::size_t>(position)].bytes);
}

/// `position 7 “ mat”`, or the number alone.
inline std::string place_text(const protocol::Result& result, std::string_view what, int position) {
  const std::string token = token_at(result, position);
  return std::string(what) + " " + std::to_string(position) + (token.empty() ? "" : " " + token_quoted(token));
}

/// ", with 2 edits", so that a title never presents an edited run as the model's own; empty without edits.
inline std::string with_edits(const protocol::Result& result) {
  const std::size_t n = result.edits.size();
  return n == 0 ? "" : shared_words("with_edits", {{"n", std::to_string(n)}});
}

/// Text as one line for a title: a newline, or its escape, becomes a visible sign.
inline std::string one_line(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '\\' && i + 1 < text.size();
    if (text[i] == '\n' || (escape && text[i + 1] == 'n'))
      out += "⏎";
    else
      out += text.substr(i, escape ? 2 : 1);
    i += escape;
  }
  return out;
}

}  // namespace helix::studies
