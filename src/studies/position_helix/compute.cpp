// Rows, their principal components, and numbers derived from them. The leading components give a first picture, then
// the exact spectrum follows.
#include <algorithm>
#include <cmath>
#include <optional>

#include "base/text.h"
#include "checkpoint/convert.h"
#include "geometry/pca.h"
#include "geometry/positions.h"
#include "studies/helix_compute.h"
#include "studies/null_range.h"
#include "studies/position_helix/claims.h"
#include "studies/position_helix/position_helix.h"
#include "studies/registry_compute.h"
#include "studies/walks_compute.h"

namespace helix::studies::position_helix {
namespace {

using Rows = std::shared_ptr<const Matrix<double>>;

/// Cached from run to run: each fit starts from the directions of the last one.
struct Memory {
  std::string fitted_on;  // the setting of `exact`
  std::optional<geometry::Pca> exact;
  Matrix<double> directions;  // [k, d] of the last fit, on any rows
  WalkMemory walks;
  // The file of `sha256`: hashing 3 MB in every run would slow down a drag.
  std::shared_ptr<const checkpoint::WeightFile> hashed;
  std::string sha256;
};

std::vector<ModelNeeds> needs(const ParamValues& values, const Known&) {
  if (read_params<Params>(values).source == Source::sinusoidal) return {};
  return {{"", {kPositionTable}}};
}

Matrix<double> sinusoidal_rows(const Params& params) {
  return geometry::sinusoidal_positions(static_cast<std::size_t>(params.positions),
                                        static_cast<std::size_t>(params.dimensions), params.base);
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

/// Everything the exact fit depends on; equal text, equal fit.
std::string fit_key(const Setting& s, const protocol::Provenance& provenance, std::size_t dimensions) {
  const Params& p = s.params;
  const bool learned = p.source == Source::learned;
  return (learned ? provenance.tensors.front().sha256 : "sin " + to_text(p.base) + " d" + std::to_string(dimensions)) +
         " g" + to_text(p.group) + (p.centre ? " c " : " u ") + rows_text(s.fitted);
}

Setting make_setting(const Params& params, std::size_t positions, RowRange shown, RowRange fitted) {
  Setting s{params, shown, fitted, positions, {}};
  s.convention = rows_text(shown) + (params.centre ? ", centred" : ", not centred");
  if (!(shown == fitted)) s.convention += ", axes and mean of " + rows_text(fitted);
  if (params.group > 1) s.convention += ", averaged in groups of " + std::to_string(params.group);
  if (params.source == Source::sinusoidal)
    s.convention +=
        ", sinusoidal with base " + to_text(params.base) + " and " + to_text(params.dimensions) + " dimensions";
  return s;
}

/// The whole table of positions, [position, d_model], and in `provenance` what it was read from.
Expected<Matrix<double>> read_table(const Params& params, const Inputs& inputs, protocol::Provenance& provenance) {
  if (params.source == Source::sinusoidal) {
    provenance.model.clear(), provenance.sha256.clear();
    provenance.precision = "F64";
    return sinusoidal_rows(params);
  }
  if (!inputs.weights)
    return Error{"No model is open, so there are no learned positions; open one, or look at the sinusoidal ones."};
  auto rows = learned_positions(*inputs.weights);
  if (!rows) return rows.error();
  const auto tensor = inputs.weights->tensor(kPositionTable);
  auto& memory = memory_of<Memory>(inputs);
  if (memory.hashed != inputs.weights) memory.hashed = inputs.weights, memory.sha256 = checkpoint::sha256(*tensor);
  provenance.tensors.push_back({kPositionTable, memory.sha256});
  provenance.precision = checkpoint::precision_of(*tensor);
  return rows;
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
Task<geometry::Pca> fit_axes(Rows rows, bool centre, std::string key, Memory* memory,
                             std::function<void(const geometry::Pca&)> on_first) {
  if (memory->fitted_on == key && memory->exact) co_return *memory->exact;
  const geometry::Pca first = co_await geometry::top_components(rows, centre, kComponents, memory->directions);
  memory->directions = first.directions;
  if (first.converged) {
    on_first(first);
    co_await pause_point();  // a chance to cancel
  }
  memory->exact = co_await geometry::pca(rows, centre, kComponents);
  memory->fitted_on = key;
  memory->directions = memory->exact->directions;
  co_return *memory->exact;
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
  return s.params.source == Source::learned && s.shown == s.fitted && s.shown.count() >= kFewestRows;
}

Task<Expected<protocol::Result>> run(ParamValues values, Inputs inputs) {
  static const StudySchema schema = describe();
  const auto params = read_params<Params>(values);
  protocol::Provenance provenance = inputs.provenance;
  auto table = read_table(params, inputs, provenance);
  if (!table) co_return table.error();
  co_await pause_point(0, 1, "reading rows");
  const ClaimContext claim_rows = claim_context(*table, params.source == Source::learned);
  geometry::average_groups(*table, static_cast<std::size_t>(params.group));

  std::vector<std::string> notes;
  const auto setting = settle(params, table->rows, notes);
  if (!setting) co_return setting.error();
  const Rows shown = copy_rows(*table, setting->shown);
  const Rows fitted = setting->shown == setting->fitted ? shown : copy_rows(*table, setting->fitted);
  co_await pause_point(0, 1, "fitting axes");

  bool shown_already = false;
  const auto first_picture = [&](const geometry::Pca& fit) {
    shown_already = true;
    Output picture = outputs_of(*setting, *shown, fit);
    picture.complete = false;
    picture.notes = notes;
    inputs.on_first_picture(to_result(schema, values, provenance, picture));
  };
  const std::string key = fit_key(*setting, provenance, table->cols);
  const geometry::Pca fit = co_await fit_axes(fitted, params.centre, key, &memory_of<Memory>(inputs), first_picture);

  Output out = outputs_of(*setting, *shown, fit);
  if (wants_walks(*setting)) {
    const auto a = static_cast<std::size_t>(params.plane[0] - 1), b = static_cast<std::size_t>(params.plane[1] - 1);
    WalkMemory& memory = memory_of<Memory>(inputs).walks;
    // The walks take a second: something is shown before.
    if (!shown_already && memory.key != walk_key(*shown, params.centre, a, b)) first_picture(fit);
    const auto walks = co_await walk_numbers(shown, params.centre, a, b, &memory);
    add_walks(out, *walks);
  }
  double share_with_start = std::nan("");
  if (wants_baseline(params, table->rows))
    share_with_start = co_await baseline(copy_rows(*table, {1, table->rows - 1}));
  out.notes = std::move(notes);
  out.claims =
      claims(params, setting->convention, setting->shown == setting->fitted, claim_rows, out, share_with_start);
  co_return to_result(schema, values, provenance, out);
}

}  // namespace

ComputeStudy compute_study() { return {describe(), needs, run}; }

}  // namespace helix::studies::position_helix
