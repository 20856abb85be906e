#include "checkpoint/open_file.h"

#include <algorithm>
#include <system_error>
#include <utility>
#include <vector>

#include "base/sha256.h"
#include "base/text.h"
#include "checkpoint/emergence.h"
#include "checkpoint/quantised.h"
#include "checkpoint/read_file.h"
#include "checkpoint/sentence.h"

namespace helix::checkpoint {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxConfigBytes = 1'000'000;
constexpr std::string_view kEnding = ".safetensors";

std::vector<fs::path> safetensors_in(const fs::path& folder, std::error_code& failed) {
  std::vector<fs::path> found;
  for (fs::directory_iterator it(folder, failed), end; !failed && it != end; it.increment(failed)) {
    std::error_code unreadable;
    if (it->path().extension() != kEnding || it->path().filename() == kEmergenceFile) continue;  // not weights
    if (it->is_regular_file(unreadable)) found.push_back(it->path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

Expected<fs::path> choose_in(const fs::path& folder) {
  std::error_code failed;
  const std::vector<fs::path> found = safetensors_in(folder, failed);
  if (failed) return Error{"The folder " + shown(folder) + " cannot be read: " + failed.message() + "."};
  for (const fs::path& path : found)
    if (path.stem() == "model") return path;
  if (found.size() == 1) return found[0];
  if (const fs::path manifest = folder / kManifestName; fs::is_regular_file(manifest, failed)) return manifest;
  if (found.empty())
    return Error{"The folder " + shown(folder) +
                 " holds no .safetensors file and no manifest.json; choose a model folder."};
  std::vector<std::string> names;
  for (const fs::path& path : std::span(found).first(std::min<std::size_t>(found.size(), 3)))
    names.push_back(in_quotes(path.filename().string()));
  if (found.size() > names.size()) names.push_back(std::to_string(found.size() - names.size()) + " more");
  return Error{"The folder " + shown(folder) + " holds several .safetensors files (" + listed(names) +
               "); name the one to open."};
}

fs::path folder_of(const fs::path& file) {
  std::error_code failed;
  const fs::path whole = fs::absolute(file, failed).lexically_normal();
  return (failed ? file : whole).parent_path();
}

std::string name_of(const fs::path& file) {
  const std::string stem = file.stem().string();
  const std::string folder = folder_of(file).filename().string();
  return stem == "model" && !folder.empty() ? folder : stem;
}

// The folder's config.json belongs to the file that the folder stands for; to none if that is ambiguous.
Expected<std::optional<std::string>> config_beside(const fs::path& file) {
  const fs::path path = folder_of(file) / "config.json";
  std::error_code failed;
  if (!fs::is_regular_file(path, failed)) return std::optional<std::string>();
  const auto stands_for = choose_in(folder_of(file));
  if (!stands_for || stands_for->filename() != file.filename()) return std::optional<std::string>();
  auto text = read_text_file(path, kMaxConfigBytes);
  if (!text) return text.error();
  return std::optional(std::move(*text));
}

// The manifest tells people which tensors are 8-bit integers, the header tells the program: they must not differ.
Expected<void> check_quantised(const PackManifest& manifest, const Header& header, const fs::path& folder) {
  std::vector<std::string> said, found;
  if (manifest.quantised) said = manifest.quantised->tensors;
  for (const TensorInfo& tensor : header.tensors)
    if (tensor.dtype == DType::I8) found.push_back(tensor.name);
  std::sort(said.begin(), said.end());
  std::sort(found.begin(), found.end());
  if (said == found) return {};
  return Error{"The pack " + shown(folder) +
               " contradicts itself: its manifest and its header name different tensors as 8-bit integers; pack the "
               "model anew."};
}

}  // namespace

Expected<fs::path> resolve_model(const fs::path& path) {
  std::error_code failed;
  const fs::file_status status = fs::status(path, failed);
  if (status.type() == fs::file_type::not_found || path.empty())
    return Error{"There is no file or folder " + shown(path) + "; check the path."};
  if (status.type() == fs::file_type::directory) return choose_in(path);
  if (status.type() == fs::file_type::regular) return path;
  return Error{shown(path) + " is neither a file nor a folder that can be read; check the path."};
}

ModelFile::ModelFile(std::filesystem::path path, std::uint64_t file_bytes)
    : path_(std::move(path)), name_(printable(name_of(path_))), weights_(path_.filename().string(), file_bytes) {}

ModelFile::ModelFile(std::filesystem::path path, PackShards pack)
    : path_(std::move(path)),
      name_(printable(pack.manifest().name)),
      config_json_(pack.manifest().config_json),
      pack_(std::move(pack)),
      weights_(folder_of(path_).filename().string(), pack_->manifest().bytes) {}

fs::path ModelFile::folder() const { return folder_of(path_); }

std::string ModelFile::address() const {
  return control_ ? to_text(ControlName{control_->kind, control_->seed, path_.string()}) : path_.string();
}

/// "control:walk:3@PATH"
Expected<ModelFile> ModelFile::open_control(const std::string& name) {
  auto control = parse_control(name);
  if (!control) return control.error();
  if (control->base.empty())
    return Error{"The control " + in_quotes(name) + " is made from a model; name its path behind an @, such as " +
                 in_quotes(name + "@FOLDER") + "."};
  auto model = open(control->base);
  if (!model) return model;
  control->base = model->name_;
  model->name_ = to_text(*control);
  model->control_ = *control;
  model->weights_.become(Control(*std::move(control)));
  return model;
}

Expected<ModelFile> ModelFile::open(const fs::path& path) {
  if (is_control(path.string())) return open_control(path.string());
  const auto file = resolve_model(path);
  if (!file) return file.error();
  auto model = file->filename() == kManifestName ? open_pack(*file) : open_file(*file);
  if (!model) return model;
  if (auto settled = model->settle(); !settled) return settled.error();
  return model;
}

Expected<ModelFile> ModelFile::open_file(const fs::path& path) {
  const auto size = size_of(path);
  if (!size) return size.error();
  ModelFile model(path, *size);
  if (auto read = model.read_missing(); !read) return read.error();
  auto config_json = config_beside(path);
  if (!config_json) return config_json.error();
  model.config_json_ = std::move(*config_json);
  return model;
}

Expected<ModelFile> ModelFile::open_pack(const fs::path& path) {
  auto pack = PackShards::open(path);
  if (!pack) return pack.error();
  ModelFile model(path, std::move(*pack));
  if (auto read = model.read_missing(); !read) return read.error();
  return model;
}

Expected<void> ModelFile::settle() {
  if (auto whole = weights_.finish(file_bytes()); !whole) return whole;
  if (pack_)
    if (auto same = check_quantised(pack_->manifest(), header(), folder()); !same) return same;
  auto config = make_config(header(), config_json_, name_);
  if (!config) return config.error();
  config_ = std::move(*config);
  return {};
}

Expected<void> ModelFile::load(std::span<const std::string> tensors) {
  weights_.want(tensors);
  return read_missing();
}

Expected<void> ModelFile::read_missing() {
  File opened;
  if (!pack_) {
    auto file = open_to_read(path_);
    if (!file) return file.error();
    opened = std::move(*file);
  }
  std::vector<std::byte> piece;
  for (auto ranges = weights_.missing(); !ranges.empty(); ranges = weights_.missing()) {
    for (const ByteRange& range : ranges) {
      for (std::uint64_t at = range.begin; at < range.end; at += piece.size()) {
        piece.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kPieceBytes, range.end - at)));
        if (auto got = read(opened.get(), at, piece); !got) return got;
        if (auto fed = weights_.feed(at, piece); !fed) return fed;
      }
    }
  }
  return {};
}

Expected<void> ModelFile::read(std::FILE* file, std::uint64_t offset, std::span<std::byte> into) {
  return pack_ ? pack_->read(offset, into) : read_at(file, offset, into, path_);
}

Expected<std::string> ModelFile::sha256() const {
  if (pack_) return pack_->manifest().sha256;
  auto opened = open_to_read(path_);
  if (!opened) return opened.error();
  Sha256 hash;
  std::vector<std::byte> piece;
  for (std::uint64_t at = 0; at < file_bytes(); at += piece.size()) {
    piece.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kPieceBytes, file_bytes() - at)));
    if (auto read = read_at(opened->get(), at, piece, path_); !read) return read.error();
    hash.update(piece);
  }
  return hash.hex();
}

Expected<std::optional<std::string>> ModelFile::read_beside(std::string_view name, std::uint64_t most) const {
  return pack_ ? pack_->read_beside(name, most) : read_text_file_if_there(folder() / name, most);
}

Expected<void> ModelFile::check() { return pack_ ? pack_->check() : Expected<void>(); }

}  // namespace helix::checkpoint
