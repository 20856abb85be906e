// Every checkpoint's rows in the axes of the last one; the other numbers are those that the trainer measured.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "studies/context_compute.h"
#include "studies/position_emergence/position_emergence.h"
#include "studies/walks_compute.h"

namespace helix::studies::position_emergence {
namespace {

constexpr std::size_t kAxes = 3;

/// Cached from run to run: no parameter changes it.
struct Turned {
  protocol::Grid points, explained, shuffled_cosine;

  std::size_t bytes() const { return (points.data.size() + explained.data.size()) * sizeof(double); }
};

double dot(const float* a, const float* b, std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

/// Each checkpoint's rows about their own mean, along the last checkpoint's first three axes: [moment, position, 3].
Task<protocol::Grid> in_last_axes(std::shared_ptr<const checkpoint::Emergence> e) {
  protocol::Grid out;
  out.shape = {e->moments, e->positions, kAxes};
  out.data.resize(e->moments * e->positions * kAxes);
  const float* last = e->axes.data() + (e->moments - 1) * e->rank * e->d_model;
  std::vector<double> turn(e->rank * kAxes);  // [rank, 3]: this checkpoint's axes along the last one's
  for (std::size_t t = 0; t < e->moments; ++t) {
    const float* axes = e->axes.data() + t * e->rank * e->d_model;
    for (std::size_t r = 0; r < e->rank; ++r)
      for (std::size_t a = 0; a < kAxes; ++a)
        turn[r * kAxes + a] = dot(axes + r * e->d_model, last + a * e->d_model, e->d_model);
    for (std::size_t p = 0; p < e->positions; ++p) {
      const float* scores = e->scores.data() + (t * e->positions + p) * e->rank;
      double* point = out.data.data() + (t * e->positions + p) * kAxes;
      for (std::size_t r = 0; r < e->rank; ++r)
        for (std::size_t a = 0; a < kAxes; ++a) point[a] += static_cast<double>(scores[r]) * turn[r * kAxes + a];
    }
    co_await pause_point(static_cast<double>(t), static_cast<double>(e->moments), "turning the checkpoints");
  }
  co_return out;
}

/// The share of a checkpoint's variance along each of those axes; NaN if nothing varies.
protocol::Grid shares(const checkpoint::Emergence& e, const protocol::Grid& points) {
  protocol::Grid out;
  out.shape = {e.moments, kAxes};
  for (std::size_t t = 0; t < e.moments; ++t) {
    double whole = 0;
    for (std::size_t c = 0; c < e.components; ++c) {
      const double s = e.singular_values[t * e.components + c];
      whole += s * s;
    }
    for (std::size_t a = 0; a < kAxes; ++a) {
      double along = 0;
      for (std::size_t p = 0; p < e.positions; ++p) {
        const double x = points.data[(t * e.positions + p) * kAxes + a];
        along += x * x;
      }
      out.data.push_back(whole > 0 ? along / whole : std::nan(""));
    }
  }
  return out;
}

/// The mean cosine of all pairs of different rows, at each checkpoint: what neighbours have on average when the rows are
/// in random order. Of the rows as the record has them, to its rank; NaN where it lacks their means.
Task<protocol::Grid> mean_cosines(std::shared_ptr<const checkpoint::Emergence> e) {
  protocol::Grid out;
  out.shape = {e->moments};
  out.data.assign(e->moments, std::nan(""));
  for (std::size_t t = 0; t < e->moments && !e->mean.empty(); ++t) {
    std::vector<double> row(e->d_model), sum(e->d_model, 0);
    bool all = true;
    for (std::size_t p = 0; p < e->positions; ++p) {
      double square = 0;
      for (std::size_t j = 0; j < e->d_model; ++j) {
        row[j] = static_cast<double>(e->mean[t * e->d_model + j]);
        for (std::size_t r = 0; r < e->rank; ++r)
          row[j] += static_cast<double>(e->scores[(t * e->positions + p) * e->rank + r]) *
                    static_cast<double>(e->axes[(t * e->rank + r) * e->d_model + j]);
        square += row[j] * row[j];
      }
      all = all && square > 0;
      for (std::size_t j = 0; j < e->d_model; ++j) sum[j] += row[j] / std::sqrt(square);
    }
    double square = 0;
    for (const double x : sum) square += x * x;
    const auto n = static_cast<double>(e->positions);
    if (all && e->positions > 1) out.data[t] = (square - n) / (n * (n - 1));
    co_await pause_point(static_cast<double>(t), static_cast<double>(e->moments), "cosines");
  }
  co_return out;
}

Task<Expected<Turned>> turned(std::shared_ptr<const checkpoint::Emergence> record) {
  Turned out;
  out.points = co_await in_last_axes(record);
  out.explained = shares(*record, out.points);
  out.shuffled_cosine = co_await mean_cosines(record);
  co_return std::move(out);
}

/// The components of the table at a checkpoint; NaN where nothing varies.
double rank_at(const checkpoint::Emergence& e, std::size_t moment) {
  const auto begin = e.singular_values.begin() + static_cast<std::ptrdiff_t>(moment * e.components);
  const std::vector<double> values(begin, begin + static_cast<std::ptrdiff_t>(e.components));
  return values.front() > 0 ? static_cast<double>(rank_of(values)) : std::nan("");
}

/// The attention to the previous token under uniform attention: the mean of 1/(q+1) over the queries.
double evenly(std::size_t first_query, std::size_t positions) {
  double sum = 0;
  for (std::size_t q = first_query; q < positions; ++q) sum += 1 / static_cast<double>(q + 1);
  return positions > first_query ? sum / static_cast<double>(positions - first_query) : std::nan("");
}

std::string chance(double value) { return "even attention would give " + number_text(value, 4); }

protocol::Grid curve(const std::vector<double>& values) {
  protocol::Grid grid;
  grid.shape = {values.size()};
  grid.data = values;
  return grid;
}

/// Whether the rows of a checkpoint differ: before training all are zero.
bool varies(const checkpoint::Emergence& e, std::size_t moment) {
  for (std::size_t c = 0; c < e.components; ++c)
    if (e.singular_values[moment * e.components + c] > 0) return true;
  return false;
}

Output outputs_of(const checkpoint::Emergence& e, std::size_t step) {
  Output out;
  // The trainer's induction test repeats min(128, n_ctx / 2) random tokens once.
  const std::size_t half = std::min<std::size_t>(128, e.positions / 2);
  out.tokens_read = {e.tokens[step], "checkpoint " + std::to_string(step) + " of " + std::to_string(e.moments - 1)};
  out.loss = {e.held_out[step], "natural logarithm, all positions of a window"};
  out.training_loss = {e.tokens[step] > 0 ? e.loss[step] : std::nan(""), "mean over the last steps"};
  out.previous = {e.previous[step], "mean over queries, on held-out books; " + chance(evenly(1, e.positions))};
  out.induction = {e.induction[step], "random tokens repeated; " + chance(evenly(half + 1, 2 * half))};
  out.explained_first3_by_step = curve(e.explained_first3), out.adjacent_cosine_by_step = curve(e.adjacent_cosine);
  for (std::size_t t = 0; t < e.moments; ++t)
    if (!varies(e, t)) {  // the record has 0 there, where shares and cosines of equal rows are not defined
      out.explained_first3_by_step.data[t] = std::nan("");
      if (out.adjacent_cosine_by_step.data[t] == 0) out.adjacent_cosine_by_step.data[t] = std::nan("");
    }
  const char* still = "all rows are equal at this checkpoint";
  out.explained_first3 = {out.explained_first3_by_step.data[step], "all rows, centred"};
  if (std::isnan(out.explained_first3.value)) out.explained_first3.note = still;
  out.adjacent_cosine = {out.adjacent_cosine_by_step.data[step], "all rows, not centred"};
  if (std::isnan(out.adjacent_cosine.value)) out.adjacent_cosine.note = still;
  out.table_rank = {rank_at(e, step), "before the first fall of the singular values to less than a hundredth"};
  out.moments = {static_cast<double>(e.moments), ""}, out.rank = {static_cast<double>(e.rank), ""};
  for (std::size_t t = 0; t < e.moments; ++t) out.rank_by_step.data.push_back(rank_at(e, t));
  out.rank_by_step.shape = {e.moments};
  out.tokens_by_step = curve(e.tokens), out.loss_by_step = curve(e.held_out), out.training_loss_by_step = curve(e.loss);
  for (std::size_t t = 0; t < e.moments; ++t)
    if (e.tokens[t] == 0) out.training_loss_by_step.data[t] = std::nan("");  // nothing was trained on yet
  out.previous_by_step = curve(e.previous), out.induction_by_step = curve(e.induction);
  return out;
}

Task<Expected<Output>> compute(Params params, Context& context) {
  co_await pause_point();
  const auto record = context.inputs().training;
  if (!record && !context.inputs().no_training.empty()) co_return Error{context.inputs().no_training};
  if (!record)
    co_return Error{"No model with a record of its training is open; minihelix, which comes with the page, has one."};
  const auto known = co_await context.cached_of<Turned>(record, "turned", [&] { return turned(record); });
  if (!known) co_return known.error();
  const std::size_t step = std::min(static_cast<std::size_t>(params.step), record->moments - 1);
  Output out = outputs_of(*record, step);
  out.points = (*known)->points, out.explained = (*known)->explained;
  out.shuffled_cosine_by_step = (*known)->shuffled_cosine;
  out.shuffled_cosine = {(*known)->shuffled_cosine.data[step],
                         record->mean.empty()
                             ? "the record has no means"
                             : "mean of all pairs of different rows, to rank " + std::to_string(record->rank)};
  for (const int asked : {params.step, params.compare})
    if (asked != kLast && asked >= static_cast<int>(record->moments))
      context.note(
          say("note.no_checkpoint", {{"last", std::to_string(record->moments - 1)}, {"asked", std::to_string(asked)}}));
  out.convention = "rows 0.." + std::to_string(record->positions - 1) + ", each step about its own mean, rank " +
                   std::to_string(record->rank) + ", along the last step's components";
  context.origin().tensors.push_back({checkpoint::kEmergenceFile, record->sha256});
  context.origin().precision = record->precision;
  co_return std::move(out);
}

}  // namespace

ComputeStudy compute_study() { return study_of<describe, compute>(); }

}  // namespace helix::studies::position_emergence
