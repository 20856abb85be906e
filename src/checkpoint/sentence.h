// Sizes and lists as text, so that every error reads as one plain sentence.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace helix::checkpoint {

/// 116889056 -> "116.9 MB"; 12 -> "12 bytes".
std::string byte_count(std::uint64_t bytes);

/// "a", "a and b", "a, b and c".
std::string listed(std::span<const std::string> items);

}  // namespace helix::checkpoint
