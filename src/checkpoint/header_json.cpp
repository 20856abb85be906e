#include "checkpoint/header_json.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.h"

namespace helix::checkpoint {
namespace {

constexpr std::size_t kMaxRank = 16;

// Receives the JSON token by token, so that hostile nesting or size never becomes a tree in memory. Returning
// false stops the reading; the member functions are those the JSON reader calls.
class EntryReader {
 public:
  explicit EntryReader(HeaderEntries& into) : into_(into) {}

  const std::string& complaint() const { return complaint_; }

  bool start_object(std::size_t) {
    if (at_ == At::Outside) return go(At::Top);
    if (at_ == At::Top && in_metadata_) return go(At::Metadata);
    if (at_ == At::Top) return go(At::Tensor);
    return misplaced("an object");
  }
  bool end_object() {
    if (at_ == At::Tensor && !complete()) return false;
    return go(at_ == At::Top ? At::Outside : At::Top);
  }
  bool start_array(std::size_t) {
    if (at_ != At::Tensor || key_ == "dtype") return misplaced("a list");
    return go(At::List);
  }
  bool end_array() {
    if (key_ == "data_offsets" && offsets_ != 2)
      return complain("the tensor " + name() + " does not have two data_offsets");
    return go(At::Tensor);
  }
  bool key(std::string& key) {
    if (at_ == At::Top) return top_key(key);
    if (at_ == At::Metadata) {
      key_ = key;
      if (into_.metadata.contains(key)) return complain("its metadata lists " + in_quotes(key) + " twice");
      return true;
    }
    return tensor_key(key);
  }
  bool string(std::string& text) {
    if (at_ == At::Metadata) {
      into_.metadata.emplace(key_, std::move(text));
      return true;
    }
    if (at_ != At::Tensor || key_ != "dtype") return misplaced("a text");
    into_.tensors.back().dtype = dtype_named(text);
    into_.tensors.back().dtype_name = std::move(text);
    return true;
  }
  bool number_unsigned(std::uint64_t number) {
    if (at_ != At::List) return misplaced("a number");
    TensorInfo& tensor = into_.tensors.back();
    if (key_ == "shape") {
      if (tensor.shape.size() == kMaxRank) return complain("the tensor " + name() + " has too many dimensions");
      tensor.shape.push_back(number);
    } else {
      if (offsets_ == 2) return complain("the tensor " + name() + " has more than two data_offsets");
      (offsets_++ == 0 ? tensor.begin : tensor.end) = number;
    }
    return true;
  }
  // Negative, or "-0".
  bool number_integer(std::int64_t) { return misplaced("a negative number"); }
  // Also whole numbers beyond 64 bits.
  bool number_float(double, const std::string&) { return misplaced("a number that is not a whole number below 2^64"); }
  bool null() { return misplaced("null"); }
  bool boolean(bool) { return misplaced("true or false"); }
  bool binary(std::vector<std::uint8_t>&) { return misplaced("binary data"); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception&) {
    return complain("its header is not valid JSON (near byte " + std::to_string(position) + " of it)");
  }

 private:
  enum class At { Outside, Top, Metadata, Tensor, List };

  bool go(At at) {
    at_ = at;
    return true;
  }
  bool complain(std::string what) {
    complaint_ = std::move(what);
    return false;
  }
  std::string name() const { return in_quotes(into_.tensors.empty() ? "" : into_.tensors.back().name); }

  bool misplaced(std::string_view what) {
    const std::string found = " (found " + std::string(what) + ")";
    if (at_ == At::Outside) return complain("its header is not a JSON object" + found);
    if (in_metadata_) return complain("its __metadata__ is not a list of texts by name" + found);
    if (at_ == At::Top) return complain("the entry of the tensor " + name() + " is not a JSON object" + found);
    return complain("the " + key_ + " of the tensor " + name() + " cannot be read" + found);
  }

  bool top_key(std::string& key) {
    in_metadata_ = key == "__metadata__";
    if (in_metadata_) {
      if (std::exchange(metadata_seen_, true)) return complain("its header has __metadata__ twice");
      return true;
    }
    into_.tensors.emplace_back();
    into_.tensors.back().name = std::move(key);
    has_dtype_ = has_shape_ = has_offsets_ = false;
    offsets_ = 0;
    return true;
  }

  bool tensor_key(const std::string& key) {
    bool* seen = key == "dtype"          ? &has_dtype_
                 : key == "shape"        ? &has_shape_
                 : key == "data_offsets" ? &has_offsets_
                                         : nullptr;
    if (seen == nullptr) return complain("the tensor " + name() + " has an unknown entry " + in_quotes(key));
    if (std::exchange(*seen, true)) return complain("the tensor " + name() + " has two entries " + in_quotes(key));
    key_ = key;
    return true;
  }

  bool complete() {
    const char* absent = !has_dtype_ ? "dtype" : !has_shape_ ? "shape" : !has_offsets_ ? "data_offsets" : nullptr;
    return absent == nullptr || complain("the tensor " + name() + " has no " + absent);
  }

  HeaderEntries& into_;
  At at_ = At::Outside;
  bool in_metadata_ = false;
  bool metadata_seen_ = false;
  bool has_dtype_ = false;
  bool has_shape_ = false;
  bool has_offsets_ = false;
  int offsets_ = 0;
  std::string key_;
  std::string complaint_;
};

}  // namespace

Expected<HeaderEntries> read_header_json(std::string_view json) {
  if (json.empty() || json.front() != '{') return Error{"its header does not start with '{'"};
  // Only spaces may follow the object. A NUL is looked for because the JSON reader takes it for the end.
  const std::size_t last = json.find_last_not_of(' ');
  if (json[last] != '}' || json.find('\0') != std::string_view::npos)
    return Error{"its header does not end with '}' and spaces"};
  HeaderEntries entries;
  EntryReader reader(entries);
  if (!nlohmann::json::sax_parse(json.substr(0, last + 1), &reader)) return Error{reader.complaint()};
  return entries;
}

}  // namespace helix::checkpoint
