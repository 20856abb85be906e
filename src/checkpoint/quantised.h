// Matrices stored as 8-bit integers, as in a pack of precision q8. Beside a tensor X of the format I8 lies X.scales in
// F32, a scale for 64 neighbouring inputs of an output; a number is integer · scale, rounded once to F32.
//
//   h.N.….weight  [in, out]                    X.scales [⌈in/64⌉, out]    X[i, j] = q[i, j] · s[i/64, j]
//   wte.weight, lm_head.weight  [out, in]      X.scales [out, ⌈in/64⌉]    X[i, j] = q[i, j] · s[i, j/64]
//
// Integers are −127 … 127, scales finite and not negative. The header's __metadata__ says "q8_group": "64".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "base/matrix.h"
#include "checkpoint/weights.h"
#include "kernels/q8.h"

namespace helix::checkpoint {

inline constexpr std::string_view kScalesEnding = ".scales";
inline constexpr std::string_view kGroupKey = "q8_group";
inline constexpr std::string_view kQ8Name = "q8";

/// The dimension of a matrix that products add over, for matrices that may be stored so: 0 for a layer's, 1 for wte and
/// lm_head.
std::optional<std::size_t> input_dimension(std::string_view tensor);

/// The shape of the scales of a matrix of this shape.
std::vector<std::uint64_t> scales_shape(std::span<const std::uint64_t> matrix, std::size_t input_dimension);

/// Whether any matrix is stored as 8-bit integers: such a model runs in 8 bits, never in floats.
bool holds_q8(const Header& header);

/// The scales of a matrix that is stored so; an error where they are missing, or not as described above. `source`: what
/// to call the file.
Expected<const TensorInfo*> scales_of(const Header& header, const TensorInfo& integers, std::string_view source);

/// Rows of such a matrix.
struct QuantisedRows {
  MatrixView<const std::int8_t> integers;  // [rows, cols]
  std::vector<float> scales;               // [groups of rows, cols], or [rows, groups of cols]
  std::size_t along = 0;                   // the dimension in groups
  std::size_t before = 0;                  // rows of the first group that come before the first row

  float scale(std::size_t i, std::size_t j) const;
  float number(std::size_t i, std::size_t j) const { return static_cast<float>(integers(i, j)) * scale(i, j); }
};

/// The contents of a tensor, or of a part from rows_of(): the integers where they lie, the scales copied. An error if
/// quantising cannot have made one of its numbers.
Expected<QuantisedRows> read_quantised(const TensorView& rows);

/// Rows of a matrix that begin with a group, quantised as kernels::PackedQ8 does it; `integers` is the memory for them.
/// An error, half a sentence, where a number is not finite.
Expected<QuantisedRows> quantise(MatrixView<const float> rows, std::size_t along, std::vector<std::int8_t>& integers);

}  // namespace helix::checkpoint
