#include "model/weights.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

#include "base/text.h"
#include "model/quantised.h"
#include "model/sentence.h"

namespace helix::model {
namespace {

// Files may be larger than what this machine can address; what arrives or is kept of them in one piece is
// not.
std::size_t in_memory(std::uint64_t bytes) {
  assert(bytes <= std::numeric_limits<std::size_t>::max());
  return static_cast<std::size_t>(bytes);
}

ByteRange bytes_of(const TensorInfo& tensor) { return {tensor.begin, tensor.end}; }

// Copies `part` of the file from a piece that starts at `from` to memory that starts at `to`.
void copy(ByteRange part, std::span<const std::byte> piece, std::uint64_t from, std::byte* memory, std::uint64_t to) {
  std::memcpy(memory + in_memory(part.begin - to), piece.data() + in_memory(part.begin - from), in_memory(part.size()));
}

// Why a tensor cannot be used although the file holds it; empty for the usual case.
std::string unusable(const TensorInfo& tensor) {
  if (tensor.dtype == DType::Unknown)
    return "is stored as " + in_quotes(tensor.dtype_name) + ", a number format that is not known here";
  if (bytes_of(tensor).size() > WeightFile::kMaxTensorBytes)
    return "has " + byte_count(bytes_of(tensor).size()) + ", more than can be loaded";
  return {};
}

}  // namespace

WeightFile::WeightFile(std::string name, std::optional<std::uint64_t> file_bytes)
    : name_(std::move(name)), file_bytes_(file_bytes) {}

Expected<void> WeightFile::fail(Error error) {
  failed_ = std::move(error);
  return *failed_;
}

Expected<void> WeightFile::set_file_bytes(std::uint64_t file_bytes) {
  if (failed_) return *failed_;
  if (file_bytes_ && *file_bytes_ != file_bytes) {
    return fail({"The file " + in_quotes(name_) + " changed while it was being read: it had " +
                 byte_count(*file_bytes_) + " and now has " + byte_count(file_bytes) + "; open it again."});
  }
  file_bytes_ = file_bytes;
  if (file_bytes < kLengthBytes)
    return fail(
        {"The file " + in_quotes(name_) + " is not a safetensors file: it has only " + byte_count(file_bytes) + "."});
  if (header_) {
    if (auto checked = check_file_bytes(*header_, file_bytes, name_); !checked) return fail(checked.error());
  } else if (json_bytes_) {
    return read_length();
  }
  return {};
}

void WeightFile::want(std::span<const std::string> tensors) {
  for (const std::string& name : tensors) {
    if (header_) {
      resolve(name);
    } else {
      wanted_before_header_.push_back(name);
    }
  }
}

void WeightFile::resolve(std::string_view name) {
  const TensorInfo* tensor = header_->find(name);
  if (tensor == nullptr) return;
  resolve(*tensor);
  if (const TensorInfo* scales = scales_beside(*tensor)) resolve(*scales);
}

const TensorInfo* WeightFile::scales_beside(const TensorInfo& tensor) const {
  if (tensor.dtype != DType::I8) return nullptr;
  const auto scales = scales_of(*header_, tensor, name_);
  return scales ? *scales : nullptr;
}

void WeightFile::resolve(const TensorInfo& tensor) {
  if (!unusable(tensor).empty()) return;
  const auto index = static_cast<std::size_t>(&tensor - header_->tensors.data());
  const auto [entry, added] = wanted_.try_emplace(index);
  if (!added) return;
  // What came with the first request is not asked for again. Without memory for it, feed() will say so.
  for (const ByteRange& there : head_there_.ranges()) {
    const auto bytes = std::span<const std::byte>(head_).subspan(in_memory(there.begin), in_memory(there.size()));
    static_cast<void>(take(tensor, entry->second, there.begin, bytes));
  }
}

void WeightFile::release(std::string_view tensor) {
  std::erase_if(wanted_before_header_, [&](const std::string& name) { return bare_name(name) == bare_name(tensor); });
  if (!header_) return;
  const TensorInfo* info = header_->find(tensor);
  if (info == nullptr) return;
  for (const TensorInfo* one : {info, scales_beside(*info)})
    if (one) wanted_.erase(static_cast<std::size_t>(one - header_->tensors.data()));
}

ByteRange WeightFile::header_range() const {
  if (json_bytes_) return {0, kLengthBytes + *json_bytes_};
  return {0, std::min(kFirstBytes, file_bytes_.value_or(kFirstBytes))};
}

std::vector<ByteRange> WeightFile::missing() const {
  if (failed_) return {};
  if (!header_) return head_there_.gaps(header_range());
  std::vector<ByteRange> gaps;
  for (const auto& [index, buffer] : wanted_) {
    const TensorInfo& tensor = header_->tensors[index];
    for (const ByteRange& gap : buffer.there.gaps(bytes_of(tensor))) gaps.push_back(gap);
  }
  return merged(std::move(gaps), kMergeBytes);
}

Expected<void> WeightFile::feed(std::uint64_t offset, std::span<const std::byte> bytes) {
  if (failed_) return *failed_;
  constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t limit = file_bytes_.value_or(kUnknown);
  if (offset > limit || bytes.size() > limit - offset) {
    return fail({"More bytes arrived of the file " + in_quotes(name_) + " than the " + byte_count(limit) +
                 " it should have; open it again."});
  }
  if (auto taken = take_head(offset, bytes); !taken) return taken;
  if (!header_) return {};
  if (offset + bytes.size() > header_->file_bytes)
    return fail(check_file_bytes(*header_, offset + bytes.size(), name_).error());
  return take_tensors(offset, bytes);
}

Expected<void> WeightFile::take_head(std::uint64_t offset, std::span<const std::byte> bytes) {
  keep_head(offset, bytes);
  if (!json_bytes_ && head_there_.covers({0, kLengthBytes})) {
    if (auto read = read_length(); !read) return read;
    keep_head(offset, bytes);  // now up to the header's end, which may lie further than the first request
  }
  if (!header_ && json_bytes_ && head_there_.covers(header_range())) return read_header();
  return {};
}

void WeightFile::keep_head(std::uint64_t offset, std::span<const std::byte> bytes) {
  const std::uint64_t limit = header_ ? kFirstBytes : std::max(kFirstBytes, header_range().end);
  if (offset >= limit) return;
  const std::uint64_t end = std::min(offset + bytes.size(), limit);
  if (head_.size() < end) head_.resize(in_memory(end));
  for (const ByteRange& gap : head_there_.gaps({offset, end})) copy(gap, bytes, offset, head_.data(), 0);
  head_there_.add({offset, end});
}

Expected<void> WeightFile::read_length() {
  auto length = header_length(std::span(head_).first(kLengthBytes), file_bytes_, name_);
  if (!length) return fail(length.error());
  json_bytes_ = *length;
  return {};
}

Expected<void> WeightFile::read_header() {
  const std::string_view json(reinterpret_cast<const char*>(head_.data()) + kLengthBytes, in_memory(*json_bytes_));
  auto header = parse_header(json, file_bytes_, name_);
  if (!header) return fail(header.error());
  // Of an unknown size: bytes beyond the last tensor may have come before the header.
  if (head_.size() > header->file_bytes) return fail(check_file_bytes(*header, head_.size(), name_).error());
  header_ = std::move(*header);
  if (head_.size() > kFirstBytes) {  // a long header is not needed as text any more
    head_ = std::vector<std::byte>(head_.begin(), head_.begin() + static_cast<std::ptrdiff_t>(kFirstBytes));
    head_there_ = {};
    head_there_.add({0, kFirstBytes});
  }
  for (const std::string& name : std::exchange(wanted_before_header_, {})) resolve(name);
  return {};
}

Expected<void> WeightFile::take_tensors(std::uint64_t offset, std::span<const std::byte> bytes) {
  for (auto& [index, buffer] : wanted_)
    if (auto taken = take(header_->tensors[index], buffer, offset, bytes); !taken) return taken;
  return {};
}

Expected<void> WeightFile::take(const TensorInfo& tensor, Buffer& buffer, std::uint64_t offset,
                                std::span<const std::byte> bytes) {
  const ByteRange part = {std::max(offset, tensor.begin), std::min(offset + bytes.size(), tensor.end)};
  if (part.begin >= part.end) return {};
  if (!buffer.bytes) {
    buffer.bytes.reset(new (std::nothrow) std::byte[in_memory(bytes_of(tensor).size())]);
    if (!buffer.bytes) {
      return Error{"There is not enough memory for the tensor " + in_quotes(tensor.name) + " (" +
                   byte_count(bytes_of(tensor).size()) + ") of the file " + in_quotes(name_) +
                   "; close other pages or choose a smaller model."};
    }
  }
  for (const ByteRange& gap : buffer.there.gaps(part)) copy(gap, bytes, offset, buffer.bytes.get(), tensor.begin);
  buffer.there.add(part);
  return {};
}

Expected<void> WeightFile::ended(std::uint64_t total) {
  if (failed_) return *failed_;
  if (total < kLengthBytes) {
    const std::array<std::byte, kLengthBytes> any = {};
    return fail(header_length(std::span(any).first(in_memory(total)), total, name_).error());
  }
  if (file_bytes_ && total < *file_bytes_) {  // not final: the rest may still be fetched
    return Error{"The file " + in_quotes(name_) + " did not arrive whole: it ended after " + byte_count(total) +
                 " of " + byte_count(*file_bytes_) + "; load it again."};
  }
  return set_file_bytes(total);
}

Expected<void> WeightFile::finish(std::uint64_t total) {
  if (auto whole = ended(total); !whole) return whole;
  std::uint64_t absent = 0;
  for (const ByteRange& gap : missing()) absent += gap.size();
  if (absent == 0) return {};
  return Error{"The file " + in_quotes(name_) + " did not arrive whole: " + byte_count(absent) + " of the " +
               (header_ ? "tensors asked for" : "header") + " are missing; load it again."};
}

const WeightFile::Buffer* WeightFile::buffer_of(const TensorInfo& tensor) const {
  const auto entry = wanted_.find(static_cast<std::size_t>(&tensor - header_->tensors.data()));
  return entry == wanted_.end() ? nullptr : &entry->second;
}

bool WeightFile::has(std::string_view tensor) const {
  const TensorInfo* info = header_ ? header_->find(tensor) : nullptr;
  if (info == nullptr || !has(*info)) return false;
  const TensorInfo* scales = scales_beside(*info);
  return scales == nullptr || has(*scales);
}

bool WeightFile::has(const TensorInfo& tensor) const {
  const Buffer* buffer = buffer_of(tensor);
  return buffer && buffer->there.covers(bytes_of(tensor));
}

Arrived WeightFile::arrived() const {
  const ByteRange head = header_range();
  Arrived sum = {head_there_.count(head), head.end};
  if (header_) sum.have = head.end;
  for (const auto& [index, buffer] : wanted_) {
    const TensorInfo& tensor = header_->tensors[index];
    sum.have += buffer.there.count(bytes_of(tensor));
    sum.needed += bytes_of(tensor).size();
  }
  return sum;
}

std::uint64_t WeightFile::kept_bytes() const {
  std::uint64_t sum = head_.size();
  for (const auto& [index, buffer] : wanted_)
    if (buffer.bytes) sum += bytes_of(header_->tensors[index]).size();
  return sum;
}

Expected<TensorView> WeightFile::tensor(std::string_view name) const {
  if (failed_) return *failed_;
  if (!header_) return Error{"The header of the file " + in_quotes(name_) + " has not arrived yet; wait for it."};
  const TensorInfo* info = header_->find(name);
  const std::string the_tensor = "The tensor " + in_quotes(name) + " of the file " + in_quotes(name_);
  if (info == nullptr) {
    return Error{"The file " + in_quotes(name_) + " does not hold the tensor " + in_quotes(name) +
                 "; choose a more complete checkpoint."};
  }
  if (const std::string why = unusable(*info); !why.empty())
    return Error{the_tensor + " " + why + "; choose a version of the model stored as F32, F16 or BF16."};
  TensorView view{info, {}};
  const TensorInfo* scales = nullptr;
  if (info->dtype == DType::I8 && input_dimension(info->name)) {
    const auto beside = scales_of(*header_, *info, name_);
    if (!beside) return beside.error();
    scales = *beside;
  }
  for (const auto& [part, bytes] : {std::pair(info, &view.bytes), std::pair(scales, &view.scales)}) {
    if (part == nullptr) continue;
    const Buffer* buffer = buffer_of(*part);
    const ByteRange range = bytes_of(*part);
    if (buffer == nullptr || !buffer->there.covers(range)) {
      return Error{the_tensor + " is not loaded: " + byte_count(buffer ? buffer->there.count(range) : 0) + " of " +
                   byte_count(range.size()) + " have arrived; load it first."};
    }
    *bytes = {buffer->bytes.get(), in_memory(range.size())};
  }
  return view;
}

}  // namespace helix::model
