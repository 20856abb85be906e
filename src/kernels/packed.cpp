#include "kernels/packed.h"

#include <algorithm>
#include <new>

namespace helix::kernels {

void FreeAligned::operator()(void* memory) const { ::operator delete[](memory, std::align_val_t(kCacheLine)); }

Packed::Packed(std::size_t in, std::size_t out, std::size_t panel)
    : in_(in), out_(out), panel_(panel), data_(aligned_floats((out + panel - 1) / panel * panel * in)) {}

Packed Packed::from(MatrixView<const float> w, std::size_t panel) {
  Packed packed(w.rows, w.cols, panel);
  for (std::size_t i = 0; i < w.rows; ++i) packed.set_row(i, w.row(i).data());
  return packed;
}

Packed Packed::from_transposed(MatrixView<const float> w, std::size_t panel) {
  Packed packed(w.cols, w.rows, panel);
  for (std::size_t j = 0; j < w.rows; ++j) packed.set_column(j, w.row(j).data());
  return packed;
}

void Packed::set_row(std::size_t i, const float* numbers) {
  assert(i < in_);
  for (std::size_t j = 0; j < out_; j += panel_) std::copy_n(numbers + j, std::min(panel_, out_ - j), &at(i, j));
}

void Packed::set_rows(std::size_t i, MatrixView<const float> rows) {
  for (std::size_t k = 0; k < rows.rows; ++k) set_row(i + k, rows.row(k).data());
}

void Packed::set_column(std::size_t j, const float* numbers) {
  assert(j < out_);
  float* to = &at(0, j);
  for (std::size_t i = 0; i < in_; ++i) to[i * panel_] = numbers[i];
}

void Packed::read_column(std::size_t j, float* numbers) const {
  assert(j < out_);
  const float* from = data_.get() + (j / panel_) * in_ * panel_ + j % panel_;
  for (std::size_t i = 0; i < in_; ++i) numbers[i] = from[i * panel_];
}

}  // namespace helix::kernels
