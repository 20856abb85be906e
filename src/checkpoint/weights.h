// The weights of a checkpoint as their bytes arrive: pieces of any size in any order, of the tensors that are wanted.
//
//   WeightFile file("gpt2", size);
//   file.want(names);
//   for (auto ranges = file.missing(); !ranges.empty(); ranges = file.missing())
//     for (ByteRange range : ranges) { bytes = fetch(range); if (auto fed = file.feed(range.begin, bytes);
//     !fed) ... }
//
// A source without ranges is fed from 0 to its end, then finish(); unwanted bytes are dropped on the way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "checkpoint/byte_ranges.h"
#include "checkpoint/control.h"
#include "checkpoint/safetensors.h"

namespace helix::checkpoint {

/// A tensor's bytes as stored; valid as long as its WeightFile, until release(). A matrix of 8-bit integers comes with
/// all its scales (checkpoint/quantised.h).
struct TensorView {
  const TensorInfo* info = nullptr;
  std::span<const std::byte> bytes;
  std::span<const std::byte> scales = {};  // empty for every other format
  std::size_t first_row = 0;               // of the tensor's rows, the one with which `bytes` begins
};

/// How much of what is wanted has arrived, in bytes.
struct Arrived {
  std::uint64_t have = 0;
  std::uint64_t needed = 0;
  double share() const { return needed == 0 ? 1.0 : static_cast<double>(have) / static_cast<double>(needed); }
};

class WeightFile {
 public:
  /// The first request: enough for the header of any GPT-2, and for all of a tiny model.
  static constexpr std::uint64_t kFirstBytes = 64 * 1024;
  /// Wanted ranges this close are fetched as one: a request costs more than these bytes.
  static constexpr std::uint64_t kMergeBytes = 64 * 1024;
  /// No tensor beyond this is loaded; even as floats it then stays within what a 32-bit page can address.
  static constexpr std::uint64_t kMaxTensorBytes = 1'000'000'000;

  /// `name`: what to call the file in errors.
  explicit WeightFile(std::string name, std::optional<std::uint64_t> file_bytes = std::nullopt);

  /// Gives a control made from this file from now on; to be called before any tensor is wanted.
  void become(Control control);

  const std::string& name() const { return name_; }
  std::optional<std::uint64_t> file_bytes() const { return file_bytes_; }
  /// The file's size, when it becomes known only later (a response's Content-Range).
  Expected<void> set_file_bytes(std::uint64_t file_bytes);

  /// From now on keeps the bytes of these tensors, and the scales of those that have some. Names that the file does not
  /// hold are ignored here, and reported by tensor().
  void want(std::span<const std::string> tensors);
  /// The same for some rows of a matrix, and its scales; only once the header is there. Names that the file does not
  /// hold and rows that the tensor does not have are ignored.
  void want_rows(std::string_view tensor, std::span<const std::size_t> rows);
  /// Forgets a tensor's bytes, also those of single rows, and that they were wanted; while it is pinned, later.
  void release(std::string_view tensor);
  /// Keeps a tensor's bytes until as many calls of unpin(): a release() in between waits for the last of them.
  void pin(const std::string& tensor);
  void unpin(const std::string& tensor);

  /// What to fetch next: the header, and once that is there the wanted tensors. Empty: nothing more is
  /// needed.
  std::vector<ByteRange> missing() const;
  /// Takes the bytes from `offset` on. Bytes that are there already or are not wanted are skipped. An error about the
  /// file is final: every later call repeats it.
  Expected<void> feed(std::uint64_t offset, std::span<const std::byte> bytes);
  /// The source has sent all of its `total` bytes: an error when the file would need more.
  Expected<void> ended(std::uint64_t total);
  /// The same, and an error also when wanted bytes never came.
  Expected<void> finish(std::uint64_t total);

