#include "base/sha256.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace helix {
namespace {

using State = std::array<std::uint32_t, 8>;

constexpr std::size_t kBlock = 64;

// First 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> kRound = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t big_endian(const std::byte* p) {
  return std::to_integer<std::uint32_t>(p[0]) << 24 | std::to_integer<std::uint32_t>(p[1]) << 16 |
         std::to_integer<std::uint32_t>(p[2]) << 8 | std::to_integer<std::uint32_t>(p[3]);
}

// One round, written so that the eight working variables change names instead of places.
inline void round(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t& d, std::uint32_t e, std::uint32_t f,
                  std::uint32_t g, std::uint32_t& h, std::uint32_t word) {
  const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
  const std::uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
  const std::uint32_t t = h + s1 + (g ^ (e & (f ^ g))) + word;
  d += t;
  h = t + s0 + ((a & b) | (c & (a | b)));
}

void absorb(State& state, const std::byte* block) {
  std::array<std::uint32_t, 64> w;
  for (std::size_t i = 0; i < 16; ++i) w[i] = big_endian(block + 4 * i);
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
    const std::uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < 64; i += 8) {
    round(a, b, c, d, e, f, g, h, w[i] + kRound[i]);
    round(h, a, b, c, d, e, f, g, w[i + 1] + kRound[i + 1]);
    round(g, h, a, b, c, d, e, f, w[i + 2] + kRound[i + 2]);
    round(f, g, h, a, b, c, d, e, w[i + 3] + kRound[i + 3]);
    round(e, f, g, h, a, b, c, d, w[i + 4] + kRound[i + 4]);
    round(d, e, f, g, h, a, b, c, w[i + 5] + kRound[i + 5]);
    round(c, d, e, f, g, h, a, b, w[i + 6] + kRound[i + 6]);
    round(b, c, d, e, f, g, h, a, w[i + 7] + kRound[i + 7]);
  }
  const State worked = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state[i] += worked[i];
}

}  // namespace

void Sha256::update(std::span<const std::byte> bytes) {
  total_ += bytes.size();
  if (filled_ > 0) {
    const std::size_t n = std::min(kBlock - filled_, bytes.size());
    std::copy_n(bytes.begin(), n, block_.begin() + static_cast<std::ptrdiff_t>(filled_));
    filled_ += n;
    bytes = bytes.subspan(n);
    if (filled_ < kBlock) return;
    absorb(state_, block_.data());
    filled_ = 0;
  }
  for (; bytes.size() >= kBlock; bytes = bytes.subspan(kBlock)) absorb(state_, bytes.data());
  std::copy_n(bytes.begin(), bytes.size(), block_.begin());
  filled_ = bytes.size();
}

std::string Sha256::hex() const {
  Sha256 last = *this;
  const std::uint64_t bits = total_ * 8;
  std::array<std::byte, 2 * kBlock> padding = {std::byte{0x80}};
  const std::size_t zeros_end = (filled_ < 56 ? 56 : 120) - filled_;  // the length fills a block's last 8 bytes
  for (std::size_t i = 0; i < 8; ++i) padding[zeros_end + i] = static_cast<std::byte>(bits >> (56 - 8 * i) & 0xff);
  last.update(std::span(padding).first(zeros_end + 8));

  constexpr const char* kDigits = "0123456789abcdef";
  std::string text;
  for (const std::uint32_t word : last.state_)
    for (int shift = 28; shift >= 0; shift -= 4) text += kDigits[word >> shift & 15];
  return text;
}

std::string Sha256::hex_of(std::span<const std::byte> bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.hex();
}

}  // namespace helix
