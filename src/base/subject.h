// What runs through the model: a text or token ids, and what is done to them on the way. Part of every link and run.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace helix {

/// Frozen for links of version 1: a repeated phrase, so that copying heads have something to copy.
inline constexpr std::string_view kDefaultPrompt =
    "The cat sat on the mat, and the dog lay by the door. The cat sat on the";

/// An intervention as text ("scale_head:4.11:2"; the forms are those of docs/contract), applied in order.
struct Edit {
  std::string spec;
  bool on = true;  // false: kept in the list, switched off
  bool operator==(const Edit&) const = default;
};

struct Subject {
  std::string prompt{kDefaultPrompt};  // any bytes; ordinary text, "<|endoftext|>" typed included
  std::vector<std::int32_t> tokens;    // by id, instead of the prompt where there are any
  bool bos = false;                    // <|endoftext|> goes in front
  std::vector<Edit> edits;
  bool operator==(const Subject&) const = default;
};

}  // namespace helix
