#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.h"
#include "base/text.h"
#include "geometry/sinusoids.h"
#include "studies/context_compute.h"
#include "studies/helix_compute.h"
#include "studies/null_range.h"
#include "studies/position_dimension/position_dimension.h"
#include "studies/walks_compute.h"

namespace helix::studies::position_dimension {
namespace {

using geometry::Sinusoid;

constexpr std::uint64_t kSeed = 1;
constexpr std::uint32_t kWalks = 3;      // a fit of every dimension of each takes a quarter of a second
constexpr std::size_t kFewestRows = 10;  // of a table that random walks are compared with
constexpr double kHalf = 0.5;            // of the variance: more than everything else together

/// The fits of all columns of one table: half a second for GPT-2 small, so they are cached while dimensions are chosen.
struct Fits {
  std::vector<Sinusoid> own;
  std::vector<double> shuffled;  // R²
  std::vector<double> variance;

  std::size_t bytes() const { return own.size() * (sizeof(Sinusoid) + 2 * sizeof(double)); }
};

/// What sinusoids explain of random walks, by seed.
struct Walks {
  std::vector<double> explained, median;

  std::size_t bytes() const { return 2 * explained.size() * sizeof(double); }
};

std::vector<ModelNeeds> needs(const ParamValues& values, const Known&) {
  return needs_of(read_params<Params>(values).source);
}

std::vector<double> column_of(const Matrix<double>& rows, std::size_t j) {
  std::vector<double> out(rows.rows);
  for (std::size_t i = 0; i < rows.rows; ++i) out[i] = rows(i, j);
  return out;
}

/// Exactly 0 where all entries are equal, whatever rounding makes of their mean.
double variance_of(const std::vector<double>& column) {
  if (std::ranges::all_of(column, [&](double x) { return x == column.front(); })) return 0;
  const auto n = static_cast<double>(column.size());
  double mean = 0, sum = 0;
  for (const double x : column) mean += x / n;
  for (const double x : column) sum += (x - mean) * (x - mean) / n;
  return sum;
}

Task<Expected<Fits>> fits_of(std::shared_ptr<const Matrix<double>> rows) {
  Fits fits;
  std::uint64_t state = kSeed;
  for (std::size_t j = 0; j < rows->cols; ++j) {
    co_await pause_point(static_cast<double>(j), static_cast<double>(rows->cols), "sinusoids");
    std::vector<double> column = column_of(*rows, j);
    fits.variance.push_back(variance_of(column));
    fits.own.push_back(geometry::fit_sinusoid(column));
    co_await pause_point();
    shuffle(column, state);
    fits.shuffled.push_back(geometry::fit_sinusoid(column).r2);
  }
  co_return std::move(fits);
}

/// All dimensions, the largest variance first.
std::vector<std::size_t> by_variance(const Fits& fits) {
  std::vector<std::size_t> all(fits.variance.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::ranges::stable_sort(all, [&](std::size_t a, std::size_t b) { return fits.variance[a] > fits.variance[b]; });
  return all;
}

/// The requested dimensions; those with the largest variance replace missing ones, and are the default.
std::vector<std::size_t> chosen_of(const std::vector<int>& asked, const Fits& fits, std::vector<std::string>& notes) {
  std::vector<std::size_t> out;
  std::vector<std::string> missing;
  for (const int d : asked)
    if (static_cast<std::size_t>(d) < fits.own.size())
      out.push_back(static_cast<std::size_t>(d));
    else
      missing.push_back(std::to_string(d));
  if (!missing.empty())
    notes.push_back(
        say("note.missing", {{"last", std::to_string(fits.own.size() - 1)}, {"missing", join(missing, ", ")}}));
  const std::size_t count = asked.empty() ? kStandIn : asked.size();
  for (const std::size_t d : by_variance(fits))
    if (out.size() < count && std::ranges::find(out, d) == out.end()) out.push_back(d);
  return out;
}

/// The median of the finite values (the lower of two middle ones); NaN if there are none.
double median(std::vector<double> values) {
  std::erase_if(values, [](double x) { return !std::isfinite(x); });
  if (values.empty()) return std::nan("");
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Columns without variance have nothing to explain.
double explained_share(const std::vector<double>& r2, const std::vector<double>& variance) {
  double part = 0, all = 0;
  for (std::size_t j = 0; j < r2.size(); ++j)
    if (std::isfinite(r2[j])) part += r2[j] * variance[j], all += variance[j];
  return all > 0 ? part / all : std::nan("");
}

double count_over_half(const std::vector<double>& r2) {
  return static_cast<double>(std::ranges::count_if(r2, [](double x) { return x >= kHalf; }));
}

Task<Expected<Walks>> fit_walks(std::shared_ptr<const Matrix<double>> rows) {
  Walks out;
  for (std::uint32_t seed = 1; seed <= kWalks; ++seed) {
    const Matrix<double> walk = walk_like(*rows, seed);
    std::vector<double> r2, variance;
    for (std::size_t j = 0; j < walk.cols; ++j) {
      co_await pause_point(static_cast<double>((seed - 1) * walk.cols + j), static_cast<double>(kWalks * walk.cols),
                           "random walks");
      const std::vector<double> column = column_of(walk, j);
      variance.push_back(variance_of(column)), r2.push_back(geometry::fit_sinusoid(column).r2);
    }
    out.explained.push_back(explained_share(r2, variance)), out.median.push_back(median(r2));
  }
  co_return std::move(out);
}

protocol::Grid grid(std::vector<double> values) { return {{values.size()}, std::move(values)}; }

void add_all(Output& out, const Fits& fits) {
  std::vector<double> r2, cycles, std;
  for (std::size_t j = 0; j < fits.own.size(); ++j)
    r2.push_back(fits.own[j].r2), cycles.push_back(fits.own[j].cycles), std.push_back(std::sqrt(fits.variance[j]));
  const char* how = "each column in a random order of its own, seed 1";
  const char* still = "no dimension varies over these rows, or they are too few";
  out.explained = {explained_share(r2, fits.variance), "each of half a cycle or more over the shown rows"};
  out.shuffled_explained = {explained_share(fits.shuffled, fits.variance), how};
  out.median_r2 = {median(r2), "every dimension counts the same"};
  out.shuffled_median_r2 = {median(fits.shuffled), how};
  out.over_half = {count_over_half(r2), "of " + std::to_string(r2.size())};
  out.shuffled_over_half = {count_over_half(fits.shuffled), how};
  for (protocol::Quantity* q : {&out.explained, &out.shuffled_explained, &out.median_r2, &out.shuffled_median_r2})
    if (std::isnan(q->value)) q->note = still;
  if (std::isnan(out.median_r2.value)) out.over_half = out.shuffled_over_half = {.note = still};
  out.all_r2 = grid(std::move(r2)), out.all_cycles = grid(std::move(cycles)), out.all_std = grid(std::move(std));
  out.all_shuffled_r2 = grid(fits.shuffled);
}

void add_chosen(Output& out, const Fits& fits, const Matrix<double>& rows, const std::vector<std::size_t>& chosen) {
  for (const std::size_t j : chosen) {
    const Sinusoid& s = fits.own[j];
    const std::vector<double> values = column_of(rows, j), fitted = geometry::sinusoid_values(s, rows.rows);
    out.values.data.insert(out.values.data.end(), values.begin(), values.end());
    out.fitted.data.insert(out.fitted.data.end(), fitted.begin(), fitted.end());
    out.chosen.data.push_back(static_cast<double>(j));
    out.r2.data.push_back(s.r2), out.shuffled_r2.data.push_back(fits.shuffled[j]);
    out.amplitude.data.push_back(s.amplitude), out.cycles.data.push_back(s.cycles);
    out.phase.data.push_back(s.phase), out.offset.data.push_back(s.offset);
  }
  out.values.shape = out.fitted.shape = {chosen.size(), rows.rows};
  for (protocol::Grid* g :
       {&out.chosen, &out.r2, &out.shuffled_r2, &out.amplitude, &out.cycles, &out.phase, &out.offset})
    g->shape = {chosen.size()};
}

Task<Expected<Output>> compute(Params params, Context& context) {
  const auto table = co_await context.positions(params.source, params.base);
  if (!table) co_return table.error();
  co_await pause_point(0, 1, "sinusoids");
  Output out;
  const auto range = range_within(params.first, params.last, table->rows, "The range", out.notes);
  if (!range) co_return range.error();
  if (table->cols == 0) co_return Error{"The table of positions has no columns, so there is no dimension to draw."};
  const auto rows = copy_rows(*table, *range);
  const bool learned = params.source == PositionSource::learned;
  const std::string key = rows_text(*range) + (learned ? "" : " " + to_text(params.base));
  const Store::Owner owner = learned ? context.inputs().weights : nullptr;
  const auto fits = co_await context.cached_of<Fits>(owner, key, [&] { return fits_of(rows); });
  if (!fits) co_return fits.error();
  out.convention = rows_text(*range) + ", least squares";
  add_all(out, **fits);
  add_chosen(out, **fits, *rows, chosen_of(params.dimensions, **fits, out.notes));
  if (learned && rows->rows >= kFewestRows) {
    const auto walks = co_await context.cached_of<Walks>(nullptr, walk_key(*rows, true, 0, 0), [&] {
      context.first_picture(out);
      return fit_walks(rows);
    });
    if (!walks) co_return walks.error();
    out.walk_explained = over_seeds((*walks)->explained), out.walk_median_r2 = over_seeds((*walks)->median);
  }
  co_return std::move(out);
}

}  // namespace

ComputeStudy compute_study() { return study_of<describe, compute>(needs); }

}  // namespace helix::studies::position_dimension
