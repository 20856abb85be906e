#include "base/store.h"

#include <algorithm>

namespace helix {

template <class Which>
void Store::drop(Which which) {
  std::erase_if(entries_, [&](const Entry& entry) {
    const bool gone = which(entry);
    if (gone) bytes_ -= entry.bytes;
    return gone;
  });
}

std::shared_ptr<const void> Store::find(const void* owner, Tag tag, std::string_view key) {
  const auto found = std::ranges::find_if(entries_, [&](const Entry& entry) {
    return entry.of == owner && entry.tag == tag && entry.key == key && !entry.is_orphan();
  });
  if (found == entries_.end()) return nullptr;
  entries_.splice(entries_.end(), entries_, found);
  return found->value;
}

void Store::keep(Entry entry) {
  drop([&](const Entry& other) {
    return other.is_orphan() || (other.of == entry.of && other.tag == entry.tag && other.key == entry.key);
  });
  if (entry.bytes > budget_) return;
  while (bytes_ + entry.bytes > budget_) {
    bytes_ -= entries_.front().bytes;
    entries_.pop_front();
  }
  bytes_ += entry.bytes;
  entries_.push_back(std::move(entry));
}

void Store::forget(const void* owner) {
  drop([&](const Entry& entry) { return entry.is_orphan() || (owner && entry.of == owner); });
}

}  // namespace helix
