#include "model/network.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/text.h"
#include "checkpoint/convert.h"
#include "checkpoint/quantised.h"

namespace helix::model {
namespace {

// Rows converted between two pause points; a group of 8-bit weights has as many inputs.
constexpr std::size_t kQuantisedRows = kernels::kQ8Group;

Task<Expected<void>> take_vector(checkpoint::TensorView tensor, std::vector<float>* into) {
  into->resize(static_cast<std::size_t>(tensor.info->shape.empty() ? 1 : tensor.info->shape[0]));
  co_return checkpoint::to_finite_f32(tensor, *into);
}

Task<Expected<void>> take_rows(checkpoint::TensorView tensor, Matrix<float>* into) {
  auto matrix = checkpoint::to_finite_f32(tensor);
  if (!matrix) co_return matrix.error();
  *into = std::move(*matrix);
  co_return Expected<void>();
}

/// Fills `packed`, a few rows of the tensor at a time.
template <class Packed>
Task<Expected<void>> fill(checkpoint::TensorView tensor, Packed* packed, bool transposed) {
  const auto rows = static_cast<std::size_t>(tensor.info->shape[0]),
             cols = static_cast<std::size_t>(tensor.info->shape[1]);
  Matrix<float> some(std::min(kQuantisedRows, rows), cols);
  for (std::size_t at = 0; at < rows; at += kQuantisedRows) {
    const std::size_t count = std::min(kQuantisedRows, rows - at);
    const auto part =
        checkpoint::to_finite_f32(checkpoint::rows_of(tensor, at, count), std::span(some.data).first(count * cols));
    if (!part) co_return part.error();
    if (!transposed) packed->set_rows(at, some.view().slice(0, count));
    for (std::size_t i = 0; transposed && i < count; ++i) packed->set_column(at + i, some.row(i).data());
    co_await pause_point();
  }
  co_return Expected<void>();
}

/// The same for a file that holds 8-bit integers: they are not converted to floats on the way.
Task<Expected<void>> fill_quantised(checkpoint::TensorView tensor, kernels::PackedQ8* packed, bool transposed) {
  const auto rows = static_cast<std::size_t>(tensor.info->shape[0]);
  for (std::size_t at = 0; at < rows; at += kQuantisedRows) {
    const auto part = checkpoint::read_quantised(checkpoint::rows_of(tensor, at, std::min(kQuantisedRows, rows - at)));
    if (!part) co_return part.error();
    if (!transposed) packed->set_rows(at, part->integers, part->scales.data());
    const std::size_t groups = part->scales.size() / part->integers.rows;
    for (std::size_t i = 0; transposed && i < part->integers.rows; ++i)
      packed->set_column(at + i, part->integers.row(i).data(), part->scales.data() + i * groups);
    co_await pause_point();
  }
  co_return Expected<void>();
}

Task<Expected<void>> take_matrix(checkpoint::TensorView tensor, Weight* into, bool transposed, Precision precision,
                                 const kernels::Table* kernels) {
  const auto rows = static_cast<std::size_t>(tensor.info->shape[0]),
             cols = static_cast<std::size_t>(tensor.info->shape[1]);
  const std::size_t in = transposed ? cols : rows, out = transposed ? rows : cols;
  // No conditional expression here: not every compiler awaits only the chosen side's temporaries.
  Weight fresh{{}, {}, into->digits};
  Expected<void> filled;
  if (precision == Precision::f32) {
    fresh.f32 = kernels::Packed(in, out, kernels->panel);
    filled = co_await fill(tensor, &fresh.f32, transposed);
  } else {
    fresh.q8 = kernels::PackedQ8(in, out, kernels->q8.panel);
    if (tensor.scales.empty())
      filled = co_await fill(tensor, &fresh.q8, transposed);
    else
      filled = co_await fill_quantised(tensor, &fresh.q8, transposed);
  }
  if (!filled) co_return filled.error();
  *into = std::move(fresh);
  co_return Expected<void>();
}

Task<Expected<void>> quantise(const kernels::Packed* from, Weight* into, const kernels::Table* kernels) {
  const kernels::PackedView of = from->view();
  kernels::PackedQ8 fresh(of.in, of.out, kernels->q8.panel);
  std::vector<float> column(of.in);
  for (std::size_t j = 0; j < of.out; ++j) {
    from->read_column(j, column.data());
    fresh.set_column(j, column.data());
    if (j % kQuantisedRows == 0) co_await pause_point();
  }
  into->q8 = std::move(fresh);
  co_return Expected<void>();
}

}  // namespace

Expected<std::shared_ptr<Network>> Network::make(std::shared_ptr<checkpoint::WeightFile> file,
                                                 const checkpoint::Config& config, const std::string& source,
                                                 Precision precision) {
  const checkpoint::Parts parts = checkpoint::parts_of(*file->header(), config);
  if (!parts.everything)
    return Error{"Text cannot be run through " + in_quotes(source) + ": " + parts.missing_text() +
                 "; open the whole checkpoint."};
  if (!config.forward_obstacle.empty()) return Error{config.forward_obstacle};
  if (const auto heads = checkpoint::known_heads(config, source); !heads) return heads.error();
  if (checkpoint::holds_q8(*file->header())) precision = Precision::q8;
  return std::shared_ptr<Network>(new Network(std::move(file), config, precision));
}

std::shared_ptr<Network> Network::quantised(std::shared_ptr<Network> from) {
  assert(from->precision_ == Precision::f32);
  std::shared_ptr<Network> network(new Network(nullptr, from->config_, Precision::q8));
  network->stored_ = from->stored_, network->threads_ = from->threads_;
  network->from_ = std::move(from);
  return network;
}

Network::Network(std::shared_ptr<checkpoint::WeightFile> file, checkpoint::Config config, Precision precision)
    : file_(std::move(file)),
      config_(std::move(config)),
      kernels_(&kernels::active()),
      precision_(precision),
      layers_(config_.n_layer) {
  if (!file_) return;
  const checkpoint::Header& header = *file_->header();
  stored_ = checkpoint::holds_q8(header) ? std::string(checkpoint::kQ8Name) : header.find("wte.weight")->dtype_name;
  plan();
}

void Network::plan_vector(std::string tensor, std::vector<float>& into) {
  steps_.push_back(
      {std::move(tensor), [&into](const checkpoint::TensorView& view) { return take_vector(view, &into); }});
}

void Network::plan_matrix(std::string tensor, Weight& into, bool transposed) {
  steps_.push_back({std::move(tensor),
                    [this, &into, transposed](const checkpoint::TensorView& view) {
                      return take_matrix(view, &into, transposed, precision_, kernels_);
                    },
                    true, &into == &wte_ || &into == &lm_head_});
}

void Network::plan() {
  steps_.push_back({"wpe.weight", [this](const checkpoint::TensorView& view) { return take_rows(view, &wpe_); }});
  plan_matrix(std::string(kEmbedding), wte_, true);
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

void Network::plan_copy(Weight& into, const Weight& of) {
  steps_.push_back(
      {"", [this, &into, &of](const checkpoint::TensorView&) { return quantise(&of.f32, &into, kernels_); }});
}

void Network::plan_copies() {
  wpe_ = from_->wpe_, ln_f_ = from_->ln_f_;
  plan_copy(wte_, from_->wte_);
  if (!config_.tied_head) plan_copy(lm_head_, from_->lm_head_);
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const Layer& of = from_->layers_[i];
    layers_[i].ln_1 = of.ln_1, layers_[i].ln_2 = of.ln_2;
    for (Linear Layer::* linear : {&Layer::c_attn, &Layer::c_proj, &Layer::c_fc, &Layer::mlp_proj}) {
      (layers_[i].*linear).bias = (of.*linear).bias;
      plan_copy((layers_[i].*linear).weight, (of.*linear).weight);
    }
  }
}

std::vector<std::string> Network::unread(const PassNeeds& need) const {
  if (from_ && steps_.empty()) return from_->unread();
  if (!file_) return {};
  std::vector<std::string> names;
  for (const Step& step : steps_)
    if (needs(step, need)) names.push_back(step.tensor);
  return names;
}

std::vector<std::size_t> Network::unread_rows(const PassNeeds& need) const {
  std::vector<std::size_t> rows;
  if (need.logits || from_ || !file_ || has_all_rows()) return rows;
  for (const std::int32_t id : need.tokens)
    if (const auto row = static_cast<std::size_t>(id); id >= 0 && row < config_.n_vocab && !rows_.contains(row))
      rows.push_back(row);
  return rows;
}

bool Network::prepared() const {
  return !from_ && std::ranges::all_of(steps_, [](const Step& step) { return step.done; });
}

bool Network::begun() const {
  return std::ranges::any_of(steps_, [](const Step& step) { return step.done && step.large && !step.head; });
}

Task<Expected<void>> Network::take(Step& step) {
  auto tensor = from_ ? Expected<checkpoint::TensorView>(checkpoint::TensorView{}) : file_->tensor(step.tensor);
  if (!tensor) co_return tensor.error();
  const auto taken = co_await step.take(*tensor);
  if (!taken) co_return taken.error();
  if (step.large && file_) file_->release(step.tensor);
  step.done = true;
  co_return Expected<void>();
}

/// Rounded exactly as when all rows are read.
Expected<void> Network::take_row(std::size_t row) {
  const auto tensor = file_->row(kEmbedding, row);
  if (!tensor) return tensor.error();
  std::vector<float> numbers(config_.d_model);
  if (const auto read = checkpoint::to_finite_f32(*tensor, numbers); !read) return read.error();
  if (precision_ == Precision::q8 && tensor->scales.empty()) {
    const auto rounded = kernels::PackedQ8::from_transposed({numbers.data(), 1, numbers.size()}, kernels_->q8.panel);
    rounded.read_column(0, numbers.data());
  }
  rows_[row] = std::move(numbers);
  return {};
}

Task<Expected<void>> Network::prepare(PassNeeds need) {
  if (from_ && steps_.empty()) {
    const auto whole = co_await from_->prepare();
    if (!whole) co_return whole.error();
    plan_copies();
  }
  for (const std::size_t row : unread_rows(need))
    if (const auto taken = take_row(row); !taken) co_return taken.error();
  const auto all = static_cast<double>(steps_.size());
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (!needs(steps_[i], need)) continue;
    const auto taken = co_await take(steps_[i]);
    if (!taken) co_return taken.error();
    co_await pause_point(static_cast<double>(i), all, "preparing the weights");
  }
  from_.reset();  // a copy is made as a whole
  if (has_all_rows()) rows_.clear();
  co_return Expected<void>();
}

void Network::read_embedding(std::size_t token, float* row) const {
  if (!has_all_rows()) {
    const auto& numbers = rows_.at(token);
    std::copy(numbers.begin(), numbers.end(), row);
  } else if (precision_ == Precision::f32) {
    wte_.f32.read_column(token, row);
  } else {
    wte_.q8.read_column(token, row);
  }
}

std::string Network::precision_text() const {
  return precision_ == Precision::f32 || stored_ == checkpoint::kQ8Name ? stored_ : stored_ + " as 8-bit integers";
}

std::size_t Network::bytes() const {
  std::size_t bytes = wte_.bytes() + lm_head_.bytes() + wpe_.data.size() * sizeof(float);
  for (const Layer& layer : layers_)
    bytes += layer.c_attn.weight.bytes() + layer.c_proj.weight.bytes() + layer.c_fc.weight.bytes() +
             layer.mlp_proj.weight.bytes();
  return bytes;
}

}  // namespace helix::model
