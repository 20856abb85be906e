// What a pack's manifest.json says, as a value. A pack is a checkpoint made ready for hosting: one safetensors file cut
// into shards, laid out in the order in which studies need it, with the tokenizer's files beside it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"

namespace helix::checkpoint {

enum class PackPrecision { F32, F16, Q8 };

/// "f32", "f16" or "q8".
std::string_view precision_name(PackPrecision precision);
std::optional<PackPrecision> precision_named(std::string_view name);

struct PackManifest {
  /// The shards one after the other are the safetensors file.
  struct Shard {
    std::string file;
    std::uint64_t offset = 0;  // of its first byte in the whole
    std::uint64_t bytes = 0;
    std::string sha256;
  };
  /// Copied beside the shards: vocab.json, merges.txt, config.json, emergence.safetensors.
  struct File {
    std::string file;
    std::uint64_t bytes = 0;
    std::string sha256;
  };

  /// In a pack in q8: which tensors are 8-bit integers, X beside X.scales, as described in checkpoint/quantised.h.
  struct Quantised {
    std::uint64_t group = 0;           // inputs that share a scale
    std::string scales;                // how those are stored: "F32"
    std::vector<std::string> tensors;  // by name
    std::vector<std::string> others;   // how the other tensors are stored: "F32", "F16"
  };

  std::string name;  // the name that pages and programs use
  PackPrecision precision = PackPrecision::F32;
  std::uint64_t bytes = 0;  // of the whole safetensors file
  std::string sha256;       // of the whole
  std::string source_name, source_sha256;
  std::string config_json;             // an object with the entries of a config.json that change what is computed
  std::vector<std::string> missing;    // what predictions need and the checkpoint lacks, in words
  std::optional<Quantised> quantised;  // always there in q8, and only there
  std::vector<Shard> shards;
  std::vector<File> files;
};

/// The file name of every manifest, and the name of its format.
inline constexpr std::string_view kManifestName = "manifest.json";
inline constexpr std::string_view kPackFormat = "helixscope-pack";
inline constexpr std::uint64_t kPackVersion = 1;
inline constexpr std::uint64_t kMaxShardBytes = std::uint64_t{16} << 20;
inline constexpr std::size_t kMaxShards = 10'000;
inline constexpr std::uint64_t kMaxManifestBytes = 4'000'000;
inline constexpr std::size_t kMaxNameBytes = 200;

/// "weights-00001.bin" for the first shard, 0.
std::string shard_name(std::size_t index);

/// Formatted for people to read, too.
std::string to_json(const PackManifest& manifest);

/// Checks everything: an error unless the shards follow one another without overlap or gap and make up the whole, all
/// file names stay in their folder, and every hash has the form of one. `source`: what to call the pack.
Expected<PackManifest> read_manifest(std::string_view json, std::string_view source);

}  // namespace helix::checkpoint
