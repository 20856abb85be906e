// A training record made in memory: a growing helix, in axes that change their order and sign from moment to moment.
#pragma once

#include <cmath>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include "checkpoint/emergence.h"
#include "tests/checkpoint/safetensors_bytes.h"

namespace helix::testing {

struct EmergenceFile {
  std::map<std::string, std::pair<std::vector<std::uint64_t>, std::vector<float>>> tensors;

  std::string bytes() const {
    std::vector<Entry> entries;
    for (const auto& [name, tensor] : tensors) entries.push_back({name, tensor.first});
    Bytes file = file_of(entries);
    std::size_t at = file.size();
    for (const auto& [name, tensor] : tensors) at -= tensor.second.size() * sizeof(float);
    for (const auto& [name, tensor] : tensors) {
      if (!tensor.second.empty()) std::memcpy(&file[at], tensor.second.data(), tensor.second.size() * sizeof(float));
      at += tensor.second.size() * sizeof(float);
    }
    return {reinterpret_cast<const char*>(file.data()), file.size()};
  }
  Expected<checkpoint::Emergence> read() const { return checkpoint::Emergence::read(bytes(), "planted"); }
};

inline constexpr std::size_t kPlantedMoments = 5, kPlantedPositions = 12, kPlantedRank = 4, kPlantedWidth = 6;

/// The size of the helix at a moment; 1 at the last.
inline double planted_size(std::size_t moment) {
  return static_cast<double>(moment) / static_cast<double>(kPlantedMoments - 1);
}

/// The planted row along the last moment's axis `a`.
inline double planted_point(std::size_t position, std::size_t a) {
  const double t = static_cast<double>(position) / static_cast<double>(kPlantedPositions - 1);
  const double angle = 2 * std::numbers::pi * t;
  const double at[] = {3 * std::cos(angle), 2 * std::sin(angle), t - 0.5, 0};
  return at[a];
}

inline EmergenceFile planted_emergence() {
  const std::size_t moments = kPlantedMoments, positions = kPlantedPositions, rank = kPlantedRank, d = kPlantedWidth;
  std::vector<float> scores, axes(moments * rank * d), values;
  for (std::size_t t = 0; t < moments; ++t) {
    // Axis r of this moment is axis (r + shift) of the last one, with another sign.
    const std::size_t shift = (moments - 1 - t) % rank;
    const float sign = (moments - 1 - t) % 2 ? -1.0f : 1.0f;
    for (std::size_t r = 0; r < rank; ++r) axes[(t * rank + r) * d + (r + shift) % rank + 1] = sign;
    for (std::size_t p = 0; p < positions; ++p)
      for (std::size_t r = 0; r < rank; ++r)
        scores.push_back(sign * static_cast<float>(planted_size(t) * planted_point(p, (r + shift) % rank)));
    for (std::size_t c = 0; c < d; ++c) values.push_back(c < 3 ? static_cast<float>(planted_size(t)) * 4 : 0);
  }
  EmergenceFile file;
  file.tensors["scores"] = {{moments, positions, rank}, scores};
  file.tensors["axes"] = {{moments, rank, d}, axes};
  file.tensors["singular_values"] = {{moments, d}, values};
  float k = 0;
  for (const char* name : {"loss", "held_out", "previous", "induction", "explained_first3", "adjacent_cosine"}) {
    std::vector<float> curve;
    for (std::size_t t = 0; t < moments; ++t) curve.push_back(0.1f * (k + 1) + 0.01f * static_cast<float>(t));
    file.tensors[name] = {{moments}, curve};
    ++k;
  }
  file.tensors["tokens"] = {{moments}, {0, 1000, 20'000, 300'000, 4'000'000}};
  return file;
}

}  // namespace helix::testing
