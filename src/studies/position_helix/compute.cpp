// Rows, their principal components, and what follows from them. First a picture from the leading components, then the
// exact spectrum.
#include <algorithm>
#include <cmath>
#include <optional>

#include "base/text.h"
#include "geometry/helix.h"
#include "geometry/pca.h"
#include "geometry/positions.h"
#include "model/convert.h"
#include "studies/position_helix/claims.h"
#include "studies/position_helix/position_helix.h"
#include "studies/registry_compute.h"

namespace helix::studies::position_helix {
namespace {

constexpr const char* kTensor = "wpe.weight";
// The shape of GPT-2 small, for the sinusoidal encoding where no model says otherwise.
constexpr std::size_t kDefaultContext = 1024, kDefaultModel = 768;

using Rows = std::shared_ptr<const Matrix<double>>;

/// Kept from run to run: where the last fit ended is where the next one starts.
struct Memory {
  std::string fitted_on;  // what `exact` is the answer to
  std::optional<geometry::Pca> exact;
  Matrix<double> directions;                        // [k, d] of the last fit, on whatever rows
  std::shared_ptr<const model::WeightFile> hashed;  // what `sha256` was taken of: hashing 3 MB a run is felt in a drag
  std::string sha256;
};

struct Range {
  std::size_t first = 0, last = 0;
  std::size_t count() const { return last - first + 1; }
  bool operator==(const Range&) const = default;
};

std::vector<std::string> needs(const ParamValues& values) {
  if (read_params<Params>(values).source == Source::sinusoidal) return {};
  return {kTensor};
}

Expected<Matrix<double>> learned_rows(const Inputs& inputs) {
  if (!inputs.weights)
    return Error{"No model is open, so there are no learned positions; open one, or look at the sinusoidal ones."};
  const auto tensor = inputs.weights->tensor(kTensor);
  if (!tensor) return tensor.error();
  if (tensor->info->shape.size() != 2)
    return Error{"The tensor " + std::string(kTensor) + " has " + std::to_string(tensor->info->shape.size()) +
                 " dimensions, not position and d_model."};
  const auto rows = model::to_f32(*tensor);  // [position, d_model]
  if (!rows) return rows.error();
  Matrix<double> out(rows->rows, rows->cols);
  std::copy(rows->data.begin(), rows->data.end(), out.data.begin());
  return out;
}

Matrix<double> sinusoidal_rows(const Params& params, const Inputs& inputs) {
  std::size_t n = kDefaultContext, d = kDefaultModel;
  if (inputs.weights && inputs.weights->header())
    if (const auto* wpe = inputs.weights->header()->find(kTensor); wpe && wpe->shape.size() == 2)
      n = static_cast<std::size_t>(wpe->shape[0]), d = static_cast<std::size_t>(wpe->shape[1]);
  return geometry::sinusoidal_positions(n, d, params.base);
}

/// The asked range within 0 .. n-1; a last row beyond the end is the last row there is, and said.
Expected<Range> range_within(int first, int last, std::size_t n, const char* what, std::vector<std::string>& notes) {
  const int end = static_cast<int>(n) - 1;
  if (first > end)
    return Error{std::string(what) + " starts at position " + std::to_string(first) + ", but the last one is " +
                 std::to_string(end) + "."};
  if (last < first)
    return Error{std::string(what) + " ends at position " + std::to_string(last) + ", before it starts at " +
                 std::to_string(first) + "."};
  if (last > end) {
    notes.push_back(std::string(what) + " ends at " + std::to_string(end) +
                    ", the last position of this model, not at " + std::to_string(last) + ".");
    last = end;
  }
  return Range{static_cast<std::size_t>(first), static_cast<std::size_t>(last)};
}

Rows copy_rows(const Matrix<double>& all, Range range) {
  auto rows = std::make_shared<Matrix<double>>(range.count(), all.cols);
  std::copy_n(all.data.begin() + static_cast<std::ptrdiff_t>(range.first * all.cols), rows->data.size(),
              rows->data.begin());
  return rows;
}

std::string rows_text(Range r) { return "rows " + std::to_string(r.first) + ".." + std::to_string(r.last); }

struct Setting {
  Params params;
  Range shown, fitted;
  std::size_t positions = 0;  // rows there are
  std::string convention;     // "rows 1..1023, centred"
};

protocol::Grid as_grid(const Matrix<double>& m, long long first) { return {{m.rows, m.cols}, m.data, first}; }

Output outputs_of(const Setting& s, const Matrix<double>& shown, const geometry::Pca& fit) {
  Output out;
  out.convention = s.convention;
  const Matrix<double> points = geometry::project(shown, fit, kComponents);
  const bool same = s.shown == s.fitted;
  out.points = as_grid(points, static_cast<long long>(s.shown.first));
  out.explained.data = same ? geometry::explained(fit) : geometry::captured(shown, fit, kComponents);
  out.explained.shape = {out.explained.data.size()};
  out.explained.first = 1;
  out.residual.data = geometry::residuals(shown, fit, 3);
  out.residual.shape = {out.residual.data.size()};
  out.residual.first = static_cast<long long>(s.shown.first);

  out.positions = {static_cast<double>(s.positions), "rows of the whole table, row 0 included"};
  double first3 = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, out.explained.data.size()); ++i) first3 += out.explained.data[i];
  out.explained_first3 = {first3, s.convention};
  const std::size_t k90 = geometry::components_for(out.explained.data, 0.9);
  const bool all = out.explained.data.size() == std::min(shown.rows, shown.cols);
  if (k90)
    out.components_for_90 = {static_cast<double>(k90), s.convention};
  else
    out.components_for_90.note =
        all ? "the share never reaches 90 %"
            : "more than the " + std::to_string(out.explained.data.size()) + " components at hand";

