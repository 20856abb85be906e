#include "checkpoint/pack_plan.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "checkpoint/quantised.h"

namespace helix::checkpoint {
namespace {

constexpr std::size_t kAlignment = 64;

enum Group : std::size_t { Positions, Attention, Mlp, Words, kGroups };

// Of a tensor named as in tensors_for(). The LayerNorms are read with the attention of all layers.
Group group_of(std::string_view name) {
  if (name == "wpe.weight") return Positions;
  if (name == "wte.weight" || name == "lm_head.weight") return Words;
  return name.find(".mlp.") == std::string_view::npos ? Attention : Mlp;
}

Expected<DType> stored_as(const TensorInfo& tensor, PackPrecision precision) {
  const bool matrix = input_dimension(tensor.name).has_value();
  if (tensor.dtype == DType::I8 && matrix) {
    if (precision == PackPrecision::Q8) return DType::I8;
    return Error{"The tensor " + in_quotes(tensor.name) +
                 " is stored as 8-bit integers, and another format would not bring back what was rounded; choose "
                 "--precision q8, or pack the original model."};
  }
  if (tensor.dtype != DType::F32 && tensor.dtype != DType::F16 && tensor.dtype != DType::BF16) {
    return Error{"The tensor " + in_quotes(tensor.name) + " is stored as " + in_quotes(tensor.dtype_name) +
                 " and cannot be packed; choose a version of the model stored as F32, F16 or BF16."};
  }
  if (precision == PackPrecision::Q8 && matrix) return DType::I8;
  const bool half = precision == PackPrecision::F16 || (precision == PackPrecision::Q8 && tensor.dtype == DType::F16);
  return half ? DType::F16 : DType::F32;
}

// Without offsets: they are set once all tensors are in order.
PackPlan::Tensor plan_part(const TensorInfo& tensor, PackPlan::Part part, DType dtype) {
  PackPlan::Tensor planned;
  planned.source = tensor.name;
  planned.part = part;
  TensorInfo& stored = planned.stored;
  stored.name = bare_name(tensor.name);
  stored.dtype = dtype;
  stored.dtype_name = dtype == DType::F16 ? "F16" : dtype == DType::I8 ? "I8" : "F32";
  stored.shape = tensor.shape;
  if (part == PackPlan::Part::Scales) {
    stored.name += kScalesEnding;
    stored.shape = scales_shape(tensor.shape, *input_dimension(tensor.name));
  }
  stored.end = dtype_bytes(dtype);
  for (const std::uint64_t extent : stored.shape) stored.end *= extent;
  return planned;
}

/// Adds the stored form of a tensor.
Expected<void> plan_tensor(const Header& checkpoint, const TensorInfo& tensor, PackPrecision precision,
                           std::vector<PackPlan::Tensor>& into) {
  const auto dtype = stored_as(tensor, precision);
  if (!dtype) return dtype.error();
  using enum PackPlan::Part;
  if (*dtype != DType::I8) {
    into.push_back(plan_part(tensor, Numbers, *dtype));
    return {};
  }
  if (tensor.dtype == DType::I8)
    if (const auto scales = scales_of(checkpoint, tensor, "the model"); !scales) return scales.error();
  into.push_back(plan_part(tensor, Integers, DType::I8));
  into.push_back(plan_part(tensor, Scales, DType::F32));
  return {};
}

// Tensors of which nothing is stored.
std::vector<std::string> left_out(const Header& checkpoint, std::vector<std::string> wanted) {
  std::sort(wanted.begin(), wanted.end());
  std::vector<std::string> names;
  for (const TensorInfo& tensor : checkpoint.tensors) {
    std::string_view name = bare_name(tensor.name);
    if (name.ends_with(kScalesEnding)) name.remove_suffix(kScalesEnding.size());
    if (!std::binary_search(wanted.begin(), wanted.end(), name)) names.push_back(tensor.name);
  }
  return names;
}

std::vector<std::byte> header_of(const std::vector<PackPlan::Tensor>& tensors) {
  nlohmann::ordered_json json = {{"__metadata__", {{"format", "pt"}}}};  // without it some loaders refuse the file
  for (const auto& [source, stored, part] : tensors) {
    if (part == PackPlan::Part::Integers)
      json["__metadata__"][std::string(kGroupKey)] = std::to_string(kernels::kQ8Group);
    json[stored.name] = {
        {"dtype", stored.dtype_name}, {"shape", stored.shape}, {"data_offsets", {stored.begin, stored.end}}};
  }
  std::string text = json.dump();
  text.append((kAlignment - (kLengthBytes + text.size()) % kAlignment) % kAlignment, ' ');
  std::vector<std::byte> header;
  const auto length = static_cast<std::uint64_t>(text.size());  // size_t may have too few bits to shift
  for (std::size_t i = 0; i < kLengthBytes; ++i) header.push_back(static_cast<std::byte>(length >> (8 * i)));
  for (const char c : text) header.push_back(static_cast<std::byte>(c));
  return header;
}

}  // namespace

Expected<PackPlan> plan_pack(const Header& checkpoint, const Config& config, PackPrecision precision,
                             std::uint64_t shard_bytes) {
  std::array<std::vector<PackPlan::Tensor>, kGroups> groups;
  const std::vector<std::string> wanted = tensors_for(Need::Everything, config);
  for (const std::string& name : wanted) {
    const TensorInfo* tensor = checkpoint.find(name);
    if (tensor == nullptr) continue;
    if (auto planned = plan_tensor(checkpoint, *tensor, precision, groups[group_of(name)]); !planned)
      return planned.error();
  }
  const auto is_integers = [](const PackPlan::Tensor& tensor) { return tensor.part == PackPlan::Part::Integers; };
  if (precision == PackPrecision::Q8 &&
      std::ranges::none_of(groups, [&](const auto& group) { return std::ranges::any_of(group, is_integers); }))
    return Error{"The checkpoint holds none of the matrices that become 8-bit integers; choose --precision f32."};
  PackPlan plan;
  plan.left_out = left_out(checkpoint, wanted);

  std::array<std::uint64_t, kGroups> ends = {};  // within the data
  std::uint64_t at = 0;
  for (std::size_t group = 0; group < kGroups; ++group) {
    for (PackPlan::Tensor& tensor : groups[group]) {
      tensor.stored.begin = at;
      at = tensor.stored.end += at;
      plan.tensors.push_back(std::move(tensor));
    }
    ends[group] = at;
  }
  plan.header = header_of(plan.tensors);
  for (PackPlan::Tensor& tensor : plan.tensors) {
    tensor.stored.begin += plan.header.size();
    tensor.stored.end += plan.header.size();
  }
  std::uint64_t begin = 0;
  for (const std::uint64_t end : ends)
    for (const std::uint64_t cut = end + plan.header.size(); begin < cut;) {
      plan.shards.push_back({begin, std::min(cut, begin + shard_bytes)});
      begin = plan.shards.back().end;
    }
  return plan;
}

}  // namespace helix::checkpoint
