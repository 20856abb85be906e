// The text of a gesture or of a row's link, with numbers in it.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace helix {

/// The text with each {name} replaced by its number; an unknown name stays as it is.
inline std::string filled(std::string text, const std::vector<std::pair<std::string, int>>& names) {
  for (const auto& [name, number] : names) {
    const std::string mark = "{" + name + "}";
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at))
      text.replace(at, mark.size(), std::to_string(number));
  }
  return text;
}

}  // namespace helix
