#include "studies/position_helix/claims.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/text.h"
#include "studies/helix_compute.h"
#include "studies/judged.h"
#include "studies/null_range.h"

namespace helix::studies::position_helix {
namespace {

using protocol::Claim;

constexpr double kFarOut = 5;  // standard deviations from the mean, for claim H3

/// Row norms as distances from their mean, in standard deviations (divided by n); NaN where all are equal.
std::vector<double> standard_scores(const std::vector<double>& norms) {
  const double n = static_cast<double>(norms.size());
  const double mean = std::accumulate(norms.begin(), norms.end(), 0.0) / n;
  double variance = 0;
  for (const double x : norms) variance += (x - mean) * (x - mean) / n;
  std::vector<double> scores;
  const bool equal = !(std::sqrt(variance) > 1e-12 * mean);
  for (const double x : norms) scores.push_back(equal ? std::nan("") : (x - mean) / std::sqrt(variance));
  return scores;
}

std::string against_walks(const protocol::Grid& walks, int digits, bool percent) {
  const std::string text = null_text(range_of(walks.data), digits, percent);
  return text.empty() ? "" : "; a random walk of as many steps: " + text;
}

/// More than any walk has; true where none was made.
bool beyond_walks(double number, const protocol::Grid& walks) {
  const NullRange range = range_of(walks.data);
  return !range.known() || number > range.most;
}

Claim three_components(const Params& params, const std::string& convention, const Output& out) {
  const double share = out.explained_first3.value, k90 = out.components_for_90.value;
  Claim c{
      "H1", here_of(share), judged(share, k90 <= 3 && beyond_walks(share, out.walk_explained_first3)), {}, convention};
  if (!c.holds) c.convention += "; " + out.explained_first3.note;
  if (!params.centre) c.convention += "; only the centred components reach 90 % with three";
  c.convention += against_walks(out.walk_explained_first3, 1, true);
  return c;
}

/// The claim is about the plane of the first two components.
Claim helix_shape(const Params& params, const std::string& convention, const Output& out) {
  const double r = out.along.value, turns = out.turns.value;
  Claim c{"H2", here_of(turns), std::nullopt, {}, convention};
  if (params.plane[0] + params.plane[1] != 3) {
    c.convention += "; not judged: its turns are those of components 1 and 2, here of " +
                    std::to_string(params.plane[0]) + " and " + std::to_string(params.plane[1]);
    return c;
  }
  c.holds = judged(turns + r, is_helix(turns, r) && beyond_walks(turns, out.walk_turns));
  c.convention += "; components 1 and 2 turn, component 3 runs along position (r = " + number_text(r, 3) +
                  "): holds from one turn on where |r| is above 0.9" + against_walks(out.walk_turns, 2, false);
  if (!c.holds) c.convention += "; not judged: " + (std::isfinite(turns) ? out.along.note : out.turns.note);
  return c;
}

Claim outliers(const ClaimContext& context) {
  const std::vector<double> scores = standard_scores(context.norms);
  if (std::isnan(scores.front()))
    return {"H3", std::nullopt, std::nullopt, {}, "all rows have the same norm, so none is an outlier"};
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::partial_sort(order.begin(), order.begin() + 2, order.end(),
                    [&](std::size_t a, std::size_t b) { return std::abs(scores[a]) > std::abs(scores[b]); });
  const std::size_t last = scores.size() - 1;
  const double nearer = std::min(std::abs(scores.front()), std::abs(scores.back()));
  const bool holds = std::min(order[0], order[1]) == 0 && std::max(order[0], order[1]) == last && nearer > kFarOut;
  const auto row = [&](std::size_t i) {
    return "row " + std::to_string(i) + ": norm " + to_fixed(context.norms[i], 3) + " (" + (scores[i] > 0 ? "+" : "−") +
           to_fixed(std::abs(scores[i]), 1) + " sd)";
  };
  return {"H3",
          nearer,
          holds,
          {},
          "row norms against their mean over all rows, sd with n; " + row(0) + ", " + row(last) + ", next " +
              (order.size() > 2 ? row(1) : "") +
              "; holds where these two lie farthest from the mean, both by more than 5 sd"};
}

Claim unfrayed(const std::string& convention, const Output& out, double baseline) {
  const double share = out.explained_first3.value;
  return {"H5",
          here_of(share),
          judged(share, share > baseline),
          {},
          convention + "; rows 1.. without the cut give " + to_fixed(baseline, 4)};
}

Claim start_only(const Params& params, const std::string& convention, const Output& out) {
  const int rows = params.last - params.first + 1;
  return {"H6",
          here_of(out.explained_first3.value),
          std::nullopt,
          {},
          convention + " (" + std::to_string(rows) + " rows; the text says 100, its code takes P[1:100], which is 99)"};
}

Claim sinusoidal_count(const Params& params, const std::string& convention, const Output& out) {
  const double count = out.components_for_90.value;
  static const double stated = *describe().claim("F11")->stated;
  Claim c{"F11", here_of(count), judged(count, count == stated), {}, convention};
  if (params.base != 1000) c.convention += "; 153 belongs to base 1000, base 10000 gives 137";
  return c;
}

}  // namespace

ClaimContext claim_context(MatrixView<const double> rows, bool learned) {
  ClaimContext context{rows.rows, {}};
  for (std::size_t i = 0; learned && i < rows.rows; ++i) {
    double square = 0;
    for (const double x : rows.row(i)) square += x * x;
    context.norms.push_back(std::sqrt(square));
  }
  return context;
}

bool wants_baseline(const Params& params, std::size_t rows) {
  return params.source == PositionSource::learned && params.group == 1 && params.first == 100 &&
         params.last >= static_cast<int>(rows) - 1 && params.fit_first < 0 && params.fit_last < 0;
}

std::vector<Claim> claims(const Params& params, const std::string& convention, bool refitted,
                          const ClaimContext& context, const Output& output, double baseline) {
  std::vector<Claim> out;
  const int last_row = static_cast<int>(context.rows) - 1;
  if (!refitted || params.group != 1) return out;  // the texts refit on the original rows
  if (params.source == PositionSource::sinusoidal) {
    const Params small;  // the sentence is about an encoding of GPT-2 small's size
    const bool that_size = params.positions == small.positions && params.dimensions == small.dimensions;
    if (that_size && params.centre && params.first <= 1 && params.last >= last_row)
      out.push_back(sinusoidal_count(params, convention, output));
    return out;
  }
  if (params.first <= 1 && params.last >= last_row - 1) {
    out.push_back(three_components(params, convention, output));
    out.push_back(helix_shape(params, convention, output));
    if (context.norms.size() > 2) out.push_back(outliers(context));
  }
  if (!std::isnan(baseline)) out.push_back(unfrayed(convention, output, baseline));
  if (params.first <= 1 && (params.last == 99 || params.last == 100))
    out.push_back(start_only(params, convention, output));
  return out;
}

}  // namespace helix::studies::position_helix
