#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "studies/context_compute.h"
#include "studies/tokens/tokens.h"

namespace helix::studies::tokens {
namespace {

constexpr const char* kWords = "wte.weight";
constexpr const char* kPositions = "wpe.weight";

/// The index of the requested token among n; the last one if it does not exist.
std::size_t chosen(int position, std::size_t n) {
  const auto at = static_cast<std::size_t>(std::max(position, 0));
  return position < 0 || at >= n ? n - 1 : at;
}

std::vector<ModelNeeds> needs(const ParamValues& values, const Known& known) {
  ModelNeeds numbers{"", {}, {{kWords, {}}, {kPositions, {}}}, Reads::weights, true};
  const auto ids = known.tokens();
  if (const auto size = known.size(""); size && !ids.empty()) {
    const std::size_t at = chosen(read_params<Params>(values).position, ids.size());
    const auto id = static_cast<std::size_t>(std::max(ids[at], 0));
    if (id < size->n_vocab) numbers.rows[0].rows = {id};
    if (at < size->n_ctx) numbers.rows[1].rows = {at};
  }
  return {{"", {}, {}, Reads::tokens}, std::move(numbers)};  // without numbers the tokens can still be shown
}

/// A row of a table as doubles; empty if it is missing or not finite.
std::vector<double> row_of(const char* tensor, std::size_t index, Context& context) {
  const auto& models = context.inputs().models;
  const auto weights = models.empty() ? nullptr : models.back().weights;
  if (!weights || !weights->header() || !weights->has_row(tensor, index)) return {};
  auto row = context.row(tensor, index, "rows");
  return row ? std::move(*row) : std::vector<double>();
}

double norm(const std::vector<double>& x) {
  double sum = 0;
  for (const double v : x) sum += v * v;
  return x.empty() ? std::nan("") : std::sqrt(sum);
}

void set(protocol::Grid& grid, std::vector<double> values) {
  grid.shape = {values.size()};
  grid.data = std::move(values);
}

/// The two rows that are added before the first layer, and their sum.
void add_numbers(Output& out, std::size_t at, Context& context) {
  auto word = row_of(kWords, static_cast<std::size_t>(out.tokens[at].id), context);
  auto position = row_of(kPositions, at, context);
  const char* why = word.empty() && position.empty() ? "its weights are not here"
                    : word.empty()                   ? "this token has no row of wte here"
                                                     : "this position has no row of wpe here";
  const bool both = !word.empty() && word.size() == position.size();
  std::vector<double> sum;
  double product = 0;
  for (std::size_t i = 0; both && i < word.size(); ++i)
    sum.push_back(word[i] + position[i]), product += word[i] * position[i];
  const double lengths = norm(word) * norm(position);
  out.wte_norm = {norm(word), word.empty() ? why : "Euclidean"};
  out.wpe_norm = {norm(position), position.empty() ? why : "Euclidean"};
  out.cosine = {both && lengths > 0 ? product / lengths : std::nan(""), !both         ? why
                                                                        : lengths > 0 ? "not centred"
                                                                                      : "one of the two rows is zero"};
  set(out.wte, std::move(word)), set(out.wpe, std::move(position)), set(out.sum, std::move(sum));
}

void add_merges(Output& out, std::size_t at, const Inputs& inputs) {
  std::vector<double> ranks;
  if (inputs.tokenizer)
    for (const tokenizer::MergeStep& step : inputs.tokenizer->merges_of(out.tokens[at].id)) {
      const auto text = [&](std::int32_t id) { return in_quotes(token_text(inputs, id)); };
      out.merge.push_back(text(step.left) + " + " + text(step.right) + " → " + text(step.result));
      ranks.push_back(step.rank);
    }
  set(out.rank, std::move(ranks));
}

/// Judged on the text's own prompt: the tokens that it lists, in their order.
void judge_adam(const Inputs& inputs, Output& out) {
  static const protocol::Texts stated{"<|endoftext|>", "Hello", " my", " name", " is", " Adam"};
  if (!inputs.subject.bos || !inputs.subject.tokens.empty() || inputs.subject.prompt != "Hello my name is Adam") return;
  out.claims = {{"H8", static_cast<double>(out.text.size()), out.text == stated, {}, out.convention}};
}

Output outputs_of(const Inputs& inputs, Prompt prompt) {
  Output out;
  out.convention = inputs.subject.bos ? "with BOS" : "no BOS";
  out.notes = std::move(prompt.notes);
  out.count = {static_cast<double>(prompt.ids.size()), out.convention};
  std::size_t bytes = 0, of_text = 0;
  for (std::size_t i = 0; i < prompt.tokens.size(); ++i) {
    const protocol::Token& token = prompt.tokens[i];
    out.id.data.push_back(token.id);
    out.text.push_back(token_text(inputs, token.id));
    out.bytes.push_back(to_hex(token.bytes));
    if (i == 0 && inputs.subject.bos) continue;
    bytes += token.bytes.size(), ++of_text;
  }
  out.id.shape = {out.id.data.size()};
  out.text_tokens = {static_cast<double>(of_text), "what the bytes per token are a mean over"};
  if (of_text > 0 && inputs.tokenizer)
    out.bytes_per_token = {static_cast<double>(bytes) / static_cast<double>(of_text), "UTF-8"};
  else
    out.bytes_per_token.note = of_text > 0 ? "needs a vocabulary" : "there is no text beside BOS";
  out.tokens = std::move(prompt.tokens);
  judge_adam(inputs, out);
  return out;
}

Task<Expected<Output>> compute(Params params, Context& context) {
  const Inputs& inputs = context.inputs();
  co_await pause_point();
  auto prompt = read_prompt(inputs, 0);
  if (!prompt) co_return prompt.error();
  co_await pause_point();
  context.origin().arithmetic = "tokens; rows as stored, their sum in float64";
  Output out = outputs_of(inputs, std::move(*prompt));
  const std::size_t at = chosen(params.position, out.tokens.size());
  out.position = {static_cast<double>(at), "counted from 0, BOS included"};
  if (params.position > static_cast<int>(at)) context.note(say("note.end", {{"last", std::to_string(at)}}));
  if (std::ranges::any_of(inputs.subject.edits, &Edit::on)) context.note(say("note.edits"));
  add_numbers(out, at, context);
  add_merges(out, at, inputs);
  co_return std::move(out);
}

}  // namespace

ComputeStudy compute_study() { return study_of<describe, compute>(needs); }

}  // namespace helix::studies::tokens
