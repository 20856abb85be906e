#include "studies/context_compute.h"

#include <algorithm>
#include <utility>

#include "checkpoint/config.h"
#include "checkpoint/convert.h"
#include "geometry/positions.h"
#include "studies/check_index.h"
#include "studies/helix_compute.h"

namespace helix::studies {
namespace {

Matrix<double> columns(const Matrix<float>& from, std::size_t first, std::size_t count) {
  Matrix<double> out(from.rows, count);
  for (std::size_t i = 0; i < out.rows; ++i)
    for (std::size_t j = 0; j < count; ++j) out(i, j) = static_cast<double>(from(i, first + j));
  return out;
}

std::vector<double> part(const Matrix<float>& from, std::size_t first, std::size_t count) {
  const auto begin = from.data.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

}  // namespace

std::string in_layer(std::size_t layer, const char* name) { return "h." + std::to_string(layer) + "." + name; }

std::vector<std::string> head_tensors(std::size_t layer) {
  std::vector<std::string> names;
  for (const char* name :
       {"attn.c_attn.weight", "attn.c_attn.bias", "attn.c_proj.weight", "attn.c_proj.bias", "ln_1.weight", "ln_1.bias"})
    names.push_back(in_layer(layer, name));
  return names;
}

std::vector<ModelNeeds> needs_of(PositionSource source) {
  if (source == PositionSource::sinusoidal) return {};
  return {{"", {kPositionTable}}};
}

Context::Context(const StudySchema& schema, ParamValues values, Inputs inputs)
    : schema_(schema),
      values_(std::move(values)),
      inputs_(std::move(inputs)),
      size_(inputs_.size.value_or(ModelSize())),
      read_(inputs_.provenance),
      runner_(inputs_) {}

Runner& Context::runner() {
  runs_ = true;
  return runner_;
}

protocol::Provenance Context::provenance() const {
  if (!runs_ || !inputs_.network) return read_;
  protocol::Provenance both = provenance_of(inputs_);
  both.tensors = read_.tensors;
  return both;
}

void Context::without_model() {
  read_.model.clear(), read_.sha256.clear();
  read_.precision = "F64";
}

Expected<checkpoint::TensorView> Context::tensor_of(const std::string& tensor, const std::string& what) const {
  if (!inputs_.weights) return Error{"No model is open, so there are no " + what + "; open one."};
  return inputs_.weights->tensor(tensor);
}

Task<Expected<Table>> Context::table(std::string tensor, std::string what) {
  const auto view = tensor_of(tensor, what);
  if (!view) co_return view.error();
  if (view->info->shape.size() != 2) co_return Error{"The tensor " + tensor + " is no table of rows."};
  const auto hash = co_await hash_tensor(inputs_, tensor);
  if (!hash) co_return hash.error();
  const std::string precision = checkpoint::precision_of(*view);
  read_.tensors.push_back({tensor, *hash}), read_.precision = precision;
  co_return Table{table_rows(*view, inputs_.weights), precision, *hash};
}

Expected<std::vector<double>> Context::row(const std::string& tensor, std::size_t index, const std::string& what) {
  if (!inputs_.weights) return Error{"No model is open, so there are no " + what + "; open one."};
  const auto view = inputs_.weights->row(tensor, index);
  if (!view) return view.error();
  const auto numbers = checkpoint::to_finite_f32(*view);
  if (!numbers) return numbers.error();
  read_.tensors.push_back({tensor + "[" + std::to_string(index) + "]", checkpoint::sha256(*view)});
  read_.precision = checkpoint::precision_of(*view);
  return std::vector<double>(numbers->data.begin(), numbers->data.end());
}

Task<Expected<Matrix<double>>> Context::positions(PositionSource source, double base) {
  if (source == PositionSource::sinusoidal) {
    without_model();
    co_return geometry::sinusoidal_positions(kSinusoidPositions, kSinusoidDimensions, base);
  }
  if (!inputs_.weights)
    co_return Error{"No model is open, so there are no learned positions; open one, or look at the sinusoidal ones."};
  auto rows = learned_positions(*inputs_.weights);
  if (!rows) co_return rows.error();
  std::vector<std::string> names{kPositionTable};
  if (const auto ok = co_await reads(std::move(names)); !ok) co_return ok.error();
  read_.precision = checkpoint::precision_of(*inputs_.weights->tensor(kPositionTable));
  co_return std::move(*rows);
}

Task<Expected<void>> Context::reads(std::vector<std::string> tensors) {
  for (const std::string& name : tensors) {
    const auto hash = co_await hash_tensor(inputs_, name);
    if (!hash) co_return hash.error();
    if (std::ranges::find(read_.tensors, name, &protocol::TensorHash::name) == read_.tensors.end())
      read_.tensors.push_back({name, *hash});
    if (read_.precision.empty()) read_.precision = checkpoint::precision_of(*inputs_.weights->tensor(name));
  }
  co_return Expected<void>();
}

Task<Expected<Directions>> Context::directions(MatrixChoice choice) {
  if (const auto ok = co_await reads(tensors_of(choice)); !ok) co_return ok.error();
  co_return co_await known_directions(choice, inputs_);
}

Task<Expected<Matrix<float>>> Context::whole(std::string tensor) {
  const auto view = tensor_of(tensor, "heads");
  if (!view) co_return view.error();
  auto numbers = checkpoint::to_finite_f32(*view);
  if (!numbers) co_return numbers.error();
  const auto hash = co_await hash_tensor(inputs_, tensor);
  if (!hash) co_return hash.error();
  if (std::ranges::find(read_.tensors, tensor, &protocol::TensorHash::name) == read_.tensors.end())
    read_.tensors.push_back({tensor, *hash});
  read_.precision = checkpoint::precision_of(*view);
  co_return std::move(numbers);
}

Expected<std::size_t> Context::heads() const {
  if (!inputs_.weights) return Error{"No model is open, so there are no heads; open one."};
  checkpoint::Config config;
  config.n_head = size_.n_head;
  return checkpoint::known_heads(config, inputs_.weights->name());
}

Task<Expected<HeadWeights>> Context::head(std::size_t layer, std::size_t head) {
  const auto n_head = heads();
  if (!n_head) co_return n_head.error();
  if (const auto ok = check_index("head", head, *n_head); !ok) co_return ok.error();
  std::vector<Matrix<float>> parts;
  for (const std::string& name : head_tensors(layer)) {
    auto one = co_await whole(name);
    if (!one) co_return one.error();
    parts.push_back(std::move(*one));
  }
  const Matrix<float>&in = parts[0], &in_bias = parts[1], &out = parts[2], &out_bias = parts[3];
  const std::size_t d = in.rows, d_head = d / *n_head, at = head * d_head;
  if (d_head * *n_head != d || in.cols != 3 * d || in_bias.data.size() != 3 * d || out.rows != d || out.cols != d ||
      out_bias.data.size() != d || parts[4].data.size() != d || parts[5].data.size() != d)
    co_return Error{"The tensors of layer " + std::to_string(layer) + "'s attention do not fit each other."};
  HeadWeights w{layer,
                head,
                columns(in, at, d_head),
                columns(in, d + at, d_head),
                columns(in, 2 * d + at, d_head),
                Matrix<double>(d_head, d),
                {},
                {},
                {},
                {},
                {},
                {}};
  for (std::size_t i = 0; i < d_head; ++i)
    for (std::size_t j = 0; j < d; ++j) w.o(i, j) = static_cast<double>(out(at + i, j));
  w.q_bias = part(in_bias, at, d_head), w.k_bias = part(in_bias, d + at, d_head);
  w.v_bias = part(in_bias, 2 * d + at, d_head), w.o_bias = part(out_bias, 0, d);
  w.gain = part(parts[4], 0, d), w.shift = part(parts[5], 0, d);
  co_return std::move(w);
}

}  // namespace helix::studies
