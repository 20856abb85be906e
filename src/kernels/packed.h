// Weights in the order in which the kernels read them: panels of neighbouring output columns, each stored row after
// row, so that the innermost loop reads one stream from start to end.
#pragma once

#include <cassert>
#include <cstddef>
#include <memory>

#include "base/matrix.h"

namespace helix::kernels {

/// A matrix W [in, out], read by y = x·W. Panel p holds the columns p·panel .. p·panel+panel-1 as [in, panel]; panels
/// begin `stride` numbers apart. Columns from `out` on are zero or never read back. Does not own.
struct PackedView {
  const float* data = nullptr;
  std::size_t in = 0, out = 0;
  std::size_t panel = 0;   // columns of a panel: that of the kernels in use
  std::size_t stride = 0;  // from panel to panel, at least in·panel

  std::size_t panels() const { return panel == 0 ? 0 : (out + panel - 1) / panel; }
  /// Element (i, j) of W.
  float operator()(std::size_t i, std::size_t j) const {
    assert(i < in && j < out);
    return data[(j / panel) * stride + i * panel + j % panel];
  }
};

/// Memory on a cache line's boundary.
struct FreeAligned {
  void operator()(void* memory) const;
};
template <class T>
using Aligned = std::unique_ptr<T[], FreeAligned>;
inline constexpr std::size_t kCacheLine = 64;
/// `count` zeros.
template <class T>
Aligned<T> aligned_zeros(std::size_t count) {
  auto* memory = static_cast<T*>(::operator new[](count * sizeof(T), std::align_val_t(kCacheLine)));
  std::uninitialized_value_construct_n(memory, count);
  return Aligned<T>(memory);
}
inline Aligned<float> aligned_floats(std::size_t count) { return aligned_zeros<float>(count); }

/// A packed matrix that owns its numbers.
class Packed {
 public:
  Packed() = default;
  /// All zero.
  Packed(std::size_t in, std::size_t out, std::size_t panel);
  /// From W [in, out], as GPT-2 stores its matrices.
  static Packed from(MatrixView<const float> w, std::size_t panel);
  /// From the transpose [out, in]: an embedding used as the output head.
  static Packed from_transposed(MatrixView<const float> w, std::size_t panel);

  /// Input row i of W, for i < in: out numbers.
  void set_row(std::size_t i, const float* numbers);
  /// Input rows i .. of W.
  void set_rows(std::size_t i, MatrixView<const float> rows);
  /// Output column j of W, for j < out: in numbers.
  void set_column(std::size_t j, const float* numbers);
  void read_column(std::size_t j, float* numbers) const;

  PackedView view() const { return {data_.get(), in_, out_, panel_, in_ * panel_}; }
  std::size_t bytes() const { return (panel_ == 0 ? 0 : (out_ + panel_ - 1) / panel_ * panel_) * in_ * sizeof(float); }

 private:
  float& at(std::size_t i, std::size_t j) { return data_[(j / panel_) * in_ * panel_ + i * panel_ + j % panel_]; }

  std::size_t in_ = 0, out_ = 0, panel_ = 0;
  Aligned<float> data_;
};

}  // namespace helix::kernels
