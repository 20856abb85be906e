#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "base/random.h"
#include "base/text.h"
#include "geometry/products.h"
#include "geometry/singular.h"
#include "geometry/sinusoids.h"
#include "studies/context_compute.h"
#include "studies/helix_compute.h"
#include "studies/judged.h"
#include "studies/null_range.h"
#include "studies/position_vectors/position_vectors.h"
#include "studies/walks_compute.h"

namespace helix::studies::position_vectors {
namespace {

using protocol::Quantity;

constexpr std::uint64_t kSeed = 1;
constexpr std::size_t kRandom = 32;  // random directions averaged for the baseline
constexpr double kHeld = 0.9;        // of the mass, for the dimensions of `union_90`
constexpr double kVanished = 1e-7;   // relative to the largest singular value: below, directions are rounding noise
constexpr double kStatedThreshold = 0.05, kFewest = 30, kMostIndices = 50;  // claim O6: "about 40"
constexpr double kSparse = 0.25;         // at most this fraction of a random direction's participation ratio
constexpr std::size_t kFewestRows = 10;  // of a table that random walks are compared with
constexpr double kWave = 0.5;            // least R² of a left vector's sinusoid: more than everything else together

/// The largest singular vectors of one table: a quarter of a second for GPT-2 small, so they are cached.
struct Vectors {
  std::vector<double> values;
  Matrix<double> left, right;  // [vector, position], [vector, dimension]; unit rows
  std::vector<geometry::Sinusoid> waves;
  std::vector<double> shuffled;  // R² of the best-fitting sinusoid to each shuffled left vector

