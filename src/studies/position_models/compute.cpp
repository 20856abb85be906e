// Each model's positions are fitted separately: first the leading components of all models for a picture, then their
// exact spectra.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/text.h"
#include "checkpoint/convert.h"
#include "checkpoint/sentence.h"
#include "studies/context_compute.h"
#include "studies/helix_compute.h"
#include "studies/null_range.h"
#include "studies/position_models/position_models.h"
#include "studies/walks_compute.h"

namespace helix::studies::position_models {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

using Rows = std::shared_ptr<const Matrix<double>>;

/// The key of a file's directions of the last fit, on any rows, from which the next one starts.
constexpr const char* kLastDirections = "directions";

/// One model of the run.
struct Shown {
  std::string name, why_not;
  protocol::UsedModel used;
  Rows table, rows;
  RowRange range;
  Store::Owner owner;  // of what is kept of its fits
  std::optional<HelixNumbers> numbers;
  std::shared_ptr<const WalkNumbers> walks;
};

std::vector<ModelNeeds> needs(const ParamValues& values, const Known&) {
  std::vector<std::string> names = read_params<Params>(values).models;
  if (names.empty()) names.emplace_back();
  std::vector<ModelNeeds> all;
  for (const std::string& name : names) all.push_back({name, {kPositionTable}, {}, Reads::weights, true});
  return all;
}

/// What was done differently from what was asked, and for which models.
using Notes = std::vector<std::pair<std::string, std::vector<std::string>>>;

void add(Notes& notes, const std::string& note, const std::string& model) {
  const auto at = std::ranges::find(notes, note, &Notes::value_type::first);
  (at == notes.end() ? notes.emplace_back(note, std::vector<std::string>{}) : *at).second.push_back(model);
}

/// Reads a model's positions and determines which are shown; an error says why the model is not shown.
Task<Expected<void>> read(Shown* shown, const ModelInputs* model, Params params, Context* context, Notes* notes) {
  if (!model->weights) co_return Error{model->why_not.empty() ? "The model is not open." : model->why_not};
  auto table = learned_positions(*model->weights);
  if (!table) co_return table.error();
  std::vector<std::string> said;
  const auto range = range_within(params.first, params.last, table->rows, "The range", said);
  if (!range) co_return range.error();
  for (const std::string& note : said) add(*notes, note, model->name);
  Inputs inputs = context->inputs();
  inputs.weights = model->weights;
  const auto hash = co_await hash_tensor(std::move(inputs), kPositionTable);
  if (!hash) co_return hash.error();
  shown->used = {model->name,
                 model->sha256,
                 checkpoint::precision_of(*model->weights->tensor(kPositionTable)),
                 {{kPositionTable, *hash}}};
  shown->range = *range, shown->owner = model->weights;
  shown->table = std::make_shared<const Matrix<double>>(std::move(*table));
  shown->rows = copy_rows(*shown->table, *range);
  co_return Expected<void>();
}

bool is_fitted(const Shown& m, const Context& context) {
  return context.known<geometry::Pca>(m.owner, rows_text(m.range)) != nullptr;
}

/// The leading components alone, for a first picture; nothing if they did not converge.
Task<std::optional<HelixNumbers>> leading(const Shown* m, Context* context) {
  Matrix<double> start;
  if (const auto last = context->known<Matrix<double>>(m->owner, kLastDirections)) start = *last;
  const geometry::Pca fit = co_await geometry::top_components(m->rows, true, kComponents, std::move(start));
  context->keep(m->owner, kLastDirections, fit.directions);
  if (!fit.converged) co_return std::nullopt;
  co_return helix_numbers(*m->rows, fit, true, kComponents);
}

Task<Expected<void>> add_exact(Shown* m, Context* context) {
  const auto fit = co_await context->cached_of<geometry::Pca>(
      m->owner, rows_text(m->range), [&] { return as_expected(geometry::pca(m->rows, true, kComponents)); });
  if (!fit) co_return fit.error();
  context->keep(m->owner, kLastDirections, (*fit)->directions);
  m->numbers = helix_numbers(*m->rows, **fit, true, kComponents);
  co_return Expected<void>();
}

bool has_walks(const Shown& m, const Context& context) {
  return context.known<WalkNumbers>(nullptr, walk_key(*m.rows, true, 0, 1)) != nullptr;
}

/// Random walks with the model's own steps: what a smooth curve shows that learned nothing.
Task<Expected<void>> add_walks(Shown* m, Context* context) {
  const auto walks = co_await context->cached_of<WalkNumbers>(nullptr, walk_key(*m->rows, true, 0, 1),
                                                              [&] { return walk_numbers(m->rows, true, 0, 1); });
  if (!walks) co_return walks.error();
  m->walks = *walks;
  co_return Expected<void>();
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

void put_walks(const WalkNumbers& walks, std::size_t model, Output& out) {
  const auto from = static_cast<std::ptrdiff_t>(model * kNullSeeds);
  std::ranges::copy(walks.explained_first3, out.walk_explained_first3.data.begin() + from);
  std::ranges::copy(walks.turns, out.walk_turns.data.begin() + from);
}

/// The rule of the study of one model: a turn or more about a straight axis, and more than its random walks make.
bool lies_on_helix(const Output& out, const Shown& m, std::size_t model) {
  const NullRange walks = m.walks ? range_of(m.walks->turns) : NullRange();
  const double turns = out.turns.data[model], steps = static_cast<double>(m.rows->rows) - 1;
  return is_helix(turns, out.along.data[model]) && out.turns_skipped.data[model] <= kMostSkipped * steps &&
         (!walks.known() || turns > walks.most);
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
  std::size_t longest = 0, there = 0, helices = 0;
  for (const Shown& m : models) longest = std::max(longest, m.rows ? m.rows->rows : 0);
  Output out;
  for (protocol::Grid* grid : {&out.positions, &out.dimensions, &out.explained_first3, &out.components_for_90,
                               &out.turns, &out.turns_skipped, &out.along})
    *grid = empty_grid({n});
  out.walk_explained_first3 = empty_grid({n, kNullSeeds}), out.walk_turns = empty_grid({n, kNullSeeds});
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
    if (m.walks) put_walks(*m.walks, i, out);
    if (m.numbers && lies_on_helix(out, m, i)) ++helices;
  }
  out.helices = {static_cast<double>(helices),
                 "components 1 and 2 turn at least once, and more than in any random walk "
                 "with its steps; component 3 runs along position (|r| > 0.9)"};
  if (there == 0) out.helices = {.note = "no model is shown"};
  out.models_shown = {static_cast<double>(there), "of " + std::to_string(n) + " that were asked for"};
  out.convention = "rows " + std::to_string(params.first) + ".." + std::to_string(params.last) +
                   " of each model where it has them, centred, each along its own components";
  for (const auto& [note, names] : notes) out.notes.push_back(checkpoint::listed(names) + ": " + note);
  judge_nine(params, out);
  return out;
}

Task<Expected<Output>> compute(Params params, Context& context) {
  if (params.last < params.first)
    co_return Error{"The range ends at position " + std::to_string(params.last) + ", before it starts at " +
                    std::to_string(params.first) + "."};
  std::vector<Shown> models;
  Notes notes;
  std::vector<protocol::UsedModel> used;
  for (const ModelInputs& model : context.inputs().models) {
    Shown shown;
    shown.name = model.name;
    if (const auto ok = co_await read(&shown, &model, params, &context, &notes); !ok)
      shown.why_not = ok.error().sentence;
    if (shown.rows) used.push_back(shown.used);
    models.push_back(std::move(shown));
    co_await pause_point(0, 1, "reading rows");
  }
  set_models(context.origin(), used);

  bool picture = std::ranges::any_of(models, [&](const Shown& m) { return m.rows && !is_fitted(m, context); });
  for (Shown& m : models) {
    if (!m.rows || is_fitted(m, context)) continue;
    m.numbers = co_await leading(&m, &context);
    picture = picture && m.numbers;
  }
  if (picture) {
    for (Shown& m : models)
      if (m.rows && !m.numbers)
        if (const auto ok = co_await add_exact(&m, &context); !ok) co_return ok.error();
    context.first_picture(outputs_of(models, params, notes));
  }
  for (Shown& m : models) {
    if (!m.rows) continue;
    co_await pause_point(0, 1, "fitting axes");
    if (const auto ok = co_await add_exact(&m, &context); !ok) co_return ok.error();
  }
  if (!picture && std::ranges::any_of(models, [&](const Shown& m) { return m.rows && !has_walks(m, context); }))
    context.first_picture(outputs_of(models, params, notes));
  for (Shown& m : models)
    if (m.rows && m.rows->rows > 2)
      if (const auto ok = co_await add_walks(&m, &context); !ok) co_return ok.error();
  Output out = outputs_of(models, params, notes);
  co_return std::move(out);
}

}  // namespace

ComputeStudy compute_study() { return study_of<describe, compute>(needs); }

}  // namespace helix::studies::position_models
