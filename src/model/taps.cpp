#include "model/taps.h"

#include <algorithm>

namespace helix::model {

Taps::Taps(const std::vector<Tap>& edits, const std::vector<Tap>& watch) : all_(edits) {
  all_.insert(all_.end(), watch.begin(), watch.end());
}

bool Taps::any(Hook hook, std::optional<std::size_t> head) const {
  return std::any_of(all_.begin(), all_.end(),
                     [&](const Tap& tap) { return tap.hook == hook && (!head || !tap.head || *tap.head == *head); });
}

void Taps::see(const Chunk& chunk) const {
  const bool apart = has_heads_apart(chunk.hook.kind);
  for (const Tap& tap : all_)
    if (tap.hook == chunk.hook && (!apart || !tap.head || *tap.head == chunk.head)) tap.see(chunk);
}

std::size_t Taps::first_layer(std::size_t n_layer) const {
  std::size_t first = n_layer;
  for (const Tap& tap : all_)
    if (in_layers(tap.hook.kind)) first = std::min(first, tap.hook.layer);
  return at_embedding() ? 0 : first;
}

bool Taps::at_embedding() const {
  return std::any_of(all_.begin(), all_.end(), [](const Tap& tap) {
    return tap.hook.kind == HookKind::embed || tap.hook.kind == HookKind::pos_embed;
  });
}

}  // namespace helix::model
