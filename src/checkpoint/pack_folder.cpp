#include "checkpoint/pack_folder.h"

#include <algorithm>
#include <system_error>
#include <utility>
#include <vector>

#include "base/text.h"
#include "checkpoint/emergence.h"
#include "checkpoint/pack_shards.h"
#include "checkpoint/read_file.h"

namespace helix::checkpoint {
namespace {

namespace fs = std::filesystem;

Error failed_at(const fs::path& path, const std::error_code& why) {
  return {"The folder " + shown(path) + " cannot be written: " + why.message() + "."};
}

bool is_packs_file(const std::string& name) {
  return name == kManifestName || name == "vocab.json" || name == "merges.txt" || name == "config.json" ||
         name == kEmergenceFile || (name.starts_with("weights-") && name.ends_with(".bin"));
}

// Whether the folder is empty, or holds only what an interrupted packing leaves.
bool is_left_over(const fs::path& folder) {
  std::error_code failed;
  for (fs::directory_iterator it(folder, failed), end; !failed && it != end; it.increment(failed))
    if (!it->is_regular_file(failed) || !is_packs_file(it->path().filename().string())) return false;
  return !failed;
}

bool is_empty_or_absent(const fs::path& folder) {
  std::error_code failed;
  if (!fs::exists(folder, failed)) return true;
  return fs::is_directory(folder, failed) && fs::is_empty(folder, failed) && !failed;
}

std::vector<std::string> files_of(const PackManifest& manifest) {
  std::vector<std::string> names;
  for (const auto& shard : manifest.shards) names.push_back(shard.file);
  for (const auto& file : manifest.files) names.push_back(file.file);
  return names;
}

Expected<void> check_same(const fs::path& out, const std::string& source_name, PackPrecision precision) {
  std::error_code failed;
  const std::string where = "The folder " + shown(out);
  if (!fs::is_directory(out, failed)) return Error{shown(out) + " is not a folder; choose another place with --out."};
  if (!fs::is_regular_file(out / kManifestName, failed))
    return Error{where + " is not empty and does not hold a pack; choose another folder with --out."};
  const auto pack = PackShards::open(out / kManifestName);
  if (!pack) return Error{where + " is not empty and does not hold a readable pack; choose another folder with --out."};
  const PackManifest& there = pack->manifest();
  if (there.source_name == source_name && there.precision == precision) return {};
  return Error{where + " holds the pack of " + in_quotes(there.source_name) + " in " +
               std::string(precision_name(there.precision)) + ", another one; choose another with --out."};
}

}  // namespace

PackFolder::PackFolder(fs::path out, fs::path staging) : out_(std::move(out)), staging_(std::move(staging)) {}

PackFolder::PackFolder(PackFolder&& other) noexcept
    : out_(std::move(other.out_)), staging_(std::exchange(other.staging_, fs::path())) {}

PackFolder::~PackFolder() {
  std::error_code ignored;
  if (!staging_.empty() && is_left_over(staging_)) fs::remove_all(staging_, ignored);
}

std::string PackFolder::name() const { return valid_utf8(out_.filename().string().substr(0, kMaxNameBytes / 3)); }

Expected<PackFolder> PackFolder::prepare(const fs::path& out, const fs::path& source_folder,
                                         const std::string& source_name, PackPrecision precision) {
  std::error_code failed;
  fs::path whole = fs::absolute(out, failed).lexically_normal();
  if (!whole.has_filename()) whole = whole.parent_path();  // "folder/"
  if (failed || whole == whole.root_path())
    return Error{"A pack cannot be written to " + shown(out) + "; choose a folder with --out."};
  if (fs::equivalent(whole, source_folder, failed))
    return Error{"The folder " + shown(whole) + " holds the model itself; choose another with --out."};
  if (!is_empty_or_absent(whole))
    if (auto same = check_same(whole, source_name, precision); !same) return same.error();
  fs::path staging = whole;
  staging += ".part";
  if (fs::exists(staging, failed)) {
    if (!fs::is_directory(staging, failed) || !is_left_over(staging))
      return Error{shown(staging) +
                   " already exists, and packing needs this place for its temporary files; remove it."};
    fs::remove_all(staging, failed);
  }
  fs::create_directories(staging, failed);
  if (failed) return failed_at(staging, failed);
  return PackFolder(std::move(whole), std::move(staging));
}

Expected<void> PackFolder::commit(const PackManifest& manifest) {
  std::error_code failed;
  fs::create_directories(out_, failed);
  if (failed) return failed_at(out_, failed);
  if (const auto old = PackShards::open(out_ / kManifestName)) {
    fs::remove(out_ / kManifestName, failed);
    for (const std::string& name : files_of(old->manifest())) fs::remove(out_ / name, failed);
  }
  std::vector<std::string> names = files_of(manifest);
  names.emplace_back(kManifestName);  // with it the folder becomes a pack
  for (const std::string& name : names) {
    fs::rename(staging_ / name, out_ / name, failed);
    if (failed) return failed_at(out_, failed);
  }
  fs::remove(staging_, failed);
  staging_.clear();
  return {};
}

}  // namespace helix::checkpoint
