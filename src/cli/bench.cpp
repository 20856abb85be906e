#include "engine/bench.h"

#include <cmath>

#include "base/text.h"
#include "checkpoint/read_file.h"
#include "cli/opened.h"
#include "model/pack_quality.h"
#include "protocol/json.h"
#include "tokenizer/open_tokenizer.h"

namespace helix::cli {
namespace {

using protocol::Json;

std::string lines_of(const protocol::Result& result, std::string_view kernels, const std::string& precision,
                     std::size_t threads, bool json) {
  const auto& work = result.words_of("work")->data;
  const auto &taken = result.array("milliseconds")->data, &limit = result.array("limit")->data;
  std::string out;
  for (std::size_t i = 0; i < work.size(); ++i) {
    const double share = limit[i] / taken[i];
    if (json)
      out += protocol::dump({{"engine", "helixscope"},
                             {"flavour", "native " + std::string(kernels)},
                             {"precision", precision},
                             {"threads", threads},
                             {"work", work[i]},
                             {"ms", protocol::number(taken[i])},
                             {"of_limit", protocol::number(share)}}) +
             "\n";
    else
      out += work[i] + "  " + to_fixed(taken[i], 2) + " ms, " + to_fixed(share * 100, 0) + " % of the limit\n";
  }
  if (json) return out;
  return out + "limits from float products at " + to_fixed(result.scalar("f32_roof")->value, 1) +
         " GFLOP/s, 8-bit at " + to_fixed(result.scalar("int8_roof")->value, 1) + " GOP/s, memory at " +
         to_fixed(result.scalar("reading_roof")->value, 1) + " GB/s\n" + provenance_line(result.provenance) + "\n";
}

using Tokens = std::vector<std::int32_t>;

/// How 8 bits change the predictions of a network in floats: speed is reported together with quality.
struct Quality {
  model::PredictionComparison comparison;
  double floats = 0, eight = 0;  // Σ −ln p of the tokens that follow, in nats
  std::size_t predicted = 0;     // number of those tokens
  bool of_text = false;
};

constexpr std::uint64_t kMaxTextBytes = 10'000'000;

/// The tokens that 8 bits are judged by: those of the text, or without one those that packs are judged by.
Expected<Tokens> judged_tokens(const Options& options, const Opened& opened) {
  const checkpoint::Config& config = opened.inputs.network->config();
  const std::string path = options.get("text-file");
  if (path.empty()) return model::quality_tokens(config.n_vocab, config.n_ctx);
  const auto text = checkpoint::read_text_file(path, kMaxTextBytes);
  if (!text) return text.error();
  const auto tokenizer = tokenizer::open_tokenizer(*opened.file);
  if (!tokenizer) return tokenizer.error();
  return tokenizer->encode(*text);
}

Expected<Quality> quality(const std::shared_ptr<model::Network>& floats, const std::shared_ptr<model::Network>& eight,
                          const Tokens& tokens) {
  for (const auto& network : {floats, eight})
    if (const auto ready = run_to_end(network->prepare()); !ready) return ready.error();
  Quality found;
  for (const auto part : model::windows_of(tokens, floats->config().n_ctx)) {
    const auto exact = logits_of(floats, {part.begin(), part.end()});
    if (!exact) return exact.error();
    const auto rounded = logits_of(eight, {part.begin(), part.end()});
    if (!rounded) return rounded.error();
    found.comparison.add(*exact, *rounded);
    const std::size_t predicted = part.size() - 1;
    found.floats += model::surprise(exact->view().slice(0, predicted), part.subspan(1));
    found.eight += model::surprise(rounded->view().slice(0, predicted), part.subspan(1));
    found.predicted += predicted;
  }
  if (found.predicted == 0) return Error{std::string(model::kNothingToPredict)};
  return found;
}

double perplexity(double surprise, const Quality& quality) {
  return std::exp(surprise / static_cast<double>(quality.predicted));
}

std::string quality_text(const Quality& quality, bool json) {
  const model::PredictionDifference p = quality.comparison.difference();
  const double floats = perplexity(quality.floats, quality), eight = perplexity(quality.eight, quality);
  if (json) {
    Json row = {{"engine", "helixscope"},
                {"precision", "q8"},
                {"work", "quality against f32"},
                {"positions", quality.comparison.positions()},
                {"mean_kl_nats", protocol::number(p.mean_kl)},
                {"p99_kl_nats", protocol::number(p.p99_kl)},
                {"top1_agreement", p.top1},
                {"max_logit_difference", protocol::number(p.max_logit)}};
    if (quality.of_text) row["perplexity"] = {{"f32", floats}, {"q8", eight}};
    return protocol::dump(row) + "\n";
  }
  std::string line = "against f32: KL mean " + to_text(p.mean_kl) + ", p99 " + to_text(p.p99_kl) +
                     " nats; same most likely token at " + to_fixed(100 * p.top1, 1) + " % of " +
                     std::to_string(quality.comparison.positions()) + " positions; |Δlogit| max " +
                     to_fixed(p.max_logit, 4);
  if (quality.of_text)
    line += "; perplexity of the text " + to_fixed(floats, 4) + " in floats, " + to_fixed(eight, 4) + " in 8 bits";
  return line + "\n";
}

}  // namespace

Outcome bench(const Options& options) {
  if (options.get("model").empty()) return misuse("bench needs --model PATH.");
  const auto threads = threads_from(options);
  if (!threads) return misuse(threads.error().sentence);
  const auto subject = subject_from(options);
  if (!subject) return misuse(subject.error().sentence);
  const auto& study = engine::bench();
  ParamValues params = defaults(study.schema);
  for (const char* key : {"prefill", "decode", "repeats"})
    if (const std::string given = options.get(key); !given.empty())
      if (const auto set = set_value(study.schema, params, key, given, true); !set) return misuse(set.error().sentence);
  Subject floats;  // 8-bit weights are made from floats and compared with them, unless the file holds only 8 bits
  auto opened = open_model(options, floats, study.schema.reads, *threads);
  if (!opened) return failure(opened.error().sentence);
  std::string judgement;
  auto& network = opened->inputs.network;
  if (network && network->precision() == Precision::f32 && subject->precision == Precision::q8) {
    if (const auto ready = run_to_end(network->prepare()); !ready) return failure(ready.error().sentence);
    const auto eight = model::Network::quantised(network);
    const auto tokens = judged_tokens(options, *opened);
    if (!tokens) return failure(tokens.error().sentence);
    auto found = quality(network, eight, *tokens);
    if (!found) return failure(found.error().sentence);
    found->of_text = !options.get("text-file").empty();
    judgement = quality_text(*found, options.has("json"));
    network = eight;
  }
  const auto result = run_to_end(study.run(params, opened->inputs));
  if (!result) return failure(result.error().sentence);
  const bool q8 = network->precision() == Precision::q8;
  const std::string precision(kPrecisionNames[static_cast<std::size_t>(network->precision())]);
  const std::string_view kernels = q8 ? network->kernels().q8.name : network->kernels().name;
  const std::size_t used = network->threads().count();
  return {judgement + lines_of(*result, kernels, precision, used, options.has("json")), "", 0};
}

}  // namespace helix::cli
