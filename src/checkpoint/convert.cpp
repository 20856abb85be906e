#include "checkpoint/convert.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

#include "base/sha256.h"
#include "base/text.h"
#include "checkpoint/quantised.h"

namespace helix::checkpoint {
namespace {

static_assert(std::endian::native == std::endian::little, "F32 bytes are copied as they are");

std::uint16_t load16(const std::byte* p) {
  return static_cast<std::uint16_t>(std::to_integer<unsigned>(p[0]) | std::to_integer<unsigned>(p[1]) << 8);
}

std::size_t number_count(const TensorView& tensor) {
  const std::size_t size = dtype_bytes(tensor.info->dtype);
  return size == 0 ? 0 : tensor.bytes.size() / size;
}

// One row after the other.
Expected<void> dequantise(const TensorView& tensor, std::span<float> out) {
  const auto rows = read_quantised(tensor);
  if (!rows) return rows.error();
  const auto& integers = rows->integers;
  assert(out.size() == integers.rows * integers.cols);
  for (std::size_t i = 0; i < integers.rows; ++i)
    for (std::size_t j = 0; j < integers.cols; ++j) out[i * integers.cols + j] = rows->number(i, j);
  return {};
}

bool is_finite(float x) { return (std::bit_cast<std::uint32_t>(x) & 0x7f800000) != 0x7f800000; }

Expected<void> check_finite(const TensorView& tensor, std::span<const float> numbers) {
  std::uint32_t bad = 0;  // no branch in the loop: a model has a hundred million numbers
  for (const float x : numbers) bad |= is_finite(x) ? 0 : 1;
  if (bad == 0) return {};
  const auto& shape = tensor.info->shape;
  const std::size_t cols = shape.size() < 2 ? 1 : static_cast<std::size_t>(shape.back());
  const auto at = static_cast<std::size_t>(std::ranges::find_if_not(numbers, is_finite) - numbers.begin());
  return Error{"The tensor " + in_quotes(tensor.info->name) +
               " holds numbers that are not finite (NaN or infinity), the first in row " +
               std::to_string(tensor.first_row + at / cols) + ", so nothing is computed from it; open another copy."};
}

}  // namespace

float f16_to_f32(std::uint16_t bits) {
  constexpr std::uint32_t kInfinity = 0x7f800000;
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000) << 16;
  const std::uint32_t shifted = static_cast<std::uint32_t>(bits & 0x7fff) << 13;
  // The exponent now is 112 too small. Multiplying corrects it, exactly, and also makes F16's subnormals normal.
  const auto finite = std::bit_cast<std::uint32_t>(std::bit_cast<float>(shifted) * 0x1p112F);
  const bool special = (bits & 0x7c00) == 0x7c00;  // infinity and NaN keep the largest exponent
  return std::bit_cast<float>(sign | (special ? shifted | kInfinity : finite));
}

float bf16_to_f32(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

Expected<void> to_f32(const TensorView& tensor, std::span<float> out) {
  if (!tensor.scales.empty()) return dequantise(tensor, out);
  const std::byte* in = tensor.bytes.data();
  assert(tensor.info->dtype == DType::Unknown || out.size() == number_count(tensor));
  switch (tensor.info->dtype) {
    case DType::F32:
      if (!out.empty()) std::memcpy(out.data(), in, out.size_bytes());
      return {};
    case DType::F16:
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = f16_to_f32(load16(in + 2 * i));
      return {};
    case DType::BF16:
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = bf16_to_f32(load16(in + 2 * i));
      return {};
    default:
      return Error{"The tensor " + in_quotes(tensor.info->name) + " is stored as " +
                   in_quotes(tensor.info->dtype_name) + "; choose a version of the model stored as F32, F16 or BF16."};
  }
}

Expected<Matrix<float>> to_f32(const TensorView& tensor) {
  const auto& shape = tensor.info->shape;
  const std::size_t count = number_count(tensor);
  const std::size_t cols = shape.empty() ? 1 : static_cast<std::size_t>(shape.back());
  const std::size_t rows = cols == 0 ? 0 : count / cols;
  Matrix<float> matrix(rows, cols);
  if (auto converted = to_f32(tensor, std::span(matrix.data)); !converted) return converted.error();
  return matrix;
}

Expected<void> to_finite_f32(const TensorView& tensor, std::span<float> out) {
  if (auto converted = to_f32(tensor, out); !converted) return converted;
  return check_finite(tensor, out);
}

Expected<Matrix<float>> to_finite_f32(const TensorView& tensor) {
  auto matrix = to_f32(tensor);
  if (!matrix) return matrix;
  if (auto finite = check_finite(tensor, matrix->data); !finite) return finite.error();
  return matrix;
}

TensorView rows_of(const TensorView& tensor, std::size_t first, std::size_t count) {
  const auto& shape = tensor.info->shape;
  const std::size_t row = shape.empty() ? 1 : static_cast<std::size_t>(shape.back()) * dtype_bytes(tensor.info->dtype);
  return {tensor.info, tensor.bytes.subspan(first * row, count * row), tensor.scales, tensor.first_row + first};
}

std::string precision_of(const TensorView& tensor) {
  return tensor.scales.empty() ? tensor.info->dtype_name : std::string(kQ8Name);
}

std::string sha256(const TensorView& tensor) {
  Sha256 hash;
  hash.update(tensor.bytes);
  hash.update(tensor.scales);
  return hash.hex();
}

}  // namespace helix::checkpoint
