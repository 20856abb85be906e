// A run's result as the view and its tables read it.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "studies/attention/attention.h"
#include "studies/scaled_heads.h"
#include "studies/token_text.h"
#include "studies/undefined.h"

namespace helix::studies::attention {

using protocol::Array;
using protocol::Result;

/// The array if it has this many axes and as many numbers as they require, else null; large arrays are not copied.
inline const Array* whole(const Result& result, std::string_view name, std::size_t axes) {
  const Array* a = result.array(name);
  if (!a || a->shape.size() != axes) return nullptr;
  std::size_t size = 1;
  for (const std::size_t extent : a->shape) size *= extent;
  return size && a->data.size() == size ? a : nullptr;
}

inline double scalar(const Result& result, std::string_view name) {
  const protocol::Scalar* s = result.scalar(name);
  return s ? s->value : std::nan("");
}

/// A mean of the chosen head, and what a head that looks everywhere equally has on the same tokens.
struct Mean {
  protocol::Quantity here;
  double even = std::nan("");
};

inline Mean mean(const Result& result, const std::string& name) {
  const protocol::Scalar* s = result.scalar(name);
  return {s ? protocol::Quantity{s->value, s->note} : protocol::Quantity(), scalar(result, "even_" + name)};
}

/// "layer 4, head 3"
inline std::string head_name(int layer, int head) {
  return say("head", {{"layer", std::to_string(layer)}, {"head", std::to_string(head)}});
}

/// The result, without copies of its arrays.
struct Scene {
  const Result& result;
  Params params;
  const Array* pattern;
  const Array* was;       // the pattern without the edits; null where there is none
  const Array* by_head;   // mean attention to the previous token
  const Array* patterns;  // of all heads, pooled
  Mean previous, self, first, induction;
  double repeats;
  std::vector<ScaledHead> scaled;  // by edits
  std::size_t block;               // tokens per cell of the pattern, in each direction

  std::size_t chosen_layer() const { return static_cast<std::size_t>(params.layer); }
  std::size_t chosen_head() const { return static_cast<std::size_t>(params.head); }
  std::size_t rows() const { return pattern ? pattern->shape[0] : 0; }
  std::size_t cols() const { return pattern ? pattern->shape[1] : 0; }
  double operator()(std::size_t q, std::size_t k) const { return pattern->data[q * cols() + k]; }
  bool is_pattern() const { return params.stage == Stage::pattern; }
  std::string head() const { return head_name(params.layer, params.head); }
  std::string number() const { return std::to_string(params.layer) + "." + std::to_string(params.head); }
  /// Blocks of tokens are not positions: they have axes of their own.
  std::string query_axis() const { return block > 1 ? "query_block" : "query"; }
  std::string key_axis() const { return block > 1 ? "key_block" : "key"; }
  /// `query 7 “ mat”`, or `queries 14 to 15`.
  std::string place(bool query, std::size_t i) const {
    if (block == 1) return place_text(result, query ? "query" : "key", static_cast<int>(i));
    const std::size_t last = std::min((i + 1) * block, std::max(result.tokens.size(), i * block + 1)) - 1;
    return say(query ? "place.queries" : "place.keys",
               {{"first", std::to_string(i * block)}, {"last", std::to_string(last)}});
  }
  std::string token(std::size_t i) const { return token_at(result, static_cast<int>(i * block)); }
  std::string what() const { return say(is_pattern() ? "what.attention" : "what.score"); }
};

/// The number of tokens per cell.
inline std::size_t block_of(const Result& result) {
  const Array* pattern = whole(result, "pattern", 2);
  return pattern ? std::max<std::size_t>((result.tokens.size() + pattern->shape[0] - 1) / pattern->shape[0], 1) : 1;
}

inline Scene read(const Result& result) {
  return {result,
          read_params<Params>(result.params.empty() ? defaults(describe()) : result.params),
          whole(result, "pattern", 2),
          result.difference ? nullptr : whole(result, "was", 2),
          whole(result, "previous_by_head", 2),
          whole(result, "heads", 4),
          mean(result, "previous"),
          mean(result, "self"),
          mean(result, "first"),
          mean(result, "induction"),
          scalar(result, "repeats"),
          scaled_heads(result.edits),
          block_of(result)};
}

}  // namespace helix::studies::attention
