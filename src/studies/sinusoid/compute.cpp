#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "base/random.h"
#include "base/text.h"
#include "geometry/pace.h"
#include "studies/context_compute.h"
#include "studies/sinusoid/sinusoid.h"

namespace helix::studies::sinusoid {
namespace {

constexpr double kTau = 2 * std::numbers::pi;
constexpr double kExact = 1e-9;                             // residuals from rounding alone are about 1e-12
constexpr double kStatedNorm = 19.5959, kDigits = 0.00005;  // claim F6, for 768 dimensions
constexpr std::uint64_t kSeed = 1;
constexpr std::size_t kRowsAtOnce = 512;

/// Radians by which pair i advances from one position to the next.
double speed_of(std::size_t pair, const Params& p) {
  return std::pow(p.base, -2 * static_cast<double>(pair) / p.dimensions);
}

/// PE(p) for p = 0 … n − 1, in steps.
Task<Matrix<double>> encoding_of(Params params, std::size_t n) {
  Matrix<double> rows(n, static_cast<std::size_t>(params.dimensions));
  geometry::Pace pace;
  for (std::size_t j = 0; j < rows.cols; ++j) {
    const double slowness = 1 / speed_of(j / 2, params);
    for (std::size_t p = 0; p < n; ++p) {
      const double angle = static_cast<double>(p) / slowness;
      rows(p, j) = j % 2 == 0 ? std::sin(angle) : std::cos(angle);
    }
    if (pace.due(60 * static_cast<double>(n)))
      co_await pause_point(static_cast<double>(j), static_cast<double>(rows.cols), "sines and cosines");
  }
  co_return std::move(rows);
}

/// M_k as the sines and cosines of its blocks: sin((p+k)w) = sin(pw) cos(kw) + cos(pw) sin(kw), and the cosine likewise.
struct Rotation {
  std::vector<double> sine, cosine;
};

Rotation rotation_of(const Params& p, std::size_t pairs) {
  Rotation out;
  for (std::size_t i = 0; i < pairs; ++i) {
    const double angle = p.shift * speed_of(i, p);
    out.sine.push_back(std::sin(angle)), out.cosine.push_back(std::cos(angle));
  }
  return out;
}

/// ‖M_k from − to‖ over whole pairs.
double distance_after(const Rotation& m, std::span<const double> from, std::span<const double> to) {
  double square = 0;
  for (std::size_t i = 0; i < m.sine.size(); ++i) {
    const double s = from[2 * i], c = from[2 * i + 1];
    const double ds = s * m.cosine[i] + c * m.sine[i] - to[2 * i], dc = c * m.cosine[i] - s * m.sine[i] - to[2 * i + 1];
    square += ds * ds + dc * dc;
  }
  return std::sqrt(square);
}

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// Positions in an order that is the same on every machine.
std::vector<std::size_t> random_order(std::size_t n) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::uint64_t state = kSeed;
  shuffle(order, state);
  return order;
}

/// The mean, and the largest minus the smallest value.
struct Spread {
  double sum = 0, least = HUGE_VAL, most = -HUGE_VAL;
  std::size_t count = 0;
  void add(double x) { sum += x, least = std::min(least, x), most = std::max(most, x), ++count; }
  double mean() const { return count ? sum / static_cast<double>(count) : std::nan(""); }
  double width() const { return count ? most - least : std::nan(""); }
};

/// Norms and cosines of the first `n` rows. `rows` outlives the task.
Task<bool> add_geometry(Output& out, const Matrix<double>& rows, std::size_t n) {
  const std::vector<std::size_t> order = random_order(n);
  Spread norms, cosines, shuffled;
  std::vector<double> norm(n);
  for (std::size_t p = 0; p < n; ++p) {
    norm[p] = std::sqrt(dot(rows.row(p), rows.row(p)));
    norms.add(norm[p]);
    if (p % kRowsAtOnce == 0) co_await pause_point(static_cast<double>(p), static_cast<double>(n), "norms");
  }
  const auto cosine = [&](std::size_t a, std::size_t b) { return dot(rows.row(a), rows.row(b)) / (norm[a] * norm[b]); };
  for (std::size_t p = 0; p + 1 < n; ++p) {
    cosines.add(cosine(p, p + 1)), shuffled.add(cosine(order[p], order[p + 1]));
    if (p % kRowsAtOnce == 0) co_await pause_point(static_cast<double>(p), static_cast<double>(n), "cosines");
  }
  out.norm = {norms.mean(), out.convention}, out.norm_spread = {norms.width(), "over all positions"};
  out.neighbour_cosine = {cosines.mean(), out.convention};
  out.neighbour_spread = {cosines.width(), "over all neighbours"};
  out.shuffled_neighbour_cosine = {shuffled.mean(), "the positions in a random order, seed 1"};
  co_return true;
}

/// How exactly the rotation maps each of the first `n` rows to the one `shift` later; `rows` has those too, and
/// outlives the task.
Task<bool> add_rotation(Output& out, const Matrix<double>& rows, std::size_t n, const Params& params) {
  const Rotation m = rotation_of(params, rows.cols / 2);
  const auto shift = static_cast<std::size_t>(params.shift);
  const std::vector<std::size_t> order = random_order(n);
  Spread exact, random;
  for (std::size_t p = 0; p < n; ++p) {
    out.residual.data.push_back(distance_after(m, rows.row(p), rows.row(p + shift)));
    exact.add(out.residual.data.back());
    random.add(distance_after(m, rows.row(p), rows.row(order[p] + shift)));
    if (p % (kRowsAtOnce / 2) == 0) co_await pause_point(static_cast<double>(p), static_cast<double>(n), "rotation");
  }
  out.residual.shape = {n};
  const std::string by = "k = " + std::to_string(shift);
  out.rotation_residual = {exact.most, by + ", the largest over all positions"};
  out.shuffled_residual = {random.mean(), by + ", to positions in a random order, seed 1"};
  co_return true;
}

void add_periods(Output& out, const Params& params) {
  const std::size_t pairs = static_cast<std::size_t>(params.dimensions) / 2;
  double slow = 0;
  for (std::size_t i = 0; i < pairs; ++i) {
    const double speed = speed_of(i, params);
    out.period.data.push_back(kTau / speed);
    out.angle.data.push_back(std::fmod(params.shift * speed * 360 / kTau, 360.0));
    slow += kTau / speed > params.positions ? 1 : 0;
  }
  out.period.shape = out.angle.shape = {pairs};
  out.pairs = {static_cast<double>(pairs), params.dimensions % 2 ? "the last dimension has no partner" : ""};
  out.shortest_period = {out.period.data.front(), "2π"}, out.longest_period = {out.period.data.back(), "2π L^(2i/d)"};
  out.slow_pairs = {slow, "of " + std::to_string(pairs) + ": their period is longer than " +
                              std::to_string(params.positions) + " positions"};
}

void add_curves(Output& out, const Params& params, const Matrix<double>& rows, std::size_t n) {
  const auto pairs = static_cast<std::size_t>(params.dimensions) / 2;
  std::vector<std::size_t> shown;
  for (const int i : params.pairs)
    if (static_cast<std::size_t>(i) < pairs) shown.push_back(static_cast<std::size_t>(i));
  if (shown.size() < params.pairs.size())
    out.notes.push_back(say("note.last_pair", {{"last", std::to_string(pairs - 1)}}));
  for (std::size_t k = 0; shown.empty() && k < std::min<std::size_t>(pairs, 4); ++k)
    out.shown_pairs.data.push_back(static_cast<double>(k * pairs / std::min<std::size_t>(pairs, 4)));
  for (const std::size_t i : shown) out.shown_pairs.data.push_back(static_cast<double>(i));
  for (const double pair : out.shown_pairs.data)
    for (std::size_t p = 0; p < n; ++p) out.curves.data.push_back(rows(p, 2 * static_cast<std::size_t>(pair)));
  out.shown_pairs.shape = {out.shown_pairs.data.size()};
  out.curves.shape = {out.shown_pairs.data.size(), n};
}

std::vector<protocol::Claim> claims(const Params& params, const Output& out) {
  const double residual = out.rotation_residual.value;
  const bool rotates = residual < kExact;
  const std::string baseline =
      "; to positions in random order the distance is " + to_fixed(out.shuffled_residual.value, 2) + " on average";
  const std::string shift = "k = " + std::to_string(params.shift) + ", largest ‖M_k PE(p) − PE(p + k)‖ over all " +
                            "positions, holds below 1e-9" + baseline;
  std::vector<protocol::Claim> all{{"P3", residual, rotates, {}, out.convention + "; " + shift}};
  if (params.dimensions == kSinusoidDimensions)
    all.insert(all.begin(),
               {"F6",
                out.norm.value,
                std::abs(out.norm.value - kStatedNorm) <= kDigits && out.norm_spread.value < kExact && rotates,
                {},
                out.convention + "; norm to 0.00005, largest less smallest below 1e-9; " + shift});
  return all;
}

Task<Expected<Output>> compute(Params params, Context& context) {
  context.without_model();
  const auto n = static_cast<std::size_t>(params.positions), d = static_cast<std::size_t>(params.dimensions);
  co_await pause_point(0, 1, "sinusoids");
  const Matrix<double> rows = co_await encoding_of(params, n + static_cast<std::size_t>(params.shift));
  co_await pause_point();
  Output out;
  out.convention = with_thousands(params.positions) + " positions of " + std::to_string(d) + " dimensions, base " +
                   to_text(params.base);
  if (d % 2) context.note(say("note.odd_short"));
  co_await add_geometry(out, rows, n);
  co_await add_rotation(out, rows, n, params);
  add_periods(out, params);
  add_curves(out, params, rows, n);
  out.encoding = {{n, d}, {rows.data.begin(), rows.data.begin() + static_cast<std::ptrdiff_t>(n * d)}};
  out.claims = claims(params, out);
  co_return std::move(out);
}

}  // namespace

ComputeStudy compute_study() { return study_of<describe, compute>(); }

}  // namespace helix::studies::sinusoid
