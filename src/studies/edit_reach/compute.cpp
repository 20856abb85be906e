// The text runs with and without the edit; then once for each moved state, which a tap puts back. These runs begin at the
// state's layer, so that half of the layers are skipped on average.
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "base/text.h"
#include "model/sampling.h"
#include "studies/check_index.h"
#include "studies/context_compute.h"
#include "studies/edit_reach/edit_reach.h"

namespace helix::studies::edit_reach {
namespace {

constexpr std::size_t kMostRuns = 2000;  // of restored states
constexpr std::size_t kOfEach = 5;       // likeliest tokens of each side that are listed
constexpr double kLeastEffect = 0.005;   // of a probability: below, shares of it are not meaningful

/// The states of a pass [layer], each [position, d_model], and the prediction after the last token.
struct Pass {
  std::vector<Matrix<float>> states;
  std::vector<double> p;
  std::vector<std::int32_t> likeliest;
};

Task<Expected<Pass>> pass(Context* context, const Ready* text) {
  const std::size_t n_layer = context->inputs().network->config().n_layer;
  Wanted wanted;
  for (std::size_t layer = 0; layer < n_layer; ++layer) wanted.hooks.push_back({model::HookKind::resid_pre, layer});
  wanted.hooks.push_back({model::HookKind::resid_post, n_layer - 1});
  wanted.logits_at = {text->prompt.ids.size() - 1};
  const auto ran = co_await context->runner().run(*text, std::move(wanted));
  if (!ran) co_return ran.error();
  Pass out;
  for (const model::Capture& kept : ran->kept) {
    Matrix<float> rows(kept.shape()[0], kept.shape()[1]);
    std::ranges::copy(kept.data(), rows.data.begin());
    out.states.push_back(std::move(rows));
  }
  out.p = model::probabilities(ran->logits.row(0)), out.likeliest = model::top_ids(ran->logits.row(0), kOfEach);
  co_return std::move(out);
}

/// ‖x′ − x‖ / max(‖x‖, ‖x′‖): 0 where nothing moved, at most 2.
double moved_by(std::span<const float> x, std::span<const float> moved) {
  double change = 0, before = 0, after = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double a = static_cast<double>(x[i]), b = static_cast<double>(moved[i]);
    change += (b - a) * (b - a), before += a * a, after += b * b;
  }
  return change > 0 ? std::sqrt(change / std::max(before, after)) : 0;
}

protocol::Grid movement(const Pass& as_is, const Pass& edited) {
  const std::size_t layers = as_is.states.size(), n = as_is.states.front().rows;
  protocol::Grid grid;
  grid.shape = {layers, n};
  for (std::size_t layer = 0; layer < layers; ++layer)
    for (std::size_t i = 0; i < n; ++i)
      grid.data.push_back(moved_by(as_is.states[layer].row(i), edited.states[layer].row(i)));
  return grid;
}

/// The edit's run with one state as it is without the edit: the answer's probability.
Task<Expected<double>> restored(Context* context, const Ready* text, const Pass* as_is, std::size_t layer,
                                std::size_t position, std::size_t answer) {
  model::Interventions edits = text->edits;
  const auto put_back = [as_is, layer, position](const model::Chunk& chunk) {
    if (position < chunk.first || position >= chunk.first + chunk.rows.rows) return;
    std::ranges::copy(as_is->states[layer].row(position), chunk.rows.row(position - chunk.first).begin());
  };
  edits.taps.push_back({{model::HookKind::resid_pre, layer},
                        put_back,
                        std::nullopt,
                        "as without the edit: " + std::to_string(layer) + " " + std::to_string(position)});
  Wanted wanted;
  wanted.logits_at = {text->prompt.ids.size() - 1};
  const auto ran = co_await context->runner().run(text->prompt.ids, std::move(edits), std::move(wanted));
  if (!ran) co_return ran.error();
  co_return model::probabilities(ran->logits.row(0))[answer];
}

/// [layer, position]. What did not move need not be put back; after the last layer only the last token's state is read.
Task<Expected<protocol::Grid>> restorations(Context* context, const Ready* text, const Pass* as_is, const Output* out,
                                            std::size_t answer) {
  const std::size_t layers = out->layers(), n = out->positions();
  protocol::Grid grid{{layers, n}, std::vector<double>(layers * n, out->probability.value)};
  grid.data.back() = out->probability_as_is.value;
  for (std::size_t layer = 0; layer + 1 < layers; ++layer) {
    const auto part = co_await progress_part(static_cast<double>(layer), 1, static_cast<double>(layers - 1),
                                             "states before layer " + std::to_string(layer));
    for (std::size_t i = 0; i < n; ++i) {
      if (out->moved(layer, i) == 0) continue;
      const auto p = co_await restored(context, text, as_is, layer, i, answer);
      if (!p) co_return p.error();
      grid.data[layer * n + i] = *p;
    }
  }
  co_return std::move(grid);
}

void list_tokens(Output& out, const Pass& as_is, const Pass& edited, const Inputs& inputs) {
  for (const std::vector<std::int32_t>* ids : {&as_is.likeliest, &edited.likeliest})
    for (const std::int32_t id : *ids) {
      if (std::ranges::find(out.token.data, id) != out.token.data.end()) continue;
      const auto at = static_cast<std::size_t>(id);
      out.token.data.push_back(id), out.text.push_back(token_text(inputs, id));
      out.as_is.data.push_back(as_is.p[at]), out.here.data.push_back(edited.p[at]);
    }
  for (protocol::Grid* grid : {&out.token, &out.as_is, &out.here}) grid->shape = {grid->data.size()}, grid->first = 1;
}

/// From which layer on the last token's state carries the effect, and what any moved state carries.
void judge_restorations(Output& out) {
  const double effect = out.probability_as_is.value - out.probability.value;
  if (!(std::abs(effect) >= kLeastEffect)) {
    out.handover.note = out.restored_there.note = out.chance.note = "the edit hardly changes this probability";
    return;
  }
  const auto share = [&](std::size_t layer, std::size_t i) {
    return (out.restored(layer, i) - out.probability.value) / effect;
  };
  std::vector<double> all;
  for (std::size_t layer = 0; layer < out.layers(); ++layer)
    for (std::size_t i = 0; i < out.positions(); ++i)
      if (out.moved(layer, i) > 0) all.push_back(share(layer, i));
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::ranges::nth_element(all, middle);
  out.chance = {*middle, "of " + std::to_string(all.size()) + " moved states"};
  const std::size_t last = out.positions() - 1;
  std::size_t layer = out.layers() - 1;  // there it is the whole effect
  while (layer > 0 && share(layer - 1, last) >= 0.5) --layer;
  out.handover = {static_cast<double>(layer), "counted from 0; the number of layers means after the last"};
  out.restored_there = {share(layer, last), "of the change of the probability"};
}

Output outputs_of(const Pass& as_is, const Pass& edited, const Inputs& inputs) {
  Output out;
  out.moved = movement(as_is, edited);
  list_tokens(out, as_is, edited, inputs);
  out.probability_as_is = {out.as_is.data.front(), "after the last token"};
  out.probability = {out.here.data.front(), "after the last token"};
  const auto reached = std::ranges::count_if(out.moved.data, [](double x) { return x > 0; });
  out.reached = {static_cast<double>(reached) / static_cast<double>(out.moved.data.size()),
                 std::to_string(reached) + " of " + std::to_string(out.moved.data.size())};
  return out;
}

/// The visitor's edits, or the study's own: a token placed elsewhere.
Expected<Subject> edited_subject(const Params& params, const Subject& own, std::size_t n) {
  if (std::ranges::any_of(own.edits, &Edit::on)) return own;
  const std::size_t position =
      params.position < 0 ? n - std::min<std::size_t>(n, 2) : static_cast<std::size_t>(params.position);
  if (const auto ok = check_index("position", position, n); !ok) return ok.error();
  Subject subject = own;
  subject.edits.push_back({"replace_position:" + std::to_string(position) + ":" + std::to_string(params.by), true});
  return subject;
}

Task<Expected<Output>> compute(Params params, Context& context) {
  Subject plain = context.inputs().subject;
  plain.edits.clear();
  const auto before = co_await context.runner().prepare(std::move(plain));
  if (!before) co_return before.error();
  auto subject = edited_subject(params, context.inputs().subject, before->prompt.ids.size());
  if (!subject) co_return subject.error();
  const auto text = co_await context.runner().prepare(std::move(*subject));
  if (!text) co_return text.error();
  const auto as_is = co_await pass(&context, &*before);
  if (!as_is) co_return as_is.error();
  const auto edited = co_await pass(&context, &*text);
  if (!edited) co_return edited.error();
  Output out = outputs_of(*as_is, *edited, context.inputs());
  context.describe_text(*text, out);
  out.convention += ", each state is put back alone, before its layer";
  const auto moved = std::ranges::count_if(out.moved.data, [](double x) { return x > 0; });
  out.handover.note = out.restored_there.note = out.chance.note = "not computed";
  if (static_cast<std::size_t>(moved) > kMostRuns) {
    context.note(say("note.too_many", {{"moved", with_thousands(moved)}, {"most", with_thousands(kMostRuns)}}));
    co_return std::move(out);
  }
  context.first_picture(out);
  auto grid = co_await restorations(&context, &*text, &*as_is, &out, static_cast<std::size_t>(out.token.data.front()));
  if (!grid) co_return grid.error();
  out.restored = std::move(*grid);
  judge_restorations(out);
  co_return std::move(out);
}

}  // namespace

ComputeStudy compute_study() { return study_of<describe, compute>(); }

}  // namespace helix::studies::edit_reach
