// Heads whose output edits multiply by a factor, 0 where they are switched off: figures of heads say so, because their
// patterns look unchanged.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/edit_forms.h"

namespace helix::studies {

/// What an edit multiplies a head's whole output by; nothing for other edits.
inline std::optional<double> head_factor(const ParsedEdit& edit) {
  if (silences_head(edit)) return 0;
  if (edit.kind == EditKind::scale_head) return edit.numbers[0];
  return std::nullopt;
}

struct ScaledHead {
  std::size_t layer = 0, head = 0;
  double factor = 1;  // the product of all its edits

  std::string name() const { return std::to_string(layer) + "." + std::to_string(head); }
};

/// In the order of the edits; not a head that all its edits together leave as it is.
inline std::vector<ScaledHead> scaled_heads(const std::vector<std::string>& edits) {
  std::vector<ScaledHead> heads;
  for (const std::string& spec : edits) {
    const auto edit = parse_edit(spec);
    const auto factor = edit ? head_factor(*edit) : std::nullopt;
    if (!factor) continue;
    const auto known = std::ranges::find_if(
        heads, [&](const ScaledHead& h) { return h.layer == edit->first_layer && h.head == edit->head; });
    if (known != heads.end())
      known->factor *= *factor;
    else
      heads.push_back({edit->first_layer, edit->head, *factor});
  }
  std::erase_if(heads, [](const ScaledHead& h) { return h.factor == 1; });
  return heads;
}

inline bool any_is_off(const std::vector<ScaledHead>& heads) {
  return std::ranges::any_of(heads, [](const ScaledHead& h) { return h.factor == 0; });
}

}  // namespace helix::studies
