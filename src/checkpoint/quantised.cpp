#include "checkpoint/quantised.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstring>
#include <string>

#include "base/text.h"

namespace helix::checkpoint {
namespace {

using kernels::kQ8Group;

template <class T>
T groups_of(T numbers) {
  return numbers / kQ8Group + (numbers % kQ8Group == 0 ? 0 : 1);
}

Error wrong(const TensorInfo& tensor, const std::string& what) {
  return {"The tensor " + in_quotes(tensor.name) + " is stored as 8-bit integers, and " + what +
          "; copy the pack again or choose another model."};
}

std::string text_of(std::span<const std::uint64_t> shape) {
  std::vector<std::string> extents;
  for (const std::uint64_t extent : shape) extents.push_back(std::to_string(extent));
  return "[" + join(extents, ", ") + "]";
}

bool is_scale(float x) { return std::isfinite(x) && x >= 0; }

}  // namespace

std::optional<std::size_t> input_dimension(std::string_view tensor) {
  const std::string_view name = bare_name(tensor);
  if (name == "wte.weight" || name == "lm_head.weight") return 1;
  constexpr std::array<std::string_view, 4> kEndings = {".attn.c_attn.weight", ".attn.c_proj.weight",
                                                        ".mlp.c_fc.weight", ".mlp.c_proj.weight"};
  const auto ends = [&](std::string_view ending) { return name.ends_with(ending); };
  if (name.starts_with("h.") && std::ranges::any_of(kEndings, ends)) return 0;
  return std::nullopt;
}

std::vector<std::uint64_t> scales_shape(std::span<const std::uint64_t> matrix, std::size_t input_dimension) {
  std::vector<std::uint64_t> shape(matrix.begin(), matrix.end());
  shape[input_dimension] = groups_of(shape[input_dimension]);
  return shape;
}

bool holds_q8(const Header& header) {
  return std::ranges::any_of(header.tensors,
                             [](const TensorInfo& t) { return t.dtype == DType::I8 && input_dimension(t.name); });
}

Expected<const TensorInfo*> scales_of(const Header& header, const TensorInfo& integers, std::string_view source) {
  const auto along = input_dimension(integers.name);
  if (!along || integers.shape.size() != 2 || integers.end == integers.begin)
    return wrong(integers, "only the matrices of GPT-2's products may be");
  const auto group = header.metadata.find(std::string(kGroupKey));
  if (group == header.metadata.end())
    return wrong(integers, "the header of " + in_quotes(source) + " does not say how many share a scale (" +
                               std::string(kGroupKey) + ")");
  if (group->second != std::to_string(kQ8Group))
    return wrong(integers, "by the header of " + in_quotes(source) + " " + in_quotes(group->second, 20) +
                               " of them share a scale, where " + std::to_string(kQ8Group) + " must");
  const std::string name = integers.name + std::string(kScalesEnding);
  const TensorInfo* scales = header.find(name);
  if (scales == nullptr) return wrong(integers, "its scales " + in_quotes(name) + " are missing");
  if (scales->dtype != DType::F32)
    return wrong(integers,
                 "its scales " + in_quotes(name) + " are " + in_quotes(scales->dtype_name) + " instead of F32");
  const auto shape = scales_shape(integers.shape, *along);
  if (scales->shape != shape)
    return wrong(integers, "its scales " + in_quotes(name) + " have the shape " + text_of(scales->shape) +
                               " instead of " + text_of(shape));
  return scales;
}

float QuantisedRows::scale(std::size_t i, std::size_t j) const {
  return along == 0 ? scales[(before + i) / kQ8Group * integers.cols + j]
                    : scales[i * groups_of(integers.cols) + j / kQ8Group];
}

Expected<QuantisedRows> read_quantised(const TensorView& rows) {
  const TensorInfo& info = *rows.info;
  const auto along = input_dimension(info.name);
  assert(along && info.shape.size() == 2 && !rows.scales.empty());
  const auto cols = static_cast<std::size_t>(info.shape[1]);
  QuantisedRows out;
  out.along = *along;
  const std::size_t count = rows.bytes.size() / cols;
  out.integers = {reinterpret_cast<const std::int8_t*>(rows.bytes.data()), count, cols, cols};
  if (std::ranges::find(rows.bytes, std::byte{0x80}) != rows.bytes.end())
    return wrong(info, "one of them is −128, which is never written");

  const std::size_t first = out.along == 0 ? rows.first_row / kQ8Group : rows.first_row;
  const std::size_t end = out.along == 0 ? groups_of(rows.first_row + count) : rows.first_row + count;
  const std::size_t width = out.along == 0 ? cols : groups_of(cols);
  out.before = out.along == 0 ? rows.first_row % kQ8Group : 0;
  out.scales.resize((end - first) * width);
  if (!out.scales.empty())
    std::memcpy(out.scales.data(), rows.scales.data() + first * width * sizeof(float),
                out.scales.size() * sizeof(float));
  if (!std::ranges::all_of(out.scales, is_scale)) return wrong(info, "one of its scales is negative or not finite");
  return out;
}

Expected<QuantisedRows> quantise(MatrixView<const float> rows, std::size_t along, std::vector<std::int8_t>& integers) {
  for (std::size_t i = 0; i < rows.rows; ++i)
    for (const float x : rows.row(i))
      if (!std::isfinite(x)) return Error{"holds a number that is not finite and cannot be an 8-bit integer"};
  QuantisedRows out;
  out.along = along;
  integers.resize(rows.rows * rows.cols);
  out.integers = {integers.data(), rows.rows, rows.cols, rows.cols};
  std::array<std::int8_t, kQ8Group> group;
  const std::size_t inputs = along == 0 ? rows.rows : rows.cols, outputs = along == 0 ? rows.cols : rows.rows;
  const std::size_t in_step = along == 0 ? rows.cols : 1, out_step = along == 0 ? 1 : rows.cols;
  assert(rows.stride == rows.cols);
  out.scales.resize(groups_of(inputs) * outputs);
  for (std::size_t at = 0; at < inputs; at += kQ8Group)
    for (std::size_t j = 0; j < outputs; ++j) {
      const std::size_t begin = at * in_step + j * out_step, count = std::min(kQ8Group, inputs - at);
      const float scale = kernels::quantise_weights(rows.data + begin, in_step, count, group.data());
      for (std::size_t k = 0; k < count; ++k) integers[begin + k * in_step] = group[k];
      out.scales[along == 0 ? at / kQ8Group * outputs + j : j * groups_of(inputs) + at / kQ8Group] = scale;
    }
  return out;
}

}  // namespace helix::checkpoint
