// The model's input: a text or token ids, and the edits applied on the way. Part of every link and run.
#pragma once

#include <array>
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

/// What the model computes with: its weights as 32-bit floats, or as 8-bit integers with a scale for each group of 64.
enum class Precision { f32, q8 };
inline constexpr std::array<std::string_view, 2> kPrecisionNames{"f32", "q8"};

struct Subject {
  std::string prompt{kDefaultPrompt};  // any bytes; a typed "<|endoftext|>" is ordinary text
  std::vector<std::int32_t> tokens;    // used instead of the prompt if there are any
  bool bos = false;                    // <|endoftext|> goes in front
  bool keep_last = false;              // with more tokens than the model reads, run the last ones instead of none
  std::vector<Edit> edits;
  Precision precision = Precision::f32;
  /// The other side of a comparison, for edits that take values from its run: none or one, which has none itself. It
  /// follows from the comparison and is in no link.
  std::vector<Subject> other{};
  bool operator==(const Subject&) const = default;
};

}  // namespace helix
