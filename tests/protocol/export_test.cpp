#include "protocol/export.h"

#include <map>

#include "base/edit_forms.h"
#include "base/text.h"
#include "tests/support.h"

namespace export_test {

using namespace helix;
using namespace helix::testing;
using namespace helix::protocol;

namespace {

/// A reader of stored zip members and npy arrays, written from their specifications, independent of the writer.
class Npz {
 public:
  struct Member {
    std::string dict;
    std::size_t data_at = 0;
    std::vector<double> data;
  };

  explicit Npz(const std::vector<std::byte>& bytes) : bytes_(bytes) {
    REQUIRE(bytes.size() >= 22);
    const std::size_t end = bytes.size() - 22;  // no comment
    REQUIRE(u32(end) == 0x06054b50);
    const std::size_t count = u16(end + 10), size = u32(end + 12), start = u32(end + 16);
    CHECK(u16(end + 8) == count);
    REQUIRE(start + size == end);
    std::size_t at = start;
    for (std::size_t i = 0; i < count; ++i) at = entry(at);
    CHECK(at == end);
  }

  std::map<std::string, Member> members;

 private:
  std::uint32_t u8(std::size_t at) const {
    REQUIRE(at < bytes_.size());
    return static_cast<std::uint32_t>(bytes_[at]);
  }
  std::uint32_t u16(std::size_t at) const { return u8(at) | u8(at + 1) << 8; }
  std::uint32_t u32(std::size_t at) const { return u16(at) | u16(at + 2) << 16; }
  std::string text(std::size_t at, std::size_t size) const {
    REQUIRE(at + size <= bytes_.size());
    return {reinterpret_cast<const char*>(bytes_.data()) + at, size};
  }
  std::uint32_t crc(std::size_t at, std::size_t size) const {  // bit by bit
    std::uint32_t c = 0xFFFFFFFF;
    for (std::size_t i = 0; i < size; ++i) {
      c ^= u8(at + i);
      for (int bit = 0; bit < 8; ++bit) c = c & 1 ? c >> 1 ^ 0xEDB88320 : c >> 1;
    }
    return ~c;
  }

  std::size_t entry(std::size_t at) {
    REQUIRE(u32(at) == 0x02014b50);
    const std::size_t size = u32(at + 20), name_size = u16(at + 28), local = u32(at + 42);
    CHECK(u16(at + 10) == 0);  // stored
    CHECK(u32(at + 24) == size);
    const std::string name = text(at + 46, name_size);
    REQUIRE(u32(local) == 0x04034b50);
    for (std::size_t k = 0; k < 26; ++k) CHECK(u8(local + 4 + k) == u8(at + 6 + k));  // both headers agree
    CHECK(text(local + 30, name_size) == name);
    const std::size_t data = local + 30 + name_size + u16(local + 28);
    CHECK(crc(data, size) == u32(at + 16));
    members[name] = npy(data, size);
    return at + 46 + name_size + u16(at + 30) + u16(at + 32);
  }

  Member npy(std::size_t at, std::size_t size) const {
    CHECK(text(at, 8) == std::string("\x93NUMPY\x01\x00", 8));
    const std::size_t length = u16(at + 8);
    Member m;
    m.dict = text(at + 10, length);
    m.data_at = 10 + length;
    REQUIRE((size - m.data_at) % 8 == 0);
    m.data.resize((size - m.data_at) / 8);
    if (!m.data.empty()) std::memcpy(m.data.data(), bytes_.data() + at + m.data_at, size - m.data_at);
    return m;
  }

