// Rows, their principal components, and numbers derived from them. The leading components give a first picture, then
// the exact spectrum follows.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "geometry/pca.h"
#include "geometry/positions.h"
#include "studies/context_compute.h"
#include "studies/helix_compute.h"
#include "studies/null_range.h"
#include "studies/position_helix/claims.h"
#include "studies/position_helix/position_helix.h"
#include "studies/walks_compute.h"

namespace helix::studies::position_helix {
namespace {

using Rows = std::shared_ptr<const Matrix<double>>;

/// The key of the directions [k, d] of the last fit, on any rows, from which the next one starts.
constexpr const char* kLastDirections = "directions";

std::vector<ModelNeeds> needs(const ParamValues& values, const Known&) {
  return needs_of(read_params<Params>(values).source);
}

struct Setting {
  Params params;
  RowRange shown, fitted;
  std::size_t positions = 0;  // rows of the table
  std::string convention;     // "rows 1..1023, centred"
};

protocol::Grid as_grid(const Matrix<double>& m, long long first) { return {{m.rows, m.cols}, m.data, first}; }

std::vector<double> roots(std::vector<double> values) {
  for (double& x : values) x = std::sqrt(x);
  return values;
}

Output outputs_of(const Setting& s, const Matrix<double>& shown, const geometry::Pca& fit) {
  Output out;
  out.convention = s.convention;
  const auto a = static_cast<std::size_t>(s.params.plane[0]) - 1, b = static_cast<std::size_t>(s.params.plane[1]) - 1;
  HelixNumbers numbers = helix_numbers(shown, fit, s.shown == s.fitted, kComponents, a, b);
  const auto first = static_cast<long long>(s.shown.first);
  out.points = as_grid(numbers.points, first);
  out.explained = {{numbers.explained.size()}, std::move(numbers.explained), 1};
  out.residual = {{numbers.residual.size()}, std::move(numbers.residual), first};

  out.positions = {static_cast<double>(s.positions), "rows of the whole table, row 0 included"};
  out.explained_first3 = {numbers.explained_first3, s.convention};
  const char* still = shown.rows == 1 ? "a single row does not vary" : "nothing varies along these axes";
  if (std::isnan(numbers.explained_first3)) out.explained_first3.note = still;
  if (numbers.points.cols > 2 && shown.rows > 1)
    out.along = {correlation_with_row(numbers.points.view(), 2), "Pearson's"};
  else
    out.along.note = "needs three components and two rows";
  if (fit.variances.size() == std::min(shown.rows, shown.cols) && s.shown == s.fitted)
    out.rank = {static_cast<double>(rank_of(roots(fit.variances))), "before the first fall to less than a hundredth"};
  else
    out.rank.note = "needs all components of the shown rows";
  const std::size_t at_hand = out.explained.rows();
  if (numbers.components_for_90)
    out.components_for_90 = {static_cast<double>(numbers.components_for_90), s.convention};
  else if (at_hand == 0)
    out.components_for_90.note = still;
  else
    out.components_for_90.note = at_hand == std::min(shown.rows, shown.cols)
                                     ? "the share never reaches 90 %"
                                     : "more than the " + std::to_string(at_hand) + " components at hand";
  if (numbers.turns) {
    const std::string plane = "plane of components " + std::to_string(a + 1) + " and " + std::to_string(b + 1);
    out.turns = {numbers.turns->turns, plane + ", neighbour steps over 1 radian left out"};
    out.turns_skipped = {static_cast<double>(numbers.turns->skipped), "steps over 1 radian"};
  } else {
    out.turns.note = out.turns_skipped.note = "needs two different components that exist here, and two rows";
  }
  return out;
}

/// Everything the exact fit of a file's positions, or of sinusoids, depends on; equal text, equal fit.
std::string fit_key(const Setting& s) {
  const Params& p = s.params;
  const std::string sinusoids = "sin " + to_text(p.base) + " " + to_text(p.positions) + " × " + to_text(p.dimensions);
  return (p.source == PositionSource::learned ? "learned" : sinusoids) + " g" + to_text(p.group) +
         (p.centre ? " c " : " u ") + rows_text(s.fitted);
}

Setting make_setting(const Params& params, std::size_t positions, RowRange shown, RowRange fitted) {
  Setting s{params, shown, fitted, positions, {}};
  s.convention = rows_text(shown) + (params.centre ? ", centred" : ", not centred");
  if (!(shown == fitted)) s.convention += ", axes and mean of " + rows_text(fitted);
  if (params.group > 1) s.convention += ", averaged in groups of " + std::to_string(params.group);
  if (params.source == PositionSource::sinusoidal)
    s.convention +=
        ", sinusoidal with base " + to_text(params.base) + " and " + to_text(params.dimensions) + " dimensions";
  return s;
}

/// The whole table of positions, [position, d_model]; the sinusoidal one has the size that is asked for.
Task<Expected<Matrix<double>>> read_table(Params params, Context* context) {
  if (params.source == PositionSource::learned) co_return co_await context->positions(params.source, params.base);
  context->without_model();
  co_return geometry::sinusoidal_positions(static_cast<std::size_t>(params.positions),
                                           static_cast<std::size_t>(params.dimensions), params.base);
}

/// Which rows are shown and which are fitted.
Expected<Setting> settle(const Params& params, std::size_t positions, std::vector<std::string>& notes) {
  const auto shown = range_within(params.first, params.last, positions, "The range", notes);
  if (!shown) return shown.error();
  if (params.fit_first < 0 && params.fit_last < 0) return make_setting(params, positions, *shown, *shown);
  const int from = params.fit_first >= 0 ? params.fit_first : params.first;
  const int to = params.fit_last >= 0 ? params.fit_last : params.last;
  const auto fitted = range_within(from, to, positions, "The range of the axes", notes);
  if (!fitted) return fitted.error();
  return make_setting(params, positions, *shown, *fitted);
}

/// The exact fit; before it, if the leading components converge, a preliminary one for the first picture.
Task<Expected<geometry::Pca>> fit_axes(Rows rows, bool centre, Context* context,
                                       std::function<void(const geometry::Pca&)> on_first) {
  Matrix<double> start;
  if (const auto last = context->known<Matrix<double>>(nullptr, kLastDirections)) start = *last;
  const geometry::Pca first = co_await geometry::top_components(rows, centre, kComponents, std::move(start));
  context->keep(nullptr, kLastDirections, first.directions);
  if (first.converged) {
    on_first(first);
    co_await pause_point();  // a chance to cancel
  }
  co_return co_await geometry::pca(rows, centre, kComponents);
}

/// Share of the variance in three components of rows 1..n-1: claim H5 says that it increases without the first hundred.
Task<double> baseline(Rows rows) {
  const geometry::Pca fit = co_await geometry::top_components(rows, true, 3, Matrix<double>());
  double share = 0;
  for (const double one : geometry::explained(fit)) share += one;
  co_return share;
}

void add_walks(Output& out, const WalkNumbers& walks) {
  out.walk_explained_first3 = over_seeds(walks.explained_first3);
  out.walk_turns = over_seeds(walks.turns), out.walk_along = over_seeds(walks.along);
}

/// Walks say something about a curve with axes of its own; a curve of fewer rows is hardly one.
bool wants_walks(const Setting& s) {
  constexpr std::size_t kFewestRows = 10;
  return s.params.source == PositionSource::learned && s.shown == s.fitted && s.shown.count() >= kFewestRows;
}

Task<Expected<Output>> compute(Params params, Context& context) {
  context.judges_itself();
  auto table = co_await read_table(params, &context);
  if (!table) co_return table.error();
  co_await pause_point(0, 1, "reading rows");
  const ClaimContext claim_rows = claim_context(*table, params.source == PositionSource::learned);
  geometry::average_groups(*table, static_cast<std::size_t>(params.group));

  std::vector<std::string> notes;
  const auto setting = settle(params, table->rows, notes);
  if (!setting) co_return setting.error();
  context.notes(notes);
  const Rows shown = copy_rows(*table, setting->shown);
  const Rows fitted = setting->shown == setting->fitted ? shown : copy_rows(*table, setting->fitted);
  co_await pause_point(0, 1, "fitting axes");

  bool shown_already = false;
  const auto first_picture = [&](const geometry::Pca& fit) {
    shown_already = true;
    context.first_picture(outputs_of(*setting, *shown, fit));
  };
  Store::Owner owner;
  if (params.source == PositionSource::learned) owner = context.inputs().weights;
  const auto fit = co_await context.cached_of<geometry::Pca>(
      owner, fit_key(*setting), [&] { return fit_axes(fitted, params.centre, &context, first_picture); });
  if (!fit) co_return fit.error();
  context.keep(nullptr, kLastDirections, (*fit)->directions);

  Output out = outputs_of(*setting, *shown, **fit);
  if (wants_walks(*setting)) {
    const auto a = static_cast<std::size_t>(params.plane[0] - 1), b = static_cast<std::size_t>(params.plane[1] - 1);
    const auto walks = co_await context.cached_of<WalkNumbers>(nullptr, walk_key(*shown, params.centre, a, b), [&] {
      if (!shown_already) first_picture(**fit);  // the walks take a second
      return walk_numbers(shown, params.centre, a, b);
    });
    if (!walks) co_return walks.error();
    add_walks(out, **walks);
  }
  double share_with_start = std::nan("");
  if (wants_baseline(params, table->rows))
    share_with_start = co_await baseline(copy_rows(*table, {1, table->rows - 1}));
  out.claims =
      claims(params, setting->convention, setting->shown == setting->fitted, claim_rows, out, share_with_start);
  co_return std::move(out);
}

}  // namespace

ComputeStudy compute_study() { return study_of<describe, compute>(needs); }

}  // namespace helix::studies::position_helix
