#include "studies/known_model_compute.h"

#include <algorithm>
#include <utility>

namespace helix::studies {
namespace {

/// SHA-256 of OpenAI's wpe.weight as 1024 × 768 32-bit floats.
constexpr std::string_view kGpt2SmallPositions = "29c69587e2af826b7c159c38620a32e549a925e6d9a0dc37cb563f377f5be772";

/// "gpt2", "openai-community/gpt2", "GPT-2-small.safetensors"; not "alias-gpt2-small", which was trained separately.
bool is_called_gpt2(std::string_view name) {
  std::string last(name.substr(name.find_last_of('/') + 1));
  std::ranges::transform(last, last.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return last.starts_with("gpt2") || last.starts_with("gpt-2");
}

void judge(protocol::Result& result, const StudySchema& schema, const Inputs& inputs) {
  const std::string open = which_model(inputs, result.provenance);
  for (protocol::Claim& claim : result.claims) {
    const ClaimSpec* spec = schema.claim(claim.id);
    claim.elsewhere = spec && !spec->about.empty() && spec->about != open;
    if (claim.elsewhere) claim.holds = std::nullopt;
  }
}

}  // namespace

bool has_gpt2_small_sizes(const checkpoint::Config& c) {
  return c.d_model == 768 && c.n_ctx == 1024 && c.n_layer == 12 && (c.n_vocab == 50257 || c.n_vocab == 0) &&
         (c.n_head == 12 || c.n_head == 0);
}

std::optional<checkpoint::Config> config_of(const Inputs& inputs) {
  if (inputs.network) return inputs.network->config();
  if (!inputs.weights || !inputs.weights->header()) return std::nullopt;
  const auto config = checkpoint::make_config(*inputs.weights->header(), std::nullopt, inputs.provenance.model);
  return config ? std::optional(*config) : std::nullopt;
}

std::string which_model(const Inputs& inputs, const protocol::Provenance& used) {
  if (used.model.empty()) return {};
  const auto positions = std::ranges::find(used.tensors, "wpe.weight", &protocol::TensorHash::name);
  if (positions != used.tensors.end() && used.precision == "F32")
    return std::string(positions->sha256 == kGpt2SmallPositions ? kGpt2Small : "");
  const auto config = config_of(inputs);
  return std::string(config && has_gpt2_small_sizes(*config) && is_called_gpt2(used.model) ? kGpt2Small : "");
}

Task<Expected<protocol::Result>> run_judged(const ComputeStudy& study, ParamValues params, Inputs inputs) {
  const StudySchema& schema = study.schema;
  Inputs own = inputs;
  own.on_first_picture = [&](protocol::Result first) {
    judge(first, schema, inputs);
    inputs.on_first_picture(std::move(first));
  };
  auto result = co_await study.run(std::move(params), std::move(own));
  if (result) judge(*result, schema, inputs);
  co_return result;
}

}  // namespace helix::studies
