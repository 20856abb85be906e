#include "model/pack_writer.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <span>
#include <system_error>
#include <utility>

#include "base/sha256.h"
#include "base/text.h"
#include "model/config_json.h"
#include "model/convert.h"
#include "model/numbers.h"
#include "model/pack_folder.h"
#include "model/pack_plan.h"
#include "model/write_file.h"

namespace helix::model {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kAtOnce = std::size_t{1} << 16;  // numbers converted in one go
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
  /// Once everything was added.
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

// Numbers as they are stored, little-endian, and how far they are from what they were.
class Encoder {
 public:
  explicit Encoder(Difference& difference) : difference_(difference) {}

  Expected<std::span<const std::byte>> encode(std::span<const float> numbers, const TensorInfo& stored) {
    bytes_.resize(numbers.size() * dtype_bytes(stored.dtype));
    if (stored.dtype == DType::F32) {
      std::memcpy(bytes_.data(), numbers.data(), bytes_.size());
      difference_.count += numbers.size();
      return std::span<const std::byte>(bytes_);
    }
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (std::isfinite(numbers[i]) && std::abs(numbers[i]) >= kBeyondF16) return beyond(numbers[i], stored);
      const std::uint16_t half = f32_to_f16(numbers[i]);
      bytes_[2 * i] = static_cast<std::byte>(half & 0xff);
      bytes_[2 * i + 1] = static_cast<std::byte>(half >> 8);
      difference_.add(static_cast<double>(numbers[i]), static_cast<double>(f16_to_f32(half)));
    }
    return std::span<const std::byte>(bytes_);
  }

 private:
  static Error beyond(float number, const TensorInfo& stored) {
    return {"The tensor " + in_quotes(stored.name) + " holds " + to_text(static_cast<double>(number)) +
            ", beyond F16's largest number " + to_text(static_cast<double>(kLargestF16)) +
            "; pack the model with --precision f32."};
  }

  Difference& difference_;
  std::vector<std::byte> bytes_;
};

Expected<void> write_tensor(ModelFile& checkpoint, const PackPlan::Tensor& planned, Encoder& encoder,
                            ShardWriter& out) {
  if (auto loaded = checkpoint.load(std::span(&planned.source, 1)); !loaded) return loaded;
  const auto tensor = checkpoint.weights().tensor(planned.source);
  if (!tensor) return tensor.error();
  const std::size_t size = dtype_bytes(tensor->info->dtype), count = tensor->bytes.size() / size;
  std::vector<float> numbers;
  for (std::size_t at = 0; at < count; at += numbers.size()) {
    numbers.resize(std::min(kAtOnce, count - at));
    const TensorView part = {tensor->info, tensor->bytes.subspan(at * size, numbers.size() * size)};
    if (auto converted = to_f32(part, std::span(numbers)); !converted) return converted;
    const auto bytes = encoder.encode(numbers, planned.stored);
    if (!bytes) return bytes.error();
    if (auto added = out.add(*bytes); !added) return added;
  }
  checkpoint.weights().release(planned.source);
  return {};
}

// What the checkpoint's config.json says, or its tensors tell.
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

Expected<void> copy_beside(const fs::path& from, const fs::path& to, const char* name, PackManifest& manifest) {
  std::error_code failed;
  if (!fs::is_regular_file(from / name, failed)) return {};
  const auto text = read_text_file(from / name, kMaxBesideBytes);
  if (!text) return text.error();
  const auto bytes = std::as_bytes(std::span(*text));
  manifest.files.push_back({name, bytes.size(), Sha256::hex_of(bytes)});
  return write_whole(to / name, bytes);
}

}  // namespace

void Difference::add(double a, double b) {
  if (!std::isfinite(a) || !std::isfinite(b)) return;
  max = std::max(max, std::abs(a - b));
  sum += std::abs(a - b);
  ++count;
}

Expected<PackReport> write_pack(ModelFile& checkpoint, const fs::path& out, PackPrecision precision,
                                std::uint64_t shard_bytes) {
  assert(shard_bytes >= 1 && shard_bytes <= kMaxShardBytes);
  const auto plan = plan_pack(checkpoint.header(), checkpoint.config(), precision, shard_bytes);
  if (!plan) return plan.error();
  PackReport report;
  PackManifest& manifest = report.manifest;
  manifest.source_name = valid_utf8(checkpoint.name().substr(0, kMaxNameBytes / 3));
  manifest.precision = precision;
  manifest.missing = parts_of(checkpoint.header(), checkpoint.config()).missing_parts;
  report.left_out = plan->left_out;
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
  Encoder encoder(report.weights);
  for (const PackPlan::Tensor& tensor : plan->tensors)
    if (auto written = write_tensor(checkpoint, tensor, encoder, shards); !written) return written.error();
  std::move(shards).describe(manifest);
  for (const char* name : {"vocab.json", "merges.txt", "config.json"})
    if (auto copied = copy_beside(checkpoint.folder(), folder->staging(), name, manifest); !copied)
      return copied.error();
  const std::string json = to_json(manifest);
  if (auto written = write_whole(folder->staging() / kManifestName, std::as_bytes(std::span(json))); !written)
    return written.error();
  if (auto committed = folder->commit(manifest); !committed) return committed.error();
  return report;
}

}  // namespace helix::model
