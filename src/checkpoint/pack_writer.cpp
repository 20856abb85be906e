#include "checkpoint/pack_writer.h"

#include <algorithm>
#include <cassert>
#include <span>
#include <system_error>
#include <utility>

#include "base/sha256.h"
#include "base/text.h"
#include "checkpoint/config_json.h"
#include "checkpoint/emergence.h"
#include "checkpoint/pack_folder.h"
#include "checkpoint/pack_plan.h"
#include "checkpoint/sentence.h"
#include "checkpoint/write_file.h"
#include "kernels/q8.h"

namespace helix::checkpoint {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxBesideBytes = 50'000'000;  // of vocab.json and the like

// Cuts a stream of bytes into the planned shards.
class ShardWriter {
 public:
  ShardWriter(fs::path folder, const std::vector<ByteRange>& shards) : folder_(std::move(folder)), planned_(shards) {}

  Expected<void> add(std::span<const std::byte> bytes) {
    whole_.update(bytes);
    while (!bytes.empty()) {
      assert(written_.size() < planned_.size());
      const ByteRange& shard = planned_[written_.size()];
      const fs::path path = folder_ / shard_name(written_.size());
      if (!file_) {
        auto opened = open_to_write(path);
        if (!opened) return opened.error();
        file_ = std::move(*opened);
      }
      const auto part = bytes.first(static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), shard.end - at_)));
      if (auto wrote = write(file_, part, path); !wrote) return wrote;
      hash_.update(part);
      at_ += part.size();
      bytes = bytes.subspan(part.size());
      if (at_ == shard.end)
        if (auto ended = end_shard(shard, path); !ended) return ended;
    }
    return {};
  }
  /// To be called once everything was added.
  void describe(PackManifest& manifest) && {
    assert(written_.size() == planned_.size());
    manifest.bytes = at_;
    manifest.sha256 = whole_.hex();
    manifest.shards = std::move(written_);
  }

 private:
  Expected<void> end_shard(const ByteRange& shard, const fs::path& path) {
    if (auto closed = close(std::move(file_), path); !closed) return closed;
    written_.push_back({path.filename().string(), shard.begin, shard.size(), std::exchange(hash_, {}).hex()});
    return {};
  }

  fs::path folder_;
  const std::vector<ByteRange>& planned_;
  std::vector<PackManifest::Shard> written_;
  std::uint64_t at_ = 0;
  File file_;
  Sha256 hash_, whole_;
};

// Writes the planned parts, one tensor after the other.
class TensorWriter {
 public:
  TensorWriter(ModelFile& checkpoint, Difference& difference, ShardWriter& out)
      : checkpoint_(checkpoint), difference_(difference), out_(out) {}

  Expected<void> write(const PackPlan::Tensor& planned) {
    const std::vector<float> scales = std::exchange(scales_, {});
    if (planned.part == PackPlan::Part::Scales) return out_.add(std::as_bytes(std::span(scales)));
    if (auto loaded = checkpoint_.load(std::span(&planned.source, 1)); !loaded) return loaded;
    const auto tensor = checkpoint_.weights().tensor(planned.source);
    if (!tensor) return tensor.error();
    const ByteSink sink = [this](std::span<const std::byte> bytes) { return out_.add(bytes); };
    auto written = planned.part == PackPlan::Part::Integers
                       ? encode_integers(*tensor, difference_, scales_, sink)
                       : encode_numbers(*tensor, planned.stored.dtype, difference_, sink);
    checkpoint_.weights().release(planned.source);
    return written;
  }

 private:
  ModelFile& checkpoint_;
  Difference& difference_;
  ShardWriter& out_;
  std::vector<float> scales_;  // of the integers that were written last
};

// Which tensors are stored how, for the manifest of a pack in q8.
PackManifest::Quantised quantised_in(const PackPlan& plan) {
  PackManifest::Quantised q;
  q.group = kernels::kQ8Group;
  q.scales = "F32";
  for (const auto& [source, stored, part] : plan.tensors) {
    if (part == PackPlan::Part::Integers) q.tensors.push_back(stored.name);
    if (part == PackPlan::Part::Numbers && std::ranges::find(q.others, stored.dtype_name) == q.others.end())
      q.others.push_back(stored.dtype_name);
  }
  return q;
}

