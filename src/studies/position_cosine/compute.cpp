#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "base/random.h"
#include "base/sha256.h"
#include "base/text.h"
#include "checkpoint/convert.h"
#include "geometry/positions.h"
#include "geometry/products.h"
#include "studies/context_compute.h"
#include "studies/helix_compute.h"
#include "studies/judged.h"
#include "studies/null_range.h"
#include "studies/position_cosine/position_cosine.h"
#include "studies/position_cosine/profile.h"
#include "studies/walks_compute.h"

namespace helix::studies::position_cosine {
namespace {

constexpr double kSameEverywhere = 1e-9;

constexpr const char *kWords = "wte.weight", *kTooFew = "there are too few cosines";
constexpr std::uint64_t kOrder = 1;

/// The first of n tokens with neighbouring ids; near the end of the vocabulary, the range is moved down.
std::size_t first_token(const Params& params, std::size_t n, std::size_t n_vocab) {
  return std::min(static_cast<std::size_t>(params.token), n_vocab > n ? n_vocab - n : 0);
}

/// The number of vectors: a row range ends at the end of the table at the latest.
std::size_t count_of(const Params& params, std::size_t positions) {
  const auto end = std::min<std::size_t>(static_cast<std::size_t>(params.last) + 1, positions);
  return end - std::min<std::size_t>(static_cast<std::size_t>(params.first), end);
}

std::vector<ModelNeeds> needs(const ParamValues& values, const Known& known) {
  const auto params = read_params<Params>(values);
  std::vector<ModelNeeds> all = params.of == Of::tokens ? std::vector<ModelNeeds>() : needs_of(params.source);
  if (params.of == Of::positions) return all;
  if (all.empty()) all.emplace_back();
  TensorRows rows{kWords, {}};
  if (const auto size = known.size(""); size && size->n_vocab > 0) {
    const std::size_t n = std::min(count_of(params, size->n_ctx), size->n_vocab);
    const std::size_t first = first_token(params, n, size->n_vocab);
    for (std::size_t i = 0; i < n; ++i) rows.rows.push_back(first + i);
  }
  all.front().rows.push_back(std::move(rows));
  return all;
}

/// The mean of every diagonal, from the main one up, over its cosines that are defined; NaN where none is. `upper`: entries
/// below the main diagonal are not read.
std::vector<double> diagonal_means(const Matrix<double>& upper) {
  const std::size_t n = upper.rows;
  std::vector<double> sums(n, 0), counts(n, 0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i; j < n; ++j)
      if (!std::isnan(upper(i, j))) sums[j - i] += upper(i, j), ++counts[j - i];
  for (std::size_t lag = 0; lag < n; ++lag) sums[lag] = counts[lag] > 0 ? sums[lag] / counts[lag] : std::nan("");
  return sums;
}

constexpr double kByChance = 1;  // so many of kNullSeeds walks may rise again where a rise is no chance
constexpr const char* kNoRise = "the mean cosine does not fall and rise again";

void add_numbers(Output& out, const Matrix<double>& upper) {
  const std::size_t n = upper.rows;
  double least = HUGE_VAL, most = -HUGE_VAL, all = 0, pairs = 0;
  for (std::size_t i = 0; i + 1 < n; ++i) {
    least = std::min(least, upper(i, i + 1)), most = std::max(most, upper(i, i + 1));  // a NaN changes neither
    for (std::size_t j = i + 1; j < n; ++j)
      if (!std::isnan(upper(i, j))) all += upper(i, j), ++pairs;
  }
  const std::string why = n < 2 ? "needs two rows" : "no two neighbours have a direction";
  const auto where = [&](bool defined, double value, std::string note) {
    return defined ? protocol::Quantity{value, std::move(note)} : protocol::Quantity{.note = why};
  };
  const bool neighbours = n > 1 && most >= least;
  out.adjacent_mean = where(neighbours, n > 1 ? out.by_lag.data[1] : 0, out.convention);
  out.adjacent_spread = where(neighbours, most - least, "over all neighbours");
  out.shuffled_mean = where(pairs > 0, all / pairs,
                            "mean of all pairs of different rows: what is expected of every lag when the rows are in "
                            "random order");
  const Period period = period_of(out.by_lag.data, 1);
  const char* how = "mean of 21 neighbouring lags; a rise of 0.1 or more after a minimum";
  if (period.lag)
    out.period = {static_cast<double>(period.lag), how}, out.trough = {static_cast<double>(period.trough), how};
  else
    out.period.note = out.trough.note = period.known ? kNoRise : "there are too few cosines to tell";
}

/// Mean over the nearest tenth of the lags minus that over the farthest half, without the last tenth (see period_of).
double near_minus_far(const std::vector<double>& by_lag) {
  const std::size_t n = by_lag.size() - by_lag.size() / 10;
  double near = 0, far = 0;
  std::size_t nears = 0, fars = 0;
  for (std::size_t lag = 1; lag < n; ++lag) {
    if (std::isnan(by_lag[lag])) continue;
    if (lag <= by_lag.size() / 10) near += by_lag[lag], ++nears;
    if (lag >= by_lag.size() / 2) far += by_lag[lag], ++fars;
  }
  return nears && fars ? near / static_cast<double>(nears) - far / static_cast<double>(fars) : std::nan("");
}

std::vector<protocol::Claim> claims(const Params& params, const Output& out) {
  if (params.of == Of::tokens) return {};
  if (params.of == Of::sum) {
    const double with = out.near_minus_far.value, without = out.near_minus_far_tokens.value;
    return {{"F10",
             here_of(with),
             judged(with - without, with - without >= kPushed),
             {},
             out.convention +
                 "; mean cosine at the nearest tenth of the lags minus that at the farthest half without "
                 "the last tenth, of the tokens alone " +
                 number_text(without, 4) + "; holds where positions add 0.05 or more"}};
  }
  if (params.source == PositionSource::sinusoidal)
    return {{"F7",
             here_of(out.adjacent_spread.value),
             judged(out.adjacent_spread.value, out.adjacent_spread.value < kSameEverywhere),
             {},
             "largest minus smallest cosine of neighbours, base " + to_text(params.base)}};
  const bool rises = std::isfinite(out.period.value), walks = std::isfinite(out.walks_rising.value);
  const bool beyond = rises && !(out.walks_rising.value > kByChance);
  return {{"H7",
           here_of(out.period.value),
           rises || out.period.note == kNoRise ? std::optional(beyond) : std::nullopt,
           {},
           out.convention + "; " + (rises ? "lag of the next maximum, " : "") + out.period.note +
               (walks ? "; so do " + number_text(out.walks_rising.value, 0) + " of " + std::to_string(kNullSeeds) +
                            " random walks with these steps"
                      : "")}};
}

/// The source of the vectors, in words.
std::string vectors_text(const Params& params, const RowRange& range) {
  const std::string rows = rows_text(range) + (params.centre ? ", centred" : ", not centred");
  if (params.of == Of::positions) return rows;
  std::string text = rows + ", a token at each";
  if (params.of == Of::sum)
    text +=
        params.source == PositionSource::sinusoidal ? " plus sinusoids with base " + to_text(params.base) : " plus wpe";
  return text + " (ids from " + std::to_string(params.token) + " on, shuffled)";
}

/// n token embeddings, of neighbouring ids in a fixed random order. [n, d_model]
Task<Expected<Matrix<double>>> words(Params params, std::size_t n, Context* context) {
  const auto& weights = context->inputs().weights;
  protocol::Provenance& origin = context->origin();
  const auto* header = weights ? weights->header() : nullptr;
  const auto* info = header ? header->find(kWords) : nullptr;
  if (!info || info->shape.size() != 2)
    co_return Error{"The open model does not hold the word embeddings (wte.weight); open a whole one.",
                    Remedy::whole_model};
  const auto n_vocab = static_cast<std::size_t>(info->shape[0]), d = static_cast<std::size_t>(info->shape[1]);
  if (n > n_vocab) co_return Error{"There are more positions than tokens; choose fewer rows."};
  const std::size_t first = first_token(params, n, n_vocab);
  Matrix<double> rows(n, d);
  Sha256 hash;
  for (std::size_t i = 0; i < n; ++i) {
    const auto view = weights->row(kWords, first + i);
    if (!view) co_return view.error();
    const auto numbers = checkpoint::to_finite_f32(*view);
    if (!numbers) co_return numbers.error();
    std::ranges::copy(numbers->data, rows.row(i).begin());
    hash.update(view->bytes);
    origin.precision = checkpoint::precision_of(*view);
    if (i % 64 == 0) co_await pause_point(static_cast<double>(i), static_cast<double>(n), "tokens");
  }
  std::uint64_t state = kOrder;
  shuffle(n, state, [&](std::size_t i, std::size_t j) { std::ranges::swap_ranges(rows.row(i), rows.row(j)); });
  origin.tensors.push_back(
      {std::string(kWords) + "[" + std::to_string(first) + ".." + std::to_string(first + n - 1) + "]", hash.hex()});
  co_return std::move(rows);
}

struct Vectors {
  Matrix<double> rows, tokens;  // tokens: only for a sum
  RowRange range;
};

/// Positions of the open model's, or sinusoids as wide as its tokens, added to `rows`.
Expected<void> add_positions(const Params& params, const Matrix<double>& learned, std::size_t positions, RowRange range,
                             Matrix<double>& rows) {
  const bool sinusoidal = params.source == PositionSource::sinusoidal;
  const Matrix<double> made =
      sinusoidal ? geometry::sinusoidal_positions(positions, rows.cols, params.base) : Matrix<double>();
  const Matrix<double>& table = sinusoidal ? made : learned;
  if (table.cols != rows.cols || table.rows <= range.last)
    return Error{"The positions and the tokens of this model do not have the same size."};
  for (std::size_t i = 0; i < rows.rows; ++i)
    for (std::size_t j = 0; j < rows.cols; ++j) rows(i, j) += table(range.first + i, j);
  return {};
}

/// The vectors that are compared, one per position.
Task<Expected<Vectors>> vectors(Params params, Context* context) {
  const bool reads_table =
      params.of == Of::positions || (params.of == Of::sum && params.source == PositionSource::learned);
  Matrix<double> table;
  if (reads_table) {
    auto read = co_await context->positions(params.source, params.base);
    if (!read) co_return read.error();
    table = std::move(*read);
  }
  const std::size_t here = context->size().n_ctx ? context->size().n_ctx : kSinusoidPositions;
  const std::size_t positions = reads_table ? table.rows : here;
  std::vector<std::string> notes;
  const auto range = range_within(params.first, params.last, positions, "The range", notes);
  if (!range) co_return range.error();
  context->notes(notes);
  if (params.of == Of::positions) co_return Vectors{*copy_rows(table, *range), {}, *range};
  auto tokens = co_await words(params, range->count(), context);
  if (!tokens) co_return tokens.error();
  Vectors out{*tokens, {}, *range};
  if (params.of == Of::tokens) co_return std::move(out);
  out.tokens = std::move(*tokens);
  if (const auto added = add_positions(params, table, positions, *range, out.rows); !added) co_return added.error();
  co_return std::move(out);
}

/// Cosines of every two rows, the upper triangle; a note says how many rows have none.
Task<Matrix<double>> cosines(Matrix<double> rows, bool centre, Context* context) {
  if (const std::size_t without = make_directions(rows, centre); without > 0)
    context->note(with_thousands(static_cast<long long>(without)) + (without == 1 ? " row is zero" : " rows are zero") +
                  (centre ? " once the mean is subtracted" : "") + ", and so without a direction and cosines.");
  co_return co_await geometry::gram(std::make_shared<const Matrix<double>>(std::move(rows)), false);
}

/// Random walks with the steps of these rows: a chance level for whatever follows from being smooth alone.
Task<Expected<void>> add_walks(std::shared_ptr<const Matrix<double>> rows, bool centre, Context* context, Output* out) {
  const auto made = co_await context->cached_of<WalkProfiles>(nullptr, walk_key(*rows, centre, 0, 0),
                                                              [&] { return walk_profiles(rows, centre); });
  if (!made) co_return made.error();
  const WalkProfiles& walks = **made;
  out->walk_adjacent = over_seeds(walks.adjacent);
  const std::vector<std::size_t> shape{walks.least.size()};
  out->walk_least = {shape, walks.least}, out->walk_most = {shape, walks.most}, out->walk_lag.shape = shape;
  for (std::size_t k = 0; k < walks.least.size(); ++k)
    out->walk_lag.data.push_back(static_cast<double>(k * walks.step));
  out->walks_rising = {static_cast<double>(walks.rising), "of " + std::to_string(kNullSeeds) + ", by the same rule"};
  co_return Expected<void>();
}

Task<Expected<Output>> compute(Params params, Context& context) {
  auto found = co_await vectors(params, &context);
  if (!found) co_return found.error();
  co_await pause_point(0, 1, "cosines");
  Output out;
  out.convention = vectors_text(params, found->range);
  out.near_minus_far_tokens.note = "needs tokens and positions";
  if (params.of == Of::sum) {
    const Matrix<double> alone = co_await cosines(std::move(found->tokens), params.centre, &context);
    out.near_minus_far_tokens = {near_minus_far(diagonal_means(alone)), "the same tokens in the same order"};
    if (std::isnan(out.near_minus_far_tokens.value)) out.near_minus_far_tokens.note = kTooFew;
  }
  const bool walks = params.of == Of::positions && params.source == PositionSource::learned && found->rows.rows > 2;
  std::shared_ptr<const Matrix<double>> table;
  if (walks) table = std::make_shared<const Matrix<double>>(found->rows);
  Matrix<double> cosine = co_await cosines(std::move(found->rows), params.centre, &context);
  out.by_lag.data = diagonal_means(cosine);
  out.by_lag.shape = {out.by_lag.data.size()};
  out.near_minus_far = {near_minus_far(out.by_lag.data), out.convention};
  if (std::isnan(out.near_minus_far.value)) out.near_minus_far.note = kTooFew;
  add_numbers(out, cosine);
  for (std::size_t i = 0; i < cosine.rows; ++i)
    for (std::size_t j = 0; j < i; ++j) cosine(i, j) = cosine(j, i);
  out.cosine = {{cosine.rows, cosine.cols}, std::move(cosine.data), static_cast<long long>(found->range.first)};
  out.walks_rising.note = walks ? "the walks are not made yet" : "learned positions have them, and three rows or more";
  if (walks) {
    context.first_picture(out);
    if (const auto made = co_await add_walks(table, params.centre, &context, &out); !made) co_return made.error();
  }
  out.claims = claims(params, out);
  co_return std::move(out);
}

}  // namespace

ComputeStudy compute_study() { return study_of<describe, compute>(needs); }

}  // namespace helix::studies::position_cosine
