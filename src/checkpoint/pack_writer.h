// Makes a pack of a checkpoint, one tensor at a time: no more than one is ever in memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/expected.h"
#include "checkpoint/open_file.h"
#include "checkpoint/pack_encode.h"
#include "checkpoint/pack_manifest.h"

namespace helix::checkpoint {

struct PackReport {
  PackManifest manifest;
  Difference weights;                 // of the stored numbers from those of the checkpoint
  std::vector<std::string> left_out;  // tensors that GPT-2 does not compute with
};

/// Writes the pack into `out`, which is created if it does not exist. `shard_bytes`: 1 .. kMaxShardBytes. An error
/// names what cannot be stored (a number beyond F16's largest) or written; `out` is then unchanged.
Expected<PackReport> write_pack(ModelFile& checkpoint, const std::filesystem::path& out, PackPrecision precision,
                                std::uint64_t shard_bytes = kMaxShardBytes);

}  // namespace helix::checkpoint
