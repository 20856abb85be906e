// A number that is undefined, in words: the reason stands with the quantity, where it was not computed.
#pragma once

#include <cmath>
#include <initializer_list>
#include <string>

#include "base/shared_words.h"
#include "protocol/outputs.h"

namespace helix::studies {

/// The number as `text` says it; of a quantity without a number "undefined: needs two tokens".
inline std::string or_why_not(const protocol::Quantity& quantity, const std::string& text) {
  if (std::isfinite(quantity.value)) return text;
  return quantity.note.empty() ? shared_words("undefined") : shared_words("undefined.why", {{"why", quantity.note}});
}

/// Numbers that are all undefined for the same reason.
inline void leave_undefined(std::initializer_list<protocol::Quantity*> numbers, const std::string& why) {
  for (protocol::Quantity* number : numbers) *number = {.note = why};
}

}  // namespace helix::studies
