#include "model/open_tokenizer.h"

#include <string>
#include <system_error>

#include "model/read_file.h"

namespace helix::model {
namespace {

namespace fs = std::filesystem;

// Some fifty times what GPT-2's have.
constexpr std::uint64_t kMaxBytes = 50'000'000;

Expected<std::string> read_in(const fs::path& folder, const char* name) {
  std::error_code failed;
  if (!fs::exists(folder / name, failed)) {
    return Error{"The folder " + shown(folder) + " has no " + name +
                 "; text needs the vocab.json and merges.txt of the model beside its weights."};
  }
  return read_text_file(folder / name, kMaxBytes);
}

}  // namespace

Expected<Tokenizer> open_tokenizer(const fs::path& model_path) {
  std::error_code failed;
  const fs::path whole = fs::absolute(model_path, failed).lexically_normal();
  if (model_path.empty() || !fs::exists(whole, failed))
    return Error{"There is no file or folder " + shown(model_path) + "; check the path."};
  const fs::path folder = fs::is_directory(whole, failed) ? whole : whole.parent_path();
  const auto vocab_json = read_in(folder, "vocab.json");
  if (!vocab_json) return vocab_json.error();
  const auto merges_txt = read_in(folder, "merges.txt");
  if (!merges_txt) return merges_txt.error();
  // A path that ends in a slash has an empty last part.
  const fs::path name = folder.has_filename() ? folder.filename() : folder.parent_path().filename();
  return Tokenizer::read(*vocab_json, *merges_txt, name.string());
}

}  // namespace helix::model
