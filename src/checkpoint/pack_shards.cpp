#include "checkpoint/pack_shards.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/sha256.h"
#include "base/text.h"
#include "checkpoint/read_file.h"
#include "checkpoint/sentence.h"

namespace helix::checkpoint {
namespace {

namespace fs = std::filesystem;

Error broken(const std::string& what, const std::string& file, const fs::path& folder, const std::string& why) {
  return {"The " + what + " " + in_quotes(file, 100) + " of the pack " + shown(folder) + " " + why +
          "; copy it there again, or pack the model anew."};
}

Error other_size(const std::string& what, const std::string& file, const fs::path& folder, std::uint64_t has,
                 std::uint64_t should) {
  return broken(
      what, file, folder,
      std::string(has < should ? "is cut short" : "is too long") + ": it has " + byte_count(has) +
          (byte_count(has) == byte_count(should) ? ", " + byte_count(has < should ? should - has : has - should) +
                                                       (has < should ? " too few" : " too many")
                                                 : " where the manifest says " + byte_count(should)));
}

// A file's size, as the manifest has it.
Expected<void> check_size(const std::string& what, const std::string& file, const fs::path& folder,
                          std::uint64_t should) {
  std::error_code failed;
  if (!fs::is_regular_file(folder / file, failed)) return broken(what, file, folder, "is missing");
  const auto has = size_of(folder / file);
  if (!has) return has.error();
  return *has == should ? Expected<void>() : Expected<void>(other_size(what, file, folder, *has, should));
}

Error other_hash(const std::string& what, const std::string& file, const fs::path& folder) {
  return broken(what, file, folder, "is damaged or another file: its SHA-256 is not the one of the manifest");
}

}  // namespace

Expected<PackShards> PackShards::open(const fs::path& path) {
  PackShards pack;
  std::error_code failed;
  const fs::path whole = fs::absolute(path, failed).lexically_normal();
  pack.folder_ = (failed ? path : whole).parent_path();
  const auto text = read_text_file(path, kMaxManifestBytes);
  if (!text) return text.error();
  auto manifest = read_manifest(*text, pack.folder_.string());
  if (!manifest) return manifest.error();
  pack.manifest_ = std::move(*manifest);
  return pack;
}

Expected<void> PackShards::read(std::uint64_t offset, std::span<std::byte> into) {
  assert(offset + into.size() <= manifest_.bytes);
  const auto& shards = manifest_.shards;
  auto shard = std::upper_bound(shards.begin(), shards.end(), offset,
                                [](std::uint64_t at, const PackManifest::Shard& one) { return at < one.offset; });
  for (--shard; !into.empty(); ++shard) {
    if (auto touched = touch(static_cast<std::size_t>(shard - shards.begin())); !touched) return touched;
    const auto from = static_cast<std::size_t>(offset - shard->offset);
    const std::size_t count = std::min(into.size(), bytes_.size() - from);
    std::memcpy(into.data(), bytes_.data() + from, count);
    into = into.subspan(count);
    offset += count;
  }
  return {};
}

Expected<void> PackShards::touch(std::size_t index) {
  if (held_ == index) return {};
  const PackManifest::Shard& shard = manifest_.shards[index];
  if (auto right = check_size("shard", shard.file, folder_, shard.bytes); !right) return right;
  const fs::path path = folder_ / shard.file;
  auto file = open_to_read(path);
  if (!file) return file.error();
  held_ = static_cast<std::size_t>(-1);
  bytes_.resize(static_cast<std::size_t>(shard.bytes));
  if (auto read = read_at(file->get(), 0, bytes_, path); !read) return read;
  if (Sha256::hex_of(bytes_) != shard.sha256) return other_hash("shard", shard.file, folder_);
  held_ = index;
  return {};
}

Expected<std::optional<std::string>> PackShards::read_beside(std::string_view name, std::uint64_t most) const {
  const auto file = std::ranges::find(manifest_.files, name, &PackManifest::File::file);
  if (file == manifest_.files.end()) return std::optional<std::string>();
  if (auto right = check_size("file", file->file, folder_, file->bytes); !right) return right.error();
  auto text = read_text_file(folder_ / file->file, most);
  if (!text) return text.error();
  if (Sha256::hex_of(std::as_bytes(std::span(*text))) != file->sha256) return other_hash("file", file->file, folder_);
  return std::optional(std::move(*text));
}

Expected<void> PackShards::check() {
  Sha256 whole;
  for (std::size_t i = 0; i < manifest_.shards.size(); ++i) {
    if (auto touched = touch(i); !touched) return touched;
    whole.update(bytes_);
  }
  if (whole.hex() != manifest_.sha256) {
    return Error{"The pack " + shown(folder_) +
                 " is inconsistent: each shard matches the manifest, but the SHA-256 of the whole does not; "
                 "pack the model again."};
  }
  return check_files();
}

Expected<void> PackShards::check_files() const {
  for (const PackManifest::File& file : manifest_.files) {
    if (auto right = check_size("file", file.file, folder_, file.bytes); !right) return right;
    const fs::path path = folder_ / file.file;
    auto opened = open_to_read(path);
    if (!opened) return opened.error();
    Sha256 hash;
    std::vector<std::byte> piece;
    for (std::uint64_t at = 0; at < file.bytes; at += piece.size()) {
      piece.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kPieceBytes, file.bytes - at)));
      if (auto read = read_at(opened->get(), at, piece, path); !read) return read;
      hash.update(piece);
    }
    if (hash.hex() != file.sha256) return other_hash("file", file.file, folder_);
  }
  return {};
}

}  // namespace helix::checkpoint
