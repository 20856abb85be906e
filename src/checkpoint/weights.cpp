#include "checkpoint/weights.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

#include "base/text.h"
#include "checkpoint/quantised.h"
#include "checkpoint/sentence.h"

namespace helix::checkpoint {
namespace {

// Files may be larger than what this machine can address; what arrives or is kept in one piece is not.
std::size_t in_memory(std::uint64_t bytes) {
  assert(bytes <= std::numeric_limits<std::size_t>::max());
  return static_cast<std::size_t>(bytes);
}

ByteRange all_of(const TensorInfo& tensor) { return {tensor.begin, tensor.end}; }

/// A row of a matrix; empty where there is none.
ByteRange row_of(const TensorInfo& tensor, std::size_t row) {
  if (tensor.shape.size() != 2 || row >= tensor.shape[0]) return {tensor.begin, tensor.begin};
  const std::uint64_t bytes = all_of(tensor).size() / tensor.shape[0];
  return {tensor.begin + row * bytes, tensor.begin + (row + 1) * bytes};
}

// Copies `part` of the file from a piece that starts at `from` to memory that starts at `to`.
void copy(ByteRange part, std::span<const std::byte> piece, std::uint64_t from, std::byte* memory, std::uint64_t to) {
  std::memcpy(memory + in_memory(part.begin - to), piece.data() + in_memory(part.begin - from), in_memory(part.size()));
}

// Why a tensor cannot be used although the file holds it; empty for the usual case.
std::string unusable(const TensorInfo& tensor) {
  if (tensor.dtype == DType::Unknown)
    return "is stored as " + in_quotes(tensor.dtype_name) + ", a number format that is not known here";
  if (all_of(tensor).size() > WeightFile::kMaxTensorBytes)
    return "has " + byte_count(all_of(tensor).size()) + ", more than can be loaded";
  return {};
}

}  // namespace

WeightFile::WeightFile(std::string name, std::optional<std::uint64_t> file_bytes)
    : name_(std::move(name)), file_bytes_(file_bytes) {}

void WeightFile::become(Control control) {
  control_ = std::move(control);
  if (header_) shown_ = control_->shown(*header_);
}

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
  if (!unusable(tensor).empty() || buffer_of(all_of(tensor))) return;
  forget(tensor);  // single rows of it
  keep(tensor, all_of(tensor));
}

void WeightFile::want_rows(std::string_view name, std::span<const std::size_t> rows) {
  const TensorInfo* tensor = header_ ? header_->find(name) : nullptr;
  if (tensor == nullptr || !unusable(*tensor).empty() || buffer_of(all_of(*tensor))) return;
  if (replaced(*tensor)) return resolve(name);  // no row of a control can be made without the others
  for (const std::size_t row : rows)
    if (const ByteRange extent = row_of(*tensor, row); extent.size() > 0) keep(*tensor, extent);
  if (const TensorInfo* scales = scales_beside(*tensor)) resolve(*scales);
}

void WeightFile::keep(const TensorInfo& tensor, ByteRange extent) {
  const auto [entry, added] = wanted_.try_emplace(extent_of(extent));
  if (!added) return;
  entry->second.tensor = &tensor;
  // What came with the first request is not asked for again. Without memory for it, feed() will say so.
  for (const ByteRange& there : head_there_.ranges()) {
    const auto bytes = std::span<const std::byte>(head_).subspan(in_memory(there.begin), in_memory(there.size()));
    static_cast<void>(take(extent, entry->second, there.begin, bytes));
  }
}

void WeightFile::forget(const TensorInfo& tensor) {
  std::erase_if(wanted_, [&](const auto& entry) { return entry.second.tensor == &tensor; });
  made_.erase(&tensor);
}

