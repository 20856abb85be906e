// A file written whole, or a sentence why not.
#pragma once

#include <cstddef>
#include <string>

#include "base/expected.h"

namespace helix::cli {

Expected<void> write_file(const std::string& path, const void* data, std::size_t size);

}  // namespace helix::cli
