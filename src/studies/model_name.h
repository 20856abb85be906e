// A model's name in a sentence.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

namespace helix::studies {

/// "GPT-2" for any name of it ("gpt2-small-partial", "openai-community/gpt2"); other names unchanged.
inline std::string spoken_name(const std::string& model) {
  std::string small = model;
  std::ranges::transform(small, small.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto says = [&](std::string_view part) { return small.find(part) != std::string::npos; };
  return model.empty() || says("gpt2") || says("gpt-2") ? "GPT-2" : model;
}

}  // namespace helix::studies
