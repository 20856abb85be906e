// CRC-32 of ISO 3309, as zip and PNG want it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace helix {

/// `before`: the checksum of the bytes so far, to continue from.
std::uint32_t crc32(std::span<const std::byte> data, std::uint32_t before = 0);

}  // namespace helix
