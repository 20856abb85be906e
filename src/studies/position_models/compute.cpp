// Each model's positions are fitted separately: first the leading components of all models for a picture, then their
// exact spectra.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/text.h"
#include "checkpoint/convert.h"
#include "checkpoint/sentence.h"
#include "studies/helix_compute.h"
#include "studies/position_models/position_models.h"
#include "studies/registry_compute.h"

namespace helix::studies::position_models {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

using Rows = std::shared_ptr<const Matrix<double>>;

/// Cached from run to run, for each checkpoint: hashing and fitting 3 MB would slow down a drag.
struct Fitted {
  std::shared_ptr<const checkpoint::WeightFile> weights;
  std::string sha256;
  RowRange range;
  std::optional<geometry::Pca> exact;  // of `range`
  Matrix<double> directions;           // of the last fit, on any rows
};
using Memory = std::vector<Fitted>;

/// One model of the run.
struct Shown {
  std::string name, why_not;
  protocol::UsedModel used;
  Rows table, rows;
  RowRange range;
  std::size_t memory = 0;  // index of this model's cache entry
  std::optional<HelixNumbers> numbers;
};

std::vector<ModelNeeds> needs(const ParamValues& values, const Known&) {
  std::vector<std::string> names = read_params<Params>(values).models;
  if (names.empty()) names.emplace_back();
  std::vector<ModelNeeds> all;
  for (const std::string& name : names) all.push_back({name, {kPositionTable}, {}, Reads::weights, true});
  return all;
}

/// The entry of these weights; those of models that are no longer compared are forgotten.
std::size_t entry_of(Memory& memory, const std::shared_ptr<const checkpoint::WeightFile>& weights) {
  const auto known = std::ranges::find(memory, weights, &Fitted::weights);
  if (known == memory.end()) memory.push_back({weights, {}, {}, std::nullopt, {}});
  return static_cast<std::size_t>(std::ranges::find(memory, weights, &Fitted::weights) - memory.begin());
}

void forget_others(Memory& memory, const Inputs& inputs) {
  std::erase_if(memory, [&](const Fitted& fitted) {
    return std::ranges::find(inputs.models, fitted.weights, &ModelInputs::weights) == inputs.models.end();
  });
}

/// What was done differently from what was asked, and for which models.
using Notes = std::vector<std::pair<std::string, std::vector<std::string>>>;

void add(Notes& notes, const std::string& note, const std::string& model) {
  const auto at = std::ranges::find(notes, note, &Notes::value_type::first);
  (at == notes.end() ? notes.emplace_back(note, std::vector<std::string>{}) : *at).second.push_back(model);
}

/// Reads a model's positions and determines which are shown; an error says why the model is not shown.
Expected<void> read(Shown& shown, const ModelInputs& model, const Params& params, Memory& memory, Notes& notes) {
  if (!model.weights) return Error{model.why_not.empty() ? "The model is not open." : model.why_not};
  auto table = learned_positions(*model.weights);
  if (!table) return table.error();
  std::vector<std::string> said;
  const auto range = range_within(params.first, params.last, table->rows, "The range", said);
  if (!range) return range.error();
  for (const std::string& note : said) add(notes, note, model.name);
  shown.range = *range;
  shown.memory = entry_of(memory, model.weights);
  const auto tensor = model.weights->tensor(kPositionTable);
  std::string& sha256 = memory[shown.memory].sha256;
  if (sha256.empty()) sha256 = checkpoint::sha256(*tensor);
  shown.used = {model.name, model.sha256, checkpoint::precision_of(*tensor), {{kPositionTable, sha256}}};
  shown.table = std::make_shared<const Matrix<double>>(std::move(*table));
  shown.rows = copy_rows(*shown.table, *range);
  return {};
}

/// The leading components alone, for a first picture; nothing if they did not converge.
Task<std::optional<HelixNumbers>> leading(Rows rows, Fitted* fitted) {
  const geometry::Pca fit = co_await geometry::top_components(rows, true, kComponents, fitted->directions);
  fitted->directions = fit.directions;
  if (!fit.converged) co_return std::nullopt;
  co_return helix_numbers(*rows, fit, true, kComponents);
}

bool is_fitted(const Fitted& fitted, RowRange range) { return fitted.exact && fitted.range == range; }

Task<HelixNumbers> exact(Rows rows, RowRange range, Fitted* fitted) {
  if (!is_fitted(*fitted, range)) {
    fitted->exact = co_await geometry::pca(rows, true, kComponents);
    fitted->range = range;
    fitted->directions = fitted->exact->directions;
  }
  co_return helix_numbers(*rows, *fitted->exact, true, kComponents);
}

protocol::Grid empty_grid(std::vector<std::size_t> shape, long long first = 0) {
  std::size_t size = 1;
  for (const std::size_t extent : shape) size *= extent;
  return {std::move(shape), std::vector<double>(size, kNone), first};
}

void put_numbers(const HelixNumbers& numbers, std::size_t model, Output& out) {
  out.explained_first3.data[model] = numbers.explained_first3;
  if (numbers.components_for_90) out.components_for_90.data[model] = static_cast<double>(numbers.components_for_90);
  if (numbers.points.cols > 2) out.along.data[model] = correlation_with_row(numbers.points.view(), 2);
  if (numbers.turns) {
    out.turns.data[model] = numbers.turns->turns;
    out.turns_skipped.data[model] = static_cast<double>(numbers.turns->skipped);
  }
  const std::size_t shares = std::min<std::size_t>(numbers.explained.size(), kComponents);
  std::copy_n(numbers.explained.begin(), shares,
              out.explained.data.begin() + static_cast<std::ptrdiff_t>(model * kComponents));
  const std::size_t longest = out.points.shape[1];
  for (std::size_t i = 0; i < numbers.points.rows; ++i)
    for (std::size_t c = 0; c < std::min<std::size_t>(numbers.points.cols, 3); ++c)
      out.points.data[(model * longest + i) * 3 + c] = numbers.points(i, c);
}

/// Judged on exactly the models and rows of the text, once all of them are here.
void judge_nine(const Params& params, Output& out) {
  if ("models=" + join(params.models, ",") != kNine || params.first != Params{}.first || params.last != Params{}.last)
    return;
  protocol::Claim claim{"H4", std::nullopt, std::nullopt, {}, ""};
  std::vector<std::string> others;
  bool one_without = false;
  for (std::size_t i = 0; i < out.name.size(); ++i) {
    const double turns = out.turns.data[i], along = out.along.data[i];
    if (!out.why_not[i].empty() || !std::isfinite(along)) {
      claim.needs.push_back(out.name[i]);
    } else if (!is_helix(turns, along)) {
      others.push_back(out.name[i] + " (" + to_fixed(turns, 2) + " turns, r = " + to_fixed(along, 3) + ")");
      one_without = one_without || out.name[i] == kWithoutHelix;
    }
  }
  claim.convention = out.convention + "; a clear helix where components 1 and 2 turn at least once and component 3 " +
                     "runs along position (|r| > 0.9)";
  if (claim.needs.empty()) {
    claim.here = static_cast<double>(out.name.size() - others.size());
    claim.holds = one_without && others.size() == 1;
    claim.convention += others.empty() ? "; all have one" : "; none in " + checkpoint::listed(others);
  }
  out.claims = {std::move(claim)};
}

Output outputs_of(const std::vector<Shown>& models, const Params& params, const Notes& notes) {
  const std::size_t n = models.size();
  std::size_t longest = 0, there = 0;
  for (const Shown& m : models) longest = std::max(longest, m.rows ? m.rows->rows : 0);
  Output out;
  for (protocol::Grid* grid : {&out.positions, &out.dimensions, &out.explained_first3, &out.components_for_90,
                               &out.turns, &out.turns_skipped, &out.along})
    *grid = empty_grid({n});
  out.explained = empty_grid({n, kComponents});
  out.points = empty_grid({n, longest, 3});
  for (std::size_t i = 0; i < n; ++i) {
    const Shown& m = models[i];
    out.name.push_back(m.name), out.why_not.push_back(m.why_not);
    if (!m.rows) continue;
    ++there;
    out.positions.data[i] = static_cast<double>(m.table->rows);
    out.dimensions.data[i] = static_cast<double>(m.table->cols);
    if (m.numbers) put_numbers(*m.numbers, i, out);
  }
  out.models_shown = {static_cast<double>(there), "of " + std::to_string(n) + " that were asked for"};
  out.convention = "rows " + std::to_string(params.first) + ".." + std::to_string(params.last) +
                   " of each model where it has them, centred, each along its own components";
  for (const auto& [note, names] : notes) out.notes.push_back(checkpoint::listed(names) + ": " + note);
  judge_nine(params, out);
  return out;
}

Task<Expected<protocol::Result>> run(ParamValues values, Inputs inputs) {
  static const StudySchema schema = describe();
  const auto params = read_params<Params>(values);
  if (params.last < params.first)
    co_return Error{"The range ends at position " + std::to_string(params.last) + ", before it starts at " +
                    std::to_string(params.first) + "."};
  auto& memory = memory_of<Memory>(inputs);
  forget_others(memory, inputs);
  std::vector<Shown> models;
  Notes notes;
  std::vector<protocol::UsedModel> used;
  for (const ModelInputs& model : inputs.models) {
    Shown& shown = models.emplace_back();
    shown.name = model.name;
    if (const auto ok = read(shown, model, params, memory, notes); !ok) shown.why_not = ok.error().sentence;
    if (shown.rows) used.push_back(shown.used);
    co_await pause_point(0, 1, "reading rows");
  }
  protocol::Provenance provenance = inputs.provenance;
  set_models(provenance, used);

  bool picture =
      std::ranges::any_of(models, [&](const Shown& m) { return m.rows && !is_fitted(memory[m.memory], m.range); });
  for (Shown& m : models) {
    if (!m.rows || is_fitted(memory[m.memory], m.range)) continue;
    m.numbers = co_await leading(m.rows, &memory[m.memory]);
    picture = picture && m.numbers;
  }
  if (picture) {
    for (Shown& m : models)
      if (m.rows && !m.numbers) m.numbers = co_await exact(m.rows, m.range, &memory[m.memory]);
    Output first = outputs_of(models, params, notes);
    first.complete = false;
    inputs.on_first_picture(to_result(schema, values, provenance, first));
  }
  for (Shown& m : models) {
    if (!m.rows) continue;
    co_await pause_point(0, 1, "fitting axes");
    m.numbers = co_await exact(m.rows, m.range, &memory[m.memory]);
  }
  co_return to_result(schema, values, provenance, outputs_of(models, params, notes));
}

}  // namespace

ComputeStudy compute_study() { return {describe(), needs, run}; }

}  // namespace helix::studies::position_models
