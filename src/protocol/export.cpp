#include "protocol/export.h"

#include <bit>
#include <cstdint>
#include <cstring>

#include "base/crc32.h"
#include "base/edit_forms.h"
#include "base/text.h"
#include "base/utf8.h"

namespace helix::protocol {
namespace {

static_assert(std::endian::native == std::endian::little, "npy members are written as '<f8' and '<f4'");

using Buffer = std::vector<std::byte>;

void put(Buffer& out, const void* data, std::size_t size) {
  const auto* from = static_cast<const std::byte*>(data);
  out.insert(out.end(), from, from + size);
}

template <class Integer>
void put_int(Buffer& out, Integer value) {
  put(out, &value, sizeof value);
}

// The npy format, version 1.0: magic, header length, a Python literal padded so that data starts at a multiple of 64.
template <class Number>
Buffer npy(const std::vector<std::size_t>& shape, const Number* data, std::size_t count) {
  std::string tuple = "(";
  for (const std::size_t extent : shape) tuple += std::to_string(extent) + ",";
  std::string header =
      "{'descr': '<f" + std::to_string(sizeof(Number)) + "', 'fortran_order': False, 'shape': " + tuple + "), }";
  while ((10 + header.size() + 1) % 64) header += ' ';
  header += '\n';
  Buffer out;
  put(out, "\x93NUMPY\x01\x00", 8);
  put_int(out, static_cast<std::uint16_t>(header.size()));
  put(out, header.data(), header.size());
  put(out, data, count * sizeof(Number));
  return out;
}

/// A zip archive of stored (uncompressed) members.
class Zip {
 public:
  void add(const std::string& name, const Buffer& content) {
    const auto offset = static_cast<std::uint32_t>(file_.size());
    const std::uint32_t crc = crc32(content);
    put_int(file_, std::uint32_t{0x04034b50});
    entry(file_, crc, content.size(), name);
    put(file_, name.data(), name.size());
    put(file_, content.data(), content.size());

    put_int(directory_, std::uint32_t{0x02014b50});
    put_int(directory_, std::uint16_t{20});
    entry(directory_, crc, content.size(), name);
    put(directory_, "\0\0\0\0\0\0\0\0\0\0", 10);  // no comment, first disk, no attributes
    put_int(directory_, offset);
    put(directory_, name.data(), name.size());
    ++members_;
  }

  Buffer finish() {
    const auto start = static_cast<std::uint32_t>(file_.size());
    put(file_, directory_.data(), directory_.size());
    put_int(file_, std::uint32_t{0x06054b50});
    put_int(file_, std::uint32_t{0});
    put_int(file_, members_), put_int(file_, members_);
    put_int(file_, static_cast<std::uint32_t>(directory_.size()));
    put_int(file_, start);
    put_int(file_, std::uint16_t{0});
    return std::move(file_);
  }

 private:
  // What a local header and a directory entry share; 1 January 1980 keeps equal results byte-equal.
  static void entry(Buffer& out, std::uint32_t crc, std::size_t size, const std::string& name) {
    put_int(out, std::uint16_t{20});
    put_int(out, std::uint32_t{0});  // no flags, stored
    put_int(out, std::uint16_t{0});
    put_int(out, std::uint16_t{0x21});
    put_int(out, crc);
    put_int(out, static_cast<std::uint32_t>(size));
    put_int(out, static_cast<std::uint32_t>(size));
    put_int(out, static_cast<std::uint16_t>(name.size()));
    put_int(out, std::uint16_t{0});
  }

  Buffer file_, directory_;
  std::uint16_t members_ = 0;
};

}  // namespace

std::string to_csv(const Array& array) {
  const std::size_t rows = array.shape.empty() ? 0 : array.shape[0];
  const std::size_t cols = rows ? array.data.size() / rows : 0;
  const bool wide = array.shape.size() == 2;
  const auto text_of = array.type == NumberType::f32 ? to_text_f32 : to_text;
  std::string out = array.axes.empty() ? "index" : array.axes[0];
  for (std::size_t j = 0; j < cols; ++j) out += "," + (wide ? array.axes[1] + " " + std::to_string(j + 1) : array.name);
  out += "\r\n";
  for (std::size_t i = 0; i < rows; ++i) {
    out += std::to_string(array.first + static_cast<long long>(i));
    for (std::size_t j = 0; j < cols; ++j) out += "," + text_of(array.data[i * cols + j]);
    out += "\r\n";
  }
  return out;
}

std::string prompt_line(const Result& result) {
  constexpr std::size_t kMostOfPrompt = 400;
  std::string bytes, line;
  for (const Token& token : result.tokens) bytes += token.bytes;
  if (!bytes.empty()) line = "Prompt: " + in_quotes(shown_bytes(bytes), kMostOfPrompt) + ".";
  std::vector<std::string> labels;
  for (const std::string& spec : result.edits) labels.push_back(edit_label(spec));
  if (!labels.empty())
    line +=
        (line.empty() ? "" : " ") + std::string(labels.size() == 1 ? "Edit: " : "Edits: ") + join(labels, "; ") + ".";
  return line;
}

std::vector<std::byte> to_npy(const Matrix<float>& rows) {
  return npy({rows.rows, rows.cols}, rows.data.data(), rows.data.size());
}

std::vector<std::byte> to_npz(const Result& result) {
  Zip zip;
  for (const Array& a : result.arrays) {
    const std::vector<float> single =
        a.type == NumberType::f32 ? std::vector<float>(a.data.begin(), a.data.end()) : std::vector<float>();
    zip.add(a.name + ".npy", a.type == NumberType::f32 ? npy(a.shape, single.data(), single.size())
                                                       : npy(a.shape, a.data.data(), a.data.size()));
  }
  for (const Scalar& s : result.scalars) zip.add(s.name + ".npy", npy({}, &s.value, 1));
  return zip.finish();
}

}  // namespace helix::protocol
