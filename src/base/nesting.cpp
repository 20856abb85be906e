#include "base/nesting.h"

namespace helix {

bool nested_too_deeply(std::string_view json) {
  int depth = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '"') in_text = !in_text;
    if (in_text && c == '\\') ++i;  // an escaped character does not end the string
    if (in_text) continue;
    if (c == ']' || c == '}') --depth;
    if ((c == '[' || c == '{') && ++depth > kMaxNesting) return true;
  }
  return false;
}

}  // namespace helix
