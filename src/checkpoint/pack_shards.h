// The shards of a pack on this machine's disk, read as the one file that they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "checkpoint/pack_manifest.h"

namespace helix::checkpoint {

class PackShards {
 public:
  /// `path`: the manifest. What is wrong with a shard is only found when it is read.
  static Expected<PackShards> open(const std::filesystem::path& path);

  const PackManifest& manifest() const { return manifest_; }
  /// Fills `into` from byte `offset` of the whole on, which must hold as many. A shard is read whole and held to its size
  /// and hash, so that nothing is handed out that the manifest does not vouch for; the last one read is kept.
  Expected<void> read(std::uint64_t offset, std::span<std::byte> into);
  /// The whole of a file that the manifest names beside the shards, held to its size and hash; nothing where the manifest
  /// names no such file, whatever lies in the folder.
  Expected<std::optional<std::string>> read_beside(std::string_view name, std::uint64_t most) const;
  /// Reads everything: each shard, the whole, the files beside them.
  Expected<void> check();

 private:
  Expected<void> touch(std::size_t shard);
  Expected<void> check_files() const;

  std::filesystem::path folder_;
  PackManifest manifest_;
  std::size_t held_ = static_cast<std::size_t>(-1);
  std::vector<std::byte> bytes_;  // of the shard that is held
};

}  // namespace helix::checkpoint
