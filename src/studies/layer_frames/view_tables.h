// What the view reads of a result, and the tables below the figure.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "figure/figure.h"
#include "studies/layer_frames/layer_frames.h"
#include "studies/model_name.h"

namespace helix::studies::layer_frames {

using protocol::Grid;

inline constexpr float kHigh = 320, kLow = 150;  // heights of the upper and the lower plots

struct Scene {
  Output out;
  Params params;
  std::string model;
  bool difference = false, complete = true;
  std::size_t layers = 0;  // 0: nothing was computed

  bool empty() const { return layers == 0; }
  bool known() const { return !empty() && std::isfinite(out.dispersion.value); }
};

inline double at(const Grid& grid, std::size_t i) { return i < grid.data.size() ? grid.data[i] : std::nan(""); }

inline Scene read(const protocol::Result& result) {
  Scene s{protocol::read_outputs<Output>(result),
          read_params<Params>(result.params.empty() ? defaults(describe()) : result.params),
          spoken_name(result.provenance.model), result.difference, result.complete};
  const std::size_t n = s.out.dimensions.data.size();
  const auto square = [&](const Grid& grid) {
    return grid.shape == std::vector<std::size_t>{n, n} && grid.data.size() == n * n;
  };
  if (square(s.out.angles) && square(s.out.overlap)) s.layers = n;
  return s;
}

/// Mean principal angle of two layers, in degrees.
inline double mean_angle(const Scene& s, std::size_t i, std::size_t j) {
  return s.out.angles(i, j) / std::min(at(s.out.dimensions, i), at(s.out.dimensions, j));
}

inline std::string random_text(double share) { return say("random_frames", {{"share", percent_text(share, 1)}}); }

/// Every criterion's numbers, and those of the text.
inline figure::Table conventions(const Scene& s) {
  const auto column = [](const char* name, const char* unit, int digits, const Grid& values) {
    return figure::Table::Column{name, unit, digits, values.data, {}};
  };
  figure::Table t{say("table.conventions"),
                  {{"signal", "", 0, {}},
                   column("dimensions", "mean", 1, s.out.rule_dimensions),
                   column("of noise", "mean", 1, s.out.rule_noise),
                   column("angles, mean", "°", 2, s.out.rule_angle),
                   column("most", "°", 2, s.out.rule_most),
                   column("least", "°", 2, s.out.rule_least),
                   column("neighbours", "°", 2, s.out.rule_consecutive),
                   column("dispersion", "", 3, s.out.rule_dispersion),
                   column("union rank", "", 0, s.out.rule_union)}};
  if (s.out.rule_dimensions.data.size() != kCriteria || s.difference) return {t.title, {{"signal", "", 0, {}}}};
  const double none = std::nan("");
  const StudySchema schema = describe();
  for (const Choice& choice : schema.find("criterion")->choices) {
    t.columns[0].texts.push_back(choice.label);
    t.go.push_back("from=here&criterion=" + choice.id);
  }
  for (auto& c : t.columns)
    if (c.texts.empty()) c.values.resize(kCriteria, none);
  for (const Stated& one : kStated) {
    t.columns[0].texts.push_back(say("table.text", {{"tokens", with_thousands(static_cast<long long>(one.tokens))}}));
    const double row[] = {
        one.mean / (90 * one.dispersion),          none, one.mean, one.most, one.least, none, one.dispersion,
        one.union_rank > 0 ? one.union_rank : none};
    for (std::size_t i = 0; i < std::size(row); ++i) t.columns[i + 1].values.push_back(row[i]);
  }
  t.go.resize(t.columns[0].texts.size());
  t.help = say("hint.criterion");
  t.open = true, t.over = {"criterion"};
  return t;
}

inline std::vector<double> counted(std::size_t count, std::size_t first = 0) {
  std::vector<double> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(static_cast<double>(first + i));
  return out;
}

/// The lengths of the text, and those at which the source states something, each with the numbers that there are.
inline figure::Table trends(const Scene& s) {
  const Output& o = s.out;
  const double none = std::nan("");
  figure::Table t{say("table.trends"),
                  {{"tokens", "", 0, o.length.data},
                   {"signal dimensions", "mean", 1, o.length_dimensions.data},
                   {"sum of angles", "°", 2, o.length_angle.data},
                   {"source's", "°", 2, {}},
                   {"of random frames", "°", 2, o.length_random_angle.data},
                   {"dispersion", "fraction", 3, o.length_dispersion.data},
                   {"source's", "fraction", 3, {}},
                   {"of random frames", "fraction", 3, o.length_random.data},
                   {"union rank", "", 0, o.length_union.data},
                   {"source's", "", 0, {}}}};
  for (const Stated& one : kStated)
    if (std::ranges::find(o.length.data, one.tokens) == o.length.data.end()) t.columns[0].values.push_back(one.tokens);
  for (auto& c : t.columns) c.values.resize(t.columns[0].values.size(), none);
  for (std::size_t i = 0; i < t.columns[0].values.size(); ++i)
    for (const Stated& one : kStated)
      if (t.columns[0].values[i] == one.tokens) {
        t.columns[3].values[i] = one.mean, t.columns[6].values[i] = one.dispersion;
        if (one.union_rank > 0) t.columns[9].values[i] = one.union_rank;
      }
  t.open = true, t.over = {"length"};
  return t;
}

}  // namespace helix::studies::layer_frames
