#include "checkpoint/control.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/random_rows.h"
#include "checkpoint/convert.h"
#include "checkpoint/quantised.h"

namespace helix::checkpoint {
namespace {

constexpr std::string_view kPositions = "wpe.weight";

bool holds_numbers(const TensorInfo& tensor) {
  switch (tensor.dtype) {
    case DType::F32:
    case DType::F16:
    case DType::BF16:
      return !tensor.name.ends_with(kScalesEnding);
    case DType::I8:
      return input_dimension(tensor.name).has_value();
    default:
      return false;  // masks and counters, which nothing is computed with
  }
}

std::vector<float> rounded(const Matrix<double>& rows) {
  std::vector<float> out(rows.data.size());
  std::ranges::transform(rows.data, out.begin(), [](double x) { return static_cast<float>(x); });
  return out;
}

/// Normal numbers with the mean and the standard deviation of those given.
void like(std::vector<float>& numbers, Pcg64 rng) {
  const auto n = static_cast<double>(numbers.size());
  double mean = 0, square = 0;
  for (const float x : numbers) mean += static_cast<double>(x);
  mean /= n;
  for (const float x : numbers) square += (static_cast<double>(x) - mean) * (static_cast<double>(x) - mean);
  const double deviation = std::sqrt(square / n);
  std::array<double, 512> normal;  // an even count, because normal numbers are drawn in pairs
  for (std::size_t at = 0; at < numbers.size(); at += normal.size()) {
    const std::span some(normal.data(), std::min(normal.size(), numbers.size() - at));
    rng.normal(some);
    for (std::size_t i = 0; i < some.size(); ++i) numbers[at + i] = static_cast<float>(mean + deviation * some[i]);
  }
}

}  // namespace

bool Control::replaces(const TensorInfo& tensor) const {
  if (!holds_numbers(tensor)) return false;
  return name_.kind == ControlKind::weights || (bare_name(tensor.name) == kPositions && tensor.shape.size() == 2);
}

Header Control::shown(Header stored) const {
  for (TensorInfo& tensor : stored.tensors)
    if (replaces(tensor)) tensor.dtype = DType::F32, tensor.dtype_name = "F32";
  return stored;
}

Expected<std::vector<float>> Control::numbers(const TensorView& stored) const {
  auto learned = to_finite_f32(stored);
  if (!learned) return learned.error();
  if (name_.kind == ControlKind::weights) {
    like(learned->data, Pcg64(name_.seed, bare_name(stored.info->name)));
    return std::move(learned->data);
  }
  Matrix<double> rows(learned->rows, learned->cols);
  std::ranges::copy(learned->data, rows.data.begin());
  Pcg64 rng(name_.seed);
  if (rows.rows == 0) return std::vector<float>();
  if (name_.kind == ControlKind::walk) return rounded(random_walk(rows.row(0), step_norms(rows.view()), rng));
  if (name_.kind == ControlKind::noise) return rounded(random_rows(row_norms(rows.view()), rows.cols, rng));
  const std::vector<std::size_t> order = rng.order(rows.rows);
  std::vector<float> out;
  for (const std::size_t i : order) out.insert(out.end(), learned->row(i).begin(), learned->row(i).end());
  return out;
}

}  // namespace helix::checkpoint
