#include "checkpoint/pack_writer.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <optional>
#include <span>

#include "base/text.h"
#include "checkpoint/read_file.h"
#include "cli/opened.h"
#include "model/pack_quality.h"
#include "protocol/json.h"

namespace helix::cli {
namespace {

using protocol::Json;

constexpr std::uint64_t kMaxTextBytes = 100'000'000;

/// How a model predicts.
struct Judged {
  Matrix<float> logits;              // [position, n_vocab] of the tokens that packs are judged by
  std::optional<double> perplexity;  // of the text, where there is one
};
struct Compared {
  model::PredictionDifference difference;
  std::optional<double> perplexity_before, perplexity_after;
};

Expected<double> perplexity(const Opened& opened, const std::string& text) {
  if (!opened.inputs.tokenizer) return Error{opened.inputs.no_tokenizer};
  const auto& network = opened.inputs.network;
  const std::vector<std::int32_t> ids = opened.inputs.tokenizer->encode(text);
  double total = 0;
  std::size_t count = 0;
  for (const auto part : model::windows_of(ids, network->config().n_ctx)) {
    const auto logits = logits_of(network, {part.begin(), part.end()});
    if (!logits) return logits.error();
    total += model::surprise(logits->view().slice(0, part.size() - 1), part.subspan(1));
    count += part.size() - 1;
  }
  if (count == 0) return Error{std::string(model::kNothingToPredict)};
  return std::exp(total / static_cast<double>(count));
}

/// Nothing where this model makes no predictions.
Expected<std::optional<Judged>> judge(const std::string& path, const std::string& text) {
  auto opened = open_model(path, Subject(), Reads::forward);
  if (!opened) return opened.error();
  const auto network = opened->inputs.network;
  if (!network) return std::optional<Judged>();
  if (const auto ready = run_to_end(network->prepare()); !ready) return ready.error();
  auto logits = logits_of(network, model::quality_tokens(network->config().n_vocab, network->config().n_ctx));
  if (!logits) return logits.error();
  Judged judged{std::move(*logits), std::nullopt};
  if (!text.empty()) {
    const auto found = perplexity(*opened, text);
    if (!found) return found.error();
    judged.perplexity = *found;
  }
  return std::optional(std::move(judged));
}

Expected<std::optional<Compared>> compare(const std::string& source, const std::string& pack, const std::string& text) {
  const auto exact = judge(source, text);
  if (!exact) return exact.error();
  if (!*exact) return std::optional<Compared>();
  const auto stored = judge(pack, text);
  if (!stored) return stored.error();
  if (!*stored) return Error{"The pack " + in_quotes(pack, 200) + " lost what predictions need; report this."};
  return std::optional(Compared{model::compare_predictions((*exact)->logits, (*stored)->logits), (*exact)->perplexity,
                                (*stored)->perplexity});
}

struct Done {
  std::string out;
  double seconds = 0;
  checkpoint::PackReport report;
  std::optional<Compared> predictions;
};

Json document(const Done& done) {
  const checkpoint::PackManifest& m = done.report.manifest;
  Json json{{"pack", done.out},
            {"name", m.name},
            {"source", m.source_name},
            {"precision", checkpoint::precision_name(m.precision)},
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
  if (const auto& compared = done.predictions) {
    const model::PredictionDifference& p = compared->difference;
    json["predictions"] = {{"max_logit_difference", protocol::number(p.max_logit)},
                           {"mean_logit_difference", protocol::number(p.mean_logit)},
                           {"mean_kl_nats", protocol::number(p.mean_kl)},
                           {"p99_kl_nats", protocol::number(p.p99_kl)},
                           {"top1_agreement", p.top1}};
    if (compared->perplexity_before)
      json["perplexity"] = {{"source", protocol::number(*compared->perplexity_before)},
                            {"pack", protocol::number(*compared->perplexity_after)}};
  }
  return json;
}

std::string digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

std::string for_reading(const Done& done) {
  const checkpoint::PackManifest& m = done.report.manifest;
  std::string out;
  if (!m.missing.empty())
    out += "The checkpoint is partial, and so is the pack: it lacks " + join(m.missing, ", ") + ".\n";
  if (const std::size_t count = done.report.left_out.size())
    out += "Left out, as GPT-2 does not compute with them: " + std::to_string(count) +
           (count == 1 ? " tensor, " : " tensors, such as ") + in_quotes(done.report.left_out[0]) + ".\n";
  out += "Packed " + m.source_name + " in " + std::string(checkpoint::precision_name(m.precision)) + " into " +
         done.out + ": " + with_thousands(static_cast<long long>(m.bytes)) + " bytes, " +
         std::to_string(m.shards.size()) + " shards, " + to_fixed(done.seconds, 1) + " s, SHA-256 " + m.sha256 + "\n";
  out += "Against the source: weights |difference| max " + digits(done.report.weights.max) + ", mean " +
         digits(done.report.weights.mean());
  if (const auto& compared = done.predictions) {
    const model::PredictionDifference& p = compared->difference;
    out += "; logits |difference| max " + digits(p.max_logit) + ", mean " + digits(p.mean_logit) + "; KL mean " +
           digits(p.mean_kl) + ", p99 " + digits(p.p99_kl) + " nats; same most likely token at " +
           to_fixed(100 * p.top1, 1) + " % of positions";
    if (compared->perplexity_before)
      out += "; perplexity of the text " + to_fixed(*compared->perplexity_before, 4) + " before, " +
             to_fixed(*compared->perplexity_after, 4) + " after";
    return out + "\n";
  }
  return out + "; no predictions to compare\n";
}

}  // namespace

Outcome pack(const Options& options) {
  const std::string path = options.get("model");
  const auto precision = checkpoint::precision_named(options.get("precision"));
  Done done;
  done.out = options.get("out");
  if (path.empty() || done.out.empty() || options.get("precision").empty())
    return misuse("pack needs --model PATH, --out DIR and --precision f32, f16 or q8.");
  if (!precision) return misuse("--precision is f32, f16 or q8, not " + in_quotes(options.get("precision")) + ".");
  const std::string given = options.get("shard-bytes");
  const auto shard_bytes = given.empty() ? static_cast<int>(checkpoint::kMaxShardBytes) : parse_int(given);
  if (!shard_bytes || *shard_bytes < 1 || *shard_bytes > static_cast<int>(checkpoint::kMaxShardBytes))
    return misuse("--shard-bytes takes a number from 1 to " + std::to_string(checkpoint::kMaxShardBytes) + ", not " +
                  in_quotes(given) + ".");

  std::string text;
  if (const std::string file = options.get("text-file"); !file.empty()) {
    auto read = checkpoint::read_text_file(file, kMaxTextBytes);
    if (!read) return failure(read.error().sentence);
    text = std::move(*read);
  }

  const auto start = std::chrono::steady_clock::now();
  auto checkpoint = checkpoint::ModelFile::open(path);
  if (!checkpoint) return failure(checkpoint.error().sentence);
  if (checkpoint->control())
    return failure("A control is made from its seed wherever it is opened; pack the model itself.");
  auto report = checkpoint::write_pack(*checkpoint, done.out, *precision, static_cast<std::uint64_t>(*shard_bytes));
  if (!report) return failure(report.error().sentence);
  done.report = std::move(*report);
  done.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  auto compared = compare(path, done.out, text);
  if (!compared) return failure(compared.error().sentence);
  done.predictions = *compared;
  return {options.has("json") ? protocol::dump(document(done)) + "\n" : for_reading(done), "", 0};
}

}  // namespace helix::cli
