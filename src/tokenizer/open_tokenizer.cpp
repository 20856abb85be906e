#include "tokenizer/open_tokenizer.h"

#include <string>
#include <system_error>
#include <utility>

#include "checkpoint/pack_shards.h"
#include "checkpoint/read_file.h"

namespace helix::tokenizer {
namespace {

namespace fs = std::filesystem;

// About fifty times the size of GPT-2's files.
constexpr std::uint64_t kMaxBytes = 50'000'000;

// `read_beside`: as a model's or a pack's.
template <class Read>
Expected<Tokenizer> read_tokenizer(const fs::path& folder, const Read& read_beside) {
  const auto read = [&](const char* name) -> Expected<std::string> {
    auto text = read_beside(name, kMaxBytes);
    if (!text) return text.error();
    if (*text) return std::move(**text);
    return Error{"The folder " + checkpoint::shown(folder) + " has no " + name +
                 "; text needs the vocab.json and merges.txt of the model beside its weights."};
  };
  const auto vocab_json = read("vocab.json");
  if (!vocab_json) return vocab_json.error();
  const auto merges_txt = read("merges.txt");
  if (!merges_txt) return merges_txt.error();
  // A path that ends in a slash has an empty last part.
  const fs::path name = folder.has_filename() ? folder.filename() : folder.parent_path().filename();
  return Tokenizer::read(*vocab_json, *merges_txt, name.string());
}

}  // namespace

Expected<Tokenizer> open_tokenizer(const checkpoint::ModelFile& model) {
  return read_tokenizer(model.folder(),
                        [&](const char* name, std::uint64_t most) { return model.read_beside(name, most); });
}

Expected<Tokenizer> open_tokenizer(const fs::path& model_path) {
  std::error_code failed;
  const fs::path whole = fs::absolute(model_path, failed).lexically_normal();
  if (model_path.empty() || !fs::exists(whole, failed))
    return Error{"There is no file or folder " + checkpoint::shown(model_path) + "; check the path."};
  const fs::path folder = fs::is_directory(whole, failed) ? whole : whole.parent_path();
  const auto file = checkpoint::resolve_model(whole);  // an error where there are no weights
  if (!file || file->filename() != checkpoint::kManifestName)
    return read_tokenizer(folder, [&](const char* name, std::uint64_t most) {
      return checkpoint::read_text_file_if_there(folder / name, most);
    });
  const auto pack = checkpoint::PackShards::open(*file);
  if (!pack) return pack.error();
  return read_tokenizer(folder, [&](const char* name, std::uint64_t most) { return pack->read_beside(name, most); });
}

}  // namespace helix::tokenizer
