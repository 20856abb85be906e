// Singular directions of each matrix, squared dot products of each pair, and what is counted in them.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/pcg64.h"
#include "base/text.h"
#include "geometry/orthonormal.h"
#include "geometry/products.h"
#include "studies/context_compute.h"
#include "studies/null_range.h"
#include "studies/subspace_overlap/blur.h"
#include "studies/subspace_overlap/claims.h"
#include "studies/subspace_overlap/subspace_overlap.h"

namespace helix::studies::subspace_overlap {
namespace {

std::vector<MatrixId> matrices_of(Matrices which) {
  switch (which) {
    case Matrices::tables:
      return {MatrixId::wpe, MatrixId::wte};
    case Matrices::attention:
      return {MatrixId::q, MatrixId::k, MatrixId::v, MatrixId::o};
    case Matrices::weights:
      return {MatrixId::q, MatrixId::k, MatrixId::v, MatrixId::o, MatrixId::fc, MatrixId::mlp};
    default:
      return {static_cast<MatrixId>(which)};  // the single matrices come first, in the same order
  }
}

std::vector<MatrixChoice> choices_of(Matrices which, const Params& params) {
  std::vector<MatrixChoice> out;
  for (const MatrixId id : matrices_of(which))
    out.push_back({id, static_cast<std::size_t>(params.layer), params.head, params.side == Side::other, params.gain,
                   params.centre});
  return out;
}

/// "q", the id in the parameters, where the single matrices come first, in the same order.
std::string parameter_text(MatrixId id) {
  static const StudySchema schema = describe();
  return schema.find("a")->choices[static_cast<std::size_t>(id)].id;
}

std::vector<ModelNeeds> needs(const ParamValues& values, const Known&) {
  const auto params = read_params<Params>(values);
  std::vector<std::string> names;
  for (const Matrices side : {params.a, params.b})
    for (const MatrixChoice& choice : choices_of(side, params))
      for (std::string& name : tensors_of(choice))
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  return {{"", std::move(names)}};
}

/// Options that change neither matrix are refused rather than ignored.
Expected<void> check(const Params& params, const std::vector<MatrixChoice>& all, const Inputs& inputs) {
  for (const MatrixChoice& choice : all)
    if (const auto ok = check_choice(choice, inputs); !ok) return ok;
  const auto none = [&](auto has) { return std::none_of(all.begin(), all.end(), [&](auto& c) { return has(c.id); }); };
  if (params.gain && none(has_gain))
    return Error{
        "There is no LayerNorm gain to fold in: none stands in front of wpe, of the attention output or of the "
        "MLP output."};
  if (params.head >= 0 && none(has_heads))
    return Error{"Neither of these matrices has heads; choose head −1, or one of Q, K, V and the attention output."};
  if (params.side == Side::other && none([](MatrixId id) { return !is_table(id); }))
    return Error{
        "The other side of wpe is positions and that of wte is tokens: these are different spaces, and cannot "
        "be compared."};
  return {};
}

struct Basis {
  MatrixId id = MatrixId::wpe;
  std::string name;  // "W_Q of layer 0"
  Directions directions;
};

/// All matrices of one side. Of several, those whose tensors the model lacks are left out, and a note says so.
Task<Expected<std::vector<Basis>>> all_matrices(std::vector<MatrixChoice> choices, Context* context) {
  std::vector<Basis> out;
  Error first_error;
  for (const MatrixChoice& choice : choices) {
    const std::string tensor = tensors_of(choice).front();
    auto made = co_await context->directions(choice);
    if (made) {
      out.push_back({choice.id, matrix_name(choice), std::move(*made)});
      continue;
    }
    if (context->inputs().weights->header()->find(tensor) || choices.size() == 1) co_return made.error();
    if (first_error.sentence.empty()) first_error = made.error();
    context->note(matrix_name(choice) + " is left out: the model does not hold " + tensor + ".");
  }
  if (out.empty()) co_return first_error;
  co_return std::move(out);
}

Task<Matrix<double>> squared_products(Directions a, Directions b) {
  constexpr std::size_t kRows = 4;  // about a millisecond of 768 × 768
  Matrix<double> out(a->directions.rows, b->directions.rows);
  for (std::size_t i = 0; i < out.rows; i += kRows) {
    const std::size_t count = std::min(kRows, out.rows - i);
    const MatrixView<double> to = out.view().slice(i, count);
    geometry::inner_products(a->directions.view().slice(i, count), b->directions, to);
    for (double& x : std::span(to.data, count * to.cols)) x *= x;
    co_await pause_point(static_cast<double>(i), static_cast<double>(out.rows), "overlap");
  }
  co_return std::move(out);
}

/// The largest deviation from 1 of row sums if b's directions are a whole basis, of column sums if a's are; else NaN.
double sum_error(const Matrix<double>& overlap, std::size_t dimension) {
  std::vector<double> rows(overlap.rows, 0), cols(overlap.cols, 0);
  for (std::size_t i = 0; i < overlap.rows; ++i)
    for (std::size_t j = 0; j < overlap.cols; ++j) rows[i] += overlap(i, j), cols[j] += overlap(i, j);
  double worst = std::nan("");
  const auto take = [&](const std::vector<double>& sums) {
    for (const double sum : sums) worst = std::fmax(worst, std::fabs(sum - 1));
  };
  if (overlap.cols == dimension) take(rows);
  if (overlap.rows == dimension) take(cols);
  return worst;
}

/// The sum over `rows` rows from `first` on and the first `cols` columns.
double held(const Matrix<double>& overlap, std::size_t first, std::size_t rows, std::size_t cols) {
  double sum = 0;
  for (std::size_t i = first; i < first + rows; ++i)
    for (std::size_t j = 0; j < cols; ++j) sum += overlap(i, j);
  return sum;
}

struct Counted {
  std::size_t dimension = 0, rows = 0, cols = 0;  // rows and columns that are summed
  double error = 0, first = 0, last = 0;
};

Counted count(const Matrix<double>& overlap, std::size_t dimension, const Params& params) {
  Counted out;
  out.dimension = dimension;
  out.rows = std::min(static_cast<std::size_t>(params.count_a), overlap.rows);
  out.cols = std::min(static_cast<std::size_t>(params.count_b), overlap.cols);
  out.error = sum_error(overlap, dimension);
  out.first = held(overlap, 0, out.rows, out.cols);
  out.last = held(overlap, overlap.rows - out.rows, out.rows, out.cols);
  return out;
}

/// Writes the means of pool × pool cells; the rest of the panel stays as it is.
void pool_into(const Matrix<double>& overlap, std::size_t pool, double* panel, std::size_t cells) {
  for (std::size_t i = 0; i < overlap.rows; i += pool)
    for (std::size_t j = 0; j < overlap.cols; j += pool) {
      const std::size_t rows = std::min(pool, overlap.rows - i), cols = std::min(pool, overlap.cols - j);
      double sum = 0;
      for (std::size_t r = i; r < i + rows; ++r)
        for (std::size_t c = j; c < j + cols; ++c) sum += overlap(r, c);
      panel[i / pool * cells + j / pool] = sum / static_cast<double>(rows * cols);
    }
}

/// Lists the matrices of one side: their names, and how many directions each has.
void tell(const std::vector<Basis>& matrices, protocol::Texts& names, protocol::Texts& ids,
          protocol::Grid& directions) {
  directions.shape = {matrices.size()};
  for (const Basis& m : matrices) {
    names.push_back(m.name), ids.push_back(parameter_text(m.id));
    directions.data.push_back(static_cast<double>(m.directions->directions.rows));
  }
}

/// If a position table was reduced to a few components, its other directions are rounding noise.
void note_few_components(const std::vector<Basis>& matrices, std::vector<std::string>& notes) {
  constexpr double kCliff = 0.01;  // from one singular value to the next; in GPT-2 small no ratio is below 0.27
  for (const Basis& m : matrices) {
    const std::vector<double>& values = m.directions->values;
    for (std::size_t k = 1; k <= values.size() / 2; ++k) {
      if (!(values[k] < kCliff * values[k - 1])) continue;
      std::string note = "After the first " + std::to_string(k) + (k == 1 ? " direction of " : " directions of ") +
                         m.name + " the singular values fall to less than a hundredth: the other " +
                         std::to_string(values.size() - k) +
                         " directions are rounding, and their overlaps mean nothing.";
      if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
      break;
    }
  }
}

/// Allocates all pairs; cells outside a pair's matrix are NaN.
void make_room(Output& out, const std::vector<Basis>& a, const std::vector<Basis>& b, std::size_t& pool) {
  std::size_t longest = 1;
  for (const auto* side : {&a, &b})
    for (const Basis& m : *side) longest = std::max(longest, m.directions->directions.rows);
  pool = (longest + kPanelCells - 1) / kPanelCells;
  const std::size_t cells = (longest + pool - 1) / pool;
  out.panels.shape = {a.size(), b.size(), cells, cells};
  out.panels.data.assign(a.size() * b.size() * cells * cells, std::nan(""));
  for (protocol::Grid* grid : {&out.corners, &out.held_first_by_pair, &out.held_last_by_pair})
    grid->shape = {a.size(), b.size()};
  tell(a, out.names_a, out.ids_a, out.directions_a);
  tell(b, out.names_b, out.ids_b, out.directions_b);
  out.pooled = {static_cast<double>(pool), "the mean of each cell is shown"};
}

/// The largest overlap of the first five directions of two random bases: all of as many squared products as there are
/// chances. Only their relative position counts, so one basis is that of the coordinates.
std::vector<double> random_corners(std::size_t dimension, std::size_t a, std::size_t b) {
  std::vector<double> out;
  for (std::uint32_t seed = 1; seed <= kNullSeeds; ++seed) {
    Pcg64 rng(seed);
    Matrix<double> basis(std::min({kCorner, b, dimension}), dimension);
    rng.normal(std::span(basis.data));
    double most = 0;
    for (std::size_t j = 0; j < basis.rows; ++j) {
      geometry::orthonormalise(basis.row(j), basis.view().slice(0, j));
      for (std::size_t i = 0; i < std::min({kCorner, a, dimension}); ++i)
        most = std::max(most, basis(j, i) * basis(j, i));
    }
    out.push_back(most);
  }
  return out;
}

void write_scalars(Output& out, const Counted& first, double corner, double worst) {
  const auto n = [](std::size_t x) { return std::to_string(x); };
  const auto d = static_cast<double>(first.dimension);
  out.row_sum_error = {worst, std::isfinite(worst) ? "before the blur, all pairs" : "neither side is a whole basis"};
  out.chance = {1 / d, "1 / " + n(first.dimension)};
  out.corner = {corner, "before the blur"};
  const std::string of = "of " + n(first.cols) + " columns, ";
  out.held_first = {first.first, of + "the first " + n(first.rows) + " rows"};
  out.held_last = {first.last, of + "the last " + n(first.rows) + " rows"};
  out.held_chance = {static_cast<double>(first.rows * first.cols) / d,
                     n(first.rows) + " · " + n(first.cols) + " / " + n(first.dimension)};
}

Task<Expected<Output>> all_pairs(std::vector<Basis> a, std::vector<Basis> b, Params params) {
  Output out;
  Masses masses(a.size(), b.size());
  std::size_t pool = 1;
  make_room(out, a, b, pool);
  const std::size_t cells = out.panels.shape[2];
  Counted first;
  double worst = std::nan("");
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j) {
      const geometry::Singular &of_a = *a[i].directions, &of_b = *b[j].directions;
      const std::size_t dimension = of_a.directions.cols;
      if (dimension != of_b.directions.cols)
        co_return Error{"The directions of " + a[i].name + " have " + std::to_string(dimension) +
                        " numbers and those of " + b[j].name + " have " + std::to_string(of_b.directions.cols) +
                        ": they lie in different spaces, and cannot be compared."};
      Matrix<double> overlap = co_await squared_products(a[i].directions, b[j].directions);
      const Counted counted = count(overlap, dimension, params);
      masses.add(i, j, overlap, dimension);
      worst = std::fmax(worst, counted.error);
      out.corners.data.push_back(masses(i, j).dot);
      out.held_first_by_pair.data.push_back(counted.first), out.held_last_by_pair.data.push_back(counted.last);
      const bool is_first = i == 0 && j == 0;
      if (is_first) first = counted;
      overlap = co_await blurred(std::move(overlap), params.blur);
      pool_into(overlap, pool, &out.panels.data[(i * b.size() + j) * cells * cells], cells);
      if (is_first) out.overlap = {{overlap.rows, overlap.cols}, std::move(overlap.data), 1};
    }
  out.random_corner =
      over_seeds(random_corners(first.dimension, a[0].directions->directions.rows, b[0].directions->directions.rows));
  write_scalars(out, first, masses(0, 0).dot, worst);
  out.claims = claims(params, out, masses);
  note_few_components(a, out.notes), note_few_components(b, out.notes);
  co_return std::move(out);
}

std::string convention_of(const Output& out, const Params& params) {
  return join(out.names_a, "; ") + " × " + join(out.names_b, "; ") +
         (params.blur > 0 ? ", blurred by " + to_text(params.blur) + " directions, mirrored at the edges" : "");
}

Task<Expected<Output>> compute(Params params, Context& context) {
  std::vector<MatrixChoice> of_a = choices_of(params.a, params), of_b = choices_of(params.b, params), all = of_a;
  all.insert(all.end(), of_b.begin(), of_b.end());
  if (const auto ok = check(params, all, context.inputs()); !ok) co_return ok.error();
  co_await pause_point();
  auto a = co_await all_matrices(std::move(of_a), &context);
  if (!a) co_return a.error();
  auto b = co_await all_matrices(std::move(of_b), &context);
  if (!b) co_return b.error();
  auto out = co_await all_pairs(std::move(*a), std::move(*b), params);
  if (!out) co_return out.error();
  out->convention = convention_of(*out, params);
  co_return std::move(*out);
}

}  // namespace

ComputeStudy compute_study() { return study_of<describe, compute>(needs); }

}  // namespace helix::studies::subspace_overlap
