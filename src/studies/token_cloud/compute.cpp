// The axes, from a sample of tokens first and then from all; every token and position along them; and which tokens
// contain a text. Results that depend neither on the text nor on the colours are cached from run to run.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/pcg64.h"
#include "base/text.h"
#include "base/utf8.h"
#include "checkpoint/convert.h"
#include "geometry/pca.h"
#include "studies/context_compute.h"
#include "studies/null_range.h"
#include "studies/token_cloud/axes.h"
#include "studies/token_cloud/token_cloud.h"

namespace helix::studies::token_cloud {
namespace {

constexpr const char *kTokens = "wte.weight", *kPositions = "wpe.weight", *kGain = "ln_f.weight";
constexpr std::size_t kAtOnce = 4 * kSample;  // rows up to which the exact axes are as fast as a sample's

/// Everything but the search, cached from run to run.
struct Cloud {
  Output out;

  std::size_t bytes() const {
    return (out.points.data.size() + out.norm.data.size() + out.position_points.data.size()) * sizeof(double);
  }
};

/// Positions and the vocabulary are read where they are there; without them there is a cloud all the same.
std::vector<ModelNeeds> needs(const ParamValues& values, const Known&) {
  const auto params = read_params<Params>(values);
  std::vector<ModelNeeds> all{{"", {kTokens}}};
  if (params.of == Of::head) all[0].tensors.push_back(kGain);
  if (params.positions) all.push_back({"", {kPositions}, {}, Reads::weights, true});
  all.push_back({"", {}, {}, Reads::tokens, true});
  return all;
}

/// Rows as doubles, times a gain for each column.
Expected<geometry::RowBlocks> rows_of(const char* name, std::vector<double> gain, const Inputs& inputs) {
  const auto tensor = inputs.weights->tensor(name);
  if (!tensor) return tensor.error();
  if (tensor->info->shape.size() != 2 || tensor->info->shape[0] == 0 || tensor->info->shape[1] == 0)
    return Error{"The tensor " + in_quotes(name) + " is no table of rows."};
  const auto d = static_cast<std::size_t>(tensor->info->shape[1]);
  if (!gain.empty() && gain.size() != d)
    return Error{"The tensor " + in_quotes(kGain) + " has " + std::to_string(gain.size()) +
                 " numbers where a token has " + std::to_string(d) + "."};
  return table_rows(*tensor, inputs.weights, std::move(gain));
}

Expected<Blocks> tokens_of(const Params& params, const Inputs& inputs) {
  std::vector<double> gain;
  if (params.of == Of::head) {
    const auto tensor = inputs.weights->tensor(kGain);
    if (!tensor) return tensor.error();
    const auto values = checkpoint::to_finite_f32(*tensor);
    if (!values) return values.error();
    gain.assign(values->data.begin(), values->data.end());
  }
  auto rows = rows_of(kTokens, std::move(gain), inputs);
  if (!rows) return rows.error();
  return std::make_shared<const geometry::RowBlocks>(std::move(*rows));
}

/// The positions' rows and their own axes; no rows if they are missing, which a note then says.
struct Positions {
  std::shared_ptr<const Matrix<double>> rows = std::make_shared<const Matrix<double>>();
  geometry::Pca own;
};

Task<Positions> positions_of(Params params, const Inputs* inputs, std::size_t d, std::vector<std::string>* notes) {
  Positions out;
  if (!params.positions) co_return std::move(out);
  const auto found = rows_of(kPositions, {}, *inputs);
  if (!found || found->cols != d) {
    notes->push_back(sentences({say("note.not_drawn"), found ? say("note.sizes") : found.error().sentence}));
    co_return std::move(out);
  }
  auto rows = std::make_shared<Matrix<double>>(found->rows, found->cols);
  if (const auto read = found->read(0, rows->view()); !read) {
    notes->push_back(sentences({say("note.not_drawn"), read.error().sentence}));
    co_return std::move(out);
  }
  out.rows = rows;
  out.own = co_await geometry::top_components(rows, params.centre, kComponents, {});
  co_return std::move(out);
}

constexpr std::uint32_t kCloudSeeds = 5;  // each takes as long as the components of a square matrix

/// A triangle [p, p] whose singular values are distributed like those of n × d independent normal numbers, p and q being
/// the smaller and the larger of n and d (Bartlett 1933): below the diagonal normal numbers, on it the lengths of q, q − 1,
/// … of them. Row by row, the diagonal last; a length from a normal number z by Wilson and Hilferty's
/// √k · (1 − 2/(9k) + z·√(2/(9k)))^1.5.
Matrix<double> bartlett(std::size_t n, std::size_t d, std::uint32_t seed) {
  const std::size_t p = std::min(n, d), q = std::max(n, d);
  std::vector<double> normal(p * (p + 1) / 2);
  Pcg64(seed).normal(std::span(normal));
  Matrix<double> out(p, p);
  std::size_t at = 0;
  for (std::size_t i = 0; i < p; ++i) {
    for (std::size_t j = 0; j < i; ++j) out(i, j) = normal[at++];
    const auto k = static_cast<double>(q - i);
    out(i, i) = std::sqrt(k) * std::pow(std::max(1 - 2 / (9 * k) + normal[at++] * std::sqrt(2 / (9 * k)), 0.0), 1.5);
  }
  return out;
}

/// The share that the three largest of many axes have by being the largest: more than three axes chosen beforehand.
Task<protocol::Grid> random_shares(std::size_t n, std::size_t d, bool centre) {
  std::vector<double> shares;
  if (centre) n -= std::min<std::size_t>(n, 1);  // one degree of freedom is the mean's
  for (std::uint32_t seed = 1; n > 0 && seed <= kCloudSeeds; ++seed) {
    co_await pause_point(seed, kCloudSeeds, "random rows");
    const auto rows = std::make_shared<const Matrix<double>>(bartlett(n, d, seed));
    const geometry::Pca fit = co_await geometry::top_components(rows, false, kComponents, {});
    double share = 0;
    for (const double one : geometry::explained(fit)) share += one;
    shares.push_back(share);
  }
  co_return over_seeds(std::move(shares));
}

void set(protocol::Grid& grid, Matrix<double> m) {
  grid.shape = {m.rows, m.cols};
  grid.data = std::move(m.data);
}

double sum_of(const std::vector<double>& x) {
  double sum = 0;
  for (const double value : x) sum += value;
  return sum;
}

void add_positions(Output& out, const Params& params, const Positions& positions, const Axes& axes) {
  if (positions.rows->rows == 0) {
    out.positions_held.note = out.positions_explained.note = out.tokens_held.note = "no positions are drawn";
    return;
  }
  const geometry::Pca of_tokens{axes.mean, axes.directions, axes.variances, axes.total};
  set(out.position_points, geometry::project(*positions.rows, of_tokens, axes.directions.rows));
  const geometry::Pca about_own{positions.own.mean, axes.directions, {}, 0};
  const std::string how = params.centre ? "about their own mean" : "about the origin";
  if (!(positions.own.total_variance > 0)) {
    out.positions_held.note = out.positions_explained.note = "all positions are equal, so nothing varies";
    if (std::isfinite(out.tokens_held.value)) out.tokens_held = {.note = "the positions have no axes"};
    return;
  }
  out.positions_held = {sum_of(geometry::captured(*positions.rows, about_own, axes.directions.rows)), how};
  out.positions_explained = {sum_of(positions.own.variances) / positions.own.total_variance, how};
  if (!(axes.total > 0)) out.positions_held = {.note = "the tokens have no axes"};
}

std::string convention_of(const Params& params, const Axes& axes, std::size_t n) {
  std::string text = params.of == Of::head ? "wte, ln_f gain folded in" : "wte";
  text += params.centre ? ", centred" : ", not centred";
  if (axes.fitted_on < n) text += ", axes from " + std::to_string(axes.fitted_on) + " of its rows";
  return text;
}

/// `axes` are fitted to a sample or to all rows.
Task<Expected<Output>> cloud_along(Blocks table, std::shared_ptr<const Axes> axes, Positions positions, Params params) {
  Output out;
  auto along = co_await rows_along(table, axes, positions.own.directions, params.centre);
  if (!along) co_return along.error();
  out.convention = convention_of(params, *axes, table->rows);
  const auto n = static_cast<double>(table->rows);
  for (const double variance : axes->variances)
    out.explained.data.push_back(axes->total > 0 ? variance / axes->total : std::nan(""));
  out.explained.shape = {out.explained.data.size()}, out.explained.first = 1;
  out.explained_first3 = {sum_of(out.explained.data), out.convention};
  if (!(axes->total > 0)) out.explained_first3 = {.note = "all tokens are equal, so nothing varies"};
  out.chance = {static_cast<double>(axes->directions.rows) / static_cast<double>(table->cols),
                std::to_string(axes->directions.rows) + " / " + std::to_string(table->cols)};
  out.mean_norm = {sum_of(along->norms) / n, "Euclidean"};
  out.count = {n, "rows of wte"};
  out.tokens_held = {along->held, params.centre ? "about their own mean" : "about the origin"};
  if (!(axes->total > 0)) out.tokens_held.note = out.explained_first3.note;
  add_positions(out, params, positions, *axes);
  out.norm.shape = {along->norms.size()}, out.norm.data = std::move(along->norms);
  set(out.points, std::move(along->points));
  co_return std::move(out);
}

/// The texts of all tokens, and which of them contain the searched text.
void add_texts(Output& out, const Params& params, const Inputs& inputs) {
  const auto n = static_cast<std::size_t>(out.count.value);
  out.found_count = {0, params.find.empty() ? "nothing is looked for" : "contain " + in_quotes(params.find)};
  out.found.shape = {0};
  if (!inputs.tokenizer) {
    out.found_count = {.note = "needs the vocabulary"};
    out.notes.push_back(sentences({say("note.no_texts"), inputs.no_tokenizer}));
    return;
  }
  for (std::size_t id = 0; id < n; ++id) {
    const std::string_view bytes = inputs.tokenizer->bytes(static_cast<std::int32_t>(id));
    out.text.push_back(shown_bytes(bytes));
    if (!params.find.empty() && bytes.find(params.find) != std::string_view::npos)
      out.found.data.push_back(static_cast<double>(id));
  }
  out.found.shape = {out.found.data.size()};
  out.found_count.value = static_cast<double>(out.found.data.size());
}

/// A first picture on the way. `context` outlives the task.
Task<Expected<Cloud>> make_cloud(Params params, Context* context) {
  auto table = tokens_of(params, context->inputs());
  if (!table) co_return table.error();
  std::vector<std::string> notes;
  const Positions positions = co_await positions_of(params, &context->inputs(), (*table)->cols, &notes);
  if ((*table)->rows > kAtOnce) {
    auto some = co_await axes_of_sample(*table, params.centre);
    if (!some) co_return some.error();
    auto first = co_await cloud_along(*table, std::make_shared<const Axes>(std::move(*some)), positions, params);
    if (!first) co_return first.error();
    first->notes = notes;
    add_texts(*first, params, context->inputs());
    context->first_picture(std::move(*first));
  }
  auto all = co_await axes_of_all(*table, params.centre);
  if (!all) co_return all.error();
  auto out = co_await cloud_along(*table, std::make_shared<const Axes>(std::move(*all)), positions, params);
  if (!out) co_return out.error();
  out->random_explained_first3 = co_await random_shares((*table)->rows, (*table)->cols, params.centre);
  out->notes = std::move(notes);
  Cloud cloud{std::move(*out)};
  co_return std::move(cloud);
}

Task<Expected<Output>> compute(Params params, Context& context) {
  if (!context.inputs().weights) co_return Error{"No model is open, so there are no tokens to show; open one."};
  const std::string key = convention_of(params, {}, 0) + (params.positions ? " positions" : "");
  co_await pause_point();
  const auto cloud = co_await context.cached<Cloud>(key, [&] { return make_cloud(params, &context); });
  if (!cloud) co_return cloud.error();
  Output out = (*cloud)->out;
  add_texts(out, params, context.inputs());
  std::vector<std::string> read{kTokens};
  if (params.of == Of::head) read.push_back(kGain);
  if (out.position_points.rows() > 0) read.push_back(kPositions);
  if (const auto ok = co_await context.reads(std::move(read)); !ok) co_return ok.error();
  co_return std::move(out);
}

}  // namespace

ComputeStudy compute_study() { return study_of<describe, compute>(needs); }

}  // namespace helix::studies::token_cloud
