#include "kernels/q8.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>

namespace helix::kernels {
namespace {

// Where column c of a panel lies in a group's block: its weights four by four, its scale, its sum.
std::size_t weight_at(std::size_t panel, std::size_t i, std::size_t c) { return (i / 4 * panel + c) * 4 + i % 4; }
std::size_t scale_at(std::size_t panel, std::size_t c) { return panel * kQ8Group + c * sizeof(float); }
std::size_t sum_at(std::size_t panel, std::size_t c) {
  return panel * (kQ8Group + sizeof(float)) + c * sizeof(std::int16_t);
}

template <class T>
Aligned<T> aligned_bytes(std::size_t count) {
  static_assert(sizeof(T) == 1);
  auto* memory = static_cast<T*>(::operator new[](count, std::align_val_t(kCacheLine)));
  std::fill_n(memory, count, T(0));
  return Aligned<T>(memory);
}

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

/// The bits of |x| order like the numbers, with NaN above all.
float largest_of(const float* x) {
  Ints top[4] = {};
  for (std::size_t i = 0; i < kQ8Group; i += 16)
    for (std::size_t v = 0; v < 4; ++v) {
      const Ints bits = load<Ints>(x + i + 4 * v) & 0x7fffffff;
      top[v] = bits > top[v] ? bits : top[v];
    }
  std::int32_t most = 0;
  for (const Ints& t : top)
    for (std::size_t j = 0; j < 4; ++j) most = std::max(most, t[j]);
  return std::bit_cast<float>(most);
}

/// Whole numbers below 2^15, the low half of each 32 bits, and the low bytes of such.
Shorts low_halves(Ints a, Ints b) { return __builtin_shufflevector((Shorts)a, (Shorts)b, 0, 2, 4, 6, 8, 10, 12, 14); }
Bytes low_bytes(Shorts a, Shorts b) {
  return __builtin_shufflevector((Bytes)a, (Bytes)b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
}

void quantise_group(const float* x, std::size_t count, int digits, Q8RowsView::Form form, std::uint8_t* to,
                    float* scale) {
  float padded[kQ8Group] = {};
  if (count < kQ8Group) x = static_cast<const float*>(std::memcpy(padded, x, count * sizeof(float)));
  const float most = largest_of(x), limit = static_cast<float>(Q8Rows::largest(digits));
  const bool finite = most < std::numeric_limits<float>::infinity();
  *scale = finite ? most / limit : std::numeric_limits<float>::quiet_NaN();
  const float inverse = finite && most >= 1e-30f ? limit / most : 0.0f;
  static constexpr float kNone[kQ8Group] = {};
  if (!finite) x = kNone;

  // 1.5·2²³ added to a number rounds it and leaves the integer in its last bits; what makes it positive comes along.
  const float magic = 12582912.0f + (form == Q8RowsView::Form::kShorts ? 0.0f : digits == 1 ? 64.0f : 8192.0f);
  for (std::size_t i = 0; i < kQ8Group; i += 16) {
    const auto four = [&](std::size_t v) { return (Ints)(load<Floats>(x + i + 4 * v) * inverse + magic); };
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
}

}  // namespace

int Q8View::weight(std::size_t i, std::size_t j) const {
  assert(i < in && j < out);
  return data[j / panel * stride() + i / kQ8Group * block() + weight_at(panel, i % kQ8Group, j % panel)];
}

float Q8View::scale(std::size_t group, std::size_t j) const {
  assert(group < groups() && j < out);
  float s;
  std::memcpy(&s, data + j / panel * stride() + group * block() + scale_at(panel, j % panel), sizeof s);
  return s;
}

PackedQ8::PackedQ8(std::size_t in, std::size_t out, std::size_t panel) : in_(in), out_(out), panel_(panel) {
  data_ = aligned_bytes<std::int8_t>(bytes());
}

PackedQ8 PackedQ8::from(MatrixView<const float> w, std::size_t panel) {
  PackedQ8 packed(w.rows, w.cols, panel);
  for (std::size_t i = 0; i < w.rows; i += kQ8Group) packed.set_rows(i, w.slice(i, std::min(kQ8Group, w.rows - i)));
  return packed;
}

PackedQ8 PackedQ8::from_transposed(MatrixView<const float> w, std::size_t panel) {
  PackedQ8 packed(w.cols, w.rows, panel);
  for (std::size_t j = 0; j < w.rows; ++j) packed.set_column(j, w.row(j).data());
  return packed;
}

void PackedQ8::set_rows(std::size_t i, MatrixView<const float> rows) {
  assert(i % kQ8Group == 0 && rows.cols == out_ && rows.rows == std::min(kQ8Group, in_ - i));
  for (std::size_t j = 0; j < out_; ++j) set_group(i / kQ8Group, j, rows.data + j, rows.stride, rows.rows);
}

void PackedQ8::set_column(std::size_t j, const float* numbers) {
  for (std::size_t i = 0; i < in_; i += kQ8Group)
    set_group(i / kQ8Group, j, numbers + i, 1, std::min(kQ8Group, in_ - i));
}

float quantise_weights(const float* numbers, std::size_t apart, std::size_t count, std::int8_t* integers) {
  float most = 0;
  for (std::size_t k = 0; k < count; ++k) most = std::max(most, std::fabs(numbers[k * apart]));
  const float scale = most / 127;
  for (std::size_t k = 0; k < count; ++k) {
    // NaN has no integer; weights are checked when they are read, and here only must not become nonsense.
    const float q = scale > 0 ? std::nearbyint(numbers[k * apart] / scale) : 0.0f;
    integers[k] = static_cast<std::int8_t>(std::isfinite(q) ? std::clamp(q, -127.0f, 127.0f) : 0.0f);
  }
  return scale;
}

void PackedQ8::set_rows(std::size_t i, MatrixView<const std::int8_t> integers, const float* scales) {
  assert(i % kQ8Group == 0 && integers.cols == out_ && integers.rows == std::min(kQ8Group, in_ - i));
  for (std::size_t j = 0; j < out_; ++j)
    set_group(i / kQ8Group, j, integers.data + j, integers.stride, integers.rows, scales[j]);
}

void PackedQ8::set_column(std::size_t j, const std::int8_t* integers, const float* scales) {
  for (std::size_t i = 0; i < in_; i += kQ8Group)
    set_group(i / kQ8Group, j, integers + i, 1, std::min(kQ8Group, in_ - i), scales[i / kQ8Group]);
}

void PackedQ8::set_group(std::size_t group, std::size_t j, const float* numbers, std::size_t apart, std::size_t count) {
  std::int8_t integers[kQ8Group];
  const float scale = quantise_weights(numbers, apart, count, integers);
  set_group(group, j, integers, 1, count, scale);
}

void PackedQ8::set_group(std::size_t group, std::size_t j, const std::int8_t* integers, std::size_t apart,
                         std::size_t count, float scale) {
  assert(j < out_);
  std::int8_t* block = data_.get() + j / panel_ * view().stride() + group * view().block();
  std::int16_t sum = 0;
  for (std::size_t k = 0; k < count; ++k) {
    block[weight_at(panel_, k, j % panel_)] = integers[k * apart];
    sum = static_cast<std::int16_t>(sum + integers[k * apart]);
  }
  std::memcpy(block + scale_at(panel_, j % panel_), &scale, sizeof scale);
  std::memcpy(block + sum_at(panel_, j % panel_), &sum, sizeof sum);
}

void PackedQ8::read_column(std::size_t j, float* numbers) const {
  const Q8View w = view();
  for (std::size_t i = 0; i < in_; ++i) numbers[i] = static_cast<float>(w.weight(i, j)) * w.scale(i / kQ8Group, j);
}

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
  if (rows * groups * block > room_) data_ = aligned_bytes<std::uint8_t>(room_ = rows * groups * block);
  if (rows * groups > scales_room_) scales_ = aligned_floats(scales_room_ = rows * groups);
  view_.data = data_.get(), view_.scales = scales_.get();
  return view_;
}

void Q8Rows::set_row(std::size_t r, const float* x) {
  assert(r < view_.rows);
  const std::size_t groups = view_.groups(), block = view_.block();
  for (std::size_t g = 0; g < groups; ++g)
    quantise_group(x + g * kQ8Group, std::min(kQ8Group, view_.in - g * kQ8Group), view_.digits, view_.form,
                   data_.get() + (r * groups + g) * block, scales_.get() + r * groups + g);
}

int Q8RowsView::integer(std::size_t r, std::size_t i) const {
  assert(r < rows && i < in);
  const std::uint8_t* group = data + (r * groups() + i / kQ8Group) * block();
  const std::size_t k = i % kQ8Group;
  if (form == Form::kDigits) return digits == 1 ? group[k] - 64 : group[k] * 128 + group[kQ8Group + k] - 8192;
  std::int16_t q;
  std::memcpy(&q, group + k * sizeof q, sizeof q);
  return q;
}

}  // namespace helix::kernels
