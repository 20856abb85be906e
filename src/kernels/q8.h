// Products of 8-bit integers. Weights are integers −127 … 127 with a scale for each output column and group of 64
// inputs; the rows multiplied with them become integers of 7 or 14 bits, with a scale for each row and group.
//
// The numbers are the same on every machine: sums of integers are exact in any order, and a group's contribution in
// floats, float(Σ) · (scale of x · scale of w), is added group after group, starting with the bias, never fused. So
// every version gives the same bits as the scalar one, for any split into rows and panels.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/matrix.h"
#include "kernels/packed.h"
#include "kernels/roof_tile.h"

namespace helix::kernels {

inline constexpr std::size_t kQ8Group = 64;

/// Quantised W [in, out] in panels, as the kernels read it. Panel p has a block for each group of inputs: the weights
/// as [group/4][panel][4], the `panel` scales, and the `panel` sums of the weights (16 bits). Does not own.
struct Q8View {
  const std::int8_t* data = nullptr;
  std::size_t in = 0, out = 0;
  std::size_t panel = 0;

  std::size_t panels() const { return panel == 0 ? 0 : (out + panel - 1) / panel; }
  std::size_t groups() const { return (in + kQ8Group - 1) / kQ8Group; }
  static constexpr std::size_t kColumnBytes = kQ8Group + sizeof(float) + sizeof(std::int16_t);
  /// Bytes of a group of a panel.
  std::size_t block() const { return panel * kColumnBytes; }
  std::size_t stride() const { return groups() * block(); }

  int weight(std::size_t i, std::size_t j) const;
  float scale(std::size_t group, std::size_t j) const;
};

/// Quantises at most 64 weights of a group, `apart` numbers from each other, to integers −127 … 127; returns their
/// scale, the largest |weight| over 127. Every 8-bit weight is made by this function, so equal weights give equal
/// products wherever they were quantised.
float quantise_weights(const float* numbers, std::size_t apart, std::size_t count, std::int8_t* integers);

/// Quantised weights that own their numbers.
class PackedQ8 {
 public:
  PackedQ8() = default;
  /// All zero.
  PackedQ8(std::size_t in, std::size_t out, std::size_t panel);
  /// From W [in, out], as GPT-2 stores its matrices.
  static PackedQ8 from(MatrixView<const float> w, std::size_t panel);
  /// From the transpose [out, in].
  static PackedQ8 from_transposed(MatrixView<const float> w, std::size_t panel);

  /// Input rows i .. of W, i a multiple of 64; as many rows as a group has, or up to the last.
  void set_rows(std::size_t i, MatrixView<const float> rows);
  /// Output column j of W: in numbers.
  void set_column(std::size_t j, const float* numbers);
  /// The same from integers −127 … 127 that were quantised before, with the scales [out] of this group of inputs, or
  /// the scales [groups] of this column.
  void set_rows(std::size_t i, MatrixView<const std::int8_t> integers, const float* scales);
  void set_column(std::size_t j, const std::int8_t* integers, const float* scales);
  /// Column j as the products see it: integer times scale.
  void read_column(std::size_t j, float* numbers) const;

  Q8View view() const { return {data_.get(), in_, out_, panel_}; }
  std::size_t bytes() const { return view().panels() * view().stride(); }

 private:
  void set_group(std::size_t group, std::size_t j, const float* numbers, std::size_t apart, std::size_t count);
  void set_group(std::size_t group, std::size_t j, const std::int8_t* integers, std::size_t apart, std::size_t count,
                 float scale);

  std::size_t in_ = 0, out_ = 0, panel_ = 0;
  Aligned<std::int8_t> data_;
};

/// How the numbers of a group of x are quantised: number ≈ scale · integer. A first digit of 0 stands for `low`, which
/// is never positive.
struct Q8Grid {
  float scale = 0;
  std::int32_t low = 0;
};

/// Rows of x as integers, groups of 64 one after the other. Digits: 64 bytes each, the high one first: the integer is
/// first + low, or 128·(first + low) + second. They are unsigned because one factor of the instructions is unsigned;
/// the products add low·Σw. Shorts: 64 integers of 16 bits. Rows have no gaps. Does not own.
struct Q8RowsView {
  enum class Form { kDigits, kShorts };
  const std::uint8_t* data = nullptr;
  const Q8Grid* grids = nullptr;  // of each group of each row
  std::size_t rows = 0, in = 0;
  int digits = 1;
  Form form = Form::kDigits;

  std::size_t groups() const { return (in + kQ8Group - 1) / kQ8Group; }
  /// Bytes of a group.
  std::size_t block() const { return kQ8Group * (form == Form::kShorts || digits == 2 ? 2 : 1); }
  int integer(std::size_t r, std::size_t i) const;
  const Q8Grid& grid(std::size_t r, std::size_t group) const {
    assert(r < rows && group < groups());
    return grids[r * groups() + group];
  }
};

/// Quantised rows that own their numbers; the memory is reused.
class Q8Rows {
 public:
  /// Steps from a group's smallest number, or zero, to its largest, or zero. One step is kept spare because both ends
  /// may be rounded outwards; with two digits another 128, because `low` counts in units of the first digit.
  static constexpr int steps(int digits) { return digits == 1 ? 126 : 16254; }

  /// Quantises x [rows, in], its rows ldx numbers apart, into 1 or 2 digits of 7 bits. Halves round to the even
  /// integer. A group that holds NaN or an infinity gets the scale NaN: the products of its row are NaN. A group that
  /// spans less than 1e−30 becomes zero.
  Q8RowsView assign(const float* x, std::size_t ldx, std::size_t rows, std::size_t in, int digits,
                    Q8RowsView::Form form);
  /// The same in two parts, for threads that share the second: room for the rows, with unspecified numbers, …
  Q8RowsView resize(std::size_t rows, std::size_t in, int digits, Q8RowsView::Form form);
  /// … and row r from `in` numbers.
  void set_row(std::size_t r, const float* x);
  Q8RowsView view() const { return view_; }

 private:
  Q8RowsView view_;
  std::size_t room_ = 0, grids_room_ = 0;
  Aligned<std::uint8_t> data_;
  Aligned<Q8Grid> grids_;
};

struct Q8Kernels {
  std::string_view name;  // "scalar", "simd128", "relaxed simd128", "generic128", "avx2", "avx-vnni", "avx512-vnni"
  std::size_t panel = 0;
  Q8RowsView::Form form = Q8RowsView::Form::kDigits;

  /// y [rows, out] = x·W + bias for the rows first_row .. and the columns of the panels first_panel .. end_panel-1. y
  /// points to row first_row's output; x has W's inputs and this form. `bias` [out], or null.
  void (*matmul)(const Q8RowsView& x, std::size_t first_row, std::size_t rows, const Q8View& w, std::size_t first_panel,
                 std::size_t end_panel, const float* bias, float* y, std::size_t ldy) = nullptr;

  /// Loops for the probe; none for the scalar kernels.
  std::span<const RoofTile> roof;
};

/// What this build and this machine can run, the scalar ones first, the fastest last. `Table::q8` holds the one that a
/// table uses.
const std::vector<Q8Kernels>& q8_kernels();

}  // namespace helix::kernels
