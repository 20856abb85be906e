// The passes are kept for all layers, and each layer's fit: another layer, hook, side or centring costs no second pass.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/random_rows.h"
#include "base/text.h"
#include "studies/context_compute.h"
#include "studies/extended_positions/fits.h"
#include "studies/extended_positions/means.h"
#include "studies/helix_compute.h"
#include "studies/judged.h"
#include "studies/null_range.h"

namespace helix::studies::extended_positions {
namespace {

using protocol::Claim;

constexpr double kAlike = 0.9;  // the least cosine between prompts that claim T7 calls almost independent
constexpr const char* kFew = "there are no three directions beside rounding";
constexpr const char* kHooks[] = {"the residual stream", "ln_1 with its gain", "ln_1 before its gain"};

/// What one run looks at; it outlives the tasks that it is handed to.
struct Scene {
  Context& context;
  Params params;
  Tokens tokens;
  std::shared_ptr<const Means> means;
  std::size_t layer = 0, first = 0;

  const model::Network& network() const { return *context.inputs().network; }
  std::size_t rows() const { return network().config().n_ctx - first; }
  bool normalized() const { return params.hook != Hook::resid_pre; }
  /// The hook of a variant: after ln_1 there are two, of which one was chosen.
  Hook hook_of(bool normalized) const {
    if (!normalized) return Hook::resid_pre;
    return params.hook == Hook::resid_pre ? Hook::ln1 : params.hook;
  }
};

Rows positions_of(const Scene& s) {
  const MatrixView<const float> table = s.network().positions().slice(s.first, s.rows());
  auto out = std::make_shared<Matrix<double>>(table.rows, table.cols);
  for (std::size_t i = 0; i < table.rows; ++i) std::ranges::copy(table.row(i), out->row(i).begin());
  return out;
}

/// ln_1's shift is the same in every row, so that it vanishes with the mean.
Rows extended_rows(const Scene& s, std::size_t layer, Hook hook) {
  const Matrix<float>& mean = s.means->layers[layer - s.means->first][hook != Hook::resid_pre].rows;
  const std::vector<float>& gain = s.network().layer(layer).ln_1.gain;
  auto out = std::make_shared<Matrix<double>>(s.rows(), mean.cols);
  for (std::size_t i = 0; i < out->rows; ++i)
    for (std::size_t j = 0; j < out->cols; ++j)
      (*out)(i, j) = static_cast<double>(mean(s.first + i, j)) * (hook == Hook::ln1 ? static_cast<double>(gain[j]) : 1);
  return out;
}

std::string fit_key(const Scene& s, std::size_t layer, Hook hook, bool centre) {
  return means_key(s.tokens) + " layer " + std::to_string(layer) + " hook " + std::to_string(static_cast<int>(hook)) +
         " from " + std::to_string(s.first) + (centre ? " c" : " u");
}

using Fitted = Expected<std::shared_ptr<const Fit>>;

Task<Fitted> table_fit(const Scene* s, bool centre) {
  const std::string key = "table from " + std::to_string(s->first) + (centre ? " c" : " u");
  co_return co_await s->context.cached_run<Fit>(key, [&] { return as_expected(fit_of(positions_of(*s), centre)); });
}

Task<Fitted> extended_fit(const Scene* s, std::size_t layer, Hook hook, bool centre) {
  co_return co_await s->context.cached_run<Fit>(
      fit_key(*s, layer, hook, centre), [&] { return as_expected(fit_of(extended_rows(*s, layer, hook), centre)); });
}

/// The network, and the vocabulary that the repeated tokens are chosen from.
std::vector<ModelNeeds> needs(const ParamValues&, const Known&) {
  ModelNeeds own;
  own.vocabulary = true;
  return {own};
}

// ---- the numbers

void set(protocol::Quantity& to, double value, std::string note, const char* why_not) {
  to = {value, std::isfinite(value) ? std::move(note) : std::string(why_not)};
}

std::string variant_name(const Scene& s, std::size_t variant) {
  return std::string(variant < 4 ? "directions" : "profiles") + (variant % 4 < 2 ? ", centred, " : ", not centred, ") +
         kHooks[static_cast<std::size_t>(s.hook_of(variant % 2))];
}

Task<Expected<void>> add_angles(const Scene* s, Output* out) {
  out->angles.shape = {kVariants, kAxes};
  for (std::size_t v = 0; v < kVariants; ++v) {
    const bool centre = v % 4 < 2;
    const Fitted table = co_await table_fit(s, centre);
    if (!table) co_return table.error();
    const Fitted own = co_await extended_fit(s, s->layer, s->hook_of(v % 2), centre);
    if (!own) co_return own.error();
    const Angles angles = co_await angles_between(own->get(), table->get(), v < 4 ? Side::right : Side::left);
    out->angles.data.insert(out->angles.data.end(), angles.begin(), angles.end());
    out->variants.push_back(variant_name(*s, v));
  }
  const std::size_t chosen = variant_of(s->params.side, s->params.centre, s->normalized());
  protocol::Quantity* const numbers[] = {&out->angle_1, &out->angle_2, &out->angle_3};
  for (std::size_t k = 0; k < kAxes; ++k) set(*numbers[k], out->angles(chosen, k), out->variants[chosen], kFew);
  co_return Expected<void>();
}

/// Rows as they are fitted, divided by the root mean square of their lengths: otherwise the longer matrix hides the other.
Matrix<double> scaled(const Matrix<double>& rows, bool centre) {
  Matrix<double> out = centre ? *less_mean(rows) : rows;
  double square = 0;
  for (const double length : row_norms(out)) square += length * length;
  const double by = std::sqrt(square / static_cast<double>(out.rows));
  for (double& x : out.data) x = by > 0 ? x / by : 0;
  return out;
}

Matrix<double> below(const Matrix<double>& a, const Matrix<double>& b) {
  Matrix<double> out = a;
  out.data.insert(out.data.end(), b.data.begin(), b.data.end());
  out.rows += b.rows;
  return out;
}

struct Curves {
  Matrix<double> table, extended;  // scaled
};

/// Both curves along the components of one of the three fits. Returns the extended positions' share along them.
double add_space(Output& out, const Curves& curves, const geometry::Pca& pca) {
  const geometry::Pca axes{std::vector<double>(curves.table.cols, 0), pca.directions, {}, 0, true};
  double share = 0;
  for (const Matrix<double>* rows : {&curves.table, &curves.extended}) {
    const Matrix<double> along = geometry::project(*rows, axes, kAxes);
    share = 0;
    for (std::size_t i = 0; i < rows->rows; ++i)
      for (std::size_t k = 0; k < kAxes; ++k) {
        out.points.data.push_back(k < along.cols ? along(i, k) : 0);
        share += out.points.data.back() * out.points.data.back() / static_cast<double>(rows->rows);
      }
  }
  const std::vector<double> shares = geometry::explained(pca);
  for (std::size_t k = 0; k < kAxes; ++k) out.explained.data.push_back(k < shares.size() ? shares[k] : 0);
  return share;
}

Task<Expected<void>> add_spaces(const Scene* s, Rows table, Rows extended, Output* out) {
  const bool centre = s->params.centre;
  const Curves curves{scaled(*table, centre), scaled(*extended, centre)};
  const Fitted of_table = co_await table_fit(s, centre);
  if (!of_table) co_return of_table.error();
  const Fitted own = co_await extended_fit(s, s->layer, s->params.hook, centre);
  if (!own) co_return own.error();
  const Fit both = co_await fit_of(std::make_shared<Matrix<double>>(below(curves.table, curves.extended)), false);
  out->points.shape = {kSpaces, kCurves, s->rows(), kAxes}, out->explained.shape = {kSpaces, kAxes};
  const double shared = add_space(*out, curves, (*of_table)->pca);
  add_space(*out, curves, (*own)->pca), add_space(*out, curves, both.pca);
  const HelixNumbers numbers = helix_numbers(*extended, (*own)->pca, true, kAxes);
  const bool varies = std::isfinite(numbers.explained_first3), table_varies = (*of_table)->pca.total_variance > 0;
  const auto d = static_cast<double>(extended->cols);
  set(out->shared, varies && table_varies ? shared : std::nan(""),
      "three random directions: " + percent_text(kAxes / d, 1), "nothing varies");
  set(out->explained_first3, numbers.explained_first3, "its own components", "nothing varies");
  set(out->turns, numbers.turns && varies ? numbers.turns->turns : std::nan(""),
      "neighbour steps over 1 radian left out", "nothing varies");
  set(out->along, numbers.points.cols > 2 ? correlation_with_row(numbers.points, 2) : std::nan(""), "Pearson's", kFew);
  co_return Expected<void>();
}

void add_sizes(const Scene& s, const Matrix<double>& table, const Matrix<double>& extended, Output& out) {
  const Matrix<double> positions = s.params.centre ? *less_mean(table) : table;
  out.largest.shape = {kCurves, table.cols};
  protocol::Quantity* const counts[] = {&out.dimensions_over_positions, &out.dimensions_over};
  protocol::Quantity* const effective[] = {&out.effective_positions, &out.effective};
  const Matrix<double>* const both[] = {&positions, &extended};
  for (std::size_t m = 0; m < kCurves; ++m) {
    std::vector<double> most(table.cols, 0);
    for (std::size_t i = 0; i < both[m]->rows; ++i)
      for (std::size_t j = 0; j < table.cols; ++j) most[j] = std::max(most[j], std::abs((*both[m])(i, j)));
    const auto over = std::ranges::count_if(most, [&](double x) { return x > s.params.threshold; });
    *counts[m] = {static_cast<double>(over), "beyond " + to_text(s.params.threshold) + ", at the matrix's own scale"};
    set(*effective[m], effective_dimensions(*both[m]), "of " + std::to_string(table.cols) + ", at any scale",
        "all entries are 0");
    out.largest.data.insert(out.largest.data.end(), most.begin(), most.end());
  }
  const double over = out.dimensions_over.value;
  set(out.times_fewer, over > 0 ? out.dimensions_over_positions.value / over : std::nan(""),
      "beyond " + to_text(s.params.threshold), "no dimension of the extended positions has such an entry");
}

Task<Expected<void>> add_layers(const Scene* s, Output* out) {
  const std::size_t layers = s->network().config().n_layer;
  const Fitted table = co_await table_fit(s, s->params.centre);
  if (!table) co_return table.error();
  out->angles_by_layer.shape = {layers, kAxes};
  out->explained_by_layer.shape = out->agreement_by_layer.shape = {layers};
  for (std::size_t layer = 0; layer < layers; ++layer) {
    Angles angles;
    angles.fill(std::nan(""));
    double explained = std::nan(""), agreement = std::nan("");
    if (s->means->holds(layer)) {
      const Fitted own = co_await extended_fit(s, layer, s->params.hook, s->params.centre);
      if (!own) co_return own.error();
      angles = co_await angles_between(own->get(), table->get(), s->params.side);
      const std::vector<double> shares = geometry::explained((*own)->pca);
      explained = 0;
      for (const double share : shares) explained += share;
      if (!((*own)->pca.total_variance > 0)) explained = std::nan("");
      agreement = s->means->layers[layer - s->means->first][s->normalized()].agreement;
    }
    out->angles_by_layer.data.insert(out->angles_by_layer.data.end(), angles.begin(), angles.end());
    out->explained_by_layer.data.push_back(explained), out->agreement_by_layer.data.push_back(agreement);
    co_await pause_point(static_cast<double>(layer), static_cast<double>(layers), "layers");
  }
  co_return Expected<void>();
}

Task<Expected<void>> add_walks(const Scene* s, Rows extended, Output* out) {
  const Fitted table = co_await table_fit(s, s->params.centre);
  if (!table) co_return table.error();
  const auto walks =
      co_await s->context.cached_run<Walks>("walks " + fit_key(*s, s->layer, s->params.hook, s->params.centre),
                                            [&] { return walks_beside(extended, s->params.centre, table->get()); });
  if (!walks) co_return walks.error();
  const Walks& w = **walks;
  const auto& angles = w.angles[static_cast<std::size_t>(s->params.side)];
  out->walk_angles = {{angles.size() / kAxes, kAxes}, angles, 1};
  out->walk_explained_first3 = over_seeds(w.explained_first3), out->walk_turns = over_seeds(w.turns);
  out->walk_along = over_seeds(w.along), out->walk_effective = over_seeds(w.effective);
  co_return Expected<void>();
}

// ---- claims

std::vector<Claim> claims(const Scene& s, const Output& out) {
  std::vector<Claim> all;
  const double cosine = out.agreement.value, turns = out.turns.value, r = out.along.value;
  if (s.tokens.ids.size() > 1)
    all.push_back({"T7",
                   here_of(cosine),
                   judged(cosine, cosine >= kAlike),
                   {},
                   out.convention + "; mean cosine of two prompts, rows from 1 on; holds from 0.9 on"});
  if (s.layer != 2) return all;
  const NullRange walks = range_of(out.walk_turns.data);
  all.push_back({"T9",
                 here_of(turns),
                 judged(turns + r, is_helix(turns, r) && (!walks.known() || turns > walks.most)),
                 {},
                 out.convention + "; components 1 and 2 turn, component 3 runs along position (r = " +
                     number_text(r, 3) + "): holds from one turn on where |r| is above 0.9" +
                     (walks.known() ? "; random walks: " + null_text(walks, 2) : "")});
  return all;
}

// ---- the run

std::string convention_of(const Scene& s) {
  const std::size_t prompts = s.tokens.ids.size(), last = s.network().config().n_ctx - 1;
  return "before layer " + std::to_string(s.layer) + ", " + kHooks[static_cast<std::size_t>(s.params.hook)] + ", " +
         std::to_string(prompts) + (prompts == 1 ? " prompt" : " prompts") + " of <|endoftext|> and one token " +
         with_thousands(static_cast<long long>(last)) + " times, less the mean over all positions; rows " +
         std::to_string(s.first) + ".." + std::to_string(last) + (s.params.centre ? ", centred" : ", not centred");
}

void describe_prompts(const Scene& s, Output& out) {
  for (const std::int32_t id : s.tokens.ids) {
    out.token.data.push_back(id);
    out.text.push_back(token_text(s.context.inputs(), id));
  }
  out.token.shape = {s.tokens.ids.size()};
  out.layer = {static_cast<double>(s.layer), "counted from 0"};
  const Mean& mean = s.means->layers[s.layer - s.means->first][s.normalized()];
  set(out.agreement, mean.agreement,
      std::to_string(s.tokens.ids.size()) + " prompts, " + kHooks[s.normalized() ? 2 : 0],
      s.tokens.ids.size() < 2 ? "needs two prompts" : "nothing varies");
  out.convention = convention_of(s);
}

/// Rows and layers that the model has, and notes where others were asked for.
void settle(Scene& s) {
  const checkpoint::Config& config = s.network().config();
  const auto within = [&](int asked, std::size_t last, const char* id) {
    if (static_cast<std::size_t>(asked) > last) s.context.note(say(id, {{"last", std::to_string(last)}}));
    return std::min(static_cast<std::size_t>(asked), last);
  };
  s.layer = within(s.params.layer, config.n_layer - 1, "note.last_layer");
  s.first = within(s.params.first, config.n_ctx - 1, "note.last_position");
  s.context.notes(s.tokens.notes);
}

void note_block(const Scene& s) {
  const std::size_t layers = s.network().config().n_layer, held = s.means->layers.size();
  if (held < layers)
    s.context.note(say("note.block", {{"first", std::to_string(s.means->first)},
                                      {"last", std::to_string(s.means->first + held - 1)}}));
}

Task<Expected<Output>> compute(Params params, Context& context) {
  auto tokens = choose_tokens(params, context.inputs());
  if (!tokens) co_return tokens.error();
  Scene s{context, params, std::move(*tokens), nullptr};
  settle(s);
  const auto means = co_await means_around(&context, &s.tokens, s.layer);
  if (!means) co_return means.error();
  s.means = *means;
  note_block(s);

  Output out;
  describe_prompts(s, out);
  const Rows table = positions_of(s), extended = extended_rows(s, s.layer, params.hook);
  if (const auto ok = co_await add_angles(&s, &out); !ok) co_return ok.error();
  if (const auto ok = co_await add_spaces(&s, table, extended, &out); !ok) co_return ok.error();
  add_sizes(s, *table, *extended, out);
  const std::size_t space = params.side == Side::left ? extended->rows : extended->cols;
  std::vector<double> random = co_await random_angles(space);
  out.random_angles = {{random.size() / kAxes, kAxes}, std::move(random), 1};
  if (const auto ok = co_await add_layers(&s, &out); !ok) co_return ok.error();
  context.first_picture(out);  // the walks take a second
  co_await pause_point();      // a chance to cancel
  if (const auto ok = co_await add_walks(&s, extended, &out); !ok) co_return ok.error();
  out.matrix = {{extended->rows, extended->cols}, extended->data, static_cast<long long>(s.first)};
  out.claims = claims(s, out);
  co_return std::move(out);
}

}  // namespace

ComputeStudy compute_study() { return study_of<describe, compute>(needs); }

}  // namespace helix::studies::extended_positions
