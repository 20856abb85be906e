// Heads that an edit of the run switches off: a figure of heads says so, because their patterns look untouched.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/edit_forms.h"
#include "protocol/result.h"

namespace helix::studies {

struct HeadPlace {
  std::size_t layer = 0, head = 0;
  bool operator==(const HeadPlace&) const = default;
};

inline std::vector<HeadPlace> silenced_heads(const protocol::Result& result) {
  std::vector<HeadPlace> heads;
  for (const std::string& spec : result.edits) {
    const auto edit = parse_edit(spec);
    if (!edit || !silences_head(*edit)) continue;
    const HeadPlace place{edit->first_layer, edit->head};
    if (std::ranges::find(heads, place) == heads.end()) heads.push_back(place);
  }
  return heads;
}

/// Of a figure of one head; nothing where that head is not among them.
inline std::string silenced_text(const std::vector<HeadPlace>& heads, const HeadPlace& shown) {
  if (std::ranges::find(heads, shown) == heads.end()) return {};
  return "Head " + std::to_string(shown.layer) + "." + std::to_string(shown.head) +
         " is switched off by an edit: its pattern is computed, but nothing of it is used. ";
}

}  // namespace helix::studies
