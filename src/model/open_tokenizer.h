// The tokenizer that lies beside a model's weights on this machine's disk.
#pragma once

#include <filesystem>

#include "base/expected.h"
#include "model/tokenizer.h"

namespace helix::model {

/// From vocab.json and merges.txt in the folder `model_path`, or in the folder of the file `model_path`. The weights
/// themselves are not looked at.
Expected<Tokenizer> open_tokenizer(const std::filesystem::path& model_path);

}  // namespace helix::model
