// A result in the formats other programs read: CSV for one array, NPZ (numpy) for all of them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/matrix.h"
#include "protocol/result.h"

namespace helix::protocol {

/// One array as CSV (RFC 4180, "." as decimal point): a column per index, then the value; a two-dimensional array has
/// one line per first index and one column per second.
std::string to_csv(const Array& array);

/// All arrays of a result as an uncompressed .npz with float64 or float32 members, as the arrays are; scalars as 0-d
/// arrays.
std::vector<std::byte> to_npz(const Result& result);

/// Below an exported figure: the prompt and the edits in words, on a line of its own; empty where neither was part of the run.
std::string prompt_line(const Result& result);

/// Rows of float32 as one .npy array.
std::vector<std::byte> to_npy(const Matrix<float>& rows);

}  // namespace helix::protocol
