// Checkpoints in other formats than F32, made from one in F32 in memory: BF16, and 8-bit integers with scales, written
// directly from the format's description and sharing no code with the packer.
#pragma once

#include <catch_amalgamated.hpp>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "checkpoint/convert.h"
#include "checkpoint/weights.h"
#include "tests/checkpoint/safetensors_bytes.h"

namespace helix::testing {

struct Stored {
  std::string name, dtype;
  std::vector<std::uint64_t> shape;
  testing::Bytes bytes;
};

inline testing::Bytes raw(const void* from, std::size_t size) {
  const auto* bytes = static_cast<const std::byte*>(from);
  return {bytes, bytes + size};
}

inline testing::Bytes stored_file(const std::vector<Stored>& tensors, const std::string& metadata) {
  std::string json = "{\"__metadata__\":{" + metadata + "}";
  testing::Bytes data;
  for (const Stored& t : tensors) {
    testing::Entry entry{t.name, t.shape, t.dtype};
    json += "," + entry_json(entry, data.size(), data.size() + t.bytes.size());
    data.insert(data.end(), t.bytes.begin(), t.bytes.end());
  }
  json += "}";
  testing::Bytes file = testing::length_bytes(json.size());
  for (const std::byte b : testing::bytes_of(json)) file.push_back(b);
  file.insert(file.end(), data.begin(), data.end());
  return file;
}

/// The tensors of a file in F32.
inline std::vector<Stored> tensors_of(const testing::Bytes& file) {
  checkpoint::WeightFile weights("tiny", file.size());
  REQUIRE(weights.feed(0, file));
  std::vector<Stored> tensors;
  for (const checkpoint::TensorInfo& t : weights.header()->tensors)
    tensors.push_back(
        {t.name, t.dtype_name, t.shape, raw(file.data() + t.begin, static_cast<std::size_t>(t.end - t.begin))});
  return tensors;
}

inline bool is_matrix(const std::string& name) {
  return name == "wte.weight" || name == "lm_head.weight" ||
         (name.find(".c_") != std::string::npos && name.ends_with("weight"));
}

/// A matrix and its scales.
inline std::pair<Stored, Stored> quantised(const Stored& t) {
  const auto rows = static_cast<std::size_t>(t.shape[0]), cols = static_cast<std::size_t>(t.shape[1]);
  const bool by_rows = t.name.starts_with("h.");
  std::vector<float> numbers(rows * cols), scales((by_rows ? (rows + 63) / 64 * cols : rows * ((cols + 63) / 64)));
  std::memcpy(numbers.data(), t.bytes.data(), t.bytes.size());
  const auto scale = [&](std::size_t i, std::size_t j) -> float& {
    return by_rows ? scales[i / 64 * cols + j] : scales[i * ((cols + 63) / 64) + j / 64];
  };
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < cols; ++j) scale(i, j) = std::max(scale(i, j), std::abs(numbers[i * cols + j]));
  for (float& s : scales) s /= 127;
  std::vector<std::int8_t> integers(rows * cols);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < cols; ++j)
      integers[i * cols + j] = static_cast<std::int8_t>(std::nearbyint(numbers[i * cols + j] / scale(i, j)));
  auto shape = t.shape;
  shape[by_rows ? 0 : 1] = (shape[by_rows ? 0 : 1] + 63) / 64;
  return {{t.name, "I8", t.shape, raw(integers.data(), integers.size())},
          {t.name + ".scales", "F32", shape, raw(scales.data(), scales.size() * sizeof(float))}};
}

inline std::vector<Stored> quantised_tensors(const testing::Bytes& file) {
  std::vector<Stored> out;
  for (Stored& t : tensors_of(file)) {
    if (!is_matrix(t.name)) {
      out.push_back(std::move(t));
      continue;
    }
    auto [integers, scales] = quantised(t);
    out.push_back(std::move(integers)), out.push_back(std::move(scales));
  }
  return out;
}

inline const char* const kQ8Metadata = "\"format\":\"pt\",\"q8_group\":\"64\"";

inline testing::Bytes quantised_checkpoint(const testing::Bytes& file) {
  return stored_file(quantised_tensors(file), kQ8Metadata);
}

/// BF16 keeps the upper halves of the numbers.
inline testing::Bytes bf16_checkpoint(const testing::Bytes& file) {
  std::vector<Stored> tensors = tensors_of(file);
  for (Stored& t : tensors) {
    testing::Bytes half;
    for (std::size_t i = 0; i < t.bytes.size(); i += 4) half.push_back(t.bytes[i + 2]), half.push_back(t.bytes[i + 3]);
    t.bytes = std::move(half), t.dtype = "BF16";
  }
  return stored_file(tensors, "\"format\":\"pt\"");
}

}  // namespace helix::testing
