// One pass keeps the residual stream in front of every layer and at its end; each row is read out once, and kept: another
// position costs nothing.
#include <cmath>
#include <numbers>
#include <utility>

#include "base/text.h"
#include "studies/context_compute.h"
#include "studies/logit_lens/logit_lens.h"

namespace helix::studies::logit_lens {
namespace {

constexpr const char* kHow[] = {"ln_f once", "without ln_f", "ln_f twice",
                                "less their mean, over ln_f's scale at the end"};

std::vector<model::Hook> hooks_of(std::size_t n_layer) {
  std::vector<model::Hook> hooks;
  for (std::size_t layer = 0; layer < n_layer; ++layer) hooks.push_back({model::HookKind::resid_pre, layer});
  hooks.push_back({model::HookKind::resid_post, n_layer - 1});
  return hooks;
}

MatrixView<const float> rows_of(const model::Capture& kept) {
  return {kept.data().data(), kept.shape()[0], kept.shape()[1]};
}

/// All layers' rows below each other, normalized.
Matrix<float> normalized(const model::Network& network, const Ran& ran, Norm how) {
  const auto norm = static_cast<model::FinalNorm>(how);
  const MatrixView<const float> last = rows_of(ran.kept.back());
  const std::vector<float> scales = model::final_scales(network, last);
  Matrix<float> all(ran.kept.size() * last.rows, last.cols);
  auto into = all.data.begin();
  for (const model::Capture& layer : ran.kept) {
    const Matrix<float> rows = model::final_norm(network, rows_of(layer), norm, scales);
    into = std::copy(rows.data.begin(), rows.data.end(), into);
  }
  return all;
}

/// `context` and `text` outlive the task.
Task<Expected<model::Readout>> readout(Context* context, const Ready* text, Norm how) {
  const auto& network = context->inputs().network;
  Wanted wanted;
  wanted.hooks = hooks_of(network->config().n_layer);
  const auto ran = co_await context->runner().run(*text, std::move(wanted));
  if (!ran) co_return ran.error();
  co_return co_await model::read_out(network, normalized(*network, *ran, how), 1);
}

double mean(const double* values, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += values[i];
  return sum / static_cast<double>(count);
}

/// The first layer from which on the likeliest token is that of the last layer.
std::size_t settles(const Output& out, std::size_t position) {
  std::size_t layer = out.layers() - 1;
  const double answer = out.top.data[out.cell(layer, position)];
  while (layer > 0 && out.top.data[out.cell(layer - 1, position)] == answer) --layer;
  return layer;
}

Output outputs_of(const model::Readout& read, std::size_t layers, std::size_t n, std::size_t position,
                  const Inputs& inputs) {
  Output out;
  for (protocol::Grid* grid : {&out.entropy, &out.top, &out.probability}) grid->shape = {layers, n};
  out.entropy.data = read.entropy;
  for (std::size_t i = 0; i < read.top.rows; ++i) {
    out.top.data.push_back(read.top(i, 0)), out.probability.data.push_back(read.probability(i, 0));
    out.text.push_back(token_text(inputs, read.top(i, 0)));
  }
  const double* last = &out.entropy.data[out.cell(layers - 1, 0)];
  const double nats = last[position], all = mean(last, n);
  const std::string where = "layer " + std::to_string(layers - 1) + ", position " + std::to_string(position);
  out.entropy_nats = {nats, where}, out.entropy_bits = {nats / std::numbers::ln2, where};
  const std::string over = "layer " + std::to_string(layers - 1) + ", " + std::to_string(n) + " positions";
  out.mean_entropy_nats = {all, over}, out.mean_entropy_bits = {all / std::numbers::ln2, over};
  out.from_layer = {static_cast<double>(settles(out, position)), "0 is the token with its position, before any layer"};
  out.position = {static_cast<double>(position), "counted from 0, BOS included"};
  return out;
}

Task<Expected<Output>> compute(Params params, Context& context) {
  const auto text = co_await context.runner().prepare();
  if (!text) co_return text.error();
  const std::size_t n = text->prompt.ids.size(), last = n - 1;
  const bool beyond = params.position > static_cast<int>(last);
  const std::size_t position = params.position < 0 || beyond ? last : static_cast<std::size_t>(params.position);
  const std::string how = kHow[static_cast<std::size_t>(params.norm)];
  const auto read = co_await context.cached_run<model::Readout>(how + " " + run_key(*text),
                                                                [&] { return readout(&context, &*text, params.norm); });
  if (!read) co_return read.error();
  Output out = outputs_of(**read, context.inputs().network->config().n_layer + 1, n, position, context.inputs());
  context.describe_text(*text, out);
  out.convention += ", each layer read out " + how;
  if (beyond) context.note(say("note.position", {{"position", std::to_string(last)}}));
  co_return std::move(out);
}

}  // namespace

ComputeStudy compute_study() { return study_of<describe, compute>(); }

}  // namespace helix::studies::logit_lens
