#include "checkpoint/write_file.h"

#include <cerrno>
#include <cstring>
#include <string>

namespace helix::checkpoint {
namespace {

namespace fs = std::filesystem;

Error unwritten(const fs::path& path, int error) {
  const std::string why = error == ENOSPC ? "the disk is full" : std::strerror(error);
  return {"The file " + shown(path) + " could not be written: " + why + "."};
}

}  // namespace

Expected<File> open_to_write(const fs::path& path) {
  File file(std::fopen(path.string().c_str(), "wb"));
  if (!file) return unwritten(path, errno);
  return file;
}

Expected<void> write(const File& file, std::span<const std::byte> bytes, const fs::path& path) {
  if (bytes.empty() || std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size()) return {};
  return unwritten(path, errno);
}

Expected<void> close(File file, const fs::path& path) {
  if (std::fclose(file.release()) == 0) return {};
  return unwritten(path, errno);
}

Expected<void> write_whole(const fs::path& path, std::span<const std::byte> bytes) {
  auto file = open_to_write(path);
  if (!file) return file.error();
  if (auto written = write(*file, bytes, path); !written) return written;
  return close(std::move(*file), path);
}

}  // namespace helix::checkpoint
