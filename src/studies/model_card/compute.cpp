// Reads the header of the file: names, shapes and formats, no weights.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "checkpoint/config.h"
#include "checkpoint/quantised.h"
#include "studies/context_compute.h"
#include "studies/model_card/model_card.h"

namespace helix::studies::model_card {
namespace {

using checkpoint::TensorInfo;

constexpr double kPoints = 13;  // stated by the slides: after the embeddings and after each of 12 layers

std::vector<ModelNeeds> needs(const ParamValues&, const Known&) { return {{"", {}}}; }

double numbers_in(const TensorInfo& tensor) {
  double count = 1;
  for (const auto extent : tensor.shape) count *= static_cast<double>(extent);
  return count;
}

/// Not learned: the causal mask that some hub checkpoints contain, and the scales of 8-bit integers.
bool is_learned(const TensorInfo& tensor) {
  const std::string_view name = tensor.name;
  return !name.ends_with(".attn.masked_bias") && !name.ends_with(checkpoint::kScalesEnding) &&
         !(name.ends_with(".attn.bias") && tensor.shape.size() != 1);
}

/// An index into kParts.
std::size_t part_of(const TensorInfo& tensor) {
  const std::string_view name = checkpoint::bare_name(tensor.name);
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (name == "wte.weight") return 0;
  if (name == "wpe.weight") return 1;
  if (has(".attn.c_attn.")) return 2;
  if (has(".attn.c_proj.")) return 3;
  if (has(".mlp.c_fc.")) return 4;
  if (has(".mlp.c_proj.")) return 5;
  if (has("ln_1.") || has("ln_2.") || has("ln_f.")) return 6;
  return name == "lm_head.weight" ? 7 : 8;
}

void add_tensors(Output& out, const checkpoint::Header& header) {
  std::array<double, kParts.size()> counts{};
  double masks = 0, bytes = 0;
  for (const TensorInfo& tensor : header.tensors) {
    const double count = numbers_in(tensor);
    const std::size_t part = part_of(tensor);
    out.name.push_back(valid_utf8(tensor.name)), out.stored.push_back(valid_utf8(tensor.dtype_name));
    out.part_of.push_back(is_learned(tensor) ? kParts[part].label : "not learned");
    out.tensor_parameters.data.push_back(count);
    for (std::size_t i = 0; i < kDimensions; ++i)
      out.shapes.data.push_back(i < tensor.shape.size() ? static_cast<double>(tensor.shape[i]) : std::nan(""));
    (is_learned(tensor) ? counts[part] : masks) += count;
    bytes += static_cast<double>(tensor.end - tensor.begin);
  }
  const std::size_t n = header.tensors.size();
  out.tensor_parameters.shape = {n}, out.shapes.shape = {n, kDimensions};
  for (const Part& part : kParts) out.part.push_back(part.id);
  out.part_parameters.data.assign(counts.begin(), counts.end()), out.part_parameters.shape = {counts.size()};
  out.embeddings = {counts[0] + counts[1], "wte and wpe"};
  out.attention = {counts[2] + counts[3], "c_attn and c_proj"};
  out.mlp = {counts[4] + counts[5], "c_fc and c_proj"};
  out.norms = {counts[6], "ln_1, ln_2 and ln_f"};
  out.other = {counts[7] + counts[8], "all that is left"};
  double all = 0;
  for (const double count : counts) all += count;
  out.parameters = {all, "in " + std::to_string(n) + " tensors"};
  out.masks = {masks, ""}, out.tensors = {static_cast<double>(n), ""}, out.bytes = {bytes, "without the header"};
}

protocol::Quantity size_or_none(std::size_t size, const char* why_not) {
  return size > 0 ? protocol::Quantity{static_cast<double>(size), ""} : protocol::Quantity{.note = why_not};
}

void add_sizes(Output& out, const checkpoint::Config& c, std::size_t n_head) {
  const char* unknown = "the file does not tell";
  out.n_layer = size_or_none(c.n_layer, unknown), out.d_model = size_or_none(c.d_model, unknown);
  out.n_ctx = size_or_none(c.n_ctx, unknown), out.n_vocab = size_or_none(c.n_vocab, unknown);
  out.d_mlp = size_or_none(c.d_mlp, unknown), out.n_head = size_or_none(n_head, "config.json would tell");
  if (c.n_layer == 0 || c.d_model == 0 || c.n_ctx == 0 || c.n_vocab == 0) {
    out.whole.note = "not all sizes are known";
    return;
  }
  const auto d = static_cast<double>(c.d_model), m = static_cast<double>(c.d_mlp > 0 ? c.d_mlp : 4 * c.d_model);
  const double layer = 4 * d * d + 2 * d * m + 9 * d + m;  // matrices; biases and two LayerNorms
  const double head = c.tied_head ? 0 : static_cast<double>(c.n_vocab) * d;
  out.whole = {static_cast<double>(c.n_vocab + c.n_ctx) * d + static_cast<double>(c.n_layer) * layer + 2 * d + head,
               c.tied_head ? "the output head is wte" : "with an output head of its own"};
}

/// The tensors that the slides list, with their shapes.
const std::vector<std::pair<std::string, std::vector<std::uint64_t>>>& listed() {
  static const std::vector<std::pair<std::string, std::vector<std::uint64_t>>> all{
      {"wte.weight", {50257, 768}},
      {"wpe.weight", {1024, 768}},
      {"h.0.ln_1.weight", {768}},
      {"h.0.ln_1.bias", {768}},
      {"h.0.attn.c_attn.weight", {768, 2304}},
      {"h.0.attn.c_attn.bias", {2304}},
      {"h.0.attn.c_proj.weight", {768, 768}},
      {"h.0.attn.c_proj.bias", {768}},
      {"h.0.ln_2.weight", {768}},
      {"h.0.ln_2.bias", {768}},
      {"h.0.mlp.c_fc.weight", {768, 3072}},
      {"h.0.mlp.c_fc.bias", {3072}},
      {"h.0.mlp.c_proj.weight", {3072, 768}},
      {"h.0.mlp.c_proj.bias", {768}},
      {"ln_f.weight", {768}},
      {"ln_f.bias", {768}}};
  return all;
}

/// More missing tensors than these are not listed by name.
constexpr std::size_t kNamed = 3;

protocol::Claim shapes_claim(const checkpoint::Header& header, std::size_t layers) {
  protocol::Claim claim;
  claim.id = "F2";
  if (layers > 0) claim.here = static_cast<double>(layers) + 1;
  bool fits = true;
  for (const auto& [name, shape] : listed()) {
    const TensorInfo* tensor = header.find(name);
    if (!tensor)
      claim.needs.push_back(name);
    else
      fits = fits && tensor->shape == shape;
  }
  // A partial checkpoint can refute the claim, but not confirm it.
  if (!fits || claim.needs.empty()) claim.holds = fits && claim.here == kPoints;
  if (claim.needs.size() > kNamed) claim.needs = {"the whole checkpoint"};
  claim.convention = "layers and one; the 16 tensors that the slides list, with the output head as wte";
  return claim;
}

Task<Expected<Output>> compute(Params, Context& context) {
  const Inputs& inputs = context.inputs();
  co_await pause_point();
  if (!inputs.weights || !inputs.weights->header())
    co_return Error{"No model is open, so there are no parts to show; open one."};
  const checkpoint::Header& header = *inputs.weights->header();
  Output out;
  out.convention = "from the header of the file; a tensor that several parts share counts once";
  add_tensors(out, header);
  co_await pause_point();
  const auto config = checkpoint::make_config(header, std::nullopt, inputs.weights->name());
  if (config)
    add_sizes(out, *config, inputs.size ? inputs.size->n_head : config->n_head);
  else
    context.note(sentences({say("note.no_sizes"), config.error().sentence}));
  if (config && !out.whole.note.empty() && std::isfinite(out.whole.value) && out.parameters.value < out.whole.value)
    context.note(say("note.part", {{"share", percent_text(out.parameters.value / out.whole.value, 1)}}));
  if (config) out.claims = {shapes_claim(header, config->n_layer)};
  context.origin().arithmetic = "counts";
  const auto learned = std::ranges::find_if(header.tensors, is_learned);
  if (learned != header.tensors.end()) context.origin().precision = valid_utf8(learned->dtype_name);
  co_return std::move(out);
}

}  // namespace

ComputeStudy compute_study() { return study_of<describe, compute>(needs); }

}  // namespace helix::studies::model_card
