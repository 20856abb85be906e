// The JSON of a safetensors header as a list of entries. Only the grammar is checked here; the values are checked
// later.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "checkpoint/safetensors.h"

namespace helix::checkpoint {

struct HeaderEntries {
  std::vector<TensorInfo> tensors;  // as listed; begin and end still relative to the header's end
  std::map<std::string, std::string> metadata;
};

/// The error says only what is wrong ("its header …"), to be put into a sentence about the file.
Expected<HeaderEntries> read_header_json(std::string_view json);

}  // namespace helix::checkpoint
