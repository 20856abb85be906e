// SHA-256 of bytes as they stream by: names exactly which weights a number was computed from.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace helix {

/// Hashes bytes given in pieces of any size (FIPS 180-4).
class Sha256 {
 public:
  void update(std::span<const std::byte> bytes);
  /// 64 lower-case hexadecimal digits for everything given so far; more bytes may follow.
  std::string hex() const;

  static std::string hex_of(std::span<const std::byte> bytes);

 private:
  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::byte, 64> block_ = {};  // the last, unfinished block
  std::size_t filled_ = 0;
  std::uint64_t total_ = 0;  // bytes
};

}  // namespace helix
