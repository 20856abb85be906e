// How deeply the lists and objects of a JSON text are nested, checked before anything walks them.
#pragma once

#include <string_view>

namespace helix {

/// No document of ours is nested a tenth as deep.
inline constexpr int kMaxNesting = 64;

/// Whether a JSON text is nested deeper than kMaxNesting: code that walks a document is recursive, and the stack is small.
bool nested_too_deeply(std::string_view json);

}  // namespace helix
