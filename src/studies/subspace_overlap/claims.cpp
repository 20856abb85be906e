#include "studies/subspace_overlap/claims.h"

#include <algorithm>
#include <optional>

#include "base/text.h"

namespace helix::studies::subspace_overlap {
namespace {

using protocol::Claim;

constexpr std::size_t kTop = 30, kWide = 100;  // directions

/// The sum over the part of a block that lies within the matrix.
double mass(const Matrix<double>& m, std::size_t first_row, std::size_t rows, std::size_t first_col, std::size_t cols) {
  double sum = 0;
  for (std::size_t i = first_row; i < std::min(first_row + rows, m.rows); ++i)
    for (std::size_t j = first_col; j < std::min(first_col + cols, m.cols); ++j) sum += m(i, j);
  return sum;
}

std::size_t last(std::size_t count, std::size_t of) { return of > count ? of - count : 0; }

std::optional<std::size_t> find(const protocol::Texts& ids, const char* id) {
  const auto at = std::ranges::find(ids, id);
  return at == ids.end() ? std::nullopt : std::optional(static_cast<std::size_t>(at - ids.begin()));
}

/// A pair in either order; nothing if one of the two is missing.
std::optional<Corners> pair_of(const Output& out, const Masses& masses, const char* a, const char* b) {
  if (const auto i = find(out.ids_a, a), j = find(out.ids_b, b); i && j) return masses(*i, *j);
  const auto i = find(out.ids_a, b), j = find(out.ids_b, a);
  if (!i || !j) return std::nullopt;
  const Corners c = masses(*i, *j);
  return Corners{c.dot, c.b_in_top_a, c.b_in_bottom_a, c.a_in_top_b, c.a_in_bottom_b, c.b_chance, c.a_chance};
}

std::string convention(const Params& params) {
  std::string text =
      "singular directions on the side of the residual stream: right ones of a table, and of a weight written out × in "
      "(stored as in × out, it has them on the left)";
  if (params.gain) text += ", LayerNorm gain folded in";
  return text + (params.centre ? ", centred" : ", not centred");
}

std::string of_top(double held, double chance) {
  return to_fixed(held, 1) + " of " + std::to_string(kTop) + " (chance " + to_fixed(chance, 1) + ")";
}

Claim positions_and_tokens(const Corners& c, const std::string& how) {
  return {"O3",
          c.a_in_bottom_b,
          c.a_in_bottom_b > c.a_chance && c.b_in_bottom_a > c.b_chance,
          {},
          how + "; of the first 30 directions of wpe the last 100 of wte hold " + of_top(c.a_in_bottom_b, c.a_chance) +
              ", of those of wte the last 100 of wpe hold " + of_top(c.b_in_bottom_a, c.b_chance)};
}

Claim queries_and_keys(const Corners& q, const Corners& k, const std::string& how) {
  const double dot = std::min(q.dot, k.dot);
  return {"O4",
          dot,
          dot >= 0.5,
          {},
          how + "; the largest overlap among the first five directions of both is " + to_fixed(q.dot, 3) +
              " for W_Q and " + to_fixed(k.dot, 3) + " for W_K, and at least 0.5 of both holds"};
}

Claim first_mlp(const Corners& tokens, const Corners& positions, const std::string& how) {
  return {"O5",
          positions.b_in_top_a,
          tokens.b_in_top_a > tokens.b_chance && positions.b_in_top_a < positions.b_chance,
          {},
          how + "; of the first 30 directions of wpe the first 100 of the MLP input hold " +
              of_top(positions.b_in_top_a, positions.b_chance) + ", of those of wte " +
              of_top(tokens.b_in_top_a, tokens.b_chance)};
}

}  // namespace

void Masses::add(std::size_t i, std::size_t j, const Matrix<double>& m, std::size_t dimension) {
  const auto chance = [&](std::size_t of, std::size_t within) {
    return static_cast<double>(std::min(kTop, of) * std::min(kWide, within)) / static_cast<double>(dimension);
  };
  Corners& c = corners_[i * cols_ + j];
  for (std::size_t row = 0; row < std::min(kCorner, m.rows); ++row)
    for (std::size_t col = 0; col < std::min(kCorner, m.cols); ++col) c.dot = std::max(c.dot, m(row, col));
  c.a_in_top_b = mass(m, 0, kTop, 0, kWide), c.a_in_bottom_b = mass(m, 0, kTop, last(kWide, m.cols), kWide);
  c.b_in_top_a = mass(m, 0, kWide, 0, kTop), c.b_in_bottom_a = mass(m, last(kWide, m.rows), kWide, 0, kTop);
  c.a_chance = chance(m.rows, m.cols), c.b_chance = chance(m.cols, m.rows);
}

std::vector<Claim> claims(const Params& params, const Output& output, const Masses& masses) {
  std::vector<Claim> out;
  if (params.side != Side::residual || params.layer != 0 || params.head >= 0) return out;
  const std::string how = convention(params);
  const auto pair = [&](const char* a, const char* b) { return pair_of(output, masses, a, b); };
  if (const auto both = pair("wpe", "wte")) out.push_back(positions_and_tokens(*both, how));
  if (const auto q = pair("q", "wpe"), k = pair("k", "wpe"); q && k) out.push_back(queries_and_keys(*q, *k, how));
  if (const auto tokens = pair("fc", "wte"), positions = pair("fc", "wpe"); tokens && positions)
    out.push_back(first_mlp(*tokens, *positions, how));
  return out;
}

}  // namespace helix::studies::subspace_overlap