  const std::vector<std::byte>& bytes_;
};

Result sample() {
  Result r;
  r.study = "planted";
  r.scalars = {{"share", 0.25, "fraction", ""}};
  r.arrays = {{"points", {3, 2}, {"position", "component"}, "", {1, -2.5, 1e-9, 4, std::nan(""), HUGE_VAL}, 100},
              {"norm", {3}, {"position"}, "", {0.1, 0.2, 0.30000000000000004}, 100},
              {"cube", {2, 1, 2}, {"a", "b", "c"}, "", {1, 2, 3, 4}, 0},
              {"none", {0}, {"position"}, "", {}, 0}};
  return r;
}

}  // namespace

TEST_CASE("arrays as CSV: one line per first index, counted from where it starts", "[protocol][export]") {
  const Result r = sample();
  CHECK(to_csv(r.arrays[0]) == "position,component 1,component 2\r\n100,1,-2.5\r\n101,1e-09,4\r\n102,nan,inf\r\n");
  CHECK(to_csv(r.arrays[1]) == "position,norm\r\n100,0.1\r\n101,0.2\r\n102,0.30000000000000004\r\n");
  CHECK(to_csv(r.arrays[3]) == "position\r\n");
  for (const Array& a : r.arrays) {
    const auto lines = split(to_csv(a), '\n');
    CHECK(lines.size() == a.shape[0] + 2);
    for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
      CHECK(lines[i].ends_with('\r'));
      CHECK(split(lines[i], ',').size() == split(lines[0], ',').size());
    }
  }
}

TEST_CASE("numbers of 32 bits stay such in files", "[protocol][export]") {
  Result r;
  r.arrays = {{"small", {2}, {"position"}, "", {0.1, 1e10}, 0, NumberType::f32}};
  round_to_f32(r.arrays[0].data);
  CHECK(to_csv(r.arrays[0]) == "position,small\r\n0,0.1\r\n1,10000000000\r\n");
  const std::vector<std::byte> bytes = to_npz(r);
  const Npz npz(bytes);
  const auto& member = npz.members.at("small.npy");
  CHECK(member.dict.find("'descr': '<f4'") != std::string::npos);
  REQUIRE(member.data.size() == 1);  // two floats, stored in one double
  const float both[] = {0.1f, 1e10f};
  CHECK(std::memcmp(member.data.data(), both, sizeof both) == 0);
}

TEST_CASE("all arrays as NPZ, read back by somebody else", "[protocol][export]") {
  const Result r = sample();
  const std::vector<std::byte> bytes = to_npz(r);
  const Npz npz(bytes);
  REQUIRE(npz.members.size() == 5);
  for (const auto& [name, member] : npz.members) {
    CAPTURE(name);
    CHECK(member.data_at % 64 == 0);
    CHECK(member.dict.ends_with('\n'));
    CHECK(member.dict.find("'descr': '<f8'") != std::string::npos);
    CHECK(member.dict.find("'fortran_order': False") != std::string::npos);
  }
  const auto shape = [&](const char* name, const char* tuple) {
    CHECK(npz.members.at(name).dict.find(tuple) != std::string::npos);
  };
  shape("points.npy", "'shape': (3,2,)");
  shape("norm.npy", "'shape': (3,)");
  shape("cube.npy", "'shape': (2,1,2,)");
  shape("share.npy", "'shape': ()");
  shape("none.npy", "'shape': (0,)");
  CHECK(npz.members.at("share.npy").data == std::vector<double>{0.25});
  CHECK(npz.members.at("cube.npy").data == r.arrays[2].data);
  CHECK(npz.members.at("none.npy").data.empty());
  const auto& points = npz.members.at("points.npy").data;
  REQUIRE(points.size() == 6);
  CHECK(std::memcmp(points.data(), r.arrays[0].data.data(), 48) == 0);
  CHECK(to_npz(r) == bytes);
  CHECK(Npz(to_npz({})).members.empty());
}

TEST_CASE("the prompt and the edits of a run are told in words", "[protocol][export]") {
  Result r;
  CHECK(prompt_line(r).empty());
  r.tokens = {{1, "The"}, {2, " cat"}, {3, "\n"}};
  CHECK(prompt_line(r) == "Prompt: “The cat\\n”.");
  r.edits = {"ablate_head:4.2"};
  CHECK(prompt_line(r) == "Prompt: “The cat\\n”. Edit: " + edit_label("ablate_head:4.2") + ".");
  r.edits.push_back("no_mask");
  r.tokens.clear();
  CHECK(prompt_line(r) == "Edits: " + edit_label("ablate_head:4.2") + "; " + edit_label("no_mask") + ".");
}

}  // namespace export_test
