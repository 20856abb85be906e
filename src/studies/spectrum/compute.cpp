#include <algorithm>
#include <cmath>
#include <optional>

#include "base/random.h"
#include "base/text.h"
#include "geometry/singular.h"
#include "studies/context_compute.h"
#include "studies/judged.h"
#include "studies/spectrum/spectrum.h"

namespace helix::studies::spectrum {
namespace {

constexpr double kCaptured = 0.99;         // least share of Σσ² in the top 30 that counts as "captured"
constexpr double kStated = 0.0005;         // tolerance of the stated effective rank: its last digit
constexpr std::size_t kMostRandom = 4096;  // largest side of a random matrix that is decomposed for comparison
constexpr double kNoise = 1e-7;            // of the largest: smaller singular values are rounding (geometry/singular.h)
constexpr std::uint64_t kSeed = 1;

MatrixChoice choice_of(const Params& p) {
  return {p.matrix, static_cast<std::size_t>(p.layer), p.head, false, p.gain, p.centre};
}

std::vector<ModelNeeds> needs(const ParamValues& values, const Known&) {
  return {{"", tensors_of(choice_of(read_params<Params>(values)))}};
}

/// Numbers derived from singular values alone.
struct Numbers {
  double entropy = 0, top = 0, energy = 0;
};

Numbers numbers_of(const std::vector<double>& values) {
  Numbers n;
  double sum = 0;
  for (const double x : values) sum += x, n.energy += x * x;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double p = sum > 0 ? values[i] / sum : 0;
    if (p > 0) n.entropy -= p * std::log(p);
    if (i < kTop) n.top += values[i] * values[i];
  }
  n.top = n.energy > 0 ? n.top / n.energy : std::nan("");
  return n;
}

Matrix<double> gaussian(std::size_t rows, std::size_t cols) {
  Matrix<double> out(rows, cols);
  std::uint64_t state = kSeed;
  for (double& x : out.data) x = random_normal(state);
  return out;
}

/// Singular values of a Gaussian matrix of this shape.
Task<Expected<std::vector<double>>> gaussian_values(std::size_t rows, std::size_t cols) {
  const auto matrix = std::make_shared<const Matrix<double>>(gaussian(rows, cols));
  auto found = co_await geometry::right_singular(geometry::row_blocks(matrix), false, 0);
  if (!found) co_return found.error();
  co_return std::move(found->values);
}

/// The same, scaled to the same Σσ²: the spectrum without any structure. `context` outlives the task.
Task<Expected<std::vector<double>>> random_values(std::size_t rows, std::size_t cols, double energy, Context* context) {
  const auto known = co_await context->cached_of<std::vector<double>>(
      nullptr, std::to_string(rows) + " " + std::to_string(cols), [=] { return gaussian_values(rows, cols); });
  if (!known) co_return known.error();
  std::vector<double> out = **known;
  const double own = numbers_of(out).energy;
  for (double& x : out) x *= std::sqrt(energy / own);
  co_return std::move(out);
}

/// The number of rows of the part of a tensor that is decomposed: the side opposite the directions.
std::size_t rows_of(const geometry::Singular& found, const checkpoint::WeightFile& weights,
                    const MatrixChoice& choice) {
  if (has_heads(choice.id)) return found.values.size();
  const auto tensor = weights.tensor(tensors_of(choice).front());
  std::size_t size = 1;
  for (const auto extent : tensor->info->shape) size *= static_cast<std::size_t>(extent);
  return size / std::max<std::size_t>(found.directions.cols, 1);
}

protocol::Grid as_grid(std::vector<double> values) { return {{values.size()}, std::move(values), 1}; }

void add_numbers(Output& out, const std::vector<double>& values) {
  const Numbers n = numbers_of(values);
  double log_volume = 0, so_far = 0;
  std::vector<double> energy;
  const double least = values.empty() ? 0 : values.back();
  const bool singular = !(least > kNoise * values.front());
  for (const double x : values) {
    log_volume += std::log(x), so_far += x * x;
    energy.push_back(n.energy > 0 ? so_far / n.energy : std::nan(""));
  }
  if (!(n.energy > 0)) {
    out.entropy.note = out.effective_rank.note = out.condition.note = out.log_volume.note = out.energy_top30.note =
        "all singular values are 0";
    out.energy = as_grid(std::move(energy));
    return;
  }
  out.entropy = {n.entropy, "−Σ p ln p with p = σ / Σσ"};
  out.effective_rank = {std::exp(n.entropy),
                        "Roy and Vetterli 2007: exp of the entropy; at most " + std::to_string(values.size())};
  const char* none = "the smallest singular value is 0";
  out.condition = singular ? protocol::Quantity{HUGE_VAL, none}
                           : protocol::Quantity{values.front() / least, "σ largest / σ smallest"};
  out.log_volume = singular ? protocol::Quantity{.note = none} : protocol::Quantity{log_volume, "Σ ln σ"};
  out.energy_top30 = {n.top, out.convention};
  out.energy = as_grid(std::move(energy));
}

std::vector<protocol::Claim> claims(const Params& params, const Output& out) {
  const double share = out.energy_top30.value;
  const bool few = out.singular_values.data.size() <= kTop;  // the top 30 are all there are
  if (params.matrix == MatrixId::wpe)
    return {{"O1",
             here_of(share),
             few ? std::nullopt : judged(share, share >= kCaptured),
             {},
             out.convention + "; share of Σσ² in the top 30, of a random matrix " +
                 percent_text(out.random_top30.value, 1) +
                 (few ? "; not judged: there are not more than 30 directions" : "; holds from 0.99 on")}};
  const double rank = out.effective_rank.value;
  if (params.matrix == MatrixId::q && params.layer == 5 && params.head < 0)
    return {{"F5", here_of(rank), judged(rank, std::abs(rank - 535.5224) < kStated), {}, out.convention}};
  return {};
}

Task<Expected<Output>> compute(Params params, Context& context) {
  context.judges_itself();
  const MatrixChoice choice = choice_of(params);
  if (params.gain && !has_gain(choice.id))
    co_return Error{"There is no LayerNorm gain to fold in: none stands in front of " +
                    matrix_name({choice.id, choice.layer}) + "."};
  if (const auto ok = check_choice(choice, context.inputs()); !ok) co_return ok.error();
  if (const auto ok = co_await context.reads(tensors_of(choice)); !ok) co_return ok.error();
  const auto found = co_await singular_directions(choice, context.inputs());
  if (!found) co_return found.error();
  Output out;
  out.convention = matrix_name(choice);
  add_numbers(out, found->values);
  const std::size_t cols = found->directions.cols, rows = rows_of(*found, *context.inputs().weights, choice);
  const double energy = numbers_of(found->values).energy;
  if (!(energy > 0)) {
    out.random_effective_rank.note = out.random_top30.note = "a matrix of zeros has no random one of its norm";
  } else if (rows <= kMostRandom) {
    auto random = co_await random_values(rows, cols, energy, &context);
    if (!random) co_return random.error();
    const Numbers n = numbers_of(*random);
    out.random_effective_rank = {std::exp(n.entropy), "seed 1"};
    out.random_top30 = {n.top, "seed 1"};
    out.random_values = as_grid(std::move(*random));
  } else {
    out.random_effective_rank.note = out.random_top30.note = "left out: the matrix has more than 4,096 rows";
  }
  out.singular_values = as_grid(found->values);
  out.claims = claims(params, out);
  co_return std::move(out);
}

}  // namespace

ComputeStudy compute_study() { return study_of<describe, compute>(needs); }

}  // namespace helix::studies::spectrum
