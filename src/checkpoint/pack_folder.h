// The folder that a pack is written into: existing files are not touched before all new ones are ready beside them.
#pragma once

#include <filesystem>
#include <string>

#include "base/expected.h"
#include "checkpoint/pack_manifest.h"

namespace helix::checkpoint {

class PackFolder {
 public:
  /// Refuses a folder that holds anything but a pack of the source of this name in this precision, and the folder of
  /// the source itself.
  static Expected<PackFolder> prepare(const std::filesystem::path& out, const std::filesystem::path& source_folder,
                                      const std::string& source_name, PackPrecision precision);
  PackFolder(PackFolder&& other) noexcept;
  PackFolder& operator=(PackFolder&&) = delete;
  /// Deletes what was not committed.
  ~PackFolder();

  /// The pack's name: that of its folder.
  std::string name() const;
  /// "OUT.part": the files are written here.
  const std::filesystem::path& staging() const { return staging_; }
  /// Replaces the files of an existing pack by those of this one, its manifest last.
  Expected<void> commit(const PackManifest& manifest);

 private:
  PackFolder(std::filesystem::path out, std::filesystem::path staging);

  std::filesystem::path out_, staging_;
};

}  // namespace helix::checkpoint
