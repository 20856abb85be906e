#include "cli/outputs.h"

#include <filesystem>
#include <string>
#include <vector>

#include "base/control_name.h"
#include "checkpoint/read_file.h"

namespace helix::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWritten[] = {"npz", "npy", "svg", "csv", "markdown", "python"};
constexpr const char* kRead[] = {"model", "prompt-file", "text-file"};

/// The file itself, or those in the folder of that name that may belong to a model.
std::vector<fs::path> files_at(const fs::path& path) {
  std::error_code none;
  if (!fs::is_directory(path, none)) return {path};
  std::vector<fs::path> files;
  for (auto entry = fs::directory_iterator(path, none); entry != fs::directory_iterator(); entry.increment(none)) {
    const std::string ending = entry->path().extension().string();
    if (ending == ".safetensors" || ending == ".bin" || ending == ".json" || ending == ".txt")
      files.push_back(entry->path());
  }
  return files;
}

std::string path_of(const std::string& model) {
  const auto control = is_control(model) ? parse_control(model) : Expected<ControlName>(Error{});
  return control ? control->base : model;
}

}  // namespace

Expected<void> check_outputs(const Options& options) {
  for (const char* output : kWritten)
    for (const std::string& path : options.all(output))
      for (const char* input : kRead)
        for (const std::string& name : options.all(input))
          for (const fs::path& file : files_at(path_of(name))) {
            std::error_code none;
            if (!fs::is_regular_file(file, none) || !fs::equivalent(path, file, none)) continue;
            return Error{"--" + std::string(output) + " " + checkpoint::shown(path) +
                         " would overwrite a file that this command reads; choose another name."};
          }
  return {};
}

}  // namespace helix::cli
