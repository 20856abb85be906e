#include "base/text.h"
#include "checkpoint/open_file.h"
#include "cli/cli.h"
#include "protocol/json.h"

namespace helix::cli {
namespace {

using protocol::Json;

Json describe(const checkpoint::ModelFile& file, const std::string& sha256) {
  const checkpoint::Config& c = file.config();
  const checkpoint::Parts parts = checkpoint::parts_of(file.header(), c);
  Json tensors = Json::array();
  for (const checkpoint::TensorInfo& t : file.header().tensors)
    tensors.push_back({{"name", t.name}, {"dtype", t.dtype_name}, {"shape", t.shape}});
  return {{"model", file.name()},
          {"path", file.path().string()},
          {"bytes", file.file_bytes()},
          {"sha256", sha256},
          {"shards", file.manifest() ? Json(file.manifest()->shards.size()) : Json()},
          {"n_layer", c.n_layer},
          {"n_head", c.n_head},
          {"d_model", c.d_model},
          {"d_head", c.d_head},
          {"n_ctx", c.n_ctx},
          {"n_vocab", c.n_vocab},
          {"d_mlp", c.d_mlp},
          {"positions", parts.positions},
          {"attention_weights", parts.attention_weights},
          {"everything", parts.everything},
          {"missing", parts.missing_parts},
          {"tensors", tensors}};
}

std::string size_or_unknown(std::size_t value) { return value ? std::to_string(value) : "unknown"; }

}  // namespace

Outcome info(const Options& options) {
  if (options.get("model").empty()) return misuse("info needs --model PATH.");
  auto file = checkpoint::ModelFile::open(options.get("model"));
  if (!file) return failure(file.error().sentence);
  if (const auto whole = file->check(); !whole) return failure(whole.error().sentence);
  const auto sha256 = file->sha256();
  if (!sha256) return failure(sha256.error().sentence);
  if (options.has("json")) return {protocol::dump(describe(*file, *sha256)) + "\n", "", 0};

  const checkpoint::Config& c = file->config();
  const checkpoint::Parts parts = checkpoint::parts_of(file->header(), c);
  std::string out = file->name() + ": " + with_thousands(static_cast<long long>(file->file_bytes())) +
                    " bytes, SHA-256 " + *sha256 + "\n";
  if (const checkpoint::PackManifest* pack = file->manifest())
    out += "A pack in " + std::string(checkpoint::precision_name(pack->precision)) + ", " +
           std::to_string(pack->shards.size()) + " shards, each matching the manifest.\n";
  out += "layers " + size_or_unknown(c.n_layer) + ", heads " + size_or_unknown(c.n_head) + ", d_model " +
         size_or_unknown(c.d_model) + ", positions " + size_or_unknown(c.n_ctx) + ", vocabulary " +
         size_or_unknown(c.n_vocab) + "\n";
  out += std::to_string(file->header().tensors.size()) + " tensors; ";
  out += parts.everything ? "complete: every study can run.\n" : "for predictions, " + parts.missing_text() + ".\n";
  return {out, "", 0};
}

}  // namespace helix::cli
