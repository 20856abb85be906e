// Builds safetensors files in memory, valid or invalid in any one place, for the tests of everything that reads
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace helix::testing {

using Bytes = std::vector<std::byte>;

inline Bytes bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

/// The 8 bytes of the header length.
inline Bytes length_bytes(std::uint64_t length) {
  Bytes bytes(8);
  for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<std::byte>(length >> (8 * i) & 0xff);
  return bytes;
}

/// A file with this header text, valid or not, and `data_bytes` bytes of data that differ from their
/// neighbours.
inline Bytes file_of(std::string_view json, std::size_t data_bytes = 0) {
  Bytes bytes = length_bytes(json.size());
  for (const std::byte b : bytes_of(json)) bytes.push_back(b);
  for (std::size_t i = 0; i < data_bytes; ++i) bytes.push_back(static_cast<std::byte>((i * 37 + 11) & 0xff));
  return bytes;
}

/// A copy that ends where its memory ends, so that the sanitizer detects a read one byte too far.
class ExactBytes {
 public:
  explicit ExactBytes(std::span<const std::byte> from) : bytes_(new std::byte[from.size()]), size_(from.size()) {
    if (size_ > 0) std::memcpy(bytes_.get(), from.data(), size_);
  }
  std::span<const std::byte> span() const { return {bytes_.get(), size_}; }
  std::string_view text() const { return {reinterpret_cast<const char*>(bytes_.get()), size_}; }

 private:
  std::unique_ptr<std::byte[]> bytes_;
  std::size_t size_;
};

struct Entry {
  std::string name;
  std::vector<std::uint64_t> shape;
  std::string dtype = "F32";
  std::uint64_t number_bytes = 4;
};

inline std::uint64_t entry_bytes(const Entry& entry) {
  std::uint64_t size = entry.number_bytes;
  for (const std::uint64_t extent : entry.shape) size *= extent;
  return size;
}

inline std::string entry_json(const Entry& entry, std::uint64_t begin, std::uint64_t end) {
  std::string json = "\"" + entry.name + "\":{\"dtype\":\"" + entry.dtype + "\",\"shape\":[";
  for (std::size_t i = 0; i < entry.shape.size(); ++i) json += (i ? "," : "") + std::to_string(entry.shape[i]);
  return json + "],\"data_offsets\":[" + std::to_string(begin) + "," + std::to_string(end) + "]}";
}

/// The header text of these tensors, one after the other.
inline std::string header_json(const std::vector<Entry>& entries) {
  std::string json = "{\"__metadata__\":{\"format\":\"pt\"}";
  std::uint64_t at = 0;
  for (const Entry& entry : entries) {
    json += "," + entry_json(entry, at, at + entry_bytes(entry));
    at += entry_bytes(entry);
  }
  return json + "}";
}

inline Bytes file_of(const std::vector<Entry>& entries) {
  std::size_t data = 0;
  for (const Entry& entry : entries) data += static_cast<std::size_t>(entry_bytes(entry));
  return file_of(header_json(entries), data);
}

/// A GPT-2 with random-looking weights, complete and tiny.
inline std::vector<Entry> tiny_gpt2(std::size_t n_layer = 2, std::uint64_t d = 4, std::uint64_t n_ctx = 8,
                                    std::uint64_t n_vocab = 10) {
  std::vector<Entry> entries = {{"wte.weight", {n_vocab, d}}, {"wpe.weight", {n_ctx, d}}};
  for (std::size_t i = 0; i < n_layer; ++i) {
    const std::string h = "h." + std::to_string(i) + ".";
    const std::vector<Entry> layer = {
        {h + "ln_1.weight", {d}},
        {h + "ln_1.bias", {d}},
        {h + "attn.bias", {1, 1, n_ctx, n_ctx}},  // the causal mask that some hub checkpoints contain
        {h + "attn.c_attn.weight", {d, 3 * d}},
        {h + "attn.c_attn.bias", {3 * d}},
        {h + "attn.c_proj.weight", {d, d}},
        {h + "attn.c_proj.bias", {d}},
        {h + "ln_2.weight", {d}},
        {h + "ln_2.bias", {d}},
        {h + "mlp.c_fc.weight", {d, 4 * d}},
        {h + "mlp.c_fc.bias", {4 * d}},
        {h + "mlp.c_proj.weight", {4 * d, d}},
        {h + "mlp.c_proj.bias", {d}}};
    entries.insert(entries.end(), layer.begin(), layer.end());
  }
  entries.push_back({"ln_f.weight", {d}});
  entries.push_back({"ln_f.bias", {d}});
  return entries;
}

}  // namespace helix::testing
