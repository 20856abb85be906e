// How a pack lays out a checkpoint: what studies need first comes first, and what one kind of study needs shares its
// shards with nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/byte_range.h"
#include "base/expected.h"
#include "checkpoint/config.h"
#include "checkpoint/pack_manifest.h"
#include "checkpoint/safetensors.h"

namespace helix::checkpoint {

struct PackPlan {
  /// What is stored of a tensor: its numbers, or the integers that stand for them followed directly by their scales.
  enum class Part { Numbers, Integers, Scales };
  struct Tensor {
    std::string source;  // its name in the checkpoint
    TensorInfo stored;   // named without "transformer."; offsets in the whole file
    Part part = Part::Numbers;
  };

  std::vector<Tensor> tensors;        // in the order of their bytes
  std::vector<std::byte> header;      // the file's beginning: length, JSON, and spaces up to a multiple of 64 bytes
  std::vector<ByteRange> shards;      // of the whole file, which ends with the last
  std::vector<std::string> left_out;  // tensors that GPT-2 does not compute with, such as masks

  std::uint64_t bytes() const { return shards.back().end; }
};

/// The order: positions; LayerNorms and attention of all layers; MLPs; word embeddings and the output head. A shard
/// ends where one of these groups does (so the first holds the header and the positions, and no more) and before it
/// would grow beyond `shard_bytes`. In q8 the matrices of products become 8-bit integers (checkpoint/quantised.h), and
/// everything else stays as it is, BF16 as F32. An error where a tensor is stored in a format that cannot be converted.
Expected<PackPlan> plan_pack(const Header& checkpoint, const Config& config, PackPrecision precision,
                             std::uint64_t shard_bytes);

}  // namespace helix::checkpoint