  const auto a = static_cast<std::size_t>(s.params.plane[0]) - 1, b = static_cast<std::size_t>(s.params.plane[1]) - 1;
  if (a < points.cols && b < points.cols && a != b) {
    const geometry::Turns turns = geometry::turns(points, a, b);
    const std::string plane = "plane of components " + std::to_string(a + 1) + " and " + std::to_string(b + 1);
    out.turns = {turns.turns, plane + ", neighbour steps over 1 radian left out"};
    out.turns_skipped = {static_cast<double>(turns.skipped), "steps over 1 radian"};
  } else {
    out.turns.note = out.turns_skipped.note = "needs two different components that exist here";
  }
  return out;
}

/// What the exact fit depends on; equal text, equal fit.
std::string fit_key(const Setting& s, const protocol::Provenance& provenance, std::size_t dimensions) {
  const Params& p = s.params;
  const bool learned = p.source == Source::learned;
  return (learned ? provenance.tensors.front().sha256 : "sin " + to_text(p.base) + " d" + std::to_string(dimensions)) +
         " g" + to_text(p.group) + (p.centre ? " c " : " u ") + rows_text(s.fitted);
}

Setting make_setting(const Params& params, std::size_t positions, Range shown, Range fitted) {
  Setting s{params, shown, fitted, positions, {}};
  s.convention = rows_text(shown) + (params.centre ? ", centred" : ", not centred");
  if (!(shown == fitted)) s.convention += ", axes and mean of " + rows_text(fitted);
  if (params.group > 1) s.convention += ", averaged by " + std::to_string(params.group);
  if (params.source == Source::sinusoidal) s.convention += ", sinusoidal with base " + to_text(params.base);
  return s;
}

Memory& memory_of(const Inputs& inputs) {
  if (!*inputs.memory) *inputs.memory = std::make_shared<Memory>();
  return *static_cast<Memory*>(inputs.memory->get());
}

/// The whole table of positions, [position, d_model], and in `provenance` what it was read from.
Expected<Matrix<double>> read_table(const Params& params, const Inputs& inputs, protocol::Provenance& provenance) {
  if (params.source == Source::sinusoidal) {
    provenance.model.clear(), provenance.sha256.clear();
    provenance.precision = "F64";
    return sinusoidal_rows(params, inputs);
  }
  auto rows = learned_rows(inputs);
  if (!rows) return rows.error();
  const auto tensor = inputs.weights->tensor(kTensor);
  Memory& memory = memory_of(inputs);
  if (memory.hashed != inputs.weights) memory.hashed = inputs.weights, memory.sha256 = model::sha256(*tensor);
  provenance.tensors.push_back({kTensor, memory.sha256});
  provenance.precision = model::precision_of(*tensor);
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

/// The exact fit; before it, where the leading components converge, a first one for the picture.
Task<geometry::Pca> fit_axes(Rows rows, bool centre, std::string key, Memory* memory,
                             std::function<void(const geometry::Pca&)> on_first) {
  if (memory->fitted_on == key && memory->exact) co_return *memory->exact;
  const geometry::Pca first = co_await geometry::top_components(rows, centre, kComponents, memory->directions);
  memory->directions = first.directions;
  if (first.converged) {
    on_first(first);
    co_await checkpoint();  // the page may already want something else
  }
  memory->exact = co_await geometry::pca(rows, centre, kComponents);
  memory->fitted_on = key;
  memory->directions = memory->exact->directions;
  co_return *memory->exact;
}

/// Share in three components of rows 1..n-1: claim H5 says that it increases without the first hundred.
Task<double> baseline(Rows rows) {
  const geometry::Pca fit = co_await geometry::top_components(rows, true, 3, Matrix<double>());
  double share = 0;
  for (const double one : geometry::explained(fit)) share += one;
  co_return share;
}

Task<Expected<protocol::Result>> run(ParamValues values, Inputs inputs) {
  static const StudySchema schema = describe();
  const auto params = read_params<Params>(values);
  protocol::Provenance provenance = inputs.provenance;
  auto table = read_table(params, inputs, provenance);
  if (!table) co_return table.error();
  co_await checkpoint(0, 1, "reading rows");
  const ClaimContext claim_rows = claim_context(*table, params.source == Source::learned);
  geometry::average_groups(*table, static_cast<std::size_t>(params.group));

  std::vector<std::string> notes;
  const auto setting = settle(params, table->rows, notes);
  if (!setting) co_return setting.error();
  const Rows shown = copy_rows(*table, setting->shown);
  const Rows fitted = setting->shown == setting->fitted ? shown : copy_rows(*table, setting->fitted);
  co_await checkpoint(0, 1, "fitting axes");

  const auto first_picture = [&](const geometry::Pca& fit) {
    Output picture = outputs_of(*setting, *shown, fit);
    picture.complete = false;
    picture.notes = notes;
    inputs.on_first_picture(to_result(schema, values, provenance, picture));
  };
  const std::string key = fit_key(*setting, provenance, table->cols);
  const geometry::Pca fit = co_await fit_axes(fitted, params.centre, key, &memory_of(inputs), first_picture);

  Output out = outputs_of(*setting, *shown, fit);
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
