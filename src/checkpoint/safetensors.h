// The header of a safetensors file, checked in full: it may come from any file that a visitor drops on the page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"

namespace helix::checkpoint {

/// How a tensor's numbers are stored. A format that is not listed is Unknown, and known by its name only: reading that
/// tensor is an error, reading the file is not.
enum class DType { F64, F32, F16, BF16, I64, I32, I16, I8, U64, U32, U16, U8, BOOL, Unknown };

DType dtype_named(std::string_view name);
/// Bytes of one number; 0 for Unknown.
std::size_t dtype_bytes(DType dtype);

struct TensorInfo {
  std::string name;
  DType dtype = DType::Unknown;
  std::string dtype_name;
  std::vector<std::uint64_t> shape;
  std::uint64_t begin = 0;  // bytes begin .. end-1 of the file
  std::uint64_t end = 0;
};

/// The name without a leading "transformer.": checkpoints are saved with it and without.
std::string_view bare_name(std::string_view name);

struct Header {
  std::vector<TensorInfo> tensors;  // in the order of their bytes
  std::map<std::string, std::string> metadata;
  std::uint64_t data_begin = 0;      // where the header ends
  std::uint64_t file_bytes = 0;      // as the header implies: the end of the last tensor
  std::vector<std::size_t> by_name;  // indices into `tensors`, sorted by name

  /// The tensor of this name, else the same with or without "transformer.", else null.
  const TensorInfo* find(std::string_view name) const;
};

/// Bytes in front of the header's JSON: its length.
inline constexpr std::uint64_t kLengthBytes = 8;
/// The limit for the JSON. The format allows ten times as much; this is enough for some 80,000 tensors, and is read in
/// a moment.
inline constexpr std::uint64_t kMaxHeaderBytes = 10'000'000;

/// The length of the header's JSON. `first_bytes`: the start of the file, 8 bytes or all there are. `source`:
/// what to call the file in an error.
Expected<std::uint64_t> header_length(std::span<const std::byte> first_bytes, std::optional<std::uint64_t> file_bytes,
                                      std::string_view source);

/// The header from its JSON, which is the file's bytes 8 .. 8+length-1. Every offset is checked against the
/// others, and against the file's size where that is known.
Expected<Header> parse_header(std::string_view json, std::optional<std::uint64_t> file_bytes, std::string_view source);

/// Whether a file of this size is whole: the error says that it is cut short, or goes on after its last
/// tensor.
Expected<void> check_file_bytes(const Header& header, std::uint64_t file_bytes, std::string_view source);

}  // namespace helix::checkpoint
