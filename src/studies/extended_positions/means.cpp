#include "studies/extended_positions/means.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/pcg64.h"
#include "base/utf8.h"

namespace helix::studies::extended_positions {
namespace {

constexpr std::size_t kMostBytes = Store::kBudget * 3 / 4;  // of all layers' means together

/// Adds up what a hook sees over the prompts. Rows from 1 on, those of the repeated token, are also compared.
class Gathered {
 public:
  Gathered(model::Hook hook, std::size_t n, std::size_t d) : hook_(hook), sum_(n, d), column_(d) {}

  /// This object must outlive the pass.
  model::Tap tap() {
    return {hook_, [this](const model::Chunk& chunk) { see(chunk); }};
  }

  void end_prompt() {
    // Σ (x − mean)² = Σ x² − (Σ x)² / count
    for (const double sum : column_) square_ -= sum * sum / count();
    squares_ += square_, ++prompts_;
    std::ranges::fill(column_, 0), square_ = 0;
  }

  Mean mean() && {
    const auto prompts = static_cast<double>(prompts_), n = static_cast<double>(sum_.rows);
    std::vector<double> later(sum_.cols, 0);  // sums over the rows from 1 on
    for (std::size_t i = 1; i < sum_.rows; ++i)
      for (std::size_t j = 0; j < sum_.cols; ++j) later[j] += static_cast<double>(sum_(i, j));
    double square = 0;
    for (std::size_t j = 0; j < sum_.cols; ++j) {
      const double mean = (later[j] + static_cast<double>(sum_(0, j))) / n;
      for (std::size_t i = 0; i < sum_.rows; ++i) {
        const auto x = static_cast<double>(sum_(i, j));
        square += i > 0 ? std::pow(x - later[j] / count(), 2) : 0;
        sum_(i, j) = static_cast<float>((x - mean) / prompts);
      }
    }
    const double pairs = squares_ * (prompts - 1);
    return {std::move(sum_), pairs > 0 ? (square - squares_) / pairs : std::nan("")};
  }

 private:
  double count() const {
    return static_cast<double>(std::max<std::size_t>(sum_.rows, 2) - 1);
  }  // of the rows from 1 on

  void see(const model::Chunk& chunk) {
    for (std::size_t i = 0; i < chunk.rows.rows; ++i) {
      const std::size_t at = chunk.first + i;
      for (std::size_t j = 0; j < chunk.rows.cols; ++j) {
        const float x = chunk.rows(i, j);
        const auto wide = static_cast<double>(x);
        sum_(at, j) += x;
        if (at > 0) column_[j] += wide, square_ += wide * wide;
      }
    }
  }

