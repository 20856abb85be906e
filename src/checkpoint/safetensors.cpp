#include "checkpoint/safetensors.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "checkpoint/header_json.h"
#include "checkpoint/sentence.h"

namespace helix::checkpoint {
namespace {

constexpr std::uint64_t kMaxOffset = std::numeric_limits<std::uint64_t>::max();

struct DTypeRow {
  std::string_view name;
  DType dtype;
  std::size_t bytes;
};
constexpr std::array<DTypeRow, 13> kDTypes = {{{"F64", DType::F64, 8},
                                               {"F32", DType::F32, 4},
                                               {"F16", DType::F16, 2},
                                               {"BF16", DType::BF16, 2},
                                               {"I64", DType::I64, 8},
                                               {"I32", DType::I32, 4},
                                               {"I16", DType::I16, 2},
                                               {"I8", DType::I8, 1},
                                               {"U64", DType::U64, 8},
                                               {"U32", DType::U32, 4},
                                               {"U16", DType::U16, 2},
                                               {"U8", DType::U8, 1},
                                               {"BOOL", DType::BOOL, 1}}};

// Files that people drop instead of weights, recognised by their first bytes.
struct Lookalike {
  std::string_view begins;
  std::string_view what;
};
constexpr std::array<Lookalike, 8> kLookalikes = {
    {{"<", "it looks like a web page: the link may lead to a page about the file, or to a sign-in"},
     {"version ", "it is only a Git LFS pointer: download the file that it stands for"},
     {"PK\x03\x04", "it looks like a ZIP archive or a PyTorch .bin file: choose the .safetensors version"},
     {"\x80", "it looks like a Python pickle: choose the .safetensors version"},
     {"GGUF", "it is a GGUF file: choose the .safetensors version"},
     {"\x89HDF", "it is an HDF5 file: choose the .safetensors version"},
     {"\x93NUMPY", "it is a NumPy array: choose the .safetensors file of the model"},
     {"{", "it is a JSON file: choose the .safetensors file of the model"}}};

Error not_safetensors(std::string_view source, std::string_view why) {
  return {"The file " + in_quotes(source) + " is not a safetensors file: " + std::string(why) + "."};
}

Error broken(std::string_view source, std::string_view what) {
  return {"The file " + in_quotes(source) + " is damaged: " + std::string(what) +
          "; download it again or choose another file."};
}

// Nothing if the product overflows.
std::optional<std::uint64_t> byte_size(const TensorInfo& tensor) {
  std::uint64_t size = dtype_bytes(tensor.dtype);
  if (std::find(tensor.shape.begin(), tensor.shape.end(), 0U) != tensor.shape.end()) return 0;
  for (const std::uint64_t extent : tensor.shape) {
    if (size > kMaxOffset / extent) return std::nullopt;
    size *= extent;
  }
  return size;
}

Expected<void> check_extent(const TensorInfo& tensor, std::uint64_t data_begin) {
  const std::string the_tensor = "the tensor " + in_quotes(tensor.name);
  if (tensor.begin > tensor.end) return Error{the_tensor + " ends before it begins"};
  if (tensor.end > kMaxOffset - data_begin) return Error{the_tensor + " lies outside of any file"};
  if (tensor.dtype == DType::Unknown) return {};
  const auto size = byte_size(tensor);
  if (!size) return Error{the_tensor + " has an impossible shape"};
  if (*size != tensor.end - tensor.begin) {
    return Error{the_tensor + " should have " + byte_count(*size) + " by its shape but has " +
                 byte_count(tensor.end - tensor.begin)};
  }
  return {};
}

// In the order of the bytes each tensor begins where the one before ends: no overlap, no hole.
Expected<void> check_neighbours(const std::vector<TensorInfo>& tensors) {
  std::uint64_t at = 0;
  const std::string* before = nullptr;
  for (const TensorInfo& tensor : tensors) {
    const std::string after = before == nullptr ? "the header" : "the tensor " + in_quotes(*before);
    if (tensor.begin < at) return Error{after + " and the tensor " + in_quotes(tensor.name) + " overlap"};
    if (tensor.begin > at)
      return Error{"there is a gap between " + after + " and the tensor " + in_quotes(tensor.name)};
    at = tensor.end;
    before = &tensor.name;
  }
  return {};
}

Expected<void> index_by_name(Header& header) {
  auto& order = header.by_name;
  order.resize(header.tensors.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto& tensors = header.tensors;
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return tensors[a].name < tensors[b].name; });
  const auto twin = std::adjacent_find(
      order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return tensors[a].name == tensors[b].name; });
  if (twin != order.end()) return Error{"the tensor " + in_quotes(tensors[*twin].name) + " is listed twice"};
  return {};
}

