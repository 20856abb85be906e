// One pass keeps the residual stream in front of every layer and at its end. Since no token sees those after it, the first
// rows of each layer are what a shorter prompt would give: the same pass answers for all lengths.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "studies/context_compute.h"
#include "studies/layer_frames/claims.h"
#include "studies/layer_frames/frames.h"

namespace helix::studies::layer_frames {
namespace {

constexpr std::size_t kDirections = 320;  // as many as nearly every criterion wants; more are computed if need be
constexpr std::size_t kShown = 64;        // components of the spectra in the result
constexpr double kApart = 1.15;           // ratio of the whole text to the longest part of it
constexpr std::uint32_t kSeeds = 5;       // of each null

/// All layers' rows, [layer, position, d_model].
struct Stream {
  std::size_t positions = 0, features = 0;
  std::vector<std::vector<float>> layers;
  std::size_t bytes() const { return layers.size() * positions * features * sizeof(float); }
};

struct Layers {
  std::vector<Components> of;
  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const Components& layer : of) sum += layer.bytes();
    return sum;
  }
};

struct Rules {
  std::vector<std::vector<double>> rows;  // one for each output: [criterion]
  std::size_t bytes() const { return rows.size() * kCriteria * sizeof(double); }
};

/// `context` and `text` outlive the tasks.
Task<Expected<Stream>> stream_of(Context* context, const Ready* text, bool ln_f) {
  const model::Network& network = *context->inputs().network;
  const std::size_t n_layer = network.config().n_layer;
  Wanted wanted;
  for (std::size_t layer = 0; layer < n_layer; ++layer) wanted.hooks.push_back({model::HookKind::resid_pre, layer});
  wanted.hooks.push_back({model::HookKind::resid_post, n_layer - 1});
  const auto ran = co_await context->runner().run(*text, std::move(wanted));
  if (!ran) co_return ran.error();
  Stream out{ran->kept[0].shape()[0], ran->kept[0].shape()[1], {}};
  for (const model::Capture& layer : ran->kept) out.layers.push_back(layer.data());
  if (ln_f)
    out.layers.back() = model::final_norm(network, {out.layers.back().data(), out.positions, out.features}).data;
  co_return out;
}

/// Components of each layer's rows `first` to `end`, with the directions that every criterion needs.
Task<Expected<Layers>> layers_of(std::shared_ptr<const Stream> stream, std::size_t first, std::size_t end) {
  Layers out;
  for (std::size_t layer = 0; layer < stream->layers.size(); ++layer) {
    auto rows = std::make_shared<Matrix<double>>(end - first, stream->features);
    const auto from = stream->layers[layer].begin() + static_cast<std::ptrdiff_t>(first * stream->features);
    std::copy_n(from, rows->data.size(), rows->data.begin());
    const auto part = co_await progress_part(static_cast<double>(layer), 1, static_cast<double>(stream->layers.size()),
                                             "components of layer " + std::to_string(layer));
    Components found = co_await components_of(rows, kDirections);
    std::size_t most = 0;
    for (std::size_t c = 0; c < kCriteria; ++c)
      most = std::max(most, signal_dimensions(found, static_cast<Criterion>(c)));
    if (most > found.directions.rows) found = co_await components_of(rows, most);
    out.of.push_back(std::move(found));
  }
  co_return out;
}

std::vector<std::size_t> dimensions_of(const Layers& layers, Criterion criterion) {
  std::vector<std::size_t> out;
  for (const Components& layer : layers.of) out.push_back(signal_dimensions(layer, criterion));
  return out;
}

Task<Compared> compared(std::shared_ptr<const Layers> layers, Criterion criterion) {
  Frames frames;
  for (const Components& layer : layers->of)
    frames.push_back(std::shared_ptr<const Matrix<double>>(layers, &layer.directions));
  co_return co_await compare(std::move(frames), dimensions_of(*layers, criterion));
}

