// The requirements on every error: one sentence that a visitor can read, naming the file it is about.
#pragma once

#include <catch_amalgamated.hpp>
#include <string>
#include <string_view>

#include "base/expected.h"

namespace helix::testing {

inline void check_sentence(const Error& error, std::string_view source, std::string_view part = {}) {
  const std::string& text = error.sentence;
  INFO(text);
  CHECK(text.ends_with('.'));
  CHECK(text.size() < 1000);
  CHECK(text.find(source) != std::string::npos);
  CHECK(text.find(part) != std::string::npos);
  for (const char c : text) CHECK((static_cast<unsigned char>(c) >= 0x20));
}

}  // namespace helix::testing
