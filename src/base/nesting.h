// How deep lists and objects of a JSON text lie in one another, looked at before anything walks them.
#pragma once

#include <string_view>

namespace helix {

/// No document of ours is nested a tenth as deep.
inline constexpr int kMaxNesting = 64;

/// Whether a JSON text is nested deeper than kMaxNesting: code that walks a document calls itself for each level, and the
/// stack is small.
bool nested_too_deeply(std::string_view json);

}  // namespace helix
