#include "base/sha256.h"

#include <catch_amalgamated.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace sha256_test {

using helix::Sha256;

namespace {

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

}  // namespace

TEST_CASE("SHA-256 of the standard's examples", "[base]") {
  CHECK(Sha256::hex_of({}) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(Sha256::hex_of(bytes_of("abc")) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(Sha256::hex_of(bytes_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")) ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(Sha256::hex_of(bytes_of("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmno"
                                "pqrlmnopqrsmnopqrstnopqrstu")) ==
        "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
  CHECK(Sha256::hex_of(bytes_of(std::string(1'000'000, 'a'))) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("SHA-256 is the same however the bytes are cut", "[base]") {
  std::string text;
  for (int i = 0; i < 300; ++i) text += static_cast<char>(i * 7 + i / 64);
  for (std::size_t length = 0; length <= text.size(); length += 1 + length / 130) {
    const auto whole = bytes_of(std::string_view(text).substr(0, length));
    const std::string expected = Sha256::hex_of(whole);
    for (std::size_t piece = 1; piece <= 130; ++piece) {
      Sha256 hash;
      for (std::size_t at = 0; at < length; at += piece) hash.update(whole.subspan(at, std::min(piece, length - at)));
      REQUIRE(hash.hex() == expected);
    }
  }
}

TEST_CASE("SHA-256 can be read on the way", "[base]") {
  Sha256 hash;
  hash.update(bytes_of("ab"));
  CHECK(hash.hex() == Sha256::hex_of(bytes_of("ab")));
  hash.update(bytes_of("c"));
  CHECK(hash.hex() == Sha256::hex_of(bytes_of("abc")));
}

}  // namespace sha256_test
