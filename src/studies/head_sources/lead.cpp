#include "studies/head_sources/lead.h"

#include <algorithm>
#include <cmath>

#include "base/pcg64.h"
#include "geometry/dense.h"
#include "studies/null_range.h"

namespace helix::studies::head_sources {
namespace {

std::size_t seen_by(std::size_t query, std::size_t tokens, bool causal) { return causal ? query + 1 : tokens; }

/// Keys that followed an earlier copy of the query's token; the query itself and the token before it are left out.
std::vector<std::size_t> followers(const std::vector<std::int32_t>& ids, std::size_t query) {
  std::vector<std::size_t> out;
  for (std::size_t copy = 0; copy + 2 < query; ++copy)
    if (ids[copy] == ids[query]) out.push_back(copy + 1);
  return out;
}

std::vector<std::size_t> keys_of(Target target, const std::vector<std::int32_t>& ids, std::span<const double> row,
                                 std::size_t query, std::size_t seen) {
  switch (target) {
    case Target::most:
      return {static_cast<std::size_t>(std::ranges::max_element(row.first(seen)) - row.begin())};
    case Target::previous:
      return query > 0 ? std::vector<std::size_t>{query - 1} : std::vector<std::size_t>();
    case Target::induction:
      return followers(ids, query);
    case Target::first:
      return {0};
    case Target::self:
      return {query};
  }
  return {};
}

}  // namespace

Targets targets_of(Target target, const std::vector<std::int32_t>& ids, const Matrix<double>& pattern, bool causal,
                   int query) {
  Targets out(ids.size());
  for (std::size_t i = causal ? 1 : 0; i < ids.size(); ++i)
    if (query < 0 || i == static_cast<std::size_t>(query))
      out[i] = keys_of(target, ids, pattern.row(i), i, seen_by(i, ids.size(), causal));
  return out;
}

std::size_t count_of(const Targets& targets) {
  return static_cast<std::size_t>(std::ranges::count_if(targets, [](const auto& keys) { return !keys.empty(); }));
}

Matrix<double> pair_weights(const Targets& targets, std::size_t tokens, bool causal) {
  Matrix<double> out(tokens, tokens);
  const auto count = static_cast<double>(count_of(targets));
  for (std::size_t i = 0; i < tokens; ++i) {
    if (targets[i].empty()) continue;
    const std::size_t seen = seen_by(i, tokens, causal);
    for (std::size_t j = 0; j < seen; ++j) out(i, j) -= 1 / static_cast<double>(seen) / count;
    for (const std::size_t j : targets[i]) out(i, j) += 1 / static_cast<double>(targets[i].size()) / count;
  }
  return out;
}

double attention_to(const Targets& targets, const Matrix<double>& pattern) {
  double sum = 0;
  for (std::size_t i = 0; i < targets.size(); ++i)
    for (const std::size_t j : targets[i]) sum += pattern(i, j);
  return sum / static_cast<double>(count_of(targets));
}

double even_attention(const Targets& targets, std::size_t tokens, bool causal) {
  double sum = 0;
  for (std::size_t i = 0; i < targets.size(); ++i)
    sum += static_cast<double>(targets[i].size()) / static_cast<double>(seen_by(i, tokens, causal));
  return sum / static_cast<double>(count_of(targets));
}

Matrix<double> pull_of(const Matrix<double>& pairs, const Matrix<double>& other, Through through) {
  Matrix<double> out(other.rows, other.cols);
  const double root = std::sqrt(static_cast<double>(other.cols));
  if (through == Through::keys)
    geometry::map(out).noalias() = geometry::map(pairs).transpose() * geometry::map(other) / root;
  else
    geometry::map(out).noalias() = geometry::map(pairs) * geometry::map(other) / root;
  return out;
}

double lead_of(const Matrix<double>& rows, const Matrix<double>& pull) { return inner(rows, pull); }

Matrix<double> folded(const Matrix<double>& w, const std::vector<double>& gain) {
  Matrix<double> out = w;
  std::vector<double> mean(w.cols, 0);
  for (std::size_t i = 0; i < w.rows; ++i)
    for (std::size_t j = 0; j < w.cols; ++j) mean[j] += (out(i, j) *= gain[i]) / static_cast<double>(w.rows);
  for (std::size_t i = 0; i < w.rows; ++i)
    for (std::size_t j = 0; j < w.cols; ++j) out(i, j) -= mean[j];
  return out;
}

std::vector<Matrix<double>> random_folded(const Matrix<double>& w, const std::vector<double>& gain) {
  const auto n = static_cast<double>(w.data.size());
  double mean = 0, square = 0;
  for (const double x : w.data) mean += x / n;
  for (const double x : w.data) square += (x - mean) * (x - mean) / n;
  std::vector<Matrix<double>> out;
  for (std::uint32_t seed = 1; seed <= kNullSeeds; ++seed) {
    Matrix<double> drawn(w.rows, w.cols);
    Pcg64(seed).normal(std::span(drawn.data));
    for (double& x : drawn.data) x = mean + std::sqrt(square) * x;
    out.push_back(folded(drawn, gain));
  }
  return out;
}

Matrix<double> outer_sum(MatrixView<const float> rows, const Matrix<double>& pull) {
  Matrix<double> out(rows.cols, pull.cols);
  for (std::size_t i = 0; i < rows.rows; ++i)
    for (std::size_t a = 0; a < rows.cols; ++a) {
      const auto x = static_cast<double>(rows(i, a));
      for (std::size_t b = 0; b < pull.cols; ++b) out(a, b) += x * pull(i, b);
    }
  return out;
}

double inner(const Matrix<double>& a, const Matrix<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.data.size(); ++i) sum += a.data[i] * b.data[i];
  return sum;
}

}  // namespace helix::studies::head_sources
