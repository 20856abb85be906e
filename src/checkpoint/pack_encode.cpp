#include "checkpoint/pack_encode.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/text.h"
#include "checkpoint/convert.h"
#include "checkpoint/numbers.h"
#include "checkpoint/quantised.h"

namespace helix::checkpoint {
namespace {

constexpr std::size_t kAtOnce = std::size_t{1} << 16;  // numbers converted in one go

Error beyond(float number, const TensorInfo& tensor) {
  return {"The tensor " + in_quotes(bare_name(tensor.name)) + " holds " + to_text(static_cast<double>(number)) +
          ", beyond F16's largest number " + to_text(static_cast<double>(kLargestF16)) +
          "; pack the model with --precision f32."};
}

Expected<void> to_halves(std::span<const float> numbers, const TensorInfo& tensor, Difference& difference,
                         std::vector<std::byte>& bytes) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (std::isfinite(numbers[i]) && std::abs(numbers[i]) >= kBeyondF16) return beyond(numbers[i], tensor);
    const std::uint16_t half = f32_to_f16(numbers[i]);
    bytes[2 * i] = static_cast<std::byte>(half & 0xff);
    bytes[2 * i + 1] = static_cast<std::byte>(half >> 8);
    difference.add(static_cast<double>(numbers[i]), static_cast<double>(f16_to_f32(half)));
  }
  return {};
}

Expected<QuantisedRows> quantised(const TensorView& rows, std::vector<float>& numbers,
                                  std::vector<std::int8_t>& integers) {
  const auto cols = static_cast<std::size_t>(rows.info->shape[1]);
  numbers.resize(rows.bytes.size() / dtype_bytes(rows.info->dtype));
  if (auto converted = to_f32(rows, numbers); !converted) return converted.error();
  auto made = quantise({numbers.data(), numbers.size() / cols, cols}, *input_dimension(rows.info->name), integers);
  if (made) return made;
  return Error{"The tensor " + in_quotes(bare_name(rows.info->name)) + " " + made.error().sentence +
               "; pack the model with --precision f32."};
}

}  // namespace

void Difference::add(double a, double b) {
  if (!std::isfinite(a) || !std::isfinite(b)) return;
  max = std::max(max, std::abs(a - b));
  sum += std::abs(a - b);
  ++count;
}

Expected<void> encode_numbers(const TensorView& tensor, DType stored, Difference& difference, const ByteSink& out) {
  const std::size_t size = dtype_bytes(tensor.info->dtype), count = tensor.bytes.size() / size;
  std::vector<float> numbers;
  std::vector<std::byte> bytes;
  for (std::size_t at = 0; at < count; at += numbers.size()) {
    numbers.resize(std::min(kAtOnce, count - at));
    const TensorView part = {tensor.info, tensor.bytes.subspan(at * size, numbers.size() * size)};
    if (auto converted = to_f32(part, std::span(numbers)); !converted) return converted.error();
    bytes.resize(numbers.size() * dtype_bytes(stored));
    if (stored == DType::F32) {
      std::memcpy(bytes.data(), numbers.data(), bytes.size());
      difference.count += numbers.size();
    } else if (auto halved = to_halves(numbers, *tensor.info, difference, bytes); !halved) {
      return halved;
    }
    if (auto added = out(bytes); !added) return added;
  }
  return {};
}

Expected<void> encode_integers(const TensorView& tensor, Difference& difference, std::vector<float>& scales,
                               const ByteSink& out) {
  std::vector<float> numbers;
  std::vector<std::int8_t> integers;
  const bool made_before = !tensor.scales.empty();
  const auto rows = static_cast<std::size_t>(tensor.info->shape[0]);
  for (std::size_t at = 0; at < rows; at += kernels::kQ8Group) {
    const TensorView some = rows_of(tensor, at, std::min(kernels::kQ8Group, rows - at));
    const auto part = made_before ? read_quantised(some) : quantised(some, numbers, integers);
    if (!part) return part.error();
    const auto& q = part->integers;
    for (std::size_t i = 0; i < q.rows; ++i)
      for (std::size_t j = 0; j < q.cols && !made_before; ++j)
        difference.add(static_cast<double>(numbers[i * q.cols + j]), static_cast<double>(part->number(i, j)));
    scales.insert(scales.end(), part->scales.begin(), part->scales.end());
    if (auto added = out(std::as_bytes(std::span(q.data, q.rows * q.cols))); !added) return added;
  }
  if (made_before) difference.count += tensor.bytes.size();
  return {};
}

}  // namespace helix::checkpoint
