// The dot plot, the one form for numbers against a level: a row for each name, a dot at each number, the level as an upright
// Rule. The rows are a band scale, `over(axis, first, count, names)` as the plot's y.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "figure/marks.h"

namespace helix::figure {

/// A dot in each row, at (value, index); rows without a number have none. `labels`: one for each row, or none.
inline Points row_dots(std::string axis, int first, const std::vector<double>& values, Ink ink, float radius = 4,
                       std::vector<std::string> labels = {}) {
  auto at = std::make_shared<Coordinates>();
  at->dims = 2;
  for (std::size_t i = 0; i < values.size(); ++i)
    at->data.insert(at->data.end(), {values[i], static_cast<double>(first) + static_cast<double>(i)});
  Points points{std::move(axis), first, std::move(at), ink, radius};
  points.labels = std::move(labels);
  return points;
}

/// The same with a dot at a single row alone, which may be larger than the others.
inline Points one_dot(std::string axis, int row, double value, Ink ink, float radius, std::string label = {}) {
  return row_dots(std::move(axis), row, {value}, ink, radius, {std::move(label)});
}

}  // namespace helix::figure
