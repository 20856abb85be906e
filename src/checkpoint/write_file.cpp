#include "checkpoint/write_file.h"

#include <cerrno>
#include <cstring>
#include <random>
#include <string>

namespace helix::checkpoint {
namespace {

namespace fs = std::filesystem;

Error unwritten(const fs::path& path, int error) {
  const std::string why = error == ENOSPC ? "the disk is full" : std::strerror(error);
  return {"The file " + shown(path) + " could not be written: " + why + "."};
}

/// Whether the bytes go where the name leads: to a device, a pipe, or a descriptor of this process such as /dev/stdout.
bool is_passage(const fs::path& path) {
  std::error_code none;
  const fs::file_status there = fs::status(path, none);
  if (fs::exists(there) && !fs::is_regular_file(there) && !fs::is_directory(there)) return true;
  const std::string whole = fs::absolute(path, none).lexically_normal().string();
  return whole.starts_with("/dev/") || whole.starts_with("/proc/");
}

Expected<void> write_here(const fs::path& path, std::span<const std::byte> bytes, const fs::path& told) {
  auto file = open_to_write(path);
  if (!file) return unwritten(told, errno);
  if (auto written = write(*file, bytes, told); !written) return written;
  return close(std::move(*file), told);
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
  if (is_passage(path)) return write_here(path, bytes, path);
  const std::string mark = std::to_string(std::random_device()());
  const fs::path beside = path.parent_path() / (path.filename().string().substr(0, 200) + "." + mark + ".part");
  auto written = write_here(beside, bytes, path);
  std::error_code error, none;
  if (written) fs::rename(beside, path, error);
  if (error) written = unwritten(path, error.value());
  if (!written) fs::remove(beside, none);
  return written;
}

}  // namespace helix::checkpoint
