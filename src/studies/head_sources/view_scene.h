// A result as its figure, tables and readings need it.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/text.h"
#include "studies/head_sources/head_sources.h"
#include "studies/null_range.h"

namespace helix::studies::head_sources {

struct Scene {
  Output out;
  Params params;
  std::string model;
  bool difference = false, complete = true;
  std::size_t layers = 0, heads = 0;  // earlier layers, and heads of each
  NullRange random{}, random_composition{}, random_readers{};

  bool keys() const { return params.through == Through::keys; }
  /// Of the composition.
  std::string kind() const { return keys() ? "K" : "Q"; }
  const protocol::Grid& composition() const { return keys() ? out.k_composition : out.q_composition; }
  std::size_t count() const { return layers * heads; }
  bool has_weights() const { return count() > 0; }
  bool has_text() const { return std::isfinite(out.lead.value); }
  bool has_removals() const { return has_text() && out.ablated.data.size() == count() && count() > 0; }
  std::string head() const { return number_text(out.layer.value, 0) + "." + std::to_string(params.head); }
  std::string name(std::size_t i) const { return std::to_string(i / heads) + "." + std::to_string(i % heads); }
};

inline std::size_t largest_at(const std::vector<double>& values) {
  std::size_t at = 0;
  for (std::size_t i = 1; i < values.size(); ++i)
    if (values[i] > values[at] || !std::isfinite(values[at])) at = i;
  return at;
}

inline double value_at(const protocol::Grid& grid, std::size_t i) {
  return i < grid.data.size() ? grid.data[i] : std::nan("");
}

inline Scene read_scene(const protocol::Result& result) {
  Scene s{protocol::read_outputs<Output>(result),
          read_params<Params>(result.params.empty() ? defaults(describe()) : result.params), result.provenance.model,
          result.difference, result.complete};
  protocol::Grid& first = s.out.k_composition;
  if (first.shape.size() == 2 && first.shape[0] > 0 && first.shape[1] > 0 &&
      first.data.size() == first.shape[0] * first.shape[1])
    s.layers = first.shape[0], s.heads = first.shape[1];
  for (protocol::Grid* grid : {&s.out.k_composition, &s.out.q_composition, &s.out.v_composition, &s.out.contribution,
                               &s.out.ablated, &s.out.attention_without, &s.out.readers_composition})
    if (grid->shape != std::vector<std::size_t>{s.layers, s.heads} || grid->data.size() != s.count()) *grid = {};
  if (s.out.parts.size() != s.out.part.data.size()) s.out.parts.clear(), s.out.part = {};
  if (s.out.part_ablated.data.size() != s.out.parts.size()) s.out.part_ablated = {};
  s.random = range_of(s.out.random_strongest.data);
  s.random_composition = range_of(s.out.random_composition.data);
  s.random_readers = range_of(s.out.random_readers.data);
  return s;
}

inline constexpr const char* kTargets[] = {"target.most", "target.previous", "target.induction", "target.first",
                                           "target.self"};
inline std::string target_text(const Scene& s) { return say(kTargets[static_cast<std::size_t>(s.params.target)]); }

/// "query 5", or "mean over 12 queries".
inline std::string queries_text(const Scene& s) {
  return s.params.query >= 0 ? say("queries.one", {{"query", std::to_string(s.params.query)}})
                             : say("queries.mean", {{"n", to_fixed(s.out.queries.value, 0)}});
}

/// "−0.42", never "−0.00".
inline std::string score_text(double value) {
  const std::string text = number_text(value, 2);
  return std::abs(value) < 0.005 && std::isfinite(value) ? "0.00" : text;
}

}  // namespace helix::studies::head_sources
