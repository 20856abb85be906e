#include "model/pack_plan.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace helix::model {
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
  if (tensor.dtype != DType::F32 && tensor.dtype != DType::F16 && tensor.dtype != DType::BF16) {
    return Error{"The tensor " + in_quotes(tensor.name) + " is stored as " + in_quotes(tensor.dtype_name) +
                 " and cannot be packed; choose a version of the model stored as F32, F16 or BF16."};
  }
  if (precision == PackPrecision::Q8) return Error{"q8 packs are not made yet; choose --precision f16."};
  return precision == PackPrecision::F16 ? DType::F16 : DType::F32;
}

// Without offsets: they are given once all tensors are in order.
Expected<PackPlan::Tensor> plan_tensor(const TensorInfo& tensor, PackPrecision precision) {
  const auto dtype = stored_as(tensor, precision);
  if (!dtype) return dtype.error();
  PackPlan::Tensor planned;
  planned.source = tensor.name;
  planned.stored.name = bare_name(tensor.name);
  planned.stored.dtype = *dtype;
  planned.stored.dtype_name = *dtype == DType::F16 ? "F16" : "F32";
  planned.stored.shape = tensor.shape;
  planned.stored.end = (tensor.end - tensor.begin) / dtype_bytes(tensor.dtype) * dtype_bytes(*dtype);
  return planned;
}

std::vector<std::byte> header_of(const std::vector<PackPlan::Tensor>& tensors) {
  nlohmann::ordered_json json = {{"__metadata__", {{"format", "pt"}}}};  // without it some loaders refuse the file
  for (const auto& [source, stored] : tensors)
    json[stored.name] = {
        {"dtype", stored.dtype_name}, {"shape", stored.shape}, {"data_offsets", {stored.begin, stored.end}}};
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
  std::vector<std::string> wanted = tensors_for(Need::Everything, config);
  for (const std::string& name : wanted) {
    const TensorInfo* tensor = checkpoint.find(name);
    if (tensor == nullptr) continue;
    auto planned = plan_tensor(*tensor, precision);
    if (!planned) return planned.error();
    groups[group_of(name)].push_back(std::move(*planned));
  }
  PackPlan plan;
  std::sort(wanted.begin(), wanted.end());
  for (const TensorInfo& tensor : checkpoint.tensors)
    if (!std::binary_search(wanted.begin(), wanted.end(), bare_name(tensor.name))) plan.left_out.push_back(tensor.name);

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

}  // namespace helix::model
