#include "studies/collisions/search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "geometry/pca.h"
#include "geometry/products.h"

namespace helix::studies::collisions {
namespace {

constexpr std::size_t kDirections = 32;  // principal components of the positions: 99.9 % of the variance in GPT-2 small
constexpr std::size_t kBlock = 256;      // tokens between two pauses in the first pass
constexpr std::size_t kAtOnce = 16;      // tokens compared with all positions between two pauses, about 4 ms
constexpr double kSlack = 1e-6;          // relative to ‖Δe‖: more than rounding can add to a bound

using Rows = std::shared_ptr<const geometry::RowBlocks>;

double square(std::span<const double> x) {
  double sum = 0;
  for (const double v : x) sum += v * v;
  return sum;
}

void subtract(std::span<double> from, std::span<const double> what) {
  for (std::size_t j = 0; j < from.size(); ++j) from[j] -= what[j];
}

/// The positions minus the requested one, and their largest distance from the main directions.
struct Differences {
  std::shared_ptr<Matrix<double>> rows;
  std::vector<double> squares;  // [m]
  Matrix<double> directions;    // orthonormal rows
  double outside = 0;           // the largest distance of a difference from their span
};

Task<Differences> position_differences(std::shared_ptr<const Matrix<double>> positions, std::size_t asked) {
  Differences out;
  geometry::Pca fit = co_await geometry::top_components(positions, true, kDirections, {});
  out.directions = std::move(fit.directions);
  out.rows = std::make_shared<Matrix<double>>(*positions);
  for (std::size_t i = 0; i < out.rows->rows; ++i) {
    subtract(out.rows->row(i), positions->row(asked));
    out.squares.push_back(square(out.rows->row(i)));
  }
  co_await pause_point();
  Matrix<double> along(out.rows->rows, out.directions.rows);
  geometry::inner_products(*out.rows, out.directions, along.view());
  for (std::size_t i = 0; i < along.rows; ++i)
    out.outside = std::max(out.outside, std::sqrt(std::max(out.squares[i] - square(along.row(i)), 0.0)));
  co_return std::move(out);
}

/// The result of the first pass over all tokens.
struct Overview {
  std::vector<double> squares, bounds;  // [n] ‖Δe‖², and a lower bound on the squared distance at any position
  std::vector<double> sums;             // [d] of all Δe
};

Task<Expected<Overview>> overview_of(Rows tokens, std::shared_ptr<const std::vector<double>> asked,
                                     std::shared_ptr<const Differences> positions) {
  Overview out;
  out.sums.assign(tokens->cols, 0);
  Matrix<double> block(kBlock, tokens->cols), along(kBlock, positions->directions.rows);
  for (std::size_t first = 0; first < tokens->rows; first += kBlock) {
    const std::size_t count = std::min(kBlock, tokens->rows - first);
    if (const auto ok = tokens->read(first, block.view().slice(0, count)); !ok) co_return ok.error();
    for (std::size_t i = 0; i < count; ++i) {
      subtract(block.row(i), *asked);
      out.squares.push_back(square(block.row(i)));
      for (std::size_t j = 0; j < out.sums.size(); ++j) out.sums[j] += block(i, j);
    }
    co_await pause_point(static_cast<double>(first), static_cast<double>(tokens->rows), "tokens");
    geometry::inner_products(block.view().slice(0, count), positions->directions, along.view().slice(0, count));
    for (std::size_t i = 0; i < count; ++i) {
      const double outside = std::sqrt(std::max(out.squares[first + i] - square(along.row(i)), 0.0)),
                   slack = kSlack * std::sqrt(out.squares[first + i]),
                   least = std::max(outside - positions->outside - slack, 0.0);
      out.bounds.push_back(least * least);
    }
    co_await pause_point();
  }
  co_return std::move(out);
}

bool is_nearer(const Near& a, const Near& b) {
  return std::pair(a.distance, std::pair(a.token, a.position)) < std::pair(b.distance, std::pair(b.token, b.position));
}

/// The nearest sums so far, as a heap with the farthest on top; its distances are squared.
class Nearest {
 public:
  explicit Nearest(std::size_t count) : count_(count) {}
  double worst() const {
    return heap_.size() < count_ ? std::numeric_limits<double>::infinity() : heap_.front().distance;
  }
  void offer(const Near& near) {
    if (!(near.distance <= worst())) return;
    heap_.push_back(near);
    std::ranges::push_heap(heap_, is_nearer);
    if (heap_.size() <= count_) return;
    std::ranges::pop_heap(heap_, is_nearer);
    heap_.pop_back();
  }
  std::vector<Near> take() { return std::move(heap_); }