  /// Null until it has arrived. Of a control: with its own tensors as they are read from here, at the file's places.
  const Header* header() const { return shown_ ? &*shown_ : header_ ? &*header_ : nullptr; }
  /// Whether all bytes of a wanted tensor are there; of a wanted row, or of the whole tensor.
  bool has(std::string_view tensor) const;
  bool has_row(std::string_view tensor, std::size_t row) const;
  Arrived arrived() const;
  /// Memory held: header bytes and tensor buffers.
  std::uint64_t kept_bytes() const;

  Expected<TensorView> tensor(std::string_view name) const;
  /// One row of a matrix, `first_row` says which.
  Expected<TensorView> row(std::string_view tensor, std::size_t row) const;

 private:
  /// A wanted part of the file: a whole tensor, or a row of one.
  struct Buffer {
    const TensorInfo* tensor = nullptr;
    std::unique_ptr<std::byte[]> bytes;  // allocated when the first byte arrives
    ByteRanges there;                    // offsets in the file
  };
  using Extent = std::pair<std::uint64_t, std::uint64_t>;  // begin and end in the file
  static Extent extent_of(ByteRange range) { return {range.begin, range.end}; }

  Expected<void> fail(Error error);
  Expected<void> take_head(std::uint64_t offset, std::span<const std::byte> bytes);
  void keep_head(std::uint64_t offset, std::span<const std::byte> bytes);
  Expected<void> read_length();
  Expected<void> read_header();
  Expected<void> take_tensors(std::uint64_t offset, std::span<const std::byte> bytes);
  Expected<void> take(ByteRange extent, Buffer& buffer, std::uint64_t offset, std::span<const std::byte> bytes);
  void resolve(std::string_view name);
  void resolve(const TensorInfo& tensor);
  void keep(const TensorInfo& tensor, ByteRange extent);
  void forget(const TensorInfo& tensor);
  /// The scales without which a tensor cannot be read; null for those that need none, or if the scales could not be
  /// read.
  const TensorInfo* scales_beside(const TensorInfo& tensor) const;
  const Buffer* buffer_of(ByteRange extent) const;
  bool has(ByteRange extent) const;
  /// A tensor that can be used; an error says why not.
  Expected<const TensorInfo*> usable(std::string_view name) const;
  bool replaced(const TensorInfo& tensor) const { return control_ && control_->replaces(tensor); }
  /// A control's own tensor, made when it is first read.
  Expected<TensorView> made_from(const TensorView& stored) const;
  Expected<TensorView> stored_tensor(std::string_view name) const;
  Expected<std::span<const std::byte>> bytes_of(const TensorInfo& tensor, ByteRange extent) const;
  /// Bytes 0 .. end-1 that must arrive before the header can be read.
  ByteRange header_range() const;

  std::string name_;
  std::optional<std::uint64_t> file_bytes_;
  std::optional<Error> failed_;
  std::vector<std::byte> head_;  // the file's first bytes: kept, so that a tiny file is fetched once
  ByteRanges head_there_;
  std::optional<std::uint64_t> json_bytes_;
  std::optional<Header> header_;
  std::optional<Control> control_;
  std::optional<Header> shown_;                                               // of a control
  mutable std::map<const TensorInfo*, Expected<std::vector<float>>> made_{};  // by the stored tensor
  std::vector<std::string> wanted_before_header_;
  struct Pin {
    std::size_t count = 0;
    bool released = false;
  };
  std::map<std::string, Pin, std::less<>> pins_;  // by bare name
  std::map<Extent, Buffer> wanted_;
};

/// Tensors of a file that stay as long as this is held: a study reads them, and a network that is made ready meanwhile
/// releases what it has packed.
class Pinned {
 public:
  Pinned(std::shared_ptr<WeightFile> file, std::vector<std::string> tensors);
  ~Pinned();
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

 private:
  std::shared_ptr<WeightFile> file_;
  std::vector<std::string> tensors_;
};

}  // namespace helix::checkpoint