double mean_of(const std::vector<double>& x) {
  double sum = 0;
  for (const double value : x) sum += value;
  return x.empty() ? std::nan("") : sum / static_cast<double>(x.size());
}
double mean_of(const std::vector<std::size_t>& x) { return mean_of(std::vector<double>(x.begin(), x.end())); }

/// Means over the seeds of random frames with as many dimensions.
struct Null {
  double angle, dispersion, overlapping, effective, stress;
};
Task<Null> null_of(std::vector<std::size_t> dimensions, std::size_t features, Params params) {
  std::vector<double> angle, dispersion, overlapping, effective, stress;
  for (std::uint32_t seed = 1; seed <= kSeeds; ++seed) {
    Frames frames = co_await random_frames(dimensions, features, seed);
    const Compared random = co_await compare(std::move(frames), dimensions);
    const Summary s = summary_of(random);
    angle.push_back(s.mean), dispersion.push_back(s.dispersion);
    overlapping.push_back(mean_of_pairs(overlaps(random, params.threshold)));
    effective.push_back(union_effective(random));
    stress.push_back((co_await map_of(distances(random, params.distance))).stress);
  }
  co_return Null{mean_of(angle), mean_of(dispersion), mean_of(overlapping), mean_of(effective), mean_of(stress)};
}

// ---- outputs

protocol::Grid list_of(std::vector<double> values) { return {{values.size()}, std::move(values)}; }
protocol::Grid grid_of(Matrix<double> m) { return {{m.rows, m.cols}, std::move(m.data)}; }

/// A number, or why there is none.
protocol::Quantity number(double value, const std::string& note, const std::string& why_not) {
  return {value, std::isfinite(value) ? note : why_not};
}

std::vector<double> shares_of(const Components& layer) {
  std::vector<double> out(layer.values.begin(),
                          layer.values.begin() + static_cast<std::ptrdiff_t>(std::min(kShown, layer.values.size())));
  const double total = layer.total();
  for (double& x : out) x = total > 0 ? x / total : std::nan("");
  return out;
}

void add_layers(Output& out, const Layers& layers, Criterion criterion) {
  std::vector<double> dimensions, effective, gap, gap_at, edge, share;
  for (const Components& layer : layers.of) {
    dimensions.push_back(static_cast<double>(signal_dimensions(layer, criterion)));
    effective.push_back(participation(layer));
    const Gap found = largest_gap(layer);
    gap.push_back(found.q), gap_at.push_back(static_cast<double>(found.at));
    edge.push_back(edge_of(layer, criterion) / layer.total());
    const std::vector<double> shares = shares_of(layer);
    share.insert(share.end(), shares.begin(), shares.end());
  }
  out.share = {{layers.of.size(), share.size() / layers.of.size()}, std::move(share)};
  out.mean_dimensions = {mean_of(dimensions), "of " + std::to_string(layers.of[0].features)};
  out.dimensions = list_of(std::move(dimensions)), out.participation = list_of(std::move(effective));
  out.gap = list_of(std::move(gap)), out.gap_at = list_of(std::move(gap_at)), out.edge = list_of(std::move(edge));
  out.samples = {static_cast<double>(layers.of[0].samples + 1), "BOS included"};
  out.features = {static_cast<double>(layers.of[0].features), "d_model"};
}

constexpr const char* kNoPair = "no two layers have signal dimensions";