 private:
  std::size_t count_;
  std::vector<Near> heap_;
};

/// Mean of ‖Δe + Δp‖² over all sums that differ in both: it runs over all pairs, so the separate means suffice.
double mean_square(const Overview& tokens, const Differences& positions) {
  const auto n = static_cast<double>(tokens.squares.size()) - 1, m = static_cast<double>(positions.squares.size()) - 1;
  std::vector<double> sums(tokens.sums.size(), 0);
  for (std::size_t i = 0; i < positions.rows->rows; ++i)
    for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += (*positions.rows)(i, j);
  double inner = 0;
  for (std::size_t j = 0; j < sums.size(); ++j) inner += sums[j] / m * (tokens.sums[j] / n);
  const auto mean = [](const std::vector<double>& squares, double count) {
    return std::accumulate(squares.begin(), squares.end(), 0.0) / count;
  };
  return mean(tokens.squares, n) + mean(positions.squares, m) + 2 * inner;
}

/// The index of the smallest of `squares` other than `asked`.
std::size_t nearest_other(const std::vector<double>& squares, std::size_t asked) {
  std::size_t best = asked == 0 ? 1 : 0;
  for (std::size_t i = 0; i < squares.size(); ++i)
    if (i != asked && squares[i] < squares[best]) best = i;
  return best;
}

/// Recomputes the distances directly, and sorts: the expanded form loses some digits.
Task<Expected<std::vector<Near>>> exact(std::vector<Near> nearest, Rows tokens,
                                        std::shared_ptr<const std::vector<double>> asked,
                                        std::shared_ptr<const Differences> positions) {
  Matrix<double> row(1, tokens->cols);
  for (Near& near : nearest) {
    if (const auto ok = tokens->read(near.token, row.view()); !ok) co_return ok.error();
    subtract(row.row(0), *asked);
    near.token_distance = std::sqrt(square(row.row(0)));
    near.position_distance = std::sqrt(positions->squares[near.position]);
    double sum = 0;
    for (std::size_t j = 0; j < row.cols; ++j) {
      const double x = row(0, j) + (*positions->rows)(near.position, j);
      sum += x * x;
    }
    near.distance = std::sqrt(sum);
  }
  std::ranges::sort(nearest, is_nearer);
  co_await pause_point();
  co_return std::move(nearest);
}

}  // namespace

Task<Expected<Found>> search(Rows tokens, std::shared_ptr<const Matrix<double>> table, Asked asked) {
  const std::size_t n = tokens->rows, d = tokens->cols, m = table->rows;
  const auto positions = std::make_shared<const Differences>(co_await position_differences(table, asked.position));
  Matrix<double> own(1, d);
  if (const auto ok = tokens->read(asked.token, own.view()); !ok) co_return ok.error();
  const auto vector = std::make_shared<const std::vector<double>>(own.data);
  const auto all = co_await overview_of(tokens, vector, positions);
  if (!all) co_return all.error();
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t t) { return all->bounds[t]; });
  Nearest nearest(asked.count);
  Matrix<double> block(kAtOnce, d), products(kAtOnce, m);
  std::size_t looked_at = 0;
  while (looked_at < n && all->bounds[order[looked_at]] <= nearest.worst()) {
    const std::size_t count = std::min(kAtOnce, n - looked_at);
    for (std::size_t i = 0; i < count; ++i) {
      if (const auto ok = tokens->read(order[looked_at + i], block.view().slice(i, 1)); !ok) co_return ok.error();
      subtract(block.row(i), *vector);
    }
    geometry::inner_products(block.view().slice(0, count), *positions->rows, products.view().slice(0, count));
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t token = order[looked_at + i];
      for (std::size_t p = 0; p < m && token != asked.token; ++p)
        if (p != asked.position)
          nearest.offer({token, p, all->squares[token] + 2 * products(i, p) + positions->squares[p]});
    }
    looked_at += count;
    co_await pause_point(static_cast<double>(looked_at), static_cast<double>(n), "sums");
  }
  Found found;
  auto listed = co_await exact(nearest.take(), tokens, vector, positions);
  if (!listed) co_return listed.error();
  found.nearest = std::move(*listed);
  const std::size_t token = nearest_other(all->squares, asked.token),
                    position = nearest_other(positions->squares, asked.position);
  const double apart = std::sqrt(all->squares[token]);
  found.same_position = {token, asked.position, apart, apart, 0};
  found.same_token = std::sqrt(positions->squares[position]);
  found.typical = std::sqrt(mean_square(*all, *positions));
  found.compared = static_cast<double>(looked_at) / static_cast<double>(n);
  co_return std::move(found);
}

}  // namespace helix::studies::collisions
