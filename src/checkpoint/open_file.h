// A checkpoint on this machine's disk, one file or a pack, for the native program: reads only the header and the wanted
// tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/expected.h"
#include "checkpoint/config.h"
#include "checkpoint/pack_shards.h"
#include "checkpoint/weights.h"

namespace helix::checkpoint {

/// The model file that a path refers to: the path itself, or the file in the folder; for a pack, its manifest.
Expected<std::filesystem::path> resolve_model(const std::filesystem::path& path);

class ModelFile {
 public:
  /// `path`: a .safetensors file, or a folder that holds model.safetensors or just one .safetensors file,
  /// with an optional config.json beside it; or a pack, by its folder or its manifest.json. Reads the header. "control:…"
  /// (base/control_name.h) with such a path behind its @ is a control made from that model.
  static Expected<ModelFile> open(const std::filesystem::path& path);

  /// The file's name without its ending; the folder's if the file has a generic name ("model").
  const std::string& name() const { return name_; }
  /// The .safetensors file or the manifest, and the folder to look for vocab.json and merges.txt in.
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path folder() const;
  /// What open() takes to open the same again.
  std::string address() const;
  /// The name of what a control is made from; its own where this is none.
  std::string base_name() const { return control_ ? control_->base : name_; }
  std::uint64_t file_bytes() const { return *weights_.file_bytes(); }
  /// A file that belongs to the model and lies beside its weights, such as vocab.json; nothing if there is none. The
  /// files of a pack are those that its manifest lists, with the size and the hash that it lists.
  Expected<std::optional<std::string>> read_beside(std::string_view name, std::uint64_t most) const;
  const std::optional<std::string>& config_json() const { return config_json_; }
  /// Null where this is no pack.
  const PackManifest* manifest() const { return pack_ ? &pack_->manifest() : nullptr; }
  const Header& header() const { return *weights_.header(); }
  const Config& config() const { return config_; }
  WeightFile& weights() { return weights_; }
  const WeightFile& weights() const { return weights_; }

  /// Reads these tensors; names that the file does not hold are ignored here, and reported by weights().tensor().
  Expected<void> load(std::span<const std::string> tensors);
  /// Nothing where this is the model itself and no control made from it.
  const std::optional<ControlName>& control() const { return control_; }
  /// The hash of the whole file, also that of a control's base, which is read for it; for a pack, the hash in its manifest, since every shard is
  /// checked against the manifest when it is read.
  Expected<std::string> sha256() const;
  /// For a pack: reads everything and checks it against the manifest.
  Expected<void> check();

 private:
  ModelFile(std::filesystem::path path, std::uint64_t file_bytes);
  ModelFile(std::filesystem::path path, PackShards pack);
  static Expected<ModelFile> open_file(const std::filesystem::path& path);
  static Expected<ModelFile> open_pack(const std::filesystem::path& path);
  static Expected<ModelFile> open_control(const std::string& name);
  Expected<void> settle();
  Expected<void> read_missing();
  Expected<void> read(std::FILE* file, std::uint64_t offset, std::span<std::byte> into);

  std::filesystem::path path_;
  std::string name_;
  std::optional<std::string> config_json_;
  Config config_;
  std::optional<PackShards> pack_;
  std::optional<ControlName> control_;
  WeightFile weights_;
};

}  // namespace helix::checkpoint