void add_frames(Output& out, const Compared& frames, Map map, const Params& params) {
  const Summary s = summary_of(frames);
  const std::string pairs = "over all pairs of layers";
  out.mean_angle = number(s.mean, pairs, kNoPair);
  out.most_angle = number(s.most, pairs, kNoPair), out.least_angle = number(s.least, pairs, kNoPair);
  out.consecutive_angle = number(s.consecutive, "over neighbouring layers", kNoPair);
  out.dispersion = number(s.dispersion, "of 90°, " + pairs, kNoPair);
  out.order = number(s.order, "of the mean angle of two layers", "needs three pairs of layers with different angles");
  const Matrix<double> overlap = overlaps(frames, params.threshold);
  const std::string above = "cosine above " + to_text(params.threshold);
  out.overlapping = number(mean_of_pairs(overlap), above, kNoPair);
  out.union_rank = {static_cast<double>(union_rank(frames, params.tolerance)),
                    "singular values above " + to_text(params.tolerance)};
  out.union_effective = number(union_effective(frames), "exp of the entropy", "no layer has signal dimensions");
  out.stress = number(map.stress, "Kruskal's stress 1", "needs two layers that differ");
  out.angles = grid_of(frames.sum), out.overlap = grid_of(overlap), out.mds = grid_of(std::move(map.at));
  const std::string later = "being computed";
  for (protocol::Quantity* null : {&out.random_dispersion, &out.random_overlapping, &out.random_union_effective,
                                   &out.random_stress, &out.noise_dimensions})
    null->note = later;
}

void add_null(Output& out, const Null& null) {
  const std::string seeds = "mean over " + std::to_string(kSeeds) + " seeds";
  out.random_dispersion = number(null.dispersion, seeds, kNoPair);
  out.random_overlapping = number(null.overlapping, seeds, kNoPair);
  out.random_union_effective = number(null.effective, seeds, "no layer has signal dimensions");
  out.random_stress = number(null.stress, seeds, "needs two layers that differ");
}

/// One row of numbers for the first tokens alone.
struct Short {
  double length, angle, random_angle, dispersion, random, rank, dimensions;
};
Short short_of(std::size_t length, const Compared& frames, const Null& null, double tolerance) {
  const Summary s = summary_of(frames);
  const auto rank = static_cast<double>(union_rank(frames, tolerance));
  return {static_cast<double>(length), s.mean, null.angle, s.dispersion, null.dispersion, rank,
          mean_of(frames.dimensions)};
}

/// For each of the lengths clearly below that of the whole text.
Task<Expected<std::vector<Short>>> shorter(std::shared_ptr<const Stream> stream, Params params, std::size_t first) {
  std::vector<Short> out;
  const std::size_t all = stream->positions - first;
  for (const std::size_t length : kLengths) {
    if (kApart * static_cast<double>(length) > static_cast<double>(all)) break;
    const auto part =
        co_await progress_part(static_cast<double>(length), static_cast<double>(length), 2 * static_cast<double>(all),
                               "the first " + std::to_string(length) + " tokens");
    auto found = co_await layers_of(stream, first, first + length);
    if (!found) co_return found.error();
    const Compared frames = co_await compared(std::make_shared<const Layers>(std::move(*found)), params.criterion);
    const Null null = co_await null_of(frames.dimensions, stream->features, params);
    out.push_back(short_of(length, frames, null, params.tolerance));
  }
  co_return out;
}

void add_lengths(Output& out, const std::vector<Short>& rows) {
  const auto column = [&](double Short::* number) {
    std::vector<double> values;
    for (const Short& row : rows) values.push_back(row.*number);
    return list_of(std::move(values));
  };
  out.length = column(&Short::length), out.length_angle = column(&Short::angle);
  out.length_random_angle = column(&Short::random_angle);
  out.length_dispersion = column(&Short::dispersion), out.length_random = column(&Short::random);
  out.length_union = column(&Short::rank), out.length_dimensions = column(&Short::dimensions);
}

