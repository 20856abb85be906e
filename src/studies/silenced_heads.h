// Heads that an edit of the run switches off: figures of heads say so, because their patterns look unchanged.
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

/// For a figure of one head; empty if that head is not among them.
inline std::string silenced_text(const std::vector<HeadPlace>& heads, const HeadPlace& shown) {
  if (std::ranges::find(heads, shown) == heads.end()) return {};
  return "Head " + std::to_string(shown.layer) + "." + std::to_string(shown.head) +
         " is switched off by an edit: its pattern is computed, but its output is set to 0. ";
}

}  // namespace helix::studies