// Checks the entries against each other and makes their offsets absolute.
Expected<void> settle(Header& header) {
  for (const TensorInfo& tensor : header.tensors)
    if (auto checked = check_extent(tensor, header.data_begin); !checked) return checked;
  std::sort(header.tensors.begin(), header.tensors.end(), [](const TensorInfo& a, const TensorInfo& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  if (auto checked = index_by_name(header); !checked) return checked;
  if (auto checked = check_neighbours(header.tensors); !checked) return checked;
  for (TensorInfo& tensor : header.tensors) {
    tensor.begin += header.data_begin;
    tensor.end += header.data_begin;
  }
  header.file_bytes = header.tensors.empty() ? header.data_begin : header.tensors.back().end;
  return {};
}

const TensorInfo* find_exact(const Header& header, std::string_view name) {
  const auto it =
      std::lower_bound(header.by_name.begin(), header.by_name.end(), name,
                       [&](std::size_t index, std::string_view wanted) { return header.tensors[index].name < wanted; });
  if (it == header.by_name.end() || header.tensors[*it].name != name) return nullptr;
  return &header.tensors[*it];
}

constexpr std::string_view kPrefix = "transformer.";

}  // namespace

DType dtype_named(std::string_view name) {
  for (const DTypeRow& row : kDTypes)
    if (row.name == name) return row.dtype;
  return DType::Unknown;
}

std::size_t dtype_bytes(DType dtype) {
  for (const DTypeRow& row : kDTypes)
    if (row.dtype == dtype) return row.bytes;
  return 0;
}

std::string_view bare_name(std::string_view name) {
  return name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : name;
}

const TensorInfo* Header::find(std::string_view name) const {
  if (const TensorInfo* tensor = find_exact(*this, name)) return tensor;
  if (name.starts_with(kPrefix)) return find_exact(*this, bare_name(name));
  return find_exact(*this, std::string(kPrefix) + std::string(name));
}

Expected<std::uint64_t> header_length(std::span<const std::byte> first_bytes, std::optional<std::uint64_t> file_bytes,
                                      std::string_view source) {
  if (first_bytes.empty()) return not_safetensors(source, "it is empty");
  if (first_bytes.size() < kLengthBytes)
    return not_safetensors(source, "it has only " + byte_count(first_bytes.size()));
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < kLengthBytes; ++i) length |= std::to_integer<std::uint64_t>(first_bytes[i]) << (8 * i);

  const bool too_long = length > kMaxHeaderBytes;
  const bool beyond_file = file_bytes && length > *file_bytes - std::min(*file_bytes, kLengthBytes);
  if (too_long || beyond_file) {
    const std::string_view start(reinterpret_cast<const char*>(first_bytes.data()), kLengthBytes);
    for (const Lookalike& known : kLookalikes)
      if (start.starts_with(known.begins)) return not_safetensors(source, known.what);
  }
  if (too_long)
    return not_safetensors(source, "it claims a header of " + byte_count(length) + ", and at most " +
                                       byte_count(kMaxHeaderBytes) + " are read here");
  if (beyond_file) {
    return not_safetensors(source, "it claims a header of " + byte_count(length) + " but has only " +
                                       byte_count(*file_bytes) + "; if its download was cut short, repeat it");
  }
  if (length < 2) return not_safetensors(source, "it claims a header of " + byte_count(length));
  return length;
}

Expected<Header> parse_header(std::string_view json, std::optional<std::uint64_t> file_bytes, std::string_view source) {
  auto entries = read_header_json(json);
  if (!entries) return broken(source, entries.error().sentence);
  Header header;
  header.tensors = std::move(entries->tensors);
  header.metadata = std::move(entries->metadata);
  header.data_begin = kLengthBytes + json.size();
  if (auto settled = settle(header); !settled) return broken(source, settled.error().sentence);
  if (file_bytes)
    if (auto checked = check_file_bytes(header, *file_bytes, source); !checked) return checked.error();
  return header;
}

Expected<void> check_file_bytes(const Header& header, std::uint64_t file_bytes, std::string_view source) {
  if (file_bytes < header.file_bytes) {
    const std::uint64_t absent = header.file_bytes - file_bytes;
    return Error{"The file " + in_quotes(source) + " is cut short: it has " + byte_count(file_bytes) +
                 ", and the last " + byte_count(absent) + " of " + byte_count(header.file_bytes) +
                 " are missing; download it again."};
  }
  if (file_bytes > header.file_bytes) {
    return broken(source, "it has " + byte_count(file_bytes - header.file_bytes) + " after its last tensor");
  }
  return {};
}

}  // namespace helix::checkpoint