void WeightFile::release(std::string_view tensor) {
  if (const auto pin = pins_.find(bare_name(tensor)); pin != pins_.end()) {
    pin->second.released = true;
    return;
  }
  std::erase_if(wanted_before_header_, [&](const std::string& name) { return bare_name(name) == bare_name(tensor); });
  if (!header_) return;
  const TensorInfo* info = header_->find(tensor);
  if (info == nullptr) return;
  for (const TensorInfo* one : {info, scales_beside(*info)})
    if (one) forget(*one);
}

ByteRange WeightFile::header_range() const {
  if (json_bytes_) return {0, kLengthBytes + *json_bytes_};
  return {0, std::min(kFirstBytes, file_bytes_.value_or(kFirstBytes))};
}

std::vector<ByteRange> WeightFile::missing() const {
  if (failed_) return {};
  if (!header_) return head_there_.gaps(header_range());
  std::vector<ByteRange> gaps;
  for (const auto& [extent, buffer] : wanted_)
    for (const ByteRange& gap : buffer.there.gaps({extent.first, extent.second})) gaps.push_back(gap);
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
  if (control_) shown_ = control_->shown(*header_);
  if (head_.size() > kFirstBytes) {  // a long header is not needed as text any more
    head_ = std::vector<std::byte>(head_.begin(), head_.begin() + static_cast<std::ptrdiff_t>(kFirstBytes));
    head_there_ = {};
    head_there_.add({0, kFirstBytes});
  }
  for (const std::string& name : std::exchange(wanted_before_header_, {})) resolve(name);
  return {};
}

Expected<void> WeightFile::take_tensors(std::uint64_t offset, std::span<const std::byte> bytes) {
  for (auto& [extent, buffer] : wanted_)
    if (auto taken = take({extent.first, extent.second}, buffer, offset, bytes); !taken) return taken;
  return {};
}

