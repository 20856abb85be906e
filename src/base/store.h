// What studies keep from run to run: values of any type under a key, each belonging to an open file or network. The
// least recently used go first when the budget is exceeded, and what belongs to something closed goes with it.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/expected.h"
#include "base/matrix.h"
#include "base/task.h"

namespace helix {

/// The memory of a value, roughly. A type of one's own has a function of this name beside it, or a member `bytes()`.
inline std::size_t kept_bytes(const std::string& text) { return text.size(); }
template <class Number>
  requires std::is_arithmetic_v<Number>
std::size_t kept_bytes(const std::vector<Number>& numbers) {
  return numbers.size() * sizeof(Number);
}
template <class Number>
std::size_t kept_bytes(const Matrix<Number>& m) {
  return kept_bytes(m.data);
}
template <class T>
  requires requires(const T& value) { value.bytes(); }
std::size_t kept_bytes(const T& value) {
  return value.bytes();
}

/// For a Store whose value cannot fail to be made.
template <class T>
Task<Expected<T>> as_expected(Task<T> task) {
  co_return co_await std::move(task);
}

class Store {
 public:
  /// What a value belongs to: the file or network it was computed from. None: it is kept until there is no room.
  using Owner = std::shared_ptr<const void>;

  static constexpr std::size_t kBudget = 128'000'000;
  explicit Store(std::size_t budget = kBudget) : budget_(budget) {}

  /// The value under this key; null if there is none of this type.
  template <class T>
  std::shared_ptr<const T> find(const Owner& owner, std::string_view key) {
    return std::static_pointer_cast<const T>(find(owner.get(), tag<T>(), key));
  }
  /// Keeps a value, if it alone is within the budget. It must not hold its owner.
  template <class T>
  void keep(const Owner& owner, std::string key, std::shared_ptr<const T> value) {
    using helix::kept_bytes;
    const std::size_t bytes = kept_bytes(*value);
    keep({owner.get(), owner, tag<T>(), std::move(key), std::move(value), bytes + kOfEntry});
  }
  /// The value under this key, made now if it is not known: `make()` is a Task<Expected<T>>. Errors are not kept.
  template <class T, class Make>
  static Task<Expected<std::shared_ptr<const T>>> cached(std::shared_ptr<Store> store, Owner owner, std::string key,
                                                         Make make) {
    if (auto known = store->find<T>(owner, key)) co_return known;
    auto made = co_await make();
    if (!made) co_return made.error();
    auto value = std::make_shared<const T>(std::move(*made));
    store->keep<T>(owner, std::move(key), value);
    co_return value;
  }

  /// Drops what belongs to this file or network.
  void forget(const void* owner);
  std::size_t bytes() const { return bytes_; }
  std::size_t size() const { return entries_.size(); }

 private:
  static constexpr std::size_t kOfEntry = 200;  // the entry itself
  using Tag = const void*;
  struct Entry {
    const void* of = nullptr;
    std::weak_ptr<const void> owner;
    Tag tag = nullptr;
    std::string key;
    std::shared_ptr<const void> value;
    std::size_t bytes = 0;

    bool is_orphan() const { return of && owner.expired(); }
  };

  /// One address a type, in place of run-time type information.
  template <class T>
  static Tag tag() {
    static char own = 0;
    return &own;
  }
  std::shared_ptr<const void> find(const void* owner, Tag tag, std::string_view key);
  void keep(Entry entry);
  template <class Which>
  void drop(Which which);

  std::size_t budget_, bytes_ = 0;
  std::list<Entry> entries_;  // the most recently used last
};

}  // namespace helix
