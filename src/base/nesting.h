// The nesting depth of a JSON text, checked before anything walks the document.
#pragma once

#include <string_view>

namespace helix {

/// Our own documents are nested less than a tenth as deep.
inline constexpr int kMaxNesting = 64;

/// Whether a JSON text is nested deeper than kMaxNesting: code that walks a document recurses once for each level, and
/// the stack is small.
bool nested_too_deeply(std::string_view json);

}  // namespace helix
