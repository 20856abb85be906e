#include "model/network.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "model/convert.h"

namespace helix::model {
namespace {

constexpr std::size_t kRowsAtOnce = 64;  // converted between two checkpoints

Task<Expected<void>> take_vector(TensorView tensor, std::vector<float>* into) {
  into->resize(static_cast<std::size_t>(tensor.info->shape.empty() ? 1 : tensor.info->shape[0]));
  co_return to_f32(tensor, *into);
}

Task<Expected<void>> take_rows(TensorView tensor, Matrix<float>* into) {
  auto matrix = to_f32(tensor);
  if (!matrix) co_return matrix.error();
  *into = std::move(*matrix);
  co_return Expected<void>();
}

Task<Expected<void>> take_matrix(TensorView tensor, kernels::Packed* into, bool transposed, std::size_t panel) {
  const auto rows = static_cast<std::size_t>(tensor.info->shape[0]),
             cols = static_cast<std::size_t>(tensor.info->shape[1]);
  kernels::Packed packed(transposed ? cols : rows, transposed ? rows : cols, panel);
  Matrix<float> some(std::min(kRowsAtOnce, rows), cols);
  for (std::size_t at = 0; at < rows; at += kRowsAtOnce) {
    const std::size_t count = std::min(kRowsAtOnce, rows - at);
    const auto part = to_f32(rows_of(tensor, at, count), std::span(some.data).first(count * cols));
    if (!part) co_return part.error();
    for (std::size_t i = 0; i < count; ++i)
      transposed ? packed.set_column(at + i, some.row(i).data()) : packed.set_row(at + i, some.row(i).data());
    co_await checkpoint();
  }
  *into = std::move(packed);
  co_return Expected<void>();
}

}  // namespace

Expected<std::shared_ptr<Network>> Network::make(std::shared_ptr<WeightFile> file, const Config& config,
                                                 const std::string& source) {
  const Parts parts = parts_of(*file->header(), config);
  if (!parts.everything)
    return Error{"Text cannot be run through " + in_quotes(source) + ": " + parts.missing_text() +
                 "; open the whole checkpoint."};
  if (!config.forward_obstacle.empty()) return Error{config.forward_obstacle};
  if (const auto heads = known_heads(config, source); !heads) return heads.error();
  return std::shared_ptr<Network>(new Network(std::move(file), config));
}

Network::Network(std::shared_ptr<WeightFile> file, Config config)
    : file_(std::move(file)), config_(std::move(config)), kernels_(&kernels::active()), layers_(config_.n_layer) {
  precision_ = file_->header()->find("wte.weight")->dtype_name;
  plan();
}

void Network::plan_vector(std::string tensor, std::vector<float>& into) {
  steps_.push_back({std::move(tensor), [&into](const TensorView& view) { return take_vector(view, &into); }});
}

void Network::plan_matrix(std::string tensor, kernels::Packed& into, bool transposed) {
  const std::size_t panel = kernels_->panel;
  steps_.push_back(
      {std::move(tensor),
       [&into, transposed, panel](const TensorView& view) { return take_matrix(view, &into, transposed, panel); },
       true});
}

void Network::plan() {
  steps_.push_back({"wpe.weight", [this](const TensorView& view) { return take_rows(view, &wpe_); }});
  plan_matrix("wte.weight", wte_, true);
  if (!config_.tied_head) plan_matrix("lm_head.weight", lm_head_, true);
  plan_vector("ln_f.weight", ln_f_.gain);
  plan_vector("ln_f.bias", ln_f_.shift);
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    Layer& layer = layers_[i];
    const std::string at = "h." + std::to_string(i) + ".";
    for (const auto& [name, affine] : {std::pair("ln_1", &layer.ln_1), std::pair("ln_2", &layer.ln_2)}) {
      plan_vector(at + name + ".weight", affine->gain);
      plan_vector(at + name + ".bias", affine->shift);
    }
    for (const auto& [name, linear] : {std::pair("attn.c_attn", &layer.c_attn), std::pair("attn.c_proj", &layer.c_proj),
                                       std::pair("mlp.c_fc", &layer.c_fc), std::pair("mlp.c_proj", &layer.mlp_proj)}) {
      plan_matrix(at + name + ".weight", linear->weight, false);
      plan_vector(at + name + ".bias", linear->bias);
    }
  }
}

std::vector<std::string> Network::unread() const {
  std::vector<std::string> names;
  for (std::size_t i = next_; i < steps_.size(); ++i) names.push_back(steps_[i].tensor);
  return names;
}

Task<Expected<void>> Network::prepare() {
  for (; next_ < steps_.size(); ++next_) {
    const Step& step = steps_[next_];
    const auto tensor = file_->tensor(step.tensor);
    if (!tensor) co_return tensor.error();
    const auto taken = co_await step.take(*tensor);
    if (!taken) co_return taken.error();
    if (step.large) file_->release(step.tensor);
    co_await checkpoint(static_cast<double>(next_), static_cast<double>(steps_.size()), "preparing the weights");
  }
  co_return Expected<void>();
}

void Network::read_embedding(std::size_t token, float* row) const { wte_.read_column(token, row); }

std::size_t Network::bytes() const {
  std::size_t bytes = wte_.bytes() + lm_head_.bytes() + wpe_.data.size() * sizeof(float);
  for (const Layer& layer : layers_)
    bytes += layer.c_attn.weight.bytes() + layer.c_proj.weight.bytes() + layer.c_fc.weight.bytes() +
             layer.mlp_proj.weight.bytes();
  return bytes;
}

}  // namespace helix::model
