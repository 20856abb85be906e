#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/random.h"
#include "base/text.h"
#include "geometry/pace.h"
#include "geometry/positions.h"
#include "studies/context_compute.h"
#include "studies/helix_compute.h"
#include "studies/position_norms/internet.h"
#include "studies/position_norms/position_norms.h"

namespace helix::studies::position_norms {
namespace {

using geometry::RowBlocks;
using protocol::Quantity;

constexpr const char* kWords = "wte.weight";
constexpr std::size_t kBlock = 512;          // rows of a large table converted to double at a time: about a millisecond
constexpr std::size_t kMostShuffled = 4096;  // rows; larger tables are sampled evenly
constexpr std::size_t kBins = 60;
constexpr std::uint64_t kSeed = 1;
constexpr double kStated[] = {3.3901, 0.2620, 9.8756, 0.1179};  // claim F9
constexpr double kDigits = 0.00005;                             // half of the last stated digit

/// The rows whose norms are computed, and information about them.
struct Rows {
  RowBlocks blocks;
  long long first = 0;
  std::size_t of = 0;  // rows of the table
  double token_norm = std::nan("");
  std::vector<double> orthogonal;  // token + position: the norms if the two were orthogonal
  std::string words;               // "rows 0..1023"
};

/// The asked token, or the last one of a smaller vocabulary; 0: its size is not known.
std::size_t token_of(const Params& params, std::size_t n_vocab) {
  const auto asked = static_cast<std::size_t>(params.token);
  return n_vocab > 0 ? std::min(asked, n_vocab - 1) : asked;
}

std::vector<ModelNeeds> needs(const ParamValues& values, const Known& known) {
  const auto p = read_params<Params>(values);
  if (p.of == Of::wte) return {{"", {kWords}}};
  if (p.of == Of::wpe) return needs_of(p.source);
  ModelNeeds sum{"", {}};
  if (p.source == PositionSource::learned) sum.tensors = {kPositionTable};
  const auto size = known.size("");
  const std::size_t n_vocab = size ? size->n_vocab : 0;
  sum.rows = {{kWords, {token_of(p, n_vocab)}}};
  if (p.source == PositionSource::sinusoidal)
    for (const int id : kInternetIds)
      if (std::cmp_less(id, n_vocab) && id != p.token) sum.rows.front().rows.push_back(static_cast<std::size_t>(id));
  return {std::move(sum)};
}

double norm_of(std::span<const double> row) {
  double square = 0;
  for (const double x : row) square += x * x;
  return std::sqrt(square);
}

/// Positions of the requested range; if `added` is not empty, it is added to each.
Expected<Rows> positions(const Matrix<double>& table, const Params& params, const std::vector<double>& added,
                         std::vector<std::string>& notes) {
  const auto range = range_within(params.first, params.last, table.rows, "The range", notes);
  if (!range) return range.error();
  auto rows = std::make_shared<Matrix<double>>(*copy_rows(table, *range));
  Rows out;
  out.first = static_cast<long long>(range->first), out.of = table.rows, out.words = rows_text(*range);
  if (!added.empty()) {
    if (added.size() != rows->cols)
      return Error{"The token has " + std::to_string(added.size()) + " numbers and a position " +
                   std::to_string(rows->cols) + ", so they cannot be added."};
    out.token_norm = norm_of(added);
    for (std::size_t i = 0; i < rows->rows; ++i) {
      out.orthogonal.push_back(std::hypot(out.token_norm, norm_of(rows->row(i))));
      for (std::size_t j = 0; j < rows->cols; ++j) rows->row(i)[j] += added[j];
    }
  }
  out.blocks = geometry::row_blocks(std::move(rows));
  return out;
}

/// All token embeddings, read a block at a time: in double they would take 300 MB.
Task<Expected<Rows>> words(Context& context) {
  auto table = co_await context.table(kWords, "word embeddings");
  if (!table) co_return table.error();
  Rows out;
  out.of = table->rows();
  out.words = "all " + with_thousands(static_cast<long long>(out.of)) + " rows of wte";
  out.blocks = std::move(table->blocks);
  co_return std::move(out);
}

/// Sets `params.token` to the token that is added. `params` and `context` outlive the task.
Task<Expected<Rows>> rows_of(Params& params, Context& context) {
  if (params.of == Of::wte) co_return co_await words(context);
  std::vector<double> added;
  std::vector<std::string> notes;
  if (params.of == Of::sum) {
    const std::size_t id = token_of(params, context.size().n_vocab);
    if (std::cmp_not_equal(id, params.token))
      context.note(say("note.last_token", {{"token", std::to_string(params.token)}, {"last", std::to_string(id)}}));
    params.token = static_cast<int>(id);
    auto found = context.row(kWords, id, "word embeddings");
    if (!found) co_return found.error();
    added = std::move(*found);
  }
  const bool like_token = params.of == Of::sum && params.source == PositionSource::sinusoidal;
  Expected<Matrix<double>> table = Matrix<double>();
  if (like_token)
    table = geometry::sinusoidal_positions(kSinusoidPositions, added.size(), params.base);
  else
    table = co_await context.positions(params.source, params.base);
  if (!table) co_return table.error();
  auto rows = positions(*table, params, added, notes);
  context.notes(notes);
  co_return rows;
}

Task<Expected<std::vector<double>>> norms_of(std::shared_ptr<const RowBlocks> blocks) {
  std::vector<double> norms;
  for (std::size_t first = 0; first < blocks->rows; first += kBlock) {
    co_await pause_point(static_cast<double>(first), static_cast<double>(blocks->rows), "norms");
    Matrix<double> rows(std::min(kBlock, blocks->rows - first), blocks->cols);
    if (const auto ok = blocks->read(first, rows.view()); !ok) co_return ok.error();
    for (std::size_t i = 0; i < rows.rows; ++i) norms.push_back(norm_of(rows.row(i)));
  }
  co_return std::move(norms);
}

/// Norms of rows after shuffling every column separately: each column keeps its numbers, but no row is long because all
/// of its numbers are large.
Task<Expected<std::vector<double>>> shuffled_norms(std::shared_ptr<const RowBlocks> blocks) {
  const std::size_t n = std::min(blocks->rows, kMostShuffled);
  Matrix<double> rows(n, blocks->cols);
  for (std::size_t i = 0; i < n; ++i) {
    if (const auto ok = blocks->read(i * blocks->rows / n, rows.view().slice(i, 1)); !ok) co_return ok.error();
    if (i % kBlock == kBlock - 1) co_await pause_point();
  }
  std::vector<double> squares(n, 0), column(n);
  std::uint64_t state = kSeed;
  geometry::Pace pace;
  for (std::size_t j = 0; j < rows.cols; ++j) {
    for (std::size_t i = 0; i < n; ++i) column[i] = rows(i, j) * rows(i, j);
    shuffle(column, state);
    for (std::size_t i = 0; i < n; ++i) squares[i] += column[i];
    if (pace.due(40 * static_cast<double>(n))) co_await pause_point();
  }
  for (double& x : squares) x = std::sqrt(x);
  co_return std::move(squares);
}

struct Numbers {
  double mean = 0, std = 0, max = 0, min = 0, outliers = 0;
  std::size_t max_row = 0, min_row = 0;
};

/// The standard deviation divides by n. `norms` has at least one entry.
Numbers numbers_of(const std::vector<double>& norms) {
  Numbers n;
  const auto count = static_cast<double>(norms.size());
  for (const double x : norms) n.mean += x / count;
  for (const double x : norms) n.std += (x - n.mean) * (x - n.mean) / count;
  n.std = std::sqrt(n.std);
  n.max_row = static_cast<std::size_t>(std::ranges::max_element(norms) - norms.begin());
  n.min_row = static_cast<std::size_t>(std::ranges::min_element(norms) - norms.begin());
  n.max = norms[n.max_row], n.min = norms[n.min_row];
  // The bound avoids outliers from rounding among equal rows.
  for (const double x : norms) n.outliers += std::abs(x - n.mean) > std::max(3 * n.std, 1e-9 * n.mean) ? 1 : 0;
  return n;
}

std::vector<double> shares(const std::vector<double>& norms, double low, double width, std::size_t bins) {
  std::vector<double> out(bins, 0);
  for (const double x : norms) {
    const double at = width > 0 ? (x - low) / width : 0;
    out[std::min(static_cast<std::size_t>(std::max(at, 0.0)), bins - 1)] += 1;
  }
  for (double& x : out) x /= static_cast<double>(norms.size());
  return out;
}

void add_histograms(Output& out, const std::vector<double>& norms, const std::vector<double>& shuffled) {
  const Numbers own = numbers_of(norms), other = numbers_of(shuffled);
  const double low = std::min(own.min, other.min), high = std::max(own.max, other.max);
  const bool one = high - low < 1e-9 * std::max(high, 1e-300);  // all equal up to rounding
  const std::size_t bins = one ? 1 : kBins;
  const double width = one ? 0 : (high - low) / static_cast<double>(bins);
  for (std::size_t i = 0; i < bins; ++i) out.bin_from.data.push_back(low + width * static_cast<double>(i));
  out.histogram.data = shares(norms, low, width, bins);
  out.shuffled_histogram.data = shares(shuffled, low, width, bins);
  out.bin_from.shape = out.histogram.shape = out.shuffled_histogram.shape = {bins};
}

void add_numbers(Output& out, const Rows& rows, const std::vector<double>& norms, const std::vector<double>& shuffled) {
  const Numbers own = numbers_of(norms), other = numbers_of(shuffled);
  const std::string how = "each column in a random order of its own, seed 1" +
                          std::string(rows.blocks.rows > kMostShuffled ? ", 4,096 rows at even distances" : "");
  const auto row = [&](std::size_t i) { return static_cast<double>(rows.first + static_cast<long long>(i)); };
  out.mean = {own.mean, out.convention}, out.std = {own.std, "divided by n"};
  out.max = {own.max, "row " + to_text(row(own.max_row))}, out.min = {own.min, "row " + to_text(row(own.min_row))};
  out.max_row = {row(own.max_row), ""}, out.min_row = {row(own.min_row), ""};
  out.outliers = {own.outliers, "of " + std::to_string(norms.size())};
  out.token_norm = {rows.token_norm, std::isnan(rows.token_norm) ? "only of a token added to positions" : "Euclidean"};
  out.shuffled_mean = {other.mean, how}, out.shuffled_std = {other.std, how}, out.shuffled_max = {other.max, how};
  out.shuffled_min = {other.min, how};
  out.shuffled_outliers = {other.outliers, "of " + std::to_string(shuffled.size())};
}

std::vector<protocol::Claim> claims(const Params& params, const Output& out, const Rows& rows) {
  const bool judged = params.of == Of::wpe && params.source == PositionSource::learned && rows.blocks.rows == rows.of;
  if (!judged) return {};
  const double here[] = {out.mean.value, out.std.value, out.max.value, out.min.value};
  bool same = true;
  for (std::size_t i = 0; i < std::size(kStated); ++i) same = same && std::abs(here[i] - kStated[i]) <= kDigits;
  return {{"F9",
           out.mean.value,
           same,
           {},
           out.convention + "; mean, and std " + to_fixed(here[1], 4) + ", largest " + to_fixed(here[2], 4) +
               ", smallest " + to_fixed(here[3], 4) +
               ": holds where all four agree to 0.00005; with shuffled columns the std is " +
               to_fixed(out.shuffled_std.value, 4)}};
}

/// The embeddings that the slides' “internet” may be; none where another sum is shown, or the model lacks the tokens.
Expected<std::vector<Candidate>> candidates(const Params& params, Context& context) {
  std::vector<Candidate> all;
  if (params.of != Of::sum || params.source != PositionSource::sinusoidal) return all;
  for (const int id : kInternetIds) {
    if (!std::cmp_less(id, context.size().n_vocab)) continue;
    auto row = context.row(kWords, static_cast<std::size_t>(id), "word embeddings");
    if (!row) return row.error();
    all.push_back({id, std::move(*row)});
  }
  return all;
}

Task<Expected<Output>> compute(Params params, Context& context) {
  const auto rows = co_await rows_of(params, context);
  if (!rows) co_return rows.error();
  if (rows->blocks.rows == 0 || rows->blocks.cols == 0) co_return Error{"The table has no numbers, so no norms."};
  const auto blocks = std::make_shared<const RowBlocks>(rows->blocks);
  auto norms = co_await norms_of(blocks);
  if (!norms) co_return norms.error();
  co_await pause_point();
  const auto shuffled = co_await shuffled_norms(blocks);
  if (!shuffled) co_return shuffled.error();
  Output out;
  out.convention = rows->words + (params.of == Of::sum ? " plus token " + std::to_string(params.token) : "") +
                   ", Euclidean norm, std divided by n";
  add_numbers(out, *rows, *norms, *shuffled);
  add_histograms(out, *norms, *shuffled);
  out.orthogonal = {{rows->orthogonal.size()}, rows->orthogonal, rows->first};
  out.norm = {{norms->size()}, std::move(*norms), rows->first};
  out.claims = claims(params, out, *rows);
  const auto internet = candidates(params, context);
  if (!internet) co_return internet.error();
  std::ranges::move(internet_claims(*internet), std::back_inserter(out.claims));
  co_return std::move(out);
}

}  // namespace

ComputeStudy compute_study() { return study_of<describe, compute>(needs); }

}  // namespace helix::studies::position_norms
