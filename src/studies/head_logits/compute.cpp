// One pass keeps what each part writes at the last token; the output head is linear in it once LayerNorm's scale is held,
// so that the logits' difference is a sum over the parts. Over a set of prompts these sums are averaged.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/pcg64.h"
#include "base/text.h"
#include "model/sampling.h"
#include "studies/head_logits/head_logits.h"
#include "studies/head_logits/names.h"
#include "studies/head_logits/parts.h"
#include "studies/null_range.h"
#include "studies/undefined.h"

namespace helix::studies::head_logits {
namespace {

using protocol::Grid, protocol::Quantity;

/// Means and standard deviations of lists of one length.
struct Moments {
  Vec sum, square;
  void add(const Vec& values) {
    sum.resize(values.size()), square.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) sum[i] += values[i], square[i] += values[i] * values[i];
  }
  Vec mean(std::size_t count) const {
    Vec out = sum;
    for (double& x : out) x /= static_cast<double>(count);
    return out;
  }
  Vec deviation(std::size_t count) const {
    Vec out = mean(count);
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = std::sqrt(std::max(0.0, square[i] / static_cast<double>(count) - out[i] * out[i]));
    return out;
  }
};

/// What is asked of a pass: the answer, and the token it is compared with; none: the mean of all tokens.
struct Asked {
  std::int32_t answer = 0;
  std::optional<std::int32_t> against;
};

/// Sums over the prompts.
struct Totals {
  Moments heads, parts;
  Vec differences;
  std::vector<std::string> names;
  std::vector<Asked> drawn;  // random tokens of each seed: the same for all prompts, or their mean would tend to 0
  std::vector<Vec> random = std::vector<Vec>(kNullSeeds);  // [seed][layer · head]

