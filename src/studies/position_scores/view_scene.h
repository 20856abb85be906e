// The result as the figure reads it. Arrays that do not fit each other count as missing.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "base/text.h"
#include "studies/null_range.h"
#include "studies/position_scores/position_scores.h"

namespace helix::studies::position_scores {

struct Scene {
  Params params;
  Output out;
  bool difference = false;

  bool all_heads() const { return params.head < 0; }
  /// Whether there is anything to show.
  bool empty() const { return !std::isfinite(out.rising.value); }
  bool has_maps() const {
    const auto& s = out.score;
    return s.shape.size() == 2 && s.rows() > 0 && s.cols() > 0 && out.pattern.shape == s.shape;
  }
  bool has_curve() const {
    const auto& p = out.points;
    return p.shape.size() == 2 && p.rows() > 1 && p.cols() >= 3 && out.query_score.shape.size() == 1 &&
           out.query_score.rows() == p.rows() + 1;
  }
  bool has_pull() const {
    return has_curve() && out.pull.shape == out.points.shape && out.along.rows() == out.points.rows() &&
           out.outward.rows() == out.points.rows() && query >= 1 &&
           static_cast<std::size_t>(query) <= out.points.rows();
  }
  std::size_t row() const { return static_cast<std::size_t>(query - 1); }  // of the query on the curve
  int query = -1;

  std::string head() const { return "head 0." + std::to_string(params.head); }
  /// What no structure gives, over everything that was tried; not known in a first picture.
  NullRange chance() const {
    std::vector<double> all = out.random_rising.data;
    for (const auto* more : {&out.walk_rising, &out.rows_rising})
      all.insert(all.end(), more->data.begin(), more->data.end());
    return range_of(all);
  }
};

inline Scene read(const protocol::Result& result) {
  Scene s;
  s.params = read_params<Params>(result.params.empty() ? defaults(describe()) : result.params);
  s.out = protocol::read_outputs<Output>(result);
  s.out.complete = result.complete, s.difference = result.difference;
  const double query = s.out.query.value;
  s.query = query >= 0 && query < 1e6 ? static_cast<int>(query) : -1;
  return s;
}

// ---- points of the curve

using Vec = std::vector<double>;

inline Vec at(const protocol::Grid& grid, std::size_t i) { return {grid(i, 0), grid(i, 1), grid(i, 2)}; }
inline Vec plus(const Vec& a, const Vec& b, double times) {
  return {a[0] + times * b[0], a[1] + times * b[1], a[2] + times * b[2]};
}
inline double length(const Vec& v) { return std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

/// The largest entry but for one in fifty: a few rows at the start hold far larger ones than all others.
inline double most_of(const std::vector<double>& values) {
  std::vector<double> some;
  for (const double x : values)
    if (std::isfinite(x) && x > 0) some.push_back(x);
  if (some.empty()) return 1;
  const auto at = some.begin() + static_cast<std::ptrdiff_t>(some.size() - 1 - some.size() / 50);
  std::nth_element(some.begin(), at, some.end());
  return *at;
}

}  // namespace helix::studies::position_scores