  std::size_t bytes() const { return (left.data.size() + right.data.size()) * sizeof(double); }
};

std::vector<ModelNeeds> needs(const ParamValues& values, const Known&) {
  return needs_of(read_params<Params>(values).source);
}

/// A column of equal entries becomes exactly zero, whatever rounding makes of its mean.
void subtract_mean(Matrix<double>& rows) {
  for (std::size_t j = 0; j < rows.cols; ++j) {
    double mean = 0;
    bool equal = true;
    for (std::size_t i = 0; i < rows.rows; ++i) equal = equal && rows(i, j) == rows(0, j);
    for (std::size_t i = 0; equal && i < rows.rows; ++i) rows(i, j) = 0;
    for (std::size_t i = 0; i < rows.rows; ++i) mean += rows(i, j) / static_cast<double>(rows.rows);
    for (std::size_t i = 0; i < rows.rows; ++i) rows(i, j) -= mean;
  }
}

/// Whether the k-th singular value is more than rounding: otherwise its vectors are arbitrary.
bool is_known(const std::vector<double>& values, std::size_t k) { return values[k] > kVanished * values[0]; }

/// uᵢ = P vᵢ / σᵢ; NaN if the singular value is rounding noise.
Matrix<double> left_vectors(const Matrix<double>& rows, const geometry::Singular& found) {
  Matrix<double> products(rows.rows, found.directions.rows), left(found.directions.rows, rows.rows);
  geometry::inner_products(rows, found.directions, products.view());
  for (std::size_t k = 0; k < left.rows; ++k) {
    const double scale = is_known(found.values, k) ? 1 / found.values[k] : std::nan("");
    for (std::size_t i = 0; i < left.cols; ++i) left(k, i) = products(i, k) * scale;
  }
  return left;
}

Task<Expected<Vectors>> vectors_of(Matrix<double> table, bool centre) {
  if (centre) subtract_mean(table);
  const auto rows = std::make_shared<const Matrix<double>>(std::move(table));
  auto found = co_await geometry::right_singular(geometry::row_blocks(rows), false, kMost);
  if (!found) co_return found.error();
  if (found->values.empty()) co_return Error{"The table of positions has no numbers, so no singular vectors."};
  Vectors out;
  out.left = left_vectors(*rows, *found);
  for (std::size_t k = 0; k < found->directions.rows; ++k)
    if (!is_known(found->values, k)) std::ranges::fill(found->directions.row(k), std::nan(""));
  out.values = std::move(found->values), out.right = std::move(found->directions);
  std::uint64_t state = kSeed;
  for (std::size_t k = 0; k < out.left.rows; ++k) {
    co_await pause_point();
    std::vector<double> u(out.left.row(k).begin(), out.left.row(k).end());
    out.waves.push_back(geometry::fit_sinusoid(u));
    shuffle(u, state);
    out.shuffled.push_back(geometry::fit_sinusoid(u).r2);
  }
  co_return std::move(out);
}

/// (Σv²)² / Σv⁴: 1 for a vector of one entry, their number for equal entries.
double participation(std::span<const double> v) {
  double square = 0, fourth = 0;
  for (const double x : v) square += x * x, fourth += x * x * x * x;
  return square * square / fourth;
}

double count_over(std::span<const double> v, double threshold) {
  return static_cast<double>(std::ranges::count_if(v, [&](double x) { return std::abs(x) > threshold; }));
}

/// The share of the first `count` rows' squared entries that each column holds.
std::vector<double> mass_of(const Matrix<double>& vectors, std::size_t count) {
  std::vector<double> mass(vectors.cols, 0);
  for (std::size_t k = 0; k < count; ++k)
    for (std::size_t j = 0; j < vectors.cols; ++j)
      mass[j] += vectors(k, j) * vectors(k, j) / static_cast<double>(count);
  return mass;
}

/// How many of the largest entries reach this share of the total.
double fewest_for(std::vector<double> mass, double share) {
  std::ranges::sort(mass, std::greater<>());
  double sum = 0;
  for (std::size_t i = 0; i < mass.size(); ++i)
    if ((sum += mass[i]) >= share) return static_cast<double>(i + 1);
  return std::nan("");
}

/// Unit vectors of Gaussian entries: all directions are equally likely.
Matrix<double> random_directions(std::size_t cols) {
  Matrix<double> out(kRandom, cols);
  std::uint64_t state = kSeed;
  for (double& x : out.data) x = random_normal(state);
  for (std::size_t k = 0; k < kRandom; ++k) {
    double square = 0;
    for (const double x : out.row(k)) square += x * x;
    for (double& x : out.row(k)) x /= std::sqrt(square);
  }
  return out;
}

void add_baseline(Output& out, std::size_t count, std::size_t cols, double threshold) {
  Matrix<double> random = random_directions(cols);
  double ratio = 0, over = 0;
  out.random_union_90 = {fewest_for(mass_of(random, count), kHeld), "seed 1"};
  out.random_sorted = {{cols}, std::vector<double>(cols, 0), 1};
  for (std::size_t k = 0; k < kRandom; ++k) {
    ratio += participation(random.row(k)) / kRandom, over += count_over(random.row(k), threshold) / kRandom;
    for (double& x : random.row(k)) x = std::abs(x);
    std::ranges::sort(random.row(k), std::greater<>());
    for (std::size_t j = 0; j < cols; ++j) out.random_sorted.data[j] += random(k, j) / kRandom;
  }
  const std::string how = "mean of 32 random directions of " + std::to_string(cols) + " dimensions, seed 1";
  out.random_participation = {ratio, how}, out.random_over_threshold = {over, how};
}

void add_numbers(Output& out, const Vectors& all, std::size_t count, double threshold) {
  const std::size_t d = all.right.cols;
  std::size_t known = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const bool there = is_known(all.values, k);
    known += there ? 1 : 0;
    out.participation.data.push_back(participation(all.right.row(k)));
    out.over_threshold.data.push_back(there ? count_over(all.right.row(k), threshold) : std::nan(""));
    out.singular_values.data.push_back(all.values[k]);
    out.wave_r2.data.push_back(all.waves[k].r2), out.wave_cycles.data.push_back(all.waves[k].cycles);
    out.shuffled_wave_r2.data.push_back(all.shuffled[k]);
  }
  for (protocol::Grid* g : {&out.participation, &out.over_threshold, &out.singular_values, &out.wave_r2,
                            &out.shuffled_wave_r2, &out.wave_cycles})
    g->shape = {count}, g->first = 1;
  const std::string over = "|v| > " + to_text(threshold), none = "only " + std::to_string(count) + " shown";
  const std::array ratios{&out.participation_1, &out.participation_2, &out.participation_3, &out.participation_4,
                          &out.participation_5};
  const std::array counts{&out.over_threshold_1, &out.over_threshold_2, &out.over_threshold_3, &out.over_threshold_4,
                          &out.over_threshold_5};
  for (std::size_t k = 0; k < kTop; ++k) {
    const std::string why = k < count ? "the singular value is 0: there is no such direction" : none;
    *ratios[k] = k < known ? Quantity{out.participation.data[k], "(Σv²)² / Σv⁴"} : Quantity{.note = why};
    *counts[k] = k < known ? Quantity{out.over_threshold.data[k], over} : Quantity{.note = why};
  }
  out.mass = {{d}, known > 0 ? mass_of(all.right, known) : std::vector<double>(d, std::nan(""))};
  if (known > 0)
    out.union_90 = {fewest_for(out.mass.data, kHeld), "of " + std::to_string(d)};
  else
    out.union_90.note = "all singular values are 0: the rows do not vary";
  if (known < count)
    out.notes.push_back(say("note.known", {{"known", std::to_string(known)}, {"count", std::to_string(count)}}));
  const auto part = [count](const Matrix<double>& m) {
    return protocol::Grid{
        {count, m.cols}, {m.data.begin(), m.data.begin() + static_cast<std::ptrdiff_t>(count * m.cols)}, 1};
  };
  out.left = part(all.left), out.right = part(all.right);
}

/// R² of the sinusoid nearest to each of the first five left vectors of random walks with the table's steps.
Task<Expected<Matrix<double>>> waves_of_walks(std::shared_ptr<const Matrix<double>> table, bool centre) {
  Matrix<double> out(std::min({kTop, table->rows, table->cols}), kNullSeeds);
  for (std::uint32_t seed = 1; seed <= kNullSeeds; ++seed) {
    co_await pause_point(seed, kNullSeeds, "random walks");
    const auto walk = std::make_shared<const Matrix<double>>(walk_like(*table, seed));
    co_await pause_point();
    const geometry::Pca fit = co_await walk_components(walk, centre, out.rows);
    const Matrix<double> along = geometry::project(*walk, fit, out.rows);
    for (std::size_t k = 0; k < out.rows; ++k) {
      std::vector<double> u(along.rows);
      for (std::size_t i = 0; i < u.size(); ++i) u[i] = along(i, k);
      out(k, seed - 1) = geometry::fit_sinusoid(u).r2;
    }
  }
  co_return std::move(out);
}

std::vector<protocol::Claim> claims(const Params& params, const Output& out) {
  const bool asked = params.source == PositionSource::learned && !params.centre && params.count == kTop &&
                     params.threshold == kStatedThreshold;
  if (!asked || out.participation.data.size() != kTop) return {};
  double mean = 0, widest = 0, weakest = 1;
  for (std::size_t k = 0; k < kTop; ++k) {
    mean += out.over_threshold.data[k] / kTop, widest = std::max(widest, out.participation.data[k]);
    weakest = std::min(weakest, out.wave_r2.data[k]);
  }
  const double random = out.random_participation.value;
  const NullRange walks = range_of(out.walk_wave_r2.data);
  const bool waves = weakest >= kWave && (!walks.known() || weakest >= walks.least);
  const bool holds = waves && widest <= kSparse * random && mean >= kFewest && mean <= kMostIndices;
  return {{"O6",
           here_of(mean),
           judged(mean, holds),
           {},
           out.convention + "; mean number of entries above 0.05, at random " +
               to_fixed(out.random_over_threshold.value, 1) + "; " + number_text(out.union_90.value, 0) +
               " dimensions hold 90 % of all five. Holds where the mean is 30 to 50, every participation ratio (here " +
               "at most " + number_text(widest, 1) + ") is at most a quarter of a random direction's " +
               to_fixed(random, 1) + ", and a sinusoid explains at least half of every left vector (here " +
               number_text(weakest, 2) + ")" +
               (walks.known() ? " and no less than of a random walk's (" + span_text(walks, 2) + ")" : "")}};
}

Task<Expected<Output>> compute(Params params, Context& context) {
  const auto table = co_await context.positions(params.source, params.base);
  if (!table) co_return table.error();
  co_await pause_point(0, 1, "singular vectors");
  const bool learned = params.source == PositionSource::learned;
  const std::string key = (params.centre ? "centred" : "") + std::string(learned ? "" : " " + to_text(params.base));
  const Store::Owner owner = learned ? context.inputs().weights : nullptr;
  const auto vectors =
      co_await context.cached_of<Vectors>(owner, key, [&] { return vectors_of(*table, params.centre); });
  if (!vectors) co_return vectors.error();
  const std::size_t count = std::min(static_cast<std::size_t>(params.count), (*vectors)->right.rows);
  Output out;
  if (count < static_cast<std::size_t>(params.count))
    out.notes.push_back(say("note.count", {{"count", std::to_string(count)}}));
  out.convention = "all rows, " + std::string(params.centre ? "centred" : "not centred");
  add_numbers(out, **vectors, count, params.threshold);
  co_await pause_point();
  add_baseline(out, count, (*vectors)->right.cols, params.threshold);
  if (learned && table->rows >= kFewestRows) {
    const auto waves = co_await context.cached_of<Matrix<double>>(nullptr, walk_key(*table, params.centre, 0, 0), [&] {
      context.first_picture(out);
      return waves_of_walks(std::make_shared<const Matrix<double>>(*table), params.centre);
    });
    if (!waves) co_return waves.error();
    out.walk_wave_r2 = {{(*waves)->rows, (*waves)->cols}, (*waves)->data, 1};
  }
  out.claims = claims(params, out);
  co_return std::move(out);
}

}  // namespace

ComputeStudy compute_study() { return study_of<describe, compute>(needs); }

}  // namespace helix::studies::position_vectors