Expected<void> WeightFile::take(ByteRange extent, Buffer& buffer, std::uint64_t offset,
                                std::span<const std::byte> bytes) {
  const ByteRange part = {std::max(offset, extent.begin), std::min(offset + bytes.size(), extent.end)};
  if (part.begin >= part.end) return {};
  if (!buffer.bytes) {
    buffer.bytes.reset(new (std::nothrow) std::byte[in_memory(extent.size())]);
    if (!buffer.bytes) {
      return Error{"There is not enough memory for the tensor " + in_quotes(buffer.tensor->name) + " (" +
                   byte_count(extent.size()) + ") of the file " + in_quotes(name_) +
                   "; close other pages or choose a smaller model."};
    }
  }
  for (const ByteRange& gap : buffer.there.gaps(part)) copy(gap, bytes, offset, buffer.bytes.get(), extent.begin);
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

const WeightFile::Buffer* WeightFile::buffer_of(ByteRange extent) const {
  const auto entry = wanted_.find(extent_of(extent));
  return entry == wanted_.end() ? nullptr : &entry->second;
}

bool WeightFile::has(ByteRange extent) const {
  const Buffer* buffer = buffer_of(extent);
  return buffer && buffer->there.covers(extent);
}

bool WeightFile::has(std::string_view tensor) const {
  const TensorInfo* info = header_ ? header_->find(tensor) : nullptr;
  if (info == nullptr || !has(all_of(*info))) return false;
  const TensorInfo* scales = scales_beside(*info);
  return scales == nullptr || has(all_of(*scales));
}

bool WeightFile::has_row(std::string_view tensor, std::size_t row) const {
  const TensorInfo* info = header_ ? header_->find(tensor) : nullptr;
  if (info == nullptr || (!has(all_of(*info)) && !has(row_of(*info, row)))) return false;
  const TensorInfo* scales = scales_beside(*info);
  return scales == nullptr || has(all_of(*scales));
}

Arrived WeightFile::arrived() const {
  const ByteRange head = header_range();
  Arrived sum = {head_there_.count(head), head.end};
  if (header_) sum.have = head.end;
  for (const auto& [extent, buffer] : wanted_) {
    const ByteRange range = {extent.first, extent.second};
    sum.have += buffer.there.count(range);
    sum.needed += range.size();
  }
  return sum;
}

std::uint64_t WeightFile::kept_bytes() const {
  std::uint64_t sum = head_.size();
  for (const auto& [extent, buffer] : wanted_)
    if (buffer.bytes) sum += extent.second - extent.first;
  return sum;
}

Expected<const TensorInfo*> WeightFile::usable(std::string_view name) const {
  if (failed_) return *failed_;
  if (!header_) return Error{"The header of the file " + in_quotes(name_) + " has not arrived yet; wait for it."};
  const TensorInfo* info = header_->find(name);
  if (info == nullptr) {
    return Error{"The file " + in_quotes(name_) + " does not hold the tensor " + in_quotes(name) +
                     "; choose a more complete checkpoint.",
                 Remedy::whole_model};
  }
  if (const std::string why = unusable(*info); !why.empty())
    return Error{"The tensor " + in_quotes(name) + " of the file " + in_quotes(name_) + " " + why +
                 "; choose a version of the model stored as F32, F16 or BF16."};
  return info;
}

Expected<std::span<const std::byte>> WeightFile::bytes_of(const TensorInfo& tensor, ByteRange extent) const {
  const Buffer* buffer = buffer_of(extent);
  if (buffer && buffer->there.covers(extent))
    return std::span<const std::byte>(buffer->bytes.get(), in_memory(extent.size()));
  return Error{"The tensor " + in_quotes(tensor.name) + " of the file " + in_quotes(name_) +
               " is not loaded: " + byte_count(buffer ? buffer->there.count(extent) : 0) + " of " +
               byte_count(extent.size()) + " have arrived; load it first."};
}

Expected<TensorView> WeightFile::tensor(std::string_view name) const {
  auto stored = stored_tensor(name);
  return stored && replaced(*stored->info) ? made_from(*stored) : stored;
}

Expected<TensorView> WeightFile::made_from(const TensorView& stored) const {
  auto made = made_.find(stored.info);
  if (made == made_.end()) made = made_.emplace(stored.info, control_->numbers(stored)).first;
  if (!made->second) return made->second.error();
  return TensorView{shown_->find(stored.info->name), std::as_bytes(std::span(*made->second))};
}

Expected<TensorView> WeightFile::stored_tensor(std::string_view name) const {
  const auto info = usable(name);
  if (!info) return info.error();
  const auto bytes = bytes_of(**info, all_of(**info));
  TensorView view{*info, {}};
  if (bytes) view.bytes = *bytes;
  if ((*info)->dtype == DType::I8 && input_dimension((*info)->name)) {
    const auto beside = scales_of(*header_, **info, name_);
    if (!beside) return beside.error();
    const auto scales = bytes_of(**info, all_of(**beside));
    if (bytes && !scales) return scales.error();
    if (scales) view.scales = *scales;
  }
  if (!bytes) return bytes.error();
  return view;
}

Expected<TensorView> WeightFile::row(std::string_view name, std::size_t row) const {
  const auto info = usable(name);
  if (!info) return info.error();
  const ByteRange extent = row_of(**info, row);
  if (extent.size() == 0)
    return Error{"The tensor " + in_quotes(name) + " of the file " + in_quotes(name_) + " has no row " +
                 std::to_string(row) + "."};
  if (has(name)) {
    auto whole = tensor(name);
    if (!whole) return whole.error();
    const std::size_t bytes = whole->bytes.size() / in_memory((*info)->shape[0]);
    whole->bytes = whole->bytes.subspan(row * bytes, bytes);
    whole->first_row = row;
    return whole;
  }
  TensorView view{*info, {}, {}, row};
  if (const TensorInfo* beside = scales_beside(**info)) {
    const auto scales = bytes_of(*beside, all_of(*beside));
    if (!scales) return scales.error();
    view.scales = *scales;
  }
  const auto bytes = bytes_of(**info, extent);
  if (!bytes) return bytes.error();
  view.bytes = *bytes;
  return view;
}

}  // namespace helix::checkpoint