  std::size_t count() const { return differences.size(); }
};

/// Random tokens in the place of what is asked, one for each seed.
std::vector<Asked> drawn_like(const Asked& asked, std::size_t n_vocab) {
  std::vector<Asked> drawn;
  for (std::uint32_t seed = 1; seed <= kNullSeeds; ++seed) {
    Pcg64 stream(seed);
    const auto draw = [&] { return static_cast<std::int32_t>(stream.random() * static_cast<double>(n_vocab)); };
    Asked random{draw(), std::nullopt};
    if (asked.against) random.against = draw();
    drawn.push_back(random);
  }
  return drawn;
}

double difference_of(const End& end, const Asked& asked) {
  const auto logit = [&](std::int32_t id) { return static_cast<double>(end.logits[static_cast<std::size_t>(id)]); };
  if (asked.against) return logit(asked.answer) - logit(*asked.against);
  double mean = 0;
  for (const float x : end.logits) mean += static_cast<double>(x) / static_cast<double>(end.logits.size());
  return logit(asked.answer) - mean;
}

/// The pointers outlive the task. `mean`: the mean row of the output head, where it is compared with.
Task<Expected<void>> add_prompt(Totals* totals, const model::Network* network, const End* end, Asked asked,
                                const Vec* mean, bool bias_with_heads) {
  const auto row = [&](std::int32_t id) { return output_row(*network, static_cast<std::size_t>(id)); };
  const Vec against = asked.against ? row(*asked.against) : *mean;
  Contributions found = contributions(*end, reader_of(*network, row(asked.answer), against), bias_with_heads);
  totals->differences.push_back(difference_of(*end, asked));
  double rest = totals->differences.back();
  for (const Vec* list : {&found.heads, &found.parts})
    for (const double x : *list) rest -= x;
  found.parts.push_back(rest);
  totals->heads.add(found.heads), totals->parts.add(found.parts);
  totals->names = end->names;
  if (totals->drawn.empty()) totals->drawn = drawn_like(asked, network->config().n_vocab);
  for (std::size_t s = 0; s < totals->drawn.size(); ++s) {
    co_await pause_point();
    const Vec one = row(totals->drawn[s].answer);
    const Vec other = asked.against ? row(*totals->drawn[s].against) : *mean;
    const Vec random = head_contributions(*end, reader_of(*network, one, other), bias_with_heads);
    totals->random[s].resize(random.size());
    for (std::size_t i = 0; i < random.size(); ++i) totals->random[s][i] += random[i];
  }
  co_return Expected<void>();
}

// ---- the numbers

std::string dotted(std::size_t at, std::size_t heads) {
  return std::to_string(at / heads) + "." + std::to_string(at % heads);
}

double sum_of(const Vec& values) {
  double sum = 0;
  for (const double x : values) sum += x;
  return sum;
}

/// Without edits what is left over is rounding; what edits write is a part of its own.
void add_parts(Output& out, const Totals& totals, bool edited) {
  Vec mean = totals.parts.mean(totals.count()), deviation = totals.parts.deviation(totals.count());
  out.parts = totals.names;
  out.parts.emplace_back("biases");
  double most = 0;
  for (const Vec* list : {&out.contribution.data, &mean})
    for (const double x : *list) most = std::max(most, std::abs(x));
  if (edited) {
    out.parts.emplace_back("edits");
    out.residual_error.note = "what edits change is a part of its own";
  } else {
    const double rest = std::abs(mean.back());
    out.residual_error = {most > 0 ? rest / most : rest, "the rounding of the pass"};
    mean.pop_back(), deviation.pop_back();
  }
  double mlps = 0;
  for (std::size_t i = 0; i < out.parts.size(); ++i)
    if (out.parts[i].starts_with("MLP")) mlps += mean[i];
  out.all_mlps = {mlps, "LayerNorm's scale held"};
  out.part = {{mean.size()}, std::move(mean), 0};
  if (totals.count() > 1) out.part_deviation = {{deviation.size()}, std::move(deviation), 0};
}

Output outputs_of(const Totals& totals, std::size_t heads, bool edited) {
  Output out;
  const std::size_t count = totals.count(), n = totals.heads.sum.size();
  const std::string over = count > 1 ? ", mean of " + std::to_string(count) + " prompts" : "";
  out.contribution = {{n / heads, heads}, totals.heads.mean(count), 0};
  if (count > 1) out.deviation = {{n / heads, heads}, totals.heads.deviation(count), 0};
  const Vec& by_head = out.contribution.data;
  const auto most = static_cast<std::size_t>(std::ranges::max_element(by_head) - by_head.begin());
  const auto least = static_cast<std::size_t>(std::ranges::min_element(by_head) - by_head.begin());
  out.strongest = {by_head[most], "head " + dotted(most, heads) + over};
  out.opposed = {by_head[least], "head " + dotted(least, heads) + over};
  out.all_heads = {sum_of(by_head), std::to_string(n) + " heads" + over};
  out.difference = {sum_of(totals.differences) / static_cast<double>(count), "after the last token" + over};
  out.prompts = {static_cast<double>(count), ""};
  add_parts(out, totals, edited);
  Vec random;
  for (const Vec& of_seed : totals.random) {
    double largest = 0;
    for (const double x : of_seed) largest = std::max(largest, std::abs(x) / static_cast<double>(count));
    random.push_back(largest);
  }
  out.random_strongest = over_seeds(std::move(random));
  return out;
}

void add_spread(Output& out, const Totals& totals) {
  Moments moments;
  std::size_t right = 0;
  for (const double x : totals.differences) moments.add({x}), right += x > 0;
  const std::string over = "of " + std::to_string(totals.count()) + " prompts";
  out.spread = {moments.deviation(totals.count())[0], over};
  out.right = {static_cast<double>(right) / static_cast<double>(totals.count()), over};
  out.by_prompt = {{totals.count()}, totals.differences, 0};
}

/// How many of these heads are among as many that add most, or with a sign of −1 that are most against it.
protocol::Claim of_heads(const char* id, const std::vector<std::pair<std::size_t, std::size_t>>& named, double sign,
                         const Output& out) {
  const Grid& map = out.contribution;
  double count = 0;
  for (const auto& [layer, head] : named) {
    if (layer >= map.rows() || head >= map.cols()) return {id, {}, {}, {}, "no such heads"};
    const double own = sign * map(layer, head);
    const auto ahead = std::ranges::count_if(map.data, [&](double x) { return sign * x > own; });
    count += static_cast<std::size_t>(ahead) < named.size() ? 1 : 0;
  }
  return {id, count, count == static_cast<double>(named.size()), {}, out.convention};
}

// ---- one text, and the set

/// `what`: "answer" or "token it is compared with".
Expected<std::int32_t> token_of(const std::string& text, const char* what, const Inputs& inputs) {
  if (!inputs.tokenizer)
    return Error{"The " + std::string(what) + " cannot be found by its text, because there is no vocabulary. " +
                 inputs.no_tokenizer};
  const auto ids = inputs.tokenizer->encode(text);
  if (ids.size() != 1)
    return Error{"The " + std::string(what) + " " + in_quotes(text) + " is " + std::to_string(ids.size()) +
                 " tokens of this model, and one is needed; most words are one token with a space in front."};
  return static_cast<std::int32_t>(ids.front());
}

Task<Expected<Output>> of_text(const Params* params, Context* context) {
  const Inputs& inputs = context->inputs();
  const auto text = co_await context->runner().prepare();
  if (!text) co_return text.error();
  const auto end =
      co_await context->cached_run<End>(run_key(*text), [&] { return run_to_end(context, &*text, false); });
  if (!end) co_return end.error();
  Asked asked{model::top_ids((*end)->logits, 1).front(), std::nullopt};
  if (!params->answer.empty()) {
    const auto id = token_of(params->answer, "answer", inputs);
    if (!id) co_return id.error();
    asked.answer = *id;
  }
  Vec mean;
  if (params->against.empty()) {
    const auto row =
        co_await context->cached_run<Vec>("mean output row", [&] { return mean_output_row(inputs.network.get()); });
    if (!row) co_return row.error();
    mean = **row;
  } else {
    const auto id = token_of(params->against, "token it is compared with", inputs);
    if (!id) co_return id.error();
    asked.against = *id;
  }
  Totals totals;
  const auto added = co_await add_prompt(&totals, inputs.network.get(), end->get(), asked, &mean,
                                         params->value_bias == ValueBias::heads);
  if (!added) co_return added.error();
  Output out = outputs_of(totals, inputs.network->config().n_head, !text->specs.empty());
  leave_undefined({&out.spread, &out.right}, "one prompt");
  out.answer.data = {static_cast<double>(asked.answer)}, out.text = {token_text(inputs, asked.answer)};
  if (asked.against)
    out.answer.data.push_back(static_cast<double>(*asked.against)),
        out.text.push_back(token_text(inputs, *asked.against));
  out.answer.shape = {out.answer.data.size()};
  context->describe_text(*text, out);
  out.convention += asked.against ? ", against another token" : ", against the mean logit of the vocabulary";
  co_return std::move(out);
}

Task<Expected<Output>> of_set(const Params* params, Context* context) {
  const Inputs& inputs = context->inputs();
  if (!inputs.network) co_return Error{inputs.no_network.empty() ? "This model cannot run a text." : inputs.no_network};
  if (!inputs.tokenizer)
    co_return Error{"The prompts cannot be cut into tokens, because there is no vocabulary. " + inputs.no_tokenizer};
  const auto prompts = name_prompts(*inputs.tokenizer);
  if (!prompts) co_return prompts.error();
  Totals totals;
  std::vector<std::string> specs, sentences;
  for (const NamePrompt& prompt : *prompts) {
    const auto part =
        co_await progress_part(static_cast<double>(totals.count()), 1, static_cast<double>(prompts->size()), "prompts");
    Subject subject = inputs.subject;
    subject.tokens.clear(), subject.prompt = prompt.text;
    const auto text = co_await context->runner().prepare(std::move(subject));
    if (!text) co_return text.error();
    const auto end = co_await run_to_end(context, &*text, true);
    if (!end) co_return end.error();
    const Asked asked{prompt.right, prompt.other};
    const auto added = co_await add_prompt(&totals, inputs.network.get(), &*end, asked, nullptr,
                                           params->value_bias == ValueBias::heads);
    if (!added) co_return added.error();
    specs = text->specs, sentences.push_back(prompt.text);
  }
  context->note(say("note.set_runs"));
  Output out = outputs_of(totals, inputs.network->config().n_head, !specs.empty());
  add_spread(out, totals);
  out.sentences = std::move(sentences), out.edits = specs;
  out.convention = std::to_string(totals.count()) + " prompts of our own, " + (inputs.subject.bos ? "BOS" : "no BOS") +
                   (specs.empty() ? "" : ", edits: " + join(specs, ", ")) + ", the right name against the other one";
  if (specs.empty() && !inputs.subject.bos)
    out.claims = {of_heads("NAMES-movers", {{9, 9}, {9, 6}, {10, 0}}, 1, out),
                  of_heads("NAMES-negative", {{10, 7}, {11, 10}}, -1, out)};
  co_return std::move(out);
}

Task<Expected<Output>> compute(Params params, Context& context) {
  Expected<Output> out = Output();
  if (params.prompts == Prompts::text)
    out = co_await of_text(&params, &context);
  else
    out = co_await of_set(&params, &context);
  if (!out) co_return out.error();
  out->convention += ", LayerNorm's scale held, centred and with its gain, biases of the values ";
  out->convention += params.value_bias == ValueBias::biases ? "with the biases" : "with their heads";
  co_return std::move(*out);
}

}  // namespace

ComputeStudy compute_study() { return study_of<describe, compute>(); }

}  // namespace helix::studies::head_logits
