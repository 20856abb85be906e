// One pass over each text. What the layers' parts are is kept, so that another layer costs only its random walks. The
// table of positions is measured in the same way; where the model cannot run a text, it is all that is shown.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "base/random_rows.h"
#include "base/text.h"
#include "studies/helix_compute.h"
#include "studies/null_range.h"
#include "studies/position_share/claims.h"
#include "studies/position_share/runs.h"
#include "studies/walks_compute.h"

namespace helix::studies::position_share {
namespace {

using Table = std::shared_ptr<const Matrix<double>>;

constexpr const char* kNothing = "nothing varies";

std::vector<ModelNeeds> needs(const ParamValues&, const Known&) {
  ModelNeeds own{"", {kPositionTable}};
  own.vocabulary = true;  // windows of a text are prompts of the study's own
  return {own};
}

protocol::Quantity number(double value, std::string note, const char* why_not = kNothing) {
  return {value, std::isfinite(value) ? std::move(note) : std::string(why_not)};
}

// ---- random walks

struct Walks {
  std::vector<double> rank, explained_first3, turns, along;
  std::size_t bytes() const { return 4 * rank.size() * sizeof(double); }
};

/// Measured as the positions' part is, whose steps they have.
Task<Expected<Walks>> walks_of(Table rows) {
  Walks out;
  for (std::uint32_t seed = 1; seed <= kNullSeeds; ++seed) {
    co_await pause_point(seed - 1, kNullSeeds, "random walks");
    const auto walk = std::make_shared<const Matrix<double>>(walk_like(*rows, seed));
    const geometry::Pca fit = co_await walk_components(walk, true, kAxes);
    const HelixNumbers numbers = helix_numbers(*walk, fit, true, kAxes);
    const double first = fit.variances.empty() ? 0 : fit.variances.front();
    out.rank.push_back(first > 0 ? fit.total_variance / first : std::nan(""));
    out.explained_first3.push_back(numbers.explained_first3);
    out.turns.push_back(numbers.turns ? numbers.turns->turns : std::nan(""));
    out.along.push_back(numbers.points.cols > 2 ? std::abs(correlation_with_row(numbers.points, 2)) : std::nan(""));
  }
  co_return std::move(out);
}

void add_walks(Output& out, const Walks& walks) {
  out.walk_rank = over_seeds(walks.rank), out.walk_explained_first3 = over_seeds(walks.explained_first3);
  out.walk_turns = over_seeds(walks.turns), out.walk_along = over_seeds(walks.along);
}

// ---- layers

/// Coordinates of one layer's positions; missing components are 0.
void add_points(Output& out, const Matrix<double>& points, const std::vector<double>& explained) {
  for (std::size_t i = 0; i < points.rows; ++i)
    for (std::size_t k = 0; k < kAxes; ++k) out.points.data.push_back(k < points.cols ? points(i, k) : 0);
  for (std::size_t k = 0; k < kAxes; ++k) out.explained.data.push_back(k < explained.size() ? explained[k] : 0);
}

double rms(double squares, const Parts& parts) {
  return std::sqrt(squares / static_cast<double>(parts.texts * parts.positions));
}

void add_layers(Output& out, const Layers& layers) {
  const std::size_t count = layers.of.size();
  double worst = 0;
  for (const Parts& p : layers.of) {
    out.share_position.data.push_back(p.share(p.of_position)), out.share_context.data.push_back(p.share(p.of_context));
    out.share_rest.data.push_back(p.share(p.of_rest)), out.share_chance.data.push_back(p.chance());
    out.rank.data.push_back(p.stable_rank()), out.rank_less.data.push_back(p.stable_rank_corrected());
    out.norm_position.data.push_back(p.relative(p.position_norm));
    out.norm_context.data.push_back(p.relative(p.context_norm)), out.norm_rest.data.push_back(p.relative(p.rest_norm));
    out.length.data.push_back(rms(p.whole, p)), out.length_position.data.push_back(rms(p.of_position, p));
    out.neighbour_cosine.data.push_back(p.neighbours), out.context_cosine.data.push_back(p.crossing);
    add_points(out, p.points, p.explained);
    worst = std::max(worst, std::abs(1 - p.share(p.of_position + p.of_context + p.of_rest)));
  }
  for (protocol::Grid* grid : {&out.share_position, &out.share_context, &out.share_rest, &out.share_chance, &out.rank,
                               &out.rank_less, &out.norm_position, &out.norm_context, &out.norm_rest, &out.length,
                               &out.length_position, &out.neighbour_cosine, &out.context_cosine})
    grid->shape = {count};
  out.points.shape = {count, layers.of.front().positions, kAxes}, out.explained.shape = {count, kAxes};
  out.sum_error = number(worst, "|1 − Σ parts / whole|");
}

void add_layer(Output& out, const Layers& layers, std::size_t layer, const std::string& where) {
  const Parts& p = layers.of[layer];
  const std::string texts = "over " + std::to_string(p.texts) + " texts";
  out.position = number(p.share(p.of_position), where), out.context = number(p.share(p.of_context), where);
  out.rest = number(p.share(p.of_rest), where);
  out.chance =
      number(p.chance(), "the rest over " + std::to_string(p.texts - 1) + ": what a mean " + texts + " leaves");
  const Parts &start = layers.of.front(), &end = layers.of.back();
  out.position_start = number(start.share(start.of_position), "before layer 0");
  const auto most =
      std::ranges::max_element(layers.of, {}, [](const Parts& one) { return one.share(one.of_position); });
  out.position_most = number(most->share(most->of_position), "of all layers");
  const bool any = std::isfinite(out.position_most.value);
  out.most_layer = number(any ? static_cast<double>(most - layers.of.begin()) : std::nan(""),
                          "counted from 0; one more than the last: the end");
  out.position_end = number(end.share(end.of_position), "after the last layer, before ln_f");
  out.stable_rank = number(p.stable_rank(), "‖pos‖² / σ₁², " + where);
  out.rank_corrected = number(p.stable_rank_corrected(), where,
                              "the positions' part is hardly more than what averaging leaves of the rest");
  out.relative_norm = number(p.relative(p.position_norm), "σ₁ of the part over σ₁ of h − μ, " + where);
  out.context_norm = number(p.relative(p.context_norm), where);
  out.rest_norm = number(p.relative(p.rest_norm), where);
  double explained = 0;
  for (const double share : p.explained) explained += share;
  out.explained_first3 = number(p.explained.empty() ? std::nan("") : explained, where);
  out.turns = number(p.turns, "neighbour steps over 1 radian left out");
  out.along = number(p.points.cols > 2 ? correlation_with_row(p.points, 2) : std::nan(""), "Pearson's",
                     "there are no three directions");
  out.neighbours = number(p.neighbours, where), out.crossing = number(p.crossing, where);
  out.crossing_chance = number(std::sqrt(2 / (std::numbers::pi * static_cast<double>(p.features))),
                               "√(2 / (π d)), for d = " + std::to_string(p.features));
  out.matrix = {{p.positions, p.features}, p.position->data, static_cast<long long>(out.first.value)};
}

// ---- the table of positions

/// Its rows at the positions that count.
Table rows_of(const Matrix<double>& table, std::size_t first, std::size_t last) {
  return copy_rows(table, {first, last});
}

Task<Expected<void>> add_table(const Matrix<double>* table, std::size_t first, std::size_t last, Output* out) {
  if (last >= table->rows) {  // a table that is not the network's
    out->table_rank.note = "the table has only " + std::to_string(table->rows) + " rows";
    co_return Expected<void>();
  }
  const Table rows = rows_of(*table, first, last);
  const double rank = co_await stable_rank_of(rows);
  out->table_rank = number(rank, rows_text({first, last}) + " of wpe, centred, ‖p‖² / σ₁²");
  co_return Expected<void>();
}

/// All that is known of a model that cannot run a text.
Task<Expected<void>> add_table_alone(const Matrix<double>* table, std::size_t first, std::size_t last, Output* out) {
  const Table rows = rows_of(*table, first, last);
  const geometry::Pca fit = co_await walk_components(rows, true, kAxes);
  HelixNumbers numbers = helix_numbers(*rows, fit, true, kAxes);
  const double scale = std::sqrt(fit.total_variance);
  for (double& x : numbers.points.data) x = scale > 0 ? x / scale : 0;
  add_points(*out, numbers.points, numbers.explained);
  out->points.shape = {1, rows->rows, kAxes}, out->explained.shape = {1, kAxes};
  out->rank = {{1}, {out->table_rank.value}};
  out->explained_first3 = number(numbers.explained_first3, out->table_rank.note);
  out->turns = number(numbers.turns ? numbers.turns->turns : std::nan(""), "neighbour steps over 1 radian left out");
  out->along = number(numbers.points.cols > 2 ? correlation_with_row(numbers.points, 2) : std::nan(""), "Pearson's",
                      "there are no three directions");
  out->matrix = {{rows->rows, rows->cols}, rows->data, static_cast<long long>(first)};
  const auto walks = co_await walks_of(rows);
  if (!walks) co_return walks.error();
  add_walks(*out, *walks);
  co_return Expected<void>();
}

Task<Expected<Output>> table_alone(const Params* params, Context* context, const Matrix<double>* table) {
  const auto first = static_cast<std::size_t>(params->first);
  const std::size_t last = std::min(static_cast<std::size_t>(params->window), table->rows) - 1;
  if (first >= last)
    co_return Error{"Two positions are needed; there are " + std::to_string(table->rows) + " in the table."};
  Output out;
  out.layer = {0, "the table of positions"}, out.first = {static_cast<double>(first), ""};
  out.convention = rows_text({first, last}) + " of wpe, centred";
  const char* lacking = "needs a model that can run a text";
  for (protocol::Quantity* q :
       {&out.position,        &out.context,      &out.rest,       &out.chance,      &out.position_start,
        &out.position_most,   &out.position_end, &out.most_layer, &out.stable_rank, &out.rank_corrected,
        &out.relative_norm,   &out.context_norm, &out.rest_norm,  &out.neighbours,  &out.crossing,
        &out.crossing_chance, &out.sum_error,    &out.windows,    &out.window,      &out.step})
    q->note = lacking;
  if (const auto ok = co_await add_table(table, first, last, &out); !ok) co_return ok.error();
  if (const auto ok = co_await add_table_alone(table, first, last, &out); !ok) co_return ok.error();
  const std::string& why = context->inputs().no_network;
  context->note(sentences({why.empty() ? say("note.cannot_run") : why, say("note.table_alone")}));
  out.claims = claims(*params, out);
  co_return std::move(out);
}

// ---- the run

void describe_run(Output& out, const Texts& texts, Context& context) {
  for (const Edit& edit : context.inputs().subject.edits)
    if (edit.on) out.edits.push_back(edit.spec);
  out.tokens = texts.prompt;
  context.notes(texts.notes);
  out.windows = {static_cast<double>(texts.windows.size()), texts.of};
  out.window = {static_cast<double>(texts.size()), context.inputs().subject.bos ? "BOS included" : ""};
  out.step = {static_cast<double>(texts.step), texts.step < texts.size() ? "the texts overlap" : ""};
  out.first = {static_cast<double>(texts.first), ""};
  out.convention = texts.of + ", " + std::to_string(texts.windows.size()) + " texts of " +
                   std::to_string(texts.size()) + " tokens, " + std::to_string(texts.step) + " apart, " +
                   (context.inputs().subject.bos ? "with BOS" : "no BOS") + ", positions " +
                   std::to_string(texts.first) + ".." + std::to_string(texts.size() - 1) +
                   ", all parts about the mean over these";
  if (!out.edits.empty()) out.convention += ", edits: " + join(out.edits, ", ");
}

Task<Expected<Output>> compute(Params params, Context& context) {
  const auto table = co_await context.positions(PositionSource::learned, 0);
  if (!table) co_return table.error();
  if (!context.inputs().network) co_return co_await table_alone(&params, &context, &*table);
  const auto texts = texts_of(params, context);
  if (!texts) co_return texts.error();
  const std::size_t n_layer = context.inputs().network->config().n_layer;
  std::size_t layer = static_cast<std::size_t>(params.layer);
  if (layer > n_layer) {
    context.note(say("note.end", {{"layer", std::to_string(n_layer - 1)}}));
    layer = n_layer;
  }
  const auto layers = co_await layers_of(&context, &*texts);
  if (!layers) co_return layers.error();
  Output out;
  describe_run(out, *texts, context);
  out.layer = {static_cast<double>(layer), layer == n_layer ? "the end" : "counted from 0"};
  add_layers(out, **layers);
  add_layer(out, **layers, layer, layer == n_layer ? "at the end" : "before layer " + std::to_string(layer));
  if (const auto ok = co_await add_table(&*table, texts->first, texts->size() - 1, &out); !ok) co_return ok.error();
  context.first_picture(out);  // the walks take a moment
  const Table rows = (*layers)->of[layer].position;
  const std::string key = "walks " + std::to_string(layer) + " " + key_of(*texts, context.inputs().subject);
  const auto walks = co_await context.cached_run<Walks>(key, [&] { return walks_of(rows); });
  if (!walks) co_return walks.error();
  add_walks(out, **walks);
  out.claims = claims(params, out);
  co_return std::move(out);
}

}  // namespace

ComputeStudy compute_study() { return study_of<describe, compute>(needs); }

}  // namespace helix::studies::position_share
