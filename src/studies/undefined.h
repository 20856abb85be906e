// A number that is undefined, in words: the reason stands with the quantity, where it was not computed.
#pragma once

#include <cmath>
#include <string>

#include "protocol/outputs.h"

namespace helix::studies {

/// The number as `text` says it; of a quantity without a number "undefined: needs two tokens".
inline std::string or_why_not(const protocol::Quantity& quantity, const std::string& text) {
  if (std::isfinite(quantity.value)) return text;
  return quantity.note.empty() ? "undefined" : "undefined: " + quantity.note;
}

}  // namespace helix::studies
