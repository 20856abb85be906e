#include "studies/averaged_positions/runs.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/pcg64.h"
#include "base/text.h"
#include "model/sampling.h"

namespace helix::studies::averaged_positions {
namespace {

constexpr std::size_t kFirst =
    2;  // the first query whose previous token is not the first one, where much attention rests
constexpr std::size_t kFewest = kFirst + 1;

Expected<Ids> encoded(const Params& params, const Context& context, const Ready& prompt) {
  if (params.text == Source::prompt) return prompt.prompt.ids;
  const Inputs& inputs = context.inputs();
  if (!inputs.tokenizer) return Error{inputs.no_tokenizer};
  return inputs.tokenizer->encode(find_bundled_text(params.text == Source::darwin ? "darwin" : "austen")->text);
}

/// Random tokens twice: what follows a token the second time is known from the first.
Ids repeated(const Ids& bos, std::size_t n_ctx, std::size_t n_vocab, std::size_t& copied) {
  copied = std::min({kCopied, (n_ctx - bos.size()) / 2, n_vocab / 2});
  if (copied < 2) return {};
  Ids once;
  for (const std::size_t id : Pcg64(1).order(n_vocab)) {
    if (once.size() == copied) break;
    if (const auto token = static_cast<std::int32_t>(id); bos.empty() || token != bos.front()) once.push_back(token);
  }
  Ids out = bos;
  for (int time = 0; time < 2; ++time) out.insert(out.end(), once.begin(), once.end());
  return out;
}

/// Adds up attention to the previous token, and keeps a part of the first window's patterns.
class Watch {
 public:
  Watch(const checkpoint::Config& config, std::size_t every, const Texts& texts, std::vector<float>* patterns)
      : heads_(config.n_head), every_(every), first_(texts.first_query), crop_(texts.crop()), patterns_(patterns) {
    const std::size_t all = config.n_layer * heads_;
    sums_[0].assign(all, 0), sums_[1].assign(all, 0);
    if (patterns_) patterns_->assign(all * crop_ * crop_, std::nanf(""));
  }

  std::vector<model::Tap> taps(std::size_t first, std::size_t end) {
    std::vector<model::Tap> out;
    for (std::size_t layer = first; layer < end; ++layer)
      out.push_back({{model::HookKind::pattern, layer}, [this](const model::Chunk& chunk) { see(chunk); }});
    return out;
  }

  /// Means over queries 2 … n − 1; `which`: 0 the others, 1 those at multiples, 2 all.
  std::vector<double> means(std::size_t n, std::size_t which) const {
    double counts[2] = {0, 0};
    for (std::size_t query = kFirst; query < n; ++query) ++counts[query % every_ == 0];
    std::vector<double> out;
    for (std::size_t i = 0; i < sums_[0].size(); ++i) {
      const double sum = which == 2 ? sums_[0][i] + sums_[1][i] : sums_[which][i];
      const double count = which == 2 ? counts[0] + counts[1] : counts[which];
      out.push_back(count > 0 ? sum / count : std::nan(""));
    }
    return out;
  }

 private:
  void see(const model::Chunk& chunk) {
    const std::size_t at = chunk.hook.layer * heads_ + chunk.head;
    for (std::size_t i = 0; i < chunk.rows.rows; ++i) {
      const std::size_t query = chunk.first + i;
      const auto row = chunk.rows.row(i);
      if (query >= kFirst) sums_[query % every_ == 0][at] += static_cast<double>(row[query - 1]);
      if (!patterns_ || query < first_ || query >= first_ + crop_) continue;
      float* into = patterns_->data() + (at * crop_ + query - first_) * crop_;
      for (std::size_t key = first_; key <= query; ++key) into[key - first_] = row[key];
    }
  }

