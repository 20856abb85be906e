#include "studies/known_model_compute.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/control_name.h"
#include "checkpoint/convert.h"
#include "studies/known_tensors.h"

namespace helix::studies {
namespace {

const KnownTensor* known_tensor(std::string_view name) {
  const auto it = std::ranges::find(kGpt2SmallTensors, checkpoint::bare_name(name), &KnownTensor::name);
  return it == kGpt2SmallTensors.end() ? nullptr : &*it;
}

bool is_theirs(const KnownTensor& known, std::string_view sha256) {
  return sha256.starts_with(known.f32) || sha256.starts_with(known.f16);
}

/// What the hashes of the tensors that were read say; nothing if none of them is known.
std::optional<bool> by_what_was_read(const std::vector<protocol::TensorHash>& read) {
  std::optional<bool> theirs;
  for (const protocol::TensorHash& tensor : read)
    if (const KnownTensor* known = known_tensor(tensor.name))
      theirs = theirs.value_or(true) && is_theirs(*known, tensor.sha256);
  return theirs;
}

/// The same of one tensor that is there, the smallest that is.
bool by_what_is_there(const checkpoint::WeightFile& weights) {
  for (const KnownTensor& known : kGpt2SmallTensors)
    if (weights.has(known.name))
      if (const auto tensor = weights.tensor(known.name)) return is_theirs(known, checkpoint::sha256(*tensor));
  return false;
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
  return c.d_model == 768 && c.n_ctx == 1024 && (c.n_layer == 12 || c.n_layer == 0) &&
         (c.n_vocab == 50257 || c.n_vocab == 0) && (c.n_head == 12 || c.n_head == 0);
}

std::optional<checkpoint::Config> config_of(const Inputs& inputs) {
  if (inputs.network) return inputs.network->config();
  if (!inputs.weights || !inputs.weights->header()) return std::nullopt;
  const auto config = checkpoint::make_config(*inputs.weights->header(), std::nullopt, inputs.provenance.model);
  return config ? std::optional(*config) : std::nullopt;
}

std::string which_model(const Inputs& inputs, const protocol::Provenance& used) {
  if (used.model.empty() || is_control(used.model)) return {};
  const auto read = by_what_was_read(used.tensors);
  const bool theirs = read ? *read : inputs.weights && inputs.weights->header() && by_what_is_there(*inputs.weights);
  return std::string(theirs ? kGpt2Small : "");
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
