// Whether a text is well-formed XML, as far as the documents made here use it: elements, attributes, text, references.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace helix::testing {

/// Empty when well formed, else what is wrong.
inline std::string xml_problem(std::string_view text) {
  std::vector<std::string> open;
  std::size_t i = 0;
  bool root_seen = false;
  const auto name_char = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == ':' || c == '.';
  };
  const auto name = [&] {
    const std::size_t from = i;
    while (i < text.size() && name_char(text[i])) ++i;
    return std::string(text.substr(from, i - from));
  };
  const auto spaces = [&] {
    while (i < text.size() && (text[i] == ' ' || text[i] == '\n' || text[i] == '\t')) ++i;
  };
  const auto reference = [&]() -> bool {  // at '&'
    for (const std::string_view known : {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"})
      if (text.substr(i).starts_with(known)) return true;
    return false;
  };
  while (i < text.size()) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (text.substr(i).starts_with("\xEF\xBF\xBE") || text.substr(i).starts_with("\xEF\xBF\xBF"))
      return "a noncharacter";
    if (c < 32 && c != '\n' && c != '\t' && c != '\r') return "control byte";
    if (c == '&') {
      if (!reference()) return "a bare &";
      ++i;
      continue;
    }
    if (c != '<') {
      if (open.empty() && c != '\n' && c != ' ') return "text outside the root";
      if (text.substr(i).starts_with("]]>")) return "]]> in text";
      ++i;
      continue;
    }
    ++i;
    const bool closing = i < text.size() && text[i] == '/';
    if (closing) ++i;
    const std::string element = name();
    if (element.empty()) return "an element without a name";
    if (closing) {
      if (open.empty() || open.back() != element) return "unexpected </" + element + ">";
      open.pop_back();
      if (i >= text.size() || text[i] != '>') return "unclosed end tag";
      ++i;
      continue;
    }
    if (open.empty() && root_seen) return "two roots";
    root_seen = true;
    std::vector<std::string> attributes;
    while (true) {
      spaces();
      if (i >= text.size()) return "unclosed tag";
      if (text[i] == '>' || text[i] == '/') break;
      const std::string attribute = name();
      if (attribute.empty()) return "odd byte in <" + element + ">";
      for (const std::string& seen : attributes)
        if (seen == attribute) return attribute + " twice";
      attributes.push_back(attribute);
      if (!text.substr(i).starts_with("=\"")) return "attribute without a value";
      for (i += 2; i < text.size() && text[i] != '"'; ++i) {
        if (text.substr(i).starts_with("\xEF\xBF\xBE") || text.substr(i).starts_with("\xEF\xBF\xBF"))
          return "a noncharacter";
        if (text[i] == '<') return "< in an attribute";
        if (text[i] == '&' && !reference()) return "a bare & in an attribute";
      }
      if (i >= text.size()) return "unclosed attribute";
      ++i;
    }
    if (text[i] == '/')
      ++i;
    else
      open.push_back(element);
    if (i >= text.size() || text[i] != '>') return "unclosed tag";
    ++i;
  }
  if (!open.empty()) return "unclosed <" + open.back() + ">";
  return root_seen ? "" : "nothing";
}

}  // namespace helix::testing
