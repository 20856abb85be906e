#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "geometry/products.h"
#include "studies/helix_compute.h"
#include "studies/position_cosine/position_cosine.h"
#include "studies/position_table_compute.h"

namespace helix::studies::position_cosine {
namespace {

constexpr std::size_t kSmooth = 10;  // lags to either side over which the profile is averaged to find its extrema
constexpr double kRise = 0.1;        // of the mean cosine, from a minimum to the next maximum, that is no accident
constexpr double kSameEverywhere = 1e-9;

std::vector<ModelNeeds> needs(const ParamValues& values, const Known&) {
  return needs_of(read_params<Params>(values).source);
}

/// Each row less the mean row where that is asked for, and of length 1; a row of zeros stays one.
void make_directions(Matrix<double>& rows, bool centre) {
  std::vector<double> mean(rows.cols, 0);
  for (std::size_t i = 0; centre && i < rows.rows; ++i)
    for (std::size_t j = 0; j < rows.cols; ++j) mean[j] += rows(i, j) / static_cast<double>(rows.rows);
  for (std::size_t i = 0; i < rows.rows; ++i) {
    double square = 0;
    for (std::size_t j = 0; j < rows.cols; ++j) rows(i, j) -= mean[j], square += rows(i, j) * rows(i, j);
    const double scale = square > 0 ? 1 / std::sqrt(square) : 0;
    for (double& x : rows.row(i)) x *= scale;
  }
}

/// The mean of every diagonal, from the main one up. `upper`: what lies below the main diagonal does not count.
std::vector<double> diagonal_means(const Matrix<double>& upper) {
  const std::size_t n = upper.rows;
  std::vector<double> sums(n, 0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i; j < n; ++j) sums[j - i] += upper(i, j);
  for (std::size_t lag = 0; lag < n; ++lag) sums[lag] /= static_cast<double>(n - lag);
  return sums;
}

/// The lag at which a profile, after having fallen to a minimum, rises to a maximum again; 0: it does not. Smoothed, so
/// that no single lag decides; the last tenth is of few pairs and left out.
std::size_t period_of(const std::vector<double>& profile) {
  const std::size_t n = profile.size() - profile.size() / 10;
  std::vector<double> smooth;
  for (std::size_t i = kSmooth; i + kSmooth < n; ++i) {
    double sum = 0;
    for (std::size_t k = i - kSmooth; k <= i + kSmooth; ++k) sum += profile[k];
    smooth.push_back(sum / (2 * kSmooth + 1));
  }
  double lowest = HUGE_VAL, highest = -HUGE_VAL;
  std::size_t at = 0;
  for (std::size_t i = 0; i < smooth.size(); ++i) {
    if (at && smooth[i] < highest - kRise) return at;  // it falls again: that was a maximum
    if (smooth[i] < lowest && !at) lowest = smooth[i];
    if (smooth[i] > lowest + kRise && smooth[i] > highest) highest = smooth[i], at = i + kSmooth;
  }
  return 0;
}

void add_numbers(Output& out, const Matrix<double>& upper) {
  const std::size_t n = upper.rows;
  double least = HUGE_VAL, most = -HUGE_VAL, all = 0;
  for (std::size_t i = 0; i + 1 < n; ++i) {
    least = std::min(least, upper(i, i + 1)), most = std::max(most, upper(i, i + 1));
    for (std::size_t j = i + 1; j < n; ++j) all += upper(i, j);
  }
  const char* two = "needs two rows";
  const double pairs = static_cast<double>(n) * static_cast<double>(n - 1) / 2;
  out.adjacent_mean = n > 1 ? protocol::Quantity{out.by_lag.data[1], out.convention} : protocol::Quantity{.note = two};
  out.adjacent_spread =
      n > 1 ? protocol::Quantity{most - least, "over all neighbours"} : protocol::Quantity{.note = two};
  out.shuffled_mean = n > 1 ? protocol::Quantity{all / pairs,
                                                 "mean of all pairs of different rows: what is expected of "
                                                 "every lag when the rows are in random order"}
                            : protocol::Quantity{.note = two};
  const std::size_t period = period_of(out.by_lag.data);
  if (period)
    out.period = {static_cast<double>(period), "mean of 21 neighbouring lags; a rise of 0.1 or more after a minimum"};
  else
    out.period.note = "the mean cosine does not fall and rise again";
}

std::vector<protocol::Claim> claims(const Params& params, const Output& out) {
  if (params.source == PositionSource::sinusoidal)
    return {{"F7",
             out.adjacent_spread.value,
             out.adjacent_spread.value < kSameEverywhere,
             {},
             "largest minus smallest cosine of neighbours, base " + to_text(params.base)}};
  return {{"H7", out.period.value, std::isfinite(out.period.value), {}, out.convention + "; lag of the next maximum"}};
}

Task<Expected<protocol::Result>> run(ParamValues values, Inputs inputs) {
  static const StudySchema schema = describe();
  const auto params = read_params<Params>(values);
  protocol::Provenance provenance = inputs.provenance;
  if (!*inputs.memory) *inputs.memory = std::make_shared<TensorHashes>();
  auto table = co_await position_table(params.source, params.base, inputs, &provenance,
                                       static_cast<TensorHashes*>(inputs.memory->get()));
  if (!table) co_return table.error();
  co_await pause_point(0, 1, "cosines");
  Output out;
  const auto range = range_within(params.first, params.last, table->rows, "The range", out.notes);
  if (!range) co_return range.error();
  auto rows = std::make_shared<Matrix<double>>(*copy_rows(*table, *range));
  make_directions(*rows, params.centre);
  out.convention = rows_text(*range) + (params.centre ? ", centred" : ", not centred");
  Matrix<double> cosine = co_await geometry::gram(rows, false);
  out.by_lag.data = diagonal_means(cosine);
  out.by_lag.shape = {out.by_lag.data.size()};
  add_numbers(out, cosine);
  for (std::size_t i = 0; i < cosine.rows; ++i)
    for (std::size_t j = 0; j < i; ++j) cosine(i, j) = cosine(j, i);
  out.cosine = {{cosine.rows, cosine.cols}, std::move(cosine.data), static_cast<long long>(range->first)};
  out.claims = claims(params, out);
  co_return to_result(schema, values, provenance, out);
}

}  // namespace

ComputeStudy compute_study() { return {describe(), needs, run}; }

}  // namespace helix::studies::position_cosine
