// The tokenizer that belongs to a model on this machine's disk.
#pragma once

#include <filesystem>

#include "base/expected.h"
#include "checkpoint/open_file.h"
#include "tokenizer/tokenizer.h"

namespace helix::tokenizer {

/// From the vocab.json and merges.txt that belong to a model.
Expected<Tokenizer> open_tokenizer(const checkpoint::ModelFile& model);
/// The same where the weights are not needed, and need not be there: from the folder `model_path`, or the folder of the
/// file `model_path`.
Expected<Tokenizer> open_tokenizer(const std::filesystem::path& model_path);

}  // namespace helix::tokenizer
