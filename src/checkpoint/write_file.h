// Files written for whoever hosts them: a full disk is noticed, and each failure is one sentence with the path.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "base/expected.h"
#include "checkpoint/read_file.h"

namespace helix::checkpoint {

Expected<File> open_to_write(const std::filesystem::path& path);
Expected<void> write(const File& file, std::span<const std::byte> bytes, const std::filesystem::path& path);
/// Closes the file: an error when the disk did not take it all.
Expected<void> close(File file, const std::filesystem::path& path);
/// A file appears whole or not at all: the bytes are written beside it and then take its name. A symbolic link of that
/// name is replaced, never followed, since it may lead to a file that matters. Devices and pipes are written as they are.
Expected<void> write_whole(const std::filesystem::path& path, std::span<const std::byte> bytes);

}  // namespace helix::checkpoint
