// A value, or one sentence that a visitor understands. Failures of user input and file data are reported only this way.
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace helix {

/// What a visitor can choose at one click after an error: keep the last tokens of a prompt that is too long, or open a
/// model that holds the tensor the open one lacks.
enum class Remedy { none, keep_last, whole_model };

/// What happened, to which file or part, and what to do: one sentence, shown once, in the panel it concerns.
struct Error {
  std::string sentence;
  Remedy remedy = Remedy::none;
};

/// A T or an Error. Asking for the wrong one is a bug and asserts.
template <class T>
class [[nodiscard]] Expected {
 public:
  Expected(T value) : held_(std::in_place_index<0>, std::move(value)) {}
  Expected(Error error) : held_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return held_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() {
    assert(ok());
    return *std::get_if<0>(&held_);
  }
  const T& value() const {
    assert(ok());
    return *std::get_if<0>(&held_);
  }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const {
    assert(!ok());
    return *std::get_if<1>(&held_);
  }

 private:
  std::variant<T, Error> held_;
};

/// Success, or an Error.
template <>
class [[nodiscard]] Expected<void> {
 public:
  Expected() = default;
  Expected(Error error) : error_(std::move(error)), ok_(false) {}

  bool ok() const { return ok_; }
  explicit operator bool() const { return ok_; }
  const Error& error() const {
    assert(!ok_);
    return error_;
  }

 private:
  Error error_;
  bool ok_ = true;
};

}  // namespace helix
