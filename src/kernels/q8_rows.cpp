// Rows of floats as integers, before they are multiplied: with vectors of 16 bytes, the same bits on every machine.
#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "kernels/q8.h"

namespace helix::kernels {
namespace {

typedef float Floats __attribute__((vector_size(16)));
typedef std::int32_t Ints __attribute__((vector_size(16)));
typedef std::int16_t Shorts __attribute__((vector_size(16)));
typedef std::uint8_t Bytes __attribute__((vector_size(16)));

template <class V, class T>
V load(const T* from) {
  V v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

/// A float's bits as integers in the order of the floats: the bits of negative numbers run the other way. NaN comes
/// before or after all numbers. The function is its own inverse.
Ints in_order(Ints bits) { return bits ^ ((bits >> 31) & 0x7fffffff); }
float number_of(std::int32_t ordered) { return std::bit_cast<float>(ordered ^ ((ordered >> 31) & 0x7fffffff)); }

struct Range {
  float low, high;
};

/// The smallest and the largest of 64 numbers and zero; NaN where one is.
Range range_of(const float* x) {
  Ints low[4] = {}, high[4] = {};
  for (std::size_t i = 0; i < kQ8Group; i += 16)
    for (std::size_t v = 0; v < 4; ++v) {
      const Ints ordered = in_order(load<Ints>(x + i + 4 * v));
      low[v] = ordered < low[v] ? ordered : low[v];
      high[v] = ordered > high[v] ? ordered : high[v];
    }
  std::int32_t least = 0, most = 0;
  for (std::size_t v = 0; v < 4; ++v)
    for (std::size_t j = 0; j < 4; ++j) least = std::min(least, low[v][j]), most = std::max(most, high[v][j]);
  return {number_of(least), number_of(most)};
}

// 1.5·2²³ added to a number rounds it and leaves the integer in the last bits.
constexpr float kRounds = 12582912.0f;
constexpr std::int32_t kRoundsBits = std::bit_cast<std::int32_t>(kRounds);

/// Whole numbers below 2^15, the low half of each 32 bits, and the low bytes of such.
Shorts low_halves(Ints a, Ints b) { return __builtin_shufflevector((Shorts)a, (Shorts)b, 0, 2, 4, 6, 8, 10, 12, 14); }
Bytes low_bytes(Shorts a, Shorts b) {
  return __builtin_shufflevector((Bytes)a, (Bytes)b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
}

Q8Grid quantise_group(const float* x, std::size_t count, int digits, Q8RowsView::Form form, std::uint8_t* to) {
  float padded[kQ8Group] = {};
  if (count < kQ8Group) x = static_cast<const float*>(std::memcpy(padded, x, count * sizeof(float)));
  const Range range = range_of(x);
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const bool finite = range.low > -kInfinity && range.high < kInfinity;
  static constexpr float kNone[kQ8Group] = {};
  if (!finite) x = kNone;
  // Divided before they are added: the range may be wider than a float holds.
  const auto steps = static_cast<float>(Q8Rows::steps(digits));
  const float scale = finite ? range.high / steps - range.low / steps : std::numeric_limits<float>::quiet_NaN();
  const float inverse = scale * steps >= 1e-30f ? 1.0f / scale : 0.0f;
  const std::int32_t least = finite ? std::bit_cast<std::int32_t>(range.low * inverse + kRounds) - kRoundsBits : 0;
  const int unit = digits == 1 ? 1 : 128;
  const std::int32_t low_digit = (least - unit + 1) / unit;  // rounded down

  const Ints bias = Ints{} - (form == Q8RowsView::Form::kShorts ? 0 : low_digit * unit);
  for (std::size_t i = 0; i < kQ8Group; i += 16) {
    const auto four = [&](std::size_t v) { return (Ints)(load<Floats>(x + i + 4 * v) * inverse + kRounds) + bias; };
    const Shorts low = low_halves(four(0), four(1)), high = low_halves(four(2), four(3));
    if (form == Q8RowsView::Form::kShorts) {
      std::memcpy(to + 2 * i, &low, sizeof low);
      std::memcpy(to + 2 * i + sizeof low, &high, sizeof high);
    } else if (digits == 1) {
      const Bytes all = low_bytes(low, high);
      std::memcpy(to + i, &all, sizeof all);
    } else {
      const Bytes first = low_bytes(low >> 7, high >> 7), second = low_bytes(low & 127, high & 127);
      std::memcpy(to + i, &first, sizeof first);
      std::memcpy(to + kQ8Group + i, &second, sizeof second);
    }
  }
  return {scale, low_digit};
}

}  // namespace

Q8RowsView Q8Rows::assign(const float* x, std::size_t ldx, std::size_t rows, std::size_t in, int digits,
                          Q8RowsView::Form form) {
  resize(rows, in, digits, form);
  for (std::size_t r = 0; r < rows; ++r) set_row(r, x + r * ldx);
  return view_;
}

Q8RowsView Q8Rows::resize(std::size_t rows, std::size_t in, int digits, Q8RowsView::Form form) {
  assert(digits == 1 || digits == 2);
  view_ = {nullptr, nullptr, rows, in, digits, form};
  const std::size_t groups = view_.groups(), block = view_.block();
  if (rows * groups * block > room_) data_ = aligned_zeros<std::uint8_t>(room_ = rows * groups * block);
  if (rows * groups > grids_room_) grids_ = aligned_zeros<Q8Grid>(grids_room_ = rows * groups);
  view_.data = data_.get(), view_.grids = grids_.get();
  return view_;
}

void Q8Rows::set_row(std::size_t r, const float* x) {
  assert(r < view_.rows);
  const std::size_t groups = view_.groups(), block = view_.block();
  for (std::size_t g = 0; g < groups; ++g)
    grids_[r * groups + g] = quantise_group(x + g * kQ8Group, std::min(kQ8Group, view_.in - g * kQ8Group), view_.digits,
                                            view_.form, data_.get() + (r * groups + g) * block);
}

int Q8RowsView::integer(std::size_t r, std::size_t i) const {
  assert(r < rows && i < in);
  const std::uint8_t* group = data + (r * groups() + i / kQ8Group) * block();
  const std::size_t k = i % kQ8Group;
  if (form == Form::kDigits) {
    const int first = group[k] + grid(r, i / kQ8Group).low;
    return digits == 1 ? first : 128 * first + group[kQ8Group + k];
  }
  std::int16_t q;
  std::memcpy(&q, group + k * sizeof q, sizeof q);
  return q;
}

}  // namespace helix::kernels
