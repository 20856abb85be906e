#include "studies/matrices_compute.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/sha256.h"
#include "base/text.h"
#include "checkpoint/config.h"
#include "checkpoint/convert.h"
#include "studies/check_index.h"

namespace helix::studies {
namespace {

using checkpoint::TensorView;
using geometry::RowBlocks;
using Weights = std::shared_ptr<const checkpoint::WeightFile>;

/// The properties of each matrix. The tensor's name follows "h.<layer>." unless it is a table.
struct Kind {
  const char* tensor;
  const char* words;
  const char* gain;         // tensor of the LayerNorm before it; null: none
  bool table = false;       // rows are positions or tokens, columns the residual stream
  bool reads = false;       // rows are the residual stream, columns its output
  int part = -1;            // which third of c_attn's columns
  bool heads_rows = false;  // its rows are heads side by side
};

const Kind& kind_of(MatrixId id) {
  static constexpr Kind kKinds[] = {
      {"wpe.weight", "wpe", nullptr, true},
      {"wte.weight", "wte", "ln_f.weight", true},
      {"attn.c_attn.weight", "W_Q", "ln_1.weight", false, true, 0},
      {"attn.c_attn.weight", "W_K", "ln_1.weight", false, true, 1},
      {"attn.c_attn.weight", "W_V", "ln_1.weight", false, true, 2},
      {"attn.c_proj.weight", "W_O", nullptr, false, false, -1, true},
      {"mlp.c_fc.weight", "MLP W_in", "ln_2.weight", false, true},
      {"mlp.c_proj.weight", "MLP W_out", nullptr},
  };
  return kKinds[static_cast<std::size_t>(id)];
}

std::string in_layer(const MatrixChoice& choice, const char* tensor) {
  const std::string name = tensor;
  if (kind_of(choice.id).table) return name;
  return "h." + std::to_string(choice.layer) + "." + name;
}

Expected<TensorView> matrix_tensor(const Weights& weights, const std::string& name) {
  const auto tensor = weights->tensor(name);
  if (!tensor) return tensor.error();
  if (tensor->info->shape.size() == 2) return *tensor;
  return Error{"The tensor " + in_quotes(name) + " has " + std::to_string(tensor->info->shape.size()) +
               " dimensions, and a matrix has two."};
}

/// The gain of the LayerNorm before the matrix; ones if it is not requested.
Expected<std::vector<double>> gain_of(const MatrixChoice& choice, const Weights& weights, std::size_t d_model) {
  std::vector<double> gain(d_model, 1);
  if (!choice.gain) return gain;
  const std::string name = in_layer(choice, kind_of(choice.id).gain);
  const auto tensor = weights->tensor(name);
  if (!tensor) return tensor.error();
  const auto values = checkpoint::to_f32(*tensor);
  if (!values) return values.error();
  if (values->data.size() != d_model)
    return Error{"The tensor " + in_quotes(name) + " has " + std::to_string(values->data.size()) +
                 " numbers where the matrix behind it has " + std::to_string(d_model) + " inputs."};
  std::copy(values->data.begin(), values->data.end(), gain.begin());
  return gain;
}

Expected<std::size_t> heads_of(const Inputs& inputs) {
  checkpoint::Config config;
  if (inputs.size) config.n_head = inputs.size->n_head;
  return checkpoint::known_heads(config, inputs.weights->name());
}

struct Part {
  std::size_t first = 0, count = 0;
};

/// The rows or columns of one head among `width`; all of them if no head is requested.
Expected<Part> part_of_head(const MatrixChoice& choice, const Inputs& inputs, std::size_t width) {
  if (choice.head < 0) return Part{0, width};
  const auto n_head = heads_of(inputs);
  if (!n_head) return n_head.error();
  const std::size_t size = width / *n_head;
  return Part{static_cast<std::size_t>(choice.head) * size, size};
}

/// The columns of `stored` (or rows, for o) that form the chosen matrix, [in, out].
Expected<Matrix<double>> cut_out(const MatrixChoice& choice, const Inputs& inputs, const Matrix<float>& stored) {
  const Kind& kind = kind_of(choice.id);
  Part rows{0, stored.rows}, cols{0, stored.cols};
  if (kind.part >= 0) {
    const std::size_t width = stored.cols / 3;
    const auto part = part_of_head(choice, inputs, width);
    if (!part) return part.error();
    cols = {static_cast<std::size_t>(kind.part) * width + part->first, part->count};
  } else if (kind.heads_rows) {
    const auto part = part_of_head(choice, inputs, stored.rows);
    if (!part) return part.error();
    rows = *part;
  }
  Matrix<double> out(rows.count, cols.count);
  for (std::size_t i = 0; i < rows.count; ++i)
    for (std::size_t j = 0; j < cols.count; ++j)
      out(i, j) = static_cast<double>(stored(rows.first + i, cols.first + j));
  return out;
}

Matrix<double> transposed(const Matrix<double>& m) {
  Matrix<double> out(m.cols, m.rows);
  for (std::size_t i = 0; i < m.rows; ++i)
    for (std::size_t j = 0; j < m.cols; ++j) out(j, i) = m(i, j);
  return out;
}

/// Subtracts the mean of each row: the rest has no component along the all-ones direction of its columns.
void centre_rows(Matrix<double>& m) {
  for (std::size_t i = 0; i < m.rows; ++i) {
    double sum = 0;
    for (const double x : m.row(i)) sum += x;
    for (double& x : m.row(i)) x -= sum / static_cast<double>(m.cols);
  }
}

/// A layer's matrix with the chosen side as its columns.
Expected<RowBlocks> weight_rows(const MatrixChoice& choice, const Inputs& inputs, const TensorView& tensor) {
  const auto stored = checkpoint::to_f32(tensor);
  if (!stored) return stored.error();
  auto cut = cut_out(choice, inputs, *stored);
  if (!cut) return cut.error();
  const bool reads = kind_of(choice.id).reads;
  auto matrix = std::make_shared<Matrix<double>>(reads ? transposed(*cut) : std::move(*cut));  // [other, residual]
  const auto gain = gain_of(choice, inputs.weights, matrix->cols);
  if (!gain) return gain.error();
  for (std::size_t i = 0; i < matrix->rows; ++i)
    for (std::size_t j = 0; j < matrix->cols; ++j) (*matrix)(i, j) *= (*gain)[j];
  if (choice.centre) centre_rows(*matrix);
  if (choice.other_side) *matrix = transposed(*matrix);
  return geometry::row_blocks(std::move(matrix));
}

Expected<RowBlocks> rows_of_choice(const MatrixChoice& choice, const Inputs& inputs) {
  if (const auto ok = check_choice(choice, inputs); !ok) return ok.error();
  const auto tensor = matrix_tensor(inputs.weights, tensors_of(choice).front());
  if (!tensor) return tensor.error();
  if (!is_table(choice.id)) return weight_rows(choice, inputs, *tensor);
  auto gain = gain_of(choice, inputs.weights, static_cast<std::size_t>(tensor->info->shape[1]));
  if (!gain) return gain.error();
  return table_rows(*tensor, inputs.weights, std::move(*gain), Numbers::any);
}

}  // namespace

RowBlocks table_rows(const TensorView& tensor, Weights weights, std::vector<double> gain, Numbers numbers) {
  const auto n = static_cast<std::size_t>(tensor.info->shape[0]), d = static_cast<std::size_t>(tensor.info->shape[1]);
  Expected<Matrix<float>> (*read)(const TensorView&) = checkpoint::to_finite_f32;
  if (numbers == Numbers::any) read = checkpoint::to_f32;
  return {n, d,
          [tensor, weights = std::move(weights), gain = std::move(gain), read](
              std::size_t first, MatrixView<double> into) -> Expected<void> {
            const auto rows = read(checkpoint::rows_of(tensor, first, into.rows));
            if (!rows) return rows.error();
            for (std::size_t i = 0; i < into.rows; ++i) std::ranges::copy(rows->row(i), into.row(i).begin());
            for (std::size_t i = 0; !gain.empty() && i < into.rows; ++i)
              for (std::size_t j = 0; j < into.cols; ++j) into(i, j) *= gain[j];
            return {};
          }};
}

bool is_table(MatrixId id) { return kind_of(id).table; }
bool has_gain(MatrixId id) { return kind_of(id).gain != nullptr; }
bool has_heads(MatrixId id) { return kind_of(id).part >= 0 || kind_of(id).heads_rows; }

std::vector<std::string> tensors_of(const MatrixChoice& choice) {
  const Kind& kind = kind_of(choice.id);
  std::vector<std::string> names{in_layer(choice, kind.tensor)};
  if (choice.gain && kind.gain) names.push_back(in_layer(choice, kind.gain));
  return names;
}

std::string matrix_name(const MatrixChoice& choice) {
  const Kind& kind = kind_of(choice.id);
  std::string text = kind.words;
  if (!kind.table) text += " of layer " + std::to_string(choice.layer);
  if (has_heads(choice.id) && choice.head >= 0) text += ", head " + std::to_string(choice.head);
  if (choice.other_side && !kind.table) text += kind.reads ? ", output side" : ", input side";
  if (choice.gain && kind.gain) text += ", " + split(kind.gain, '.').front() + " gain folded in";
  if (choice.centre) text += kind.table ? ", minus the mean row" : ", without the all-ones direction";
  return text;
}

Expected<void> check_choice(const MatrixChoice& choice, const Inputs& inputs) {
  if (!inputs.weights) return Error{"No model is open, so there are no matrices to compare; open one."};
  if (is_table(choice.id)) return {};
  const std::size_t layers = inputs.size ? inputs.size->n_layer : 0;
  if (layers > 0)
    if (const auto ok = check_index("layer", choice.layer, layers); !ok) return ok;
  if (choice.head < 0 || !has_heads(choice.id)) return {};
  const auto n_head = heads_of(inputs);
  if (!n_head) return n_head.error();
  return check_index("head", static_cast<std::size_t>(choice.head), *n_head);
}

namespace {

Task<Expected<std::string>> hash_in_steps(Weights weights, std::string name) {
  constexpr std::size_t kAtOnce = 1 << 20;  // about 3 ms
  const auto tensor = weights->tensor(name);
  if (!tensor) co_return tensor.error();
  Sha256 hash;
  const std::array parts{tensor->bytes, tensor->scales};  // in the order that checkpoint::sha256() hashes them
  for (const auto& bytes : parts)
    for (std::size_t at = 0; at < bytes.size(); at += kAtOnce) {
      hash.update(bytes.subspan(at, std::min(kAtOnce, bytes.size() - at)));
      co_await pause_point();
    }
  co_return hash.hex();
}

}  // namespace

Task<Expected<std::string>> hash_tensor(Inputs inputs, std::string name) {
  const auto hash = co_await Store::cached<std::string>(inputs.store, inputs.weights, "sha256 of " + name,
                                                        [&] { return hash_in_steps(inputs.weights, name); });
  if (!hash) co_return hash.error();
  co_return **hash;
}

Task<Expected<geometry::Singular>> singular_directions(MatrixChoice choice, Inputs inputs) {
  choice.other_side = choice.other_side && !is_table(choice.id);
  choice.gain = choice.gain && has_gain(choice.id);
  auto rows = rows_of_choice(choice, inputs);
  if (!rows) co_return rows.error();
  co_await pause_point();
  const std::size_t all = rows->cols;
  auto found = co_await geometry::right_singular(std::move(*rows), choice.centre && is_table(choice.id), all);
  if (!found) co_return found.error();
  if (found->values.empty() || !std::isfinite(found->values.front()))
    co_return Error{"The matrix " + matrix_name(choice) +
                    " holds numbers that are not finite, so it has no directions."};
  co_return std::move(found);
}

Task<Expected<Directions>> known_directions(MatrixChoice choice, Inputs inputs) {
  auto found =
      co_await Store::cached<geometry::Singular>(inputs.store, inputs.weights, "directions of " + matrix_name(choice),
                                                 [&] { return singular_directions(choice, inputs); });
  if (!found) co_return found.error();
  if ((*found)->values.front() == 0)
    co_return Error{"The matrix " + matrix_name(choice) + " is zero everywhere, so it has no directions to compare."};
  co_return std::move(*found);
}

}  // namespace helix::studies
