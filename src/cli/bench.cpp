#include "engine/bench.h"
#include <numeric>
#include "model/forward.h"
#include "model/pack_quality.h"

#include "base/text.h"
#include "cli/opened.h"
#include "protocol/json.h"

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

/// Logits of the tokens that precisions are judged by.
Expected<Matrix<float>> judged(const std::shared_ptr<model::Network>& network) {
  if (const auto ready = run_to_end(network->prepare()); !ready) return ready.error();
  model::Asked asked;
  asked.tokens = model::quality_tokens(network->config().n_vocab, network->config().n_ctx);
  asked.logits_at.resize(asked.tokens.size());
  std::iota(asked.logits_at.begin(), asked.logits_at.end(), std::size_t{0});
  return run_to_end(model::forward(network, std::make_shared<model::Session>(), std::move(asked)));
}

/// What 8 bits do to the predictions of a network in floats: no speed without its quality.
Expected<model::PredictionDifference> quality(const std::shared_ptr<model::Network>& floats,
                                              const std::shared_ptr<model::Network>& eight) {
  const auto exact = judged(floats);
  if (!exact) return exact.error();
  const auto rounded = judged(eight);
  if (!rounded) return rounded.error();
  return model::compare_predictions(*exact, *rounded);
}

std::string quality_text(const model::PredictionDifference& p, bool json) {
  if (json)
    return protocol::dump({{"engine", "helixscope"},
                           {"precision", "q8"},
                           {"work", "quality against f32"},
                           {"mean_kl_nats", protocol::number(p.mean_kl)},
                           {"p99_kl_nats", protocol::number(p.p99_kl)},
                           {"top1_agreement", p.top1},
                           {"max_logit_difference", protocol::number(p.max_logit)}}) +
           "\n";
  return "against f32: KL mean " + to_text(p.mean_kl) + ", p99 " + to_text(p.p99_kl) +
         " nats; same most likely token at " + to_fixed(100 * p.top1, 1) + " % of positions; |Δlogit| max " +
         to_fixed(p.max_logit, 4) + "\n";
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
  Subject floats;  // 8 bits are made from them, and judged by them, unless they are all there is
  auto opened = open_model(options, floats, study.schema.reads, *threads);
  if (!opened) return failure(opened.error().sentence);
  std::string judgement;
  auto& network = opened->inputs.network;
  if (network && network->precision() == Precision::f32 && subject->precision == Precision::q8) {
    if (const auto ready = run_to_end(network->prepare()); !ready) return failure(ready.error().sentence);
    const auto eight = model::Network::quantised(network);
    const auto difference = quality(network, eight);
    if (!difference) return failure(difference.error().sentence);
    judgement = quality_text(*difference, options.has("json"));
    network = eight;
  }
  const auto result = run_to_end(study.run(params, opened->inputs));
  if (!result) return failure(result.error().sentence);
  const bool q8 = network->precision() == Precision::q8;
  const std::string precision(kPrecisionNames[static_cast<std::size_t>(network->precision())]);
  const std::string_view kernels = q8 ? network->kernels().q8.name : network->kernels().name;
  return {judgement + lines_of(*result, kernels, precision, *threads, options.has("json")), "", 0};
}

}  // namespace helix::cli