Task<Expected<Rules>> rules_of(std::shared_ptr<const Layers> layers, double tolerance) {
  Rules out{std::vector<std::vector<double>>(8)};
  const Components& shape = layers->of[0];
  std::vector<Components> noise;
  for (std::uint32_t seed = 1; seed <= kSeeds; ++seed) {
    const auto part = co_await progress_part(seed, 1, kSeeds + kCriteria + 1.0, "noise of the same shape");
    noise.push_back(co_await components_of_noise(shape.samples, shape.features, seed));
  }
  for (std::size_t c = 0; c < kCriteria; ++c) {
    const auto part =
        co_await progress_part(static_cast<double>(kSeeds + c + 1), 1, kSeeds + kCriteria + 1.0, "criteria");
    const auto criterion = static_cast<Criterion>(c);
    const Compared frames = co_await compared(layers, criterion);
    const Summary s = summary_of(frames);
    double above = 0;
    for (const Components& one : noise) above += static_cast<double>(signal_dimensions(one, criterion)) / kSeeds;
    const double row[] = {mean_of(frames.dimensions),
                          above,
                          s.mean,
                          s.most,
                          s.least,
                          s.consecutive,
                          s.dispersion,
                          static_cast<double>(union_rank(frames, tolerance))};
    for (std::size_t i = 0; i < std::size(row); ++i) out.rows[i].push_back(row[i]);
  }
  out.rows.push_back(noise.empty() ? std::vector<double>() : shares_of(noise[0]));
  co_return out;
}

void add_rules(Output& out, const Rules& rules, Criterion criterion) {
  protocol::Grid* grids[] = {&out.rule_dimensions, &out.rule_noise, &out.rule_angle,
                             &out.rule_most,       &out.rule_least, &out.rule_consecutive,
                             &out.rule_dispersion, &out.rule_union, &out.noise_share};
  for (std::size_t i = 0; i < std::size(grids); ++i) *grids[i] = list_of(rules.rows[i]);
  out.noise_dimensions = {out.rule_noise.data[static_cast<std::size_t>(criterion)],
                          "mean over " + std::to_string(kSeeds) + " seeds"};
}

Task<Expected<Output>> compute(Params params, Context& context) {
  const auto text = co_await context.runner().prepare(false);
  if (!text) co_return text.error();
  const std::size_t n = text->prompt.ids.size(), first = static_cast<std::size_t>(params.first);
  if (first >= n)
    co_return Error{"The prompt ends at position " + std::to_string(n - 1) + ", before the first one that counts, " +
                    std::to_string(first) + "."};
  const std::string key = std::string(params.ln_f ? "ln_f " : "") + run_key(*text), from = std::to_string(first) + " ";
  const auto stream =
      co_await context.cached_run<Stream>("stream " + key, [&] { return stream_of(&context, &*text, params.ln_f); });
  if (!stream) co_return stream.error();
  const auto layers =
      co_await context.cached_run<Layers>("components " + from + key, [&] { return layers_of(*stream, first, n); });
  if (!layers) co_return layers.error();
  Output out;
  context.describe_text(*text, out);
  out.convention += ", components about the mean over tokens";
  if (first > 0) out.convention += ", from position " + std::to_string(first);
  if (params.ln_f) out.convention += ", ln_f after the last layer";
  add_layers(out, **layers, params.criterion);
  const Compared frames = co_await compared(*layers, params.criterion);
  Map map = co_await map_of(distances(frames, params.distance));
  add_frames(out, frames, std::move(map), params);
  context.first_picture(out);
  const auto rules = co_await context.cached_run<Rules>("rules " + to_text(params.tolerance) + " " + from + key,
                                                        [&] { return rules_of(*layers, params.tolerance); });
  if (!rules) co_return rules.error();
  add_rules(out, **rules, params.criterion);
  const Null null = co_await null_of(frames.dimensions, (*stream)->features, params);
  add_null(out, null);
  auto rows = co_await shorter(*stream, params, first);
  if (!rows) co_return rows.error();
  rows->push_back(short_of(n - first, frames, null, params.tolerance));
  add_lengths(out, *rows);
  if (const auto none = std::ranges::count(frames.dimensions, std::size_t{0}); none > 0)
    context.note(say("note.no_signal", {{"none", std::to_string(none)}, {"layers", std::to_string(frames.layers())}}));
  out.claims = claims(out);
  co_return std::move(out);
}

}  // namespace

ComputeStudy compute_study() { return study_of<describe, compute>(); }

}  // namespace helix::studies::layer_frames