// From the checkpoint's config.json, or else from its tensors.
Expected<std::string> config_of(const ModelFile& checkpoint) {
  ConfigEntries entries;
  if (checkpoint.config_json()) {
    auto read = read_config_json(*checkpoint.config_json(), checkpoint.name());
    if (!read) return read.error();
    entries = std::move(*read);
  }
  const Config& c = checkpoint.config();
  const auto known = [](std::size_t size) { return size == 0 ? std::nullopt : std::optional<std::uint64_t>(size); };
  entries.model_type = "gpt2";
  entries.n_layer = known(c.n_layer), entries.n_head = known(c.n_head), entries.n_embd = known(c.d_model);
  entries.n_positions = known(c.n_ctx), entries.n_ctx = std::nullopt;
  entries.vocab_size = known(c.n_vocab), entries.n_inner = known(c.d_mlp);
  entries.layer_norm_epsilon = c.layer_norm_epsilon, entries.tie_word_embeddings = c.tied_head;
  return to_json(entries);
}

Expected<void> copy_beside(const ModelFile& from, const fs::path& to, const char* name, PackManifest& manifest) {
  const auto text = from.read_beside(name, kMaxBesideBytes);
  if (!text) return text.error();
  if (!*text) return {};
  const auto bytes = std::as_bytes(std::span(**text));
  manifest.files.push_back({name, bytes.size(), Sha256::hex_of(bytes)});
  return write_whole(to / name, bytes);
}

// Readers accept only a limited number of shards.
Expected<void> check_count(const PackPlan& plan, std::uint64_t shard_bytes) {
  if (plan.shards.size() <= kMaxShards) return {};
  const std::uint64_t whole = plan.shards.back().end, enough = whole / (kMaxShards / 2) + 1;
  return Error{"Shards of " + byte_count(shard_bytes) + " would be " +
               with_thousands(static_cast<long long>(plan.shards.size())) + ", and a pack has at most " +
               with_thousands(static_cast<long long>(kMaxShards)) + "; give --shard-bytes " + std::to_string(enough) +
               " or more."};
}

// Checks that a reader will accept the manifest, before any existing file is touched.
Expected<void> check_readable(const std::string& json, const std::string& name) {
  const auto read = read_manifest(json, name);
  return read ? Expected<void>() : Expected<void>(read.error());
}

}  // namespace

Expected<PackReport> write_pack(ModelFile& checkpoint, const fs::path& out, PackPrecision precision,
                                std::uint64_t shard_bytes) {
  assert(shard_bytes >= 1 && shard_bytes <= kMaxShardBytes);
  const auto plan = plan_pack(checkpoint.header(), checkpoint.config(), precision, shard_bytes);
  if (!plan) return plan.error();
  if (auto few = check_count(*plan, shard_bytes); !few) return few.error();
  PackReport report;
  PackManifest& manifest = report.manifest;
  manifest.source_name = valid_utf8(checkpoint.name().substr(0, kMaxNameBytes / 3));
  manifest.precision = precision;
  manifest.missing = parts_of(checkpoint.header(), checkpoint.config()).missing_parts;
  report.left_out = plan->left_out;
  if (precision == PackPrecision::Q8) manifest.quantised = quantised_in(*plan);
  auto config = config_of(checkpoint);
  if (!config) return config.error();
  manifest.config_json = std::move(*config);
  auto folder = PackFolder::prepare(out, checkpoint.folder(), manifest.source_name, precision);
  if (!folder) return folder.error();
  manifest.name = folder->name();
  const auto sha256 = checkpoint.sha256();
  if (!sha256) return sha256.error();
  manifest.source_sha256 = *sha256;

  ShardWriter shards(folder->staging(), plan->shards);
  if (auto added = shards.add(plan->header); !added) return added.error();
  TensorWriter tensors(checkpoint, report.weights, shards);
  for (const PackPlan::Tensor& tensor : plan->tensors)
    if (auto written = tensors.write(tensor); !written) return written.error();
  std::move(shards).describe(manifest);
  for (const char* name : {"vocab.json", "merges.txt", "config.json", kEmergenceFile})
    if (auto copied = copy_beside(checkpoint, folder->staging(), name, manifest); !copied) return copied.error();
  const std::string json = to_json(manifest);
  if (auto readable = check_readable(json, manifest.name); !readable) return readable.error();
  if (auto written = write_whole(folder->staging() / kManifestName, std::as_bytes(std::span(json))); !written)
    return written.error();
  if (auto committed = folder->commit(manifest); !committed) return committed.error();
  return report;
}

}  // namespace helix::checkpoint
