#include "cli/write_file.h"

#include <cstdio>

#include "base/text.h"

namespace helix::cli {

Expected<void> write_file(const std::string& path, const void* data, std::size_t size) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (!file) return Error{"The file " + in_quotes(path, 200) + " could not be opened for writing."};
  const bool written = std::fwrite(data, 1, size, file) == size;
  if (std::fclose(file) != 0 || !written)
    return Error{"The file " + in_quotes(path, 200) + " could not be written to its end."};
  return {};
}

}  // namespace helix::cli
