// The result as the view reads it, and its numbers in words.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "base/text.h"
#include "studies/extended_positions/extended_positions.h"
#include "studies/null_range.h"
#include "studies/token_text.h"

namespace helix::studies::extended_positions {

using protocol::Grid;

inline constexpr double kNear = 45;  // degrees: below it, a direction lies more within the other subspace than outside
inline constexpr std::size_t kWalkRow = kVariants, kRandomRow = kVariants + 1, kRows = kVariants + 2;
inline constexpr float kLow = 200;  // height of the lower plots, in pixels

struct Scene {
  Output out;
  Params params;
  std::string model;
  bool difference = false, complete = true;
  std::size_t positions = 0;  // 0 without a result
  int layer = 0, first = 0;

  bool empty() const { return positions == 0; }
  std::size_t layers() const { return out.explained_by_layer.data.size(); }
  std::size_t chosen() const { return variant_of(params.side, params.centre, params.hook != Hook::resid_pre); }
  std::array<double, kAxes> angles() const { return {out.angle_1.value, out.angle_2.value, out.angle_3.value}; }
  std::string word() const { return out.text.empty() ? say("subtitle.one_token") : token_quoted(out.text.front()); }
  const char* hook() const {
    return params.hook == Hook::resid_pre ? "hook.stream" : params.hook == Hook::ln1 ? "hook.ln1" : "hook.normalized";
  }
  const double* point(std::size_t space, std::size_t curve, std::size_t i) const {
    return &out.points.data[((space * kCurves + curve) * positions + i) * kAxes];
  }
};

inline bool is_shaped(const Grid& grid, std::initializer_list<std::size_t> shape) {
  std::size_t size = 1;
  for (const std::size_t extent : shape) size *= extent;
  return std::ranges::equal(grid.shape, shape) && grid.data.size() == size;
}

inline Scene read(const protocol::Result& result) {
  Scene s{protocol::read_outputs<Output>(result),
          read_params<Params>(result.params.empty() ? defaults(describe()) : result.params), result.provenance.model,
          result.difference, result.complete};
  const auto& shape = s.out.points.shape;
  const double layer = s.out.layer.value;
  const bool whole = shape.size() == 4 && is_shaped(s.out.points, {kSpaces, kCurves, shape[2], kAxes}) &&
                     is_shaped(s.out.explained, {kSpaces, kAxes}) && is_shaped(s.out.angles, {kVariants, kAxes}) &&
                     s.out.variants.size() == kVariants && layer >= 0 && layer < 1e4;
  if (!whole) return s;
  s.positions = shape[2], s.layer = static_cast<int>(layer), s.first = s.params.first;
  for (Grid* by_layer : {&s.out.angles_by_layer, &s.out.explained_by_layer, &s.out.agreement_by_layer})
    if (by_layer->shape.empty() || by_layer->rows() * by_layer->cols() != by_layer->data.size()) *by_layer = {};
  if (!is_shaped(s.out.angles_by_layer, {s.layers(), kAxes})) s.out.angles_by_layer = {};
  if (!is_shaped(s.out.agreement_by_layer, {s.layers()})) s.out.agreement_by_layer = {};
  for (Grid* by_seed : {&s.out.random_angles, &s.out.walk_angles})
    if (by_seed->shape.empty() || !is_shaped(*by_seed, {by_seed->rows(), kAxes})) *by_seed = {};
  if (!is_shaped(s.out.largest, {kCurves, s.out.largest.cols()})) s.out.largest = {};
  return s;
}

/// One of the three angles over the seeds.
inline NullRange null_of(const Grid& by_seed, std::size_t angle) {
  std::vector<double> one;
  for (std::size_t i = angle; i < by_seed.data.size(); i += kAxes) one.push_back(by_seed.data[i]);
  return range_of(one);
}

/// "68°, 72° and 88°"
inline std::string angles_text(const std::array<double, kAxes>& angles) {
  if (!std::isfinite(angles[0] + angles[1] + angles[2])) return shared_words("undefined");
  const auto text = [&](std::size_t k) { return to_fixed(angles[k], 0); };
  return say("angles", {{"first", text(0)}, {"second", text(1)}, {"third", text(2)}});
}

/// "75–85°, 80–88° and 86–90°"; empty where nothing is known.
inline std::string null_angles_text(const Grid& by_seed) {
  std::array<std::string, kAxes> text;
  for (std::size_t k = 0; k < kAxes; ++k)
    if ((text[k] = span_text(null_of(by_seed, k), 0)).empty()) return {};
  return say("angles", {{"first", text[0]}, {"second", text[1]}, {"third", text[2]}});
}

}  // namespace helix::studies::extended_positions
