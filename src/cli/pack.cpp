#include "model/pack_writer.h"

#include <chrono>
#include <cstdio>
#include <numeric>
#include <optional>

#include "base/text.h"
#include "cli/opened.h"
#include "model/forward.h"
#include "model/pack_quality.h"
#include "protocol/json.h"

namespace helix::cli {
namespace {

using protocol::Json;

/// Logits [position, n_vocab] of the tokens that packs are judged by; nothing where this model makes no predictions.
Expected<std::optional<Matrix<float>>> judge(const std::string& path) {
  auto opened = open_model(path, Subject(), Reads::forward);
  if (!opened) return opened.error();
  const auto network = opened->inputs.network;
  if (!network) return std::optional<Matrix<float>>();
  if (const auto ready = run_to_end(network->prepare()); !ready) return ready.error();
  model::Asked asked;
  asked.tokens = model::quality_tokens(network->config().n_vocab, network->config().n_ctx);
  asked.logits_at.resize(asked.tokens.size());
  std::iota(asked.logits_at.begin(), asked.logits_at.end(), std::size_t{0});
  auto logits = run_to_end(model::forward(network, opened->inputs.session, std::move(asked)));
  if (!logits) return logits.error();
  return std::optional(std::move(*logits));
}

Expected<std::optional<model::PredictionDifference>> compare(const std::string& source, const std::string& pack) {
  const auto exact = judge(source);
  if (!exact) return exact.error();
  if (!*exact) return std::optional<model::PredictionDifference>();
  const auto stored = judge(pack);
  if (!stored) return stored.error();
  if (!*stored) return Error{"The pack " + in_quotes(pack, 200) + " lost what predictions need; report this."};
  return std::optional(model::compare_predictions(**exact, **stored));
}

struct Done {
  std::string out;
  double seconds = 0;
  model::PackReport report;
  std::optional<model::PredictionDifference> predictions;
};

Json document(const Done& done) {
  const model::PackManifest& m = done.report.manifest;
  Json json{{"pack", done.out},
            {"name", m.name},
            {"source", m.source_name},
            {"precision", model::precision_name(m.precision)},
            {"bytes", m.bytes},
            {"shards", m.shards.size()},
            {"seconds", done.seconds},
            {"sha256", m.sha256},
            {"missing", m.missing},
            {"left_out", done.report.left_out},
            {"weights",
             {{"max_difference", protocol::number(done.report.weights.max)},
              {"mean_difference", protocol::number(done.report.weights.mean())}}},
            {"predictions", nullptr}};
  if (const auto& p = done.predictions)
    json["predictions"] = {{"max_logit_difference", protocol::number(p->max_logit)},
                           {"mean_logit_difference", protocol::number(p->mean_logit)},
                           {"mean_kl_nats", protocol::number(p->mean_kl)},
                           {"p99_kl_nats", protocol::number(p->p99_kl)},
                           {"top1_agreement", p->top1}};
  return json;
}

std::string digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

std::string for_reading(const Done& done) {
  const model::PackManifest& m = done.report.manifest;
  std::string out;
  if (!m.missing.empty())
    out += "The checkpoint is partial, and so is the pack: it lacks " + join(m.missing, ", ") + ".\n";
  if (const std::size_t count = done.report.left_out.size())
    out += "Left out, as GPT-2 does not compute with them: " + std::to_string(count) +
           (count == 1 ? " tensor, " : " tensors, such as ") + in_quotes(done.report.left_out[0]) + ".\n";
  out += "Packed " + m.source_name + " in " + std::string(model::precision_name(m.precision)) + " into " + done.out +
         ": " + with_thousands(static_cast<long long>(m.bytes)) + " bytes, " + std::to_string(m.shards.size()) +
         " shards, " + to_fixed(done.seconds, 1) + " s, SHA-256 " + m.sha256 + "\n";
  out += "Against the source: weights |difference| max " + digits(done.report.weights.max) + ", mean " +
         digits(done.report.weights.mean());
  if (const auto& p = done.predictions)
    return out + "; logits |difference| max " + digits(p->max_logit) + ", mean " + digits(p->mean_logit) +
           "; KL mean " + digits(p->mean_kl) + ", p99 " + digits(p->p99_kl) + " nats; same most likely token at " +
           to_fixed(100 * p->top1, 1) + " % of positions\n";
  return out + "; no predictions to compare\n";
}

}  // namespace

Outcome pack(const Options& options) {
  const std::string path = options.get("model");
  const auto precision = model::precision_named(options.get("precision"));
  Done done;
  done.out = options.get("out");
  if (path.empty() || done.out.empty() || options.get("precision").empty() || !options.words.empty())
    return misuse("pack needs --model PATH, --out DIR and --precision f32 or f16.");
  if (!precision) return misuse("--precision is f32, f16 or q8, not " + in_quotes(options.get("precision")) + ".");
  const std::string given = options.get("shard-bytes");
  const auto shard_bytes = given.empty() ? static_cast<int>(model::kMaxShardBytes) : parse_int(given);
  if (!shard_bytes || *shard_bytes < 1 || *shard_bytes > static_cast<int>(model::kMaxShardBytes))
    return misuse("--shard-bytes takes a number from 1 to " + std::to_string(model::kMaxShardBytes) + ", not " +
                  in_quotes(given) + ".");

  const auto start = std::chrono::steady_clock::now();
  auto checkpoint = model::ModelFile::open(path);
  if (!checkpoint) return failure(checkpoint.error().sentence);
  auto report = model::write_pack(*checkpoint, done.out, *precision, static_cast<std::uint64_t>(*shard_bytes));
  if (!report) return failure(report.error().sentence);
  done.report = std::move(*report);
  done.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  auto compared = compare(path, done.out);
  if (!compared) return failure(compared.error().sentence);
  done.predictions = *compared;
  return {options.has("json") ? protocol::dump(document(done)) + "\n" : for_reading(done), "", 0};
}

}  // namespace helix::cli