  std::size_t heads_, every_, first_, crop_;
  std::vector<float>* patterns_;
  std::vector<double> sums_[2];  // [layer · head]
};

/// The first window is the beginning of a longer prompt: only the rest of it runs for what comes after it.
bool prompt_continues(const Texts& texts) {
  const Ids& window = texts.windows.front();
  return texts.prompt.size() > window.size() && std::equal(window.begin(), window.end(), texts.prompt.begin());
}

std::vector<float> as_floats(const std::vector<double>& p) { return {p.begin(), p.end()}; }

/// The condition's text, ready to run.
Task<Expected<Ready>> prepared(Context* context, Ids ids, std::string edit, bool logits) {
  Subject subject = context->inputs().subject;
  subject.tokens = std::move(ids), subject.bos = false;
  if (!edit.empty()) subject.edits.push_back({std::move(edit), true});
  co_return co_await context->runner().prepare(std::move(subject), logits);
}

Task<Expected<void>> see_window(Context* context, const Texts* texts, Condition condition, std::size_t which,
                                Seen* out) {
  const auto text = co_await prepared(context, texts->windows[which], condition.edit, condition.predicts());
  if (!text) co_return text.error();
  const checkpoint::Config& config = context->inputs().network->config();
  Watch watch(config, condition.every, *texts, which == 0 ? &out->patterns : nullptr);
  if (condition.predicts()) {
    const bool is_prompt = which == 0 && texts->windows.front() == texts->prompt;
    const bool once = which > 0 || (condition.once && !prompt_continues(*texts));
    WantedLoss wanted{watch.taps(0, config.n_layer), 0, once, is_prompt};
    auto loss = co_await context->runner().loss(*text, std::move(wanted));
    if (!loss) co_return loss.error();
    for (double& x : loss->log_probability) x = 0 - x;
    out->loss.push_back(std::move(loss->log_probability));
    if (is_prompt) out->next = as_floats(model::probabilities(loss->next));
  } else {
    Wanted wanted;
    wanted.taps = watch.taps(condition.layers - 1, condition.layers), wanted.layers = condition.layers,
    wanted.once = condition.once;
    const auto ran = co_await context->runner().run(*text, std::move(wanted));
    if (!ran) co_return ran.error();
  }
  const std::size_t n = text->prompt.ids.size();
  out->previous.push_back(watch.means(n, 2));
  out->at_every.push_back(watch.means(n, 1)), out->at_others.push_back(watch.means(n, 0));
  co_return Expected<void>();
}

/// The mean probability of the right token, from the second of the repeated ones on: the first cannot be known.
Task<Expected<double>> copying(Context* context, const Texts* texts, Condition condition) {
  if (texts->twice.empty()) co_return std::nan("");
  const auto text = co_await prepared(context, texts->twice, condition.edit, true);
  if (!text) co_return text.error();
  WantedLoss wanted{{}, texts->twice.size() - texts->copied, condition.once};
  const auto loss = co_await context->runner().loss(*text, std::move(wanted));
  if (!loss) co_return loss.error();
  std::vector<double> right;
  for (const double log_p : loss->log_probability) right.push_back(std::exp(log_p));
  co_return mean(right);
}

Task<Expected<std::vector<float>>> next_token(Context* context, const Texts* texts, Condition condition) {
  const auto text = co_await prepared(context, texts->prompt, condition.edit, true);
  if (!text) co_return text.error();
  Wanted wanted;
  wanted.logits_at = {text->prompt.ids.size() - 1}, wanted.once = condition.once && !prompt_continues(*texts);
  const auto ran = co_await context->runner().run(*text, std::move(wanted));
  if (!ran) co_return ran.error();
  co_return as_floats(model::probabilities(ran->logits.row(0)));
}

Task<Expected<Seen>> see(Context* context, const Texts* texts, Condition condition) {
  Seen out;
  const std::size_t windows = condition.predicts() ? texts->windows.size() : 1;
  for (std::size_t i = 0; i < windows; ++i) {
    const auto part = co_await progress_part(static_cast<double>(i), 1, static_cast<double>(windows) + 1,
                                             "window " + std::to_string(i + 1) + " of " + std::to_string(windows));
    if (const auto ok = co_await see_window(context, texts, condition, i, &out); !ok) co_return ok.error();
  }
  if (!condition.predicts()) co_return out;
  const auto copied = co_await copying(context, texts, condition);
  if (!copied) co_return copied.error();
  out.copying = *copied;
  if (!out.next.empty()) co_return out;
  auto next = co_await next_token(context, texts, condition);
  if (!next) co_return next.error();
  out.next = std::move(*next);
  co_return out;
}

std::string key_of(const Texts& texts, const Subject& subject, const Condition& condition) {
  std::string key = condition.edit + " " + std::to_string(condition.layers) + " " + std::to_string(condition.every);
  for (const Edit& edit : subject.edits)
    if (edit.on) key += "|" + edit.spec;
  const auto add = [&](const Ids& ids) {
    key += "|";
    for (const std::int32_t id : ids) key += " " + std::to_string(id);
  };
  for (const Ids& window : texts.windows) add(window);
  add(texts.twice), add(texts.prompt);
  return key;
}

}  // namespace

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double x : values) sum += x;
  return values.empty() ? std::nan("") : sum / static_cast<double>(values.size());
}

std::size_t Seen::bytes() const {
  const std::size_t heads = previous.empty() ? 0 : previous.front().size();
  const std::size_t tokens = loss.empty() ? 0 : loss.size() * loss.front().size();
  return (tokens + 3 * previous.size() * heads) * sizeof(double) + (patterns.size() + next.size()) * sizeof(float);
}

Task<Expected<Texts>> texts_of(Params params, Context* context) {
  const auto prompt = co_await context->runner().prepare();
  if (!prompt) co_return prompt.error();
  auto ids = encoded(params, *context, *prompt);
  if (!ids) co_return ids.error();
  const checkpoint::Config& config = context->inputs().network->config();
  Texts out;
  out.prompt = prompt->prompt.ids, out.tokens = prompt->prompt.tokens, out.notes = prompt->prompt.notes;
  const bool own = params.text == Source::prompt;
  const Ids bos = context->inputs().subject.bos ? Ids{out.prompt.front()} : Ids{};
  if (own) ids->erase(ids->begin(), ids->begin() + static_cast<std::ptrdiff_t>(bos.size()));
  const std::size_t size = std::min(static_cast<std::size_t>(params.window), config.n_ctx);
  if (size < kFewest || ids->size() + bos.size() < kFewest)
    co_return Error{
        "This needs at least three tokens: the first one is left out, and only two others can show who looks "
        "back."};
  const std::size_t each = size - bos.size();
  for (Ids& window : windows(*ids, each, each)) {
    if (out.windows.size() == static_cast<std::size_t>(params.windows)) break;
    window.insert(window.begin(), bos.begin(), bos.end());
    out.windows.push_back(std::move(window));
  }
  out.twice = repeated(bos, config.n_ctx, config.n_vocab, out.copied);
  const std::size_t n = out.longest();
  out.first_query = n > kCrop ? (n - kCrop) / 2 : 0;
  out.of = own ? "the prompt" : text_credit(params.text == Source::darwin ? "darwin" : "austen");
  co_return out;
}

Task<Expected<std::shared_ptr<const Seen>>> seen_with(Context* context, const Texts* texts, Condition condition) {
  const std::string key = key_of(*texts, context->inputs().subject, condition);
  co_return co_await context->cached_run<Seen>(key, [&] { return see(context, texts, condition); });
}

}  // namespace helix::studies::averaged_positions
