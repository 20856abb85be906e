#include "base/nesting.h"

#include <catch_amalgamated.hpp>
#include <string>

namespace nesting_test {

using namespace helix;

TEST_CASE("nesting counts lists and objects, not brackets in texts", "[base]") {
  const auto lists = [](int depth) { return std::string(static_cast<std::size_t>(depth), '['); };
  CHECK_FALSE(nested_too_deeply(""));
  CHECK_FALSE(nested_too_deeply(lists(kMaxNesting)));
  CHECK(nested_too_deeply(lists(kMaxNesting + 1)));
  CHECK(nested_too_deeply("{\"a\":" + lists(kMaxNesting)));
  CHECK_FALSE(nested_too_deeply("\"" + lists(1000)));
  CHECK_FALSE(nested_too_deeply("\"\\\"" + lists(1000) + "\""));
  CHECK(nested_too_deeply("\"\\\\\"" + lists(1000)));
  std::string beside;
  for (int i = 0; i < 1000; ++i) beside += "[],{},";
  CHECK_FALSE(nested_too_deeply(beside));
}

}  // namespace nesting_test
