// Files of this machine, for the native program: read in pieces or whole, each failure one sentence with the path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/expected.h"

namespace helix::checkpoint {

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, FileCloser>;

/// A path in full: the visitor typed it and must recognise it.
std::string shown(const std::filesystem::path& path);

Expected<std::uint64_t> size_of(const std::filesystem::path& path);
Expected<File> open_to_read(const std::filesystem::path& path);
/// How much of a large file is read at once, to hash it or to pass it on.
inline constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
/// Fills `into` from byte `offset` on; fewer bytes are an error.
Expected<void> read_at(std::FILE* file, std::uint64_t offset, std::span<std::byte> into,
                       const std::filesystem::path& path);

/// The whole of a file that has at most `most` bytes.
Expected<std::string> read_text_file(const std::filesystem::path& path, std::uint64_t most);
/// The same; nothing where there is no such file.
Expected<std::optional<std::string>> read_text_file_if_there(const std::filesystem::path& path, std::uint64_t most);

}  // namespace helix::checkpoint
