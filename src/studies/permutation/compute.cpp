#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "studies/context_compute.h"
#include "studies/permutation/permutation.h"
#include "studies/permutation/shuffle.h"

namespace helix::studies::permutation {
namespace {

constexpr std::array<const char*, kCases> kHow{"with positions and mask", "with positions alone", "with the mask alone",
                                               "with neither"};

/// What the shuffle changes in one of the four cases. All are computed and kept: choosing another needs no run.
struct Case {
  bool done = false;
  std::vector<double> by_token;  // change of the attention output in layer 0
  double output = std::nan(""), logits = std::nan(""), unmatched = std::nan("");

  double largest() const { return done ? *std::max_element(by_token.begin(), by_token.end()) : std::nan(""); }
  std::size_t bytes() const { return by_token.size() * sizeof(double); }
};

/// What one pass gives: what attention adds in layer 0, what the output head reads, and the logits of one token.
struct Pass {
  Matrix<float> attention, output, logits;
};

model::Tap keep(model::Hook hook, Matrix<float>* into, std::size_t rows) {
  return {hook, [=](const model::Chunk& chunk) {
            if (into->rows == 0) *into = Matrix<float>(rows, chunk.rows.cols);
            for (std::size_t i = 0; i < chunk.rows.rows; ++i)
              std::ranges::copy(chunk.rows.row(i), into->row(chunk.first + i).begin());
          }};
}

Task<Expected<Pass>> pass(Context* context, model::Interventions edits, std::vector<std::int32_t> tokens,
                          std::size_t logits_at) {
  Pass out;
  Wanted wanted;
  wanted.taps = {keep({model::HookKind::attn_out, 0}, &out.attention, tokens.size()),
                 keep({model::HookKind::final_normalized}, &out.output, tokens.size())};
  wanted.logits_at = {logits_at};
  auto ran = co_await context->runner().run(std::move(tokens), std::move(edits), std::move(wanted));
  if (!ran) co_return ran.error();
  out.logits = std::move(ran->logits);
  co_return out;
}

/// Adding a constant to all logits changes no probability: this subtracts their mean.
void centre(Matrix<float>& logits) {
  double sum = 0;
  for (const float x : logits.data) sum += static_cast<double>(x);
  const double mean = sum / static_cast<double>(logits.data.size());
  for (float& x : logits.data) x = static_cast<float>(static_cast<double>(x) - mean);
}

/// Both passes of a case, in addition to the active edits.
Task<Expected<Case>> compared(Context* context, std::size_t which, std::vector<std::size_t> order) {
  Subject subject = context->inputs().subject;
  if (which & 2) subject.edits.push_back({"zero_positions"});
  if (which & 1) subject.edits.push_back({"no_mask"});
  auto ready = co_await context->runner().prepare(std::move(subject));
  if (!ready) co_return ready.error();
  const std::size_t n = ready->prompt.ids.size();
  std::vector<std::int32_t> tokens;
  for (const std::size_t from : order) tokens.push_back(ready->prompt.ids[from]);
  const auto last = static_cast<std::size_t>(std::ranges::find(order, n - 1) - order.begin());
  auto before = co_await pass(context, ready->edits, ready->prompt.ids, n - 1);
  if (!before) co_return before.error();
  auto after = co_await pass(context, std::move(ready->edits), std::move(tokens), last);
  if (!after) co_return after.error();
  centre(before->logits), centre(after->logits);
  const auto outputs = changes(after->output, before->output, order);
  Case out{true, changes(after->attention, before->attention, order)};
  out.output = *std::max_element(outputs.begin(), outputs.end());
  out.logits = relative_change(after->logits.data, before->logits.data);
  out.unmatched = mean_change_in_place(after->attention, before->attention);
  co_return out;
}

using Cases = std::array<Case, kCases>;

void add_numbers(Output& out, const Params& params, const Cases& cases, std::size_t n) {
  for (const Case& one : cases) {
    out.change.data.push_back(one.largest());
    out.outputs.data.push_back(one.output);
    out.logits.data.push_back(one.logits);
    out.unmatched.data.push_back(one.unmatched);
    std::vector<double> row = one.by_token;
    row.resize(n, std::nan(""));
    out.by_token.data.insert(out.by_token.data.end(), row.begin(), row.end());
  }
  for (protocol::Grid* grid : {&out.change, &out.outputs, &out.logits, &out.unmatched}) grid->shape = {kCases};
  out.by_token.shape = {kCases, n};
  const std::size_t chosen = params.chosen();
  const std::string on = kHow[chosen];
  out.max_change = {out.change.data[chosen], on + "; |Δ| over the length of blocks.0.hook_attn_out"};
  out.output_change = {out.outputs.data[chosen],
                       on + "; ln_final.hook_normalized, where rounding of all layers adds up"};
  out.logit_change = {out.logits.data[chosen], on + "; of the prompt's last token, less their mean"};
  out.not_undone = {out.unmatched.data[chosen], on + "; what attention adds to different tokens differs by so much"};
}

/// Judged only without edits: an edit can add order information or remove it.
std::vector<protocol::Claim> claims(const Params& params, const Output& out) {
  if (params.positions || params.mask || !out.edits.empty()) return {};
  return {{"P1",
           out.max_change.value,
           out.max_change.value < kNoChange,
           {},
           out.convention +
               "; judged on what attention adds in layer 0; holds where it changes for no token by more than " +
               to_text(kNoChange) + " of its length; with the causal mask and no positions it changes by " +
               to_fixed(out.change.data[2], 3) + ", with both by " + to_fixed(out.change.data[0], 3) +
               ", and without undoing the shuffle by " + to_fixed(out.not_undone.value, 3) + " on average"}};
}

/// All but the numbers.
Output described(const Params& params, const Ready& ready, const std::vector<std::size_t>& order, Context& context) {
  Output out;
  context.describe_text(ready, out);
  out.convention += ", all tokens shuffled with seed " + std::to_string(params.seed) + ", " + kHow[params.chosen()];
  if (!ready.edits.causal) context.note(say("note.no_mask"));
  for (const std::size_t from : order) out.order.data.push_back(static_cast<double>(from));
  out.order.shape = {order.size()};
  return out;
}

Task<Expected<Output>> compute(Params params, Context& context) {
  const auto ready = co_await context.runner().prepare();
  if (!ready) co_return ready.error();
  if (ready->edits.frozen > 0)
    co_return Error{"Frozen values belong to the prompt in its own order; switch those edits off to shuffle it."};
  const std::size_t n = ready->prompt.ids.size();
  if (n < 2) co_return Error{"One token has no order that could be shuffled; type a longer prompt."};
  const auto order = shuffled(n, static_cast<std::uint64_t>(params.seed));
  const std::string key = run_key(*ready) + "|" + std::to_string(params.seed) + "|";
  Cases cases;
  for (std::size_t which = 0; which < kCases; ++which)
    if (const auto known = context.known<Case>(context.inputs().network, key + kCaseNames[which]))
      cases[which] = *known;
  const Output text = described(params, *ready, order, context);
  std::array<std::size_t, kCases> turns{params.chosen(), 0, 1, 2};  // the chosen case first, then the others in order
  for (std::size_t which = 0, i = 1; which < kCases; ++which)
    if (which != params.chosen()) turns[i++] = which;
  for (std::size_t i = 0; i < kCases; ++i) {
    co_await pause_point(static_cast<double>(i), kCases, "running both orders");
    if (cases[turns[i]].done) continue;
    const auto computed = co_await context.cached_run<Case>(key + kCaseNames[turns[i]],
                                                            [&] { return compared(&context, turns[i], order); });
    if (!computed) co_return computed.error();
    cases[turns[i]] = **computed;
    if (i > 0) continue;
    Output first = text;
    add_numbers(first, params, cases, n);
    context.first_picture(std::move(first));
  }
  Output out = text;
  add_numbers(out, params, cases, n);
  out.claims = claims(params, out);
  co_return std::move(out);
}

}  // namespace

ComputeStudy compute_study() { return study_of<describe, compute>(); }

}  // namespace helix::studies::permutation
