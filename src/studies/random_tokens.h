// Random tokens for claims about heads that copy: on them nothing but the repetition can be predicted.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace helix::studies {

/// Ids of GPT-2's vocabulary, drawn evenly, no two alike.
inline constexpr std::array<std::int32_t, 30> kRandomTokens{
    10130, 15876, 32578, 10524, 16064, 42523, 16341, 42220, 20784, 49396, 41740, 49301, 39230, 42019, 19143,
    27122, 40251, 15703, 48378, 27466, 30060, 4682,  43550, 21002, 42944, 2059,  24358, 24473, 22176, 17748};

/// They as a text in a link, with BOS in front, so many times.
inline std::string random_tokens(std::size_t times) {
  std::string link = "edit=&bos=1&tokens=";
  for (std::size_t i = 0; i < times * kRandomTokens.size(); ++i)
    link += (i > 0 ? "," : "") + std::to_string(kRandomTokens[i % kRandomTokens.size()]);
  return link;
}

}  // namespace helix::studies
