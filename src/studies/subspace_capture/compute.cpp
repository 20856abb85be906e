// Directions of both matrices, and how much of each lies within the positions' first k.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "checkpoint/convert.h"
#include "geometry/products.h"
#include "studies/context_compute.h"
#include "studies/subspace_capture/subspace_capture.h"

namespace helix::studies::subspace_capture {
namespace {

constexpr double kOfChance = 2;  // times its chance level that the bottom holds at least, for claim O2
constexpr double kCliff = 0.01;  // of one singular value to the next, below which the rest is rounding

MatrixChoice choice_of(const Params& p) {
  return {p.matrix, static_cast<std::size_t>(p.layer), p.head, p.side == Side::other, p.gain, p.centre};
}

MatrixChoice positions_of(const Params& p) { return {.centre = p.centre}; }

std::vector<ModelNeeds> needs(const ParamValues& values, const Known&) {
  const auto params = read_params<Params>(values);
  std::vector<std::string> names = tensors_of(choice_of(params));
  const std::string positions = tensors_of(positions_of(params)).front();
  if (std::ranges::find(names, positions) == names.end()) names.push_back(positions);
  return {{"", std::move(names)}};
}

/// Options without effect are refused rather than ignored.
Expected<void> check(const Params& params, const Inputs& inputs) {
  const MatrixChoice choice = choice_of(params);
  if (const auto ok = check_choice(choice, inputs); !ok) return ok;
  const std::string name = matrix_name({choice.id, choice.layer});
  if (params.gain && !has_gain(choice.id))
    return Error{"There is no LayerNorm gain to fold in: none stands in front of " + name + "."};
  if (params.head >= 0 && !has_heads(choice.id))
    return Error{"The matrix " + name + " has no heads; choose head −1, or one of Q, K, V and the attention output."};
  if (params.side == Side::other && is_table(choice.id))
    return Error{"The other side of " + name + " is not the residual stream, where the positions are."};
  return {};
}

/// What centring takes away, as a unit vector: of a table its mean row, of a weight the all-ones direction of the residual
/// stream. Empty where there is none: on the other side, or where the mean is zero.
Task<Expected<std::vector<double>>> removed_by_centring(MatrixChoice choice, Inputs inputs, std::size_t d) {
  if (choice.other_side) co_return std::vector<double>();
  std::vector<double> sums(d, is_table(choice.id) ? 0 : 1);
  if (is_table(choice.id)) {
    constexpr std::size_t kRows = 1024;  // about a millisecond of 768 columns
    const auto names = tensors_of(choice);
    const auto table = inputs.weights->tensor(names.front());
    if (!table) co_return table.error();
    const auto n = static_cast<std::size_t>(table->info->shape[0]);
    for (std::size_t first = 0; first < n; first += kRows) {
      const auto rows = checkpoint::to_f32(checkpoint::rows_of(*table, first, std::min(kRows, n - first)));
      if (!rows) co_return rows.error();
      for (std::size_t i = 0; i < rows->rows; ++i)
        for (std::size_t j = 0; j < d; ++j) sums[j] += static_cast<double>((*rows)(i, j));
      co_await pause_point(static_cast<double>(first), static_cast<double>(n), "mean row");
    }
    if (names.size() > 1) {
      const auto tensor = inputs.weights->tensor(names.back());
      if (!tensor) co_return tensor.error();
      const auto gain = checkpoint::to_f32(*tensor);
      if (!gain) co_return gain.error();
      for (std::size_t j = 0; j < d; ++j) sums[j] *= static_cast<double>(gain->data[j]);
    }
  }
  double square = 0;
  for (const double x : sums) square += x * x;
  if (!(square > 0)) co_return std::vector<double>();
  for (double& x : sums) x /= std::sqrt(square);
  co_return std::move(sums);
}

/// Σ_{i≤k} (v_j·u_i)² for every row v_j of `of`.
Task<std::vector<double>> captured(Directions of, Directions by, std::size_t k) {
  constexpr std::size_t kRows = 64;  // about a millisecond of 768 numbers against 30 directions
  const Matrix<double>& v = of->directions;
  std::vector<double> out;
  Matrix<double> products(kRows, k);
  for (std::size_t first = 0; first < v.rows; first += kRows) {
    const std::size_t count = std::min(kRows, v.rows - first);
    geometry::inner_products(v.view().slice(first, count), by->directions.view().slice(0, k),
                             products.view().slice(0, count));
    for (std::size_t i = 0; i < count; ++i) {
      double sum = 0;
      for (const double x : products.row(i)) sum += x * x;
      out.push_back(sum);
    }
    co_await pause_point(static_cast<double>(first), static_cast<double>(v.rows), "captures");
  }
  co_return std::move(out);
}

double sum_of(const std::vector<double>& x, std::size_t first, std::size_t count) {
  double sum = 0;
  for (std::size_t i = first; i < std::min(first + count, x.size()); ++i) sum += x[i];
  return sum;
}

std::string ends_text(std::size_t n) { return std::to_string(n) + (n == 1 ? " direction" : " directions"); }

void add_numbers(Output& out, const std::vector<double>& capture, std::size_t k, std::size_t d) {
  const std::size_t n = capture.size(), ends = std::min(kEnds, std::max<std::size_t>(n / 4, 1)),
                    top = std::min(kTop, std::max<std::size_t>(ends / 10, 1));
  const auto chance = static_cast<double>(k) / static_cast<double>(d);
  const std::string is_whole =
      n == d ? "a whole basis: k up to rounding" : std::to_string(n) + " of " + std::to_string(d) + " directions";
  out.total = {sum_of(capture, 0, n), is_whole};
  out.chance = {chance, std::to_string(k) + " / " + std::to_string(d)};
  out.ends = {static_cast<double>(ends), n >= 4 * kEnds ? "" : "a quarter of the directions there are"};
  out.held_first = {sum_of(capture, 0, ends), "the first " + ends_text(ends)};
  out.held_last = {sum_of(capture, n - ends, ends), "the last " + ends_text(ends)};
  out.held_chance = {chance * static_cast<double>(ends), ends_text(ends) + " × chance"};
  out.top_mean = {sum_of(capture, 0, top) / static_cast<double>(top), "the first " + ends_text(top)};
  if (n > 2 * ends)
    out.middle_mean = {sum_of(capture, ends, n - 2 * ends) / static_cast<double>(n - 2 * ends),
                       "without the first and the last " + ends_text(ends)};
  else
    out.middle_mean.note = "there are no directions between the ends";
}

/// `removed`: a unit vector, or empty.
void add_mean(Output& out, const std::vector<double>& removed, const geometry::Singular& of,
              const geometry::Singular& by, std::size_t k, bool table) {
  if (removed.empty()) {
    out.mean_captured.note = out.mean_direction.note = "there is no such direction here";
    return;
  }
  const auto along = [&](const Matrix<double>& rows, std::size_t i) {
    double dot = 0;
    for (std::size_t j = 0; j < removed.size(); ++j) dot += rows(i, j) * removed[j];
    return dot * dot;
  };
  double held = 0;
  for (std::size_t i = 0; i < k; ++i) held += along(by.directions, i);
  const char* what = table ? "the mean row" : "the all-ones direction";
  out.mean_captured = {held, what};
  std::vector<double>& each = out.along_mean.data;
  for (std::size_t i = 0; i < of.directions.rows; ++i) each.push_back(along(of.directions, i));
  out.along_mean.shape = {each.size()}, out.along_mean.first = 1;
  out.mean_direction = {static_cast<double>(std::ranges::max_element(each) - each.begin() + 1), what};
}

std::vector<protocol::Claim> claims(const Params& p, const Output& out) {
  const bool as_stated = p.matrix == MatrixId::wte && p.k == 30 && !p.gain && !p.centre;
  if (!as_stated) return {};
  const double last = out.held_last.value, chance = out.held_chance.value;
  const std::string ends = to_fixed(out.ends.value, 0);
  return {{"O2",
           last,
           last >= kOfChance * chance && last > out.held_first.value && out.top_mean.value > out.middle_mean.value,
           {},
           "right singular directions, not centred; of the first 30 directions of wpe the last " + ends +
               " of wte hold " + to_fixed(last, 1) + " (chance " + to_fixed(chance, 1) + ") and the first " + ends +
               " hold " + to_fixed(out.held_first.value, 1) + "; the very first capture " +
               number_text(out.top_mean.value, 4) + " each, those in between " + number_text(out.middle_mean.value, 4) +
               ". It holds where the last hold twice their chance level and more than the first, and the very first "
               "capture more than those in between"}};
}

/// If a position table was reduced to a few components, its other directions are rounding noise.
void note_few_components(const geometry::Singular& positions, std::size_t k, std::vector<std::string>& notes) {
  for (std::size_t i = 1; i < k; ++i)
    if (positions.values[i] < kCliff * positions.values[i - 1]) {
      notes.push_back(say("note.rounding", {{"n", std::to_string(i)}, {"k", std::to_string(k)}}));
      return;
    }
}

Task<Expected<Output>> compute(Params params, Context& context) {
  const MatrixChoice choice = choice_of(params);
  if (const auto ok = check(params, context.inputs()); !ok) co_return ok.error();
  co_await pause_point();
  const auto of = co_await context.directions(choice);
  if (!of) co_return of.error();
  const auto by = co_await context.directions(positions_of(params));
  if (!by) co_return by.error();
  const std::size_t d = (*by)->directions.cols,
                    k = std::min((*by)->directions.rows, static_cast<std::size_t>(params.k));
  if ((*of)->directions.cols != d)
    co_return Error{"The directions of " + matrix_name(choice) + " have " + std::to_string((*of)->directions.cols) +
                    " numbers and those of wpe have " + std::to_string(d) +
                    ": they lie in different spaces, and cannot be compared."};
  const auto removed = co_await removed_by_centring(choice, context.inputs(), d);
  if (!removed) co_return removed.error();
  Output out;
  if (k < static_cast<std::size_t>(params.k)) out.notes.push_back(say("note.only", {{"n", std::to_string(k)}}));
  std::vector<double> capture = co_await captured(*of, *by, k);
  add_numbers(out, capture, k, d);
  add_mean(out, *removed, **of, **by, k, is_table(choice.id));
  note_few_components(**by, k, out.notes);
  out.name = {matrix_name(choice)};
  out.convention = out.name.front() + " against the first " + ends_text(k) + " of " + matrix_name(positions_of(params));
  out.claims = claims(params, out);
  out.capture = {{capture.size()}, std::move(capture), 1};
  co_return std::move(out);
}

}  // namespace

ComputeStudy compute_study() { return study_of<describe, compute>(needs); }

}  // namespace helix::studies::subspace_capture
