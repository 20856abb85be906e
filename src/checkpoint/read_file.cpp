#include "checkpoint/read_file.h"

#include <limits>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "checkpoint/sentence.h"

namespace helix::checkpoint {

namespace fs = std::filesystem;

std::string shown(const fs::path& path) { return in_quotes(path.string(), 4096); }

Expected<std::uint64_t> size_of(const fs::path& path) {
  std::error_code failed;
  const std::uintmax_t size = fs::file_size(path, failed);
  if (failed) return Error{"The file " + shown(path) + " cannot be read: " + failed.message() + "."};
  return static_cast<std::uint64_t>(size);
}

Expected<File> open_to_read(const fs::path& path) {
  File file(std::fopen(path.string().c_str(), "rb"));
  if (!file) return Error{"The file " + shown(path) + " cannot be read; check its permissions."};
  return file;
}

Expected<void> read_at(std::FILE* file, std::uint64_t offset, std::span<std::byte> into, const fs::path& path) {
  const bool reachable = offset <= static_cast<std::uint64_t>(std::numeric_limits<long>::max());
  if (!reachable || std::fseek(file, static_cast<long>(offset), SEEK_SET) != 0 ||
      std::fread(into.data(), 1, into.size(), file) != into.size()) {
    return Error{"The file " + shown(path) + " could not be read at " + byte_count(offset) +
                 "; it may have changed, or the disk has a fault."};
  }
  return {};
}

Expected<std::string> read_text_file(const fs::path& path, std::uint64_t most) {
  const auto size = size_of(path);
  if (!size) return size.error();
  if (*size > most) {
    return Error{"The file " + shown(path) + " has " + byte_count(*size) + ", and at most " + byte_count(most) +
                 " are read here; choose another or remove it."};
  }
  auto opened = open_to_read(path);
  if (!opened) return opened.error();
  std::string text(static_cast<std::size_t>(*size), '\0');
  if (auto read = read_at(opened->get(), 0, std::as_writable_bytes(std::span(text)), path); !read) return read.error();
  return text;
}

Expected<std::optional<std::string>> read_text_file_if_there(const fs::path& path, std::uint64_t most) {
  std::error_code failed;
  if (!fs::exists(path, failed)) return std::optional<std::string>();
  auto text = read_text_file(path, most);
  if (!text) return text.error();
  return std::optional(std::move(*text));
}

}  // namespace helix::checkpoint
