// A link as text: pairs of key and value, percent-encoded, and small readers that the keys share.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/expected.h"

namespace helix::state {

using Pairs = std::vector<std::pair<std::string, std::string>>;

/// A typical link has some ten parts, and with many edits a hundred. Edits and unknown keys together may be half as
/// many, so that the page can read every link that it writes.
inline constexpr std::size_t kMostParts = 2000, kMostRepeated = kMostParts / 2;

/// "a=1&b=%20", without "#", as pairs in order; a reason in lower case and without a full stop where a part is not a
/// pair.
Expected<Pairs> split_link(std::string_view text);

/// The value of a key that may stand once; null when absent.
const std::string* first_value(const Pairs& pairs, std::string_view key);

/// Percent-encoding of UTF-8; leaves what reads well in a fragment.
std::string percent_encode(std::string_view text);
/// Nothing when an escape is broken or the bytes are not UTF-8.
Expected<std::string> percent_decode(std::string_view text);

/// The outcome of reading one key. `problem`: why its value cannot be used, in lower case and without a full stop.
struct KeyOutcome {
  bool known = true;
  std::string problem{};
};

/// Adds one pair to a link that is being written.
using AddPair = std::function<void(const std::string& key, std::string_view value)>;

template <std::size_t N>
int index_of(const std::array<std::string_view, N>& names, std::string_view name) {
  for (std::size_t i = 0; i < N; ++i)
    if (names[i] == name) return static_cast<int>(i);
  return -1;
}

/// Whole numbers of at least 0 between separators.
std::optional<std::vector<int>> read_counts(std::string_view text, char separator, std::size_t count);

}  // namespace helix::state
