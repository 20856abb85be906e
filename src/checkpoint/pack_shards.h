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
  /// `path`: the manifest. Errors in a shard are only found when it is read.
  static Expected<PackShards> open(const std::filesystem::path& path);

  const PackManifest& manifest() const { return manifest_; }
  /// Fills `into` from byte `offset` of the whole on; that many bytes must be there. A shard is read whole and checked
  /// against its size and hash, so that only bytes that match the manifest are returned; the last shard read is kept.
  Expected<void> read(std::uint64_t offset, std::span<std::byte> into);
  /// A whole file that the manifest lists beside the shards, checked against its size and hash; nothing if the manifest
  /// does not list it, even if it is in the folder.
  Expected<std::optional<std::string>> read_beside(std::string_view name, std::uint64_t most) const;
  /// Reads everything: each shard, the whole, the files beside them.
  Expected<void> check();

 private:
  Expected<void> touch(std::size_t shard);
  Expected<void> check_files() const;

  std::filesystem::path folder_;
  PackManifest manifest_;
  std::size_t held_ = static_cast<std::size_t>(-1);
  std::vector<std::byte> bytes_;  // of the shard that is kept
};

}  // namespace helix::checkpoint
