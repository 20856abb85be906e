// Converts stored numbers to the floats that are computed with: exact for every F32, F16 and BF16, NaN payloads
// included.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/expected.h"
#include "base/matrix.h"
#include "checkpoint/weights.h"

namespace helix::checkpoint {

float f16_to_f32(std::uint16_t bits);
float bf16_to_f32(std::uint16_t bits);

/// Writes one float for every stored number (little-endian, at any address); `out` has exactly that many. 8-bit
/// integers with scales become the numbers they stand for. An error where the format cannot be converted, or the stored
/// numbers are invalid.
Expected<void> to_f32(const TensorView& tensor, std::span<float> out);

/// Rows first .. first+count-1 of a tensor: a part can be converted without room for the whole.
TensorView rows_of(const TensorView& tensor, std::size_t first, std::size_t count);

/// As a matrix: a vector is one row; with more than two dimensions, all but the last count as rows.
Expected<Matrix<float>> to_f32(const TensorView& tensor);

/// The same for numbers that everything else is computed from: an error that names the tensor where one of them is NaN
/// or infinite, since every result would be meaningless.
Expected<void> to_finite_f32(const TensorView& tensor, std::span<float> out);
Expected<Matrix<float>> to_finite_f32(const TensorView& tensor);

/// How a tensor's numbers are stored, for a provenance: "F32", "F16", …; "q8" for 8-bit integers with scales.
std::string precision_of(const TensorView& tensor);

/// Hash of the tensor's bytes as stored, its scales last: names exactly which weights a result was computed from.
std::string sha256(const TensorView& tensor);

}  // namespace helix::checkpoint