  model::Hook hook_;
  Matrix<float> sum_;
  std::vector<double> column_;       // of this prompt: sums over the rows from 1 on
  double square_ = 0, squares_ = 0;  // of this prompt, and of all of them less their means
  std::size_t prompts_ = 0;
};

struct Block {
  std::size_t first = 0, count = 0;  // layers
};

Task<Expected<Means>> run_all(Context* context, const Tokens* tokens, Block block) {
  const auto& network = context->inputs().network;
  const checkpoint::Config& config = network->config();
  model::PassNeeds need{false, tokens->ids};
  need.tokens.push_back(tokens->bos);
  if (const auto ready = co_await network->prepare(std::move(need)); !ready) co_return ready.error();
  std::vector<Gathered> all;
  for (std::size_t i = 0; i < block.count; ++i)
    for (const auto kind : {model::HookKind::resid_pre, model::HookKind::ln1_normalized})
      all.emplace_back(model::Hook{kind, block.first + i}, config.n_ctx, config.d_model);
  const std::size_t prompts = tokens->ids.size();
  for (std::size_t p = 0; p < prompts; ++p) {
    const auto part = co_await progress_part(static_cast<double>(p), 1, static_cast<double>(prompts),
                                             "prompt " + std::to_string(p + 1) + " of " + std::to_string(prompts));
    std::vector<std::int32_t> ids(config.n_ctx, tokens->ids[p]);
    ids[0] = tokens->bos;
    Wanted wanted;
    wanted.layers = block.first + block.count, wanted.once = true;
    for (Gathered& one : all) wanted.taps.push_back(one.tap());
    model::Interventions none;
    const auto ran = co_await context->runner().run(std::move(ids), std::move(none), std::move(wanted));
    if (!ran) co_return ran.error();
    for (Gathered& one : all) one.end_prompt();
  }
  Means out{block.first, {}};
  for (std::size_t i = 0; i < block.count; ++i) {
    out.layers.push_back({std::move(all[2 * i]).mean(), std::move(all[2 * i + 1]).mean()});
    co_await pause_point();
  }
  co_return std::move(out);
}

/// The layers that are kept together with this one: all of them, or blocks of as many as there is room for.
Block block_of(const checkpoint::Config& config, std::size_t layer) {
  const std::size_t of_layer = 2 * config.n_ctx * config.d_model * sizeof(float),
                    most = std::max<std::size_t>(kMostBytes / of_layer, 1), first = layer / most * most;
  return {first, std::min(most, config.n_layer - first)};
}

Expected<std::int32_t> chosen_token(const Params& params, const Inputs& inputs, std::vector<std::string>& notes) {
  const std::size_t most = inputs.network->config().n_vocab;
  std::int32_t id = params.token;
  if (params.token < 0) {
    const std::vector<std::int32_t> ids = inputs.tokenizer->encode(params.word);
    if (ids.empty()) return Error{"There is no text to take the token from: type a word, or give the token's id."};
    id = ids.front();
    if (ids.size() > 1)
      notes.push_back(say("note.first_token", {{"n", std::to_string(ids.size())}, {"token", token_text(inputs, id)}}));
  }
  if (static_cast<std::size_t>(id) < most) return id;
  return Error{"There is no token " + std::to_string(id) + "; this model's ids go from 0 to " +
               std::to_string(most - 1) + "."};
}

}  // namespace

std::size_t Means::bytes() const {
  std::size_t all = 0;
  for (const auto& layer : layers)
    for (const Mean& mean : layer) all += mean.rows.data.size() * sizeof(float) + sizeof(Mean);
  return all;
}

Expected<Tokens> choose_tokens(const Params& params, const Inputs& inputs) {
  if (!inputs.network) return Error{inputs.no_network};
  if (!inputs.tokenizer) return Error{inputs.no_tokenizer};
  const auto bos = inputs.tokenizer->end_of_text();
  if (!bos) return Error{"Every prompt begins with <|endoftext|>, which this model's vocabulary does not have."};
  Tokens out{*bos, {}, {}};
  const auto chosen = chosen_token(params, inputs, out.notes);
  if (!chosen) return chosen.error();
  out.ids.push_back(*chosen);
  const auto count = static_cast<std::size_t>(params.prompts);
  if (count == 1) return out;
  for (const std::size_t at : Pcg64(1).order(std::min(inputs.tokenizer->size(), inputs.network->config().n_vocab))) {
    if (out.ids.size() == count) break;
    const auto id = static_cast<std::int32_t>(at);
    const std::string_view text = inputs.tokenizer->bytes(id);
    const bool alone = id != *bos && id != *chosen && !text.empty() && is_utf8(text) &&
                       inputs.tokenizer->encode(text) == std::vector<std::int32_t>{id};
    if (alone) out.ids.push_back(id);
  }
  if (out.ids.size() < count) out.notes.push_back(say("note.few_tokens", {{"n", std::to_string(out.ids.size())}}));
  return out;
}

std::string means_key(const Tokens& tokens) {
  std::string key = std::to_string(tokens.bos) + ":";
  for (const std::int32_t id : tokens.ids) key += " " + std::to_string(id);
  return key;
}

Task<Expected<std::shared_ptr<const Means>>> means_around(Context* context, const Tokens* tokens, std::size_t layer) {
  const Block block = block_of(context->inputs().network->config(), layer);
  co_return co_await context->cached_run<Means>(means_key(*tokens) + " from " + std::to_string(block.first),
                                                [&] { return run_all(context, tokens, block); });
}

}  // namespace helix::studies::extended_positions
