// CRC-32 of ISO 3309, as used by zip and PNG.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace helix {

/// `before`: the sum of the bytes before `data`, to continue from.
std::uint32_t crc32(std::span<const std::byte> data, std::uint32_t before = 0);

}  // namespace helix
