#include "kernels/q8.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace helix::kernels {
namespace {

// Where column c of a panel lies in a group's block: its weights four by four, its scale, its sum.
std::size_t weight_at(std::size_t panel, std::size_t i, std::size_t c) { return (i / 4 * panel + c) * 4 + i % 4; }
std::size_t scale_at(std::size_t panel, std::size_t c) { return panel * kQ8Group + c * sizeof(float); }
std::size_t sum_at(std::size_t panel, std::size_t c) {
  return panel * (kQ8Group + sizeof(float)) + c * sizeof(std::int16_t);
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
  data_ = aligned_zeros<std::int8_t>(bytes());
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
    // Weights are checked for NaN when they are read; here NaN, which has no integer, only has to become a valid one.
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

}  // namespace helix::kernels
