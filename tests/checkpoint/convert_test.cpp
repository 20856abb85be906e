#include "checkpoint/convert.h"

#include <bit>
#include <catch_amalgamated.hpp>
#include <cmath>
#include <limits>

#include "tests/checkpoint/safetensors_bytes.h"
#include "tests/sentence_check.h"

namespace convert_test {

using namespace helix;
using namespace helix::checkpoint;
using namespace helix::testing;

namespace {

TensorInfo info_of(const char* dtype, std::vector<std::uint64_t> shape, std::uint64_t bytes) {
  return {"a", dtype_named(dtype), dtype, std::move(shape), 100, 100 + bytes};
}

// By the definition: sign, power of two, and a fraction with the hidden bit unless subnormal.
double by_definition(unsigned bits, int exponent_bits, int fraction_bits) {
  const unsigned fraction = bits & ((1U << fraction_bits) - 1);
  const unsigned exponent = bits >> fraction_bits & ((1U << exponent_bits) - 1);
  const double sign = bits >> (fraction_bits + exponent_bits) ? -1.0 : 1.0;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const double part = std::ldexp(static_cast<double>(fraction), -fraction_bits);
  if (exponent == (1U << exponent_bits) - 1)
    return fraction ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
  if (exponent == 0) return sign * std::ldexp(part, 1 - bias);
  return sign * std::ldexp(1 + part, static_cast<int>(exponent) - bias);
}

void check_number(float converted, double expected, unsigned bits) {
  INFO("bits " << bits);
  if (std::isnan(expected)) {
    REQUIRE(std::isnan(converted));
  } else {
    REQUIRE(static_cast<double>(converted) == expected);
    REQUIRE(std::signbit(converted) == std::signbit(expected));
  }
}

}  // namespace

TEST_CASE("every F16 and BF16 number converts exactly", "[model][convert]") {
  Bytes bytes = {std::byte{0}};  // an odd address from here on
  for (unsigned bits = 0; bits < 65536; ++bits) {
    bytes.push_back(static_cast<std::byte>(bits & 0xff));
    bytes.push_back(static_cast<std::byte>(bits >> 8));
  }
  const ExactBytes exact(bytes);
  for (const bool half : {true, false}) {
    const TensorInfo info = info_of(half ? "F16" : "BF16", {65536}, 131072);
    const auto matrix = to_f32(TensorView{&info, exact.span().subspan(1)});
    REQUIRE(matrix);
    for (unsigned bits = 0; bits < 65536; ++bits) {
      const double expected = half ? by_definition(bits, 5, 10) : by_definition(bits, 8, 7);
      check_number(matrix->data[bits], expected, bits);
      // NaNs keep their payload, as in a hardware conversion that does not quiet them.
      const auto word = std::bit_cast<std::uint32_t>(matrix->data[bits]);
      if (std::isnan(expected)) REQUIRE((word & 0x7fffff) == (half ? (bits & 0x3ff) << 13 : (bits & 0x7f) << 16));
    }
  }
}

TEST_CASE("F32 is copied from any address", "[model][convert]") {
  const float numbers[] = {
      1.5F, -0.0F, std::numeric_limits<float>::denorm_min(), -std::numeric_limits<float>::infinity(), 3.25F, 7.0F};
  for (std::size_t shift = 0; shift < 4; ++shift) {
    Bytes bytes(shift);
    for (const std::byte b : std::as_bytes(std::span(numbers))) bytes.push_back(b);
    const ExactBytes exact(bytes);
    const TensorInfo info = info_of("F32", {2, 3}, 24);
    const auto matrix = to_f32(TensorView{&info, exact.span().subspan(shift)});
    REQUIRE(matrix);
    CHECK((matrix->rows == 2 && matrix->cols == 3));
    for (std::size_t i = 0; i < 6; ++i)
      CHECK(std::bit_cast<std::uint32_t>(matrix->data[i]) == std::bit_cast<std::uint32_t>(numbers[i]));
  }
}

TEST_CASE("tensors of any rank become rows and columns", "[model][convert]") {
  const Bytes bytes(96);
  const auto shape_of = [&](std::vector<std::uint64_t> shape, std::uint64_t numbers) {
    const TensorInfo info = info_of("F32", std::move(shape), 4 * numbers);
    const auto matrix = to_f32(TensorView{&info, std::span(bytes).first(static_cast<std::size_t>(4 * numbers))});
    REQUIRE(matrix);
    CHECK(matrix->data.size() == numbers);
    return std::pair(matrix->rows, matrix->cols);
  };
  CHECK(shape_of({}, 1) == std::pair<std::size_t, std::size_t>(1, 1));
  CHECK(shape_of({5}, 5) == std::pair<std::size_t, std::size_t>(1, 5));
  CHECK(shape_of({2, 3, 4}, 24) == std::pair<std::size_t, std::size_t>(6, 4));
  CHECK(shape_of({0, 4}, 0) == std::pair<std::size_t, std::size_t>(0, 4));
  CHECK(shape_of({4, 0}, 0) == std::pair<std::size_t, std::size_t>(0, 0));
}

TEST_CASE("other number formats are refused by name", "[model][convert]") {
  const Bytes bytes(16);
  for (const char* dtype : {"F64", "I64", "BOOL", "F8_E4M3"}) {
    const std::uint64_t size = std::max<std::uint64_t>(1, dtype_bytes(dtype_named(dtype)));
    const TensorInfo info = info_of(dtype, {2}, 2 * size);
    const auto matrix = to_f32(TensorView{&info, std::span(bytes).first(static_cast<std::size_t>(2 * size))});
    REQUIRE(!matrix);
    check_sentence(matrix.error(), "“a”", dtype);
  }
}

TEST_CASE("the hash names a tensor's bytes", "[model][convert]") {
  const TensorInfo info = info_of("U8", {3}, 3);
  CHECK(sha256(TensorView{&info, bytes_of("abc")}) ==
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace convert_test
