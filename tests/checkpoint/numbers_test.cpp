#include "checkpoint/numbers.h"

#include <bit>
#include <catch_amalgamated.hpp>
#include <cmath>
#include <limits>

#include "checkpoint/convert.h"
#include "tests/support.h"

namespace numbers_test {

using namespace helix;
using namespace helix::checkpoint;

TEST_CASE("every F16 number comes back as itself", "[model][pack][numbers]") {
  int wrong = 0;
  for (unsigned bits = 0; bits < 0x10000; ++bits)
    wrong += f32_to_f16(f16_to_f32(static_cast<std::uint16_t>(bits))) != bits;
  CHECK(wrong == 0);
}

TEST_CASE("between two F16 numbers the nearer one, in the middle the even one", "[model][pack][numbers]") {
  int wrong = 0;
  for (unsigned bits = 0; bits < 0x7bff; ++bits) {  // all finite numbers from 0 up, each with its successor
    const double low = static_cast<double>(f16_to_f32(static_cast<std::uint16_t>(bits)));
    const double high = static_cast<double>(f16_to_f32(static_cast<std::uint16_t>(bits + 1)));
    const auto middle = static_cast<float>((low + high) / 2);  // exact: float has more digits
    const unsigned even = bits % 2 == 0 ? bits : bits + 1;
    const float infinity = std::numeric_limits<float>::infinity();
    wrong += f32_to_f16(middle) != even;
    wrong += f32_to_f16(std::nextafter(middle, -infinity)) != bits;
    wrong += f32_to_f16(std::nextafter(middle, infinity)) != bits + 1;
    wrong += f32_to_f16(-middle) != (even | 0x8000);
  }
  CHECK(wrong == 0);
}

TEST_CASE("the edges of F16", "[model][pack][numbers]") {
  CHECK(f32_to_f16(0.0F) == 0);
  CHECK(f32_to_f16(-0.0F) == 0x8000);
  CHECK(f32_to_f16(1.0F) == 0x3c00);
  CHECK(f32_to_f16(kLargestF16) == 0x7bff);
  CHECK(f32_to_f16(std::nextafter(kBeyondF16, 0.0F)) == 0x7bff);
  CHECK(f32_to_f16(kBeyondF16) == 0x7c00);
  CHECK(f32_to_f16(-1e30F) == 0xfc00);
  CHECK(f32_to_f16(std::numeric_limits<float>::infinity()) == 0x7c00);
  CHECK(f32_to_f16(0x1p-25F) == 0);  // the middle of 0 and the smallest
  CHECK(f32_to_f16(std::nextafter(0x1p-25F, 1.0F)) == 1);
  CHECK(f32_to_f16(std::numeric_limits<float>::denorm_min()) == 0);
  CHECK(std::isnan(f16_to_f32(f32_to_f16(std::bit_cast<float>(0x7f800001U)))));  // a payload that does not fit
}

}  // namespace numbers_test
