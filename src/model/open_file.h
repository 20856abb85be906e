// A checkpoint on this machine's disk, for the native program: reads the header and the wanted tensors, no
// more.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "base/expected.h"
#include "model/config.h"
#include "model/weights.h"

namespace helix::model {

class ModelFile {
 public:
  /// `path`: a .safetensors file, or a folder that holds model.safetensors or just one .safetensors file,
  /// with an optional config.json beside it. Reads the header.
  static Expected<ModelFile> open(const std::filesystem::path& path);

  /// The file's name without its ending; the folder's where the file has a name that tells nothing ("model").
  const std::string& name() const { return name_; }
  /// The .safetensors file, and the folder to look for vocab.json and merges.txt in.
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path folder() const;
  std::uint64_t file_bytes() const { return *weights_.file_bytes(); }
  const std::optional<std::string>& config_json() const { return config_json_; }
  const Header& header() const { return *weights_.header(); }
  const Config& config() const { return config_; }
  WeightFile& weights() { return weights_; }
  const WeightFile& weights() const { return weights_; }

  /// Reads these tensors; names that the file does not hold are ignored here, and weights().tensor() says so.
  Expected<void> load(std::span<const std::string> tensors);
  /// Of the whole file, read from its begin to its end.
  Expected<std::string> sha256() const;

 private:
  ModelFile(std::filesystem::path path, std::uint64_t file_bytes);
  Expected<void> read_missing();

  std::filesystem::path path_;
  std::string name_;
  std::optional<std::string> config_json_;
  Config config_;
  WeightFile weights_;
};

}  // namespace helix::model
