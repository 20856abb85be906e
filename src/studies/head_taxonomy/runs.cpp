#include "studies/head_taxonomy/runs.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "model/diagonal_means.h"
#include "studies/head_taxonomy/metrics.h"

namespace helix::studies::head_taxonomy {
namespace {

using Ids = std::vector<std::int32_t>;

constexpr std::size_t kFewest = kLeftOut + 2;

Error too_few() {
  return {
      "This needs at least three tokens: the first one is left out, and only two others can show who looks back; "
      "type a longer prompt."};
}

/// The ids of one window, as they are: BOS is among them.
Task<Expected<Ready>> prepared(Context* context, Ids ids) {
  Subject subject = context->inputs().subject;
  subject.tokens = std::move(ids), subject.bos = false, subject.keep_last = false;
  co_return co_await context->runner().prepare(std::move(subject), false);
}

std::vector<Ids> windows_of(const Ids& ids, std::size_t size, bool bos) {
  const Ids rest(ids.begin() + (bos ? 1 : 0), ids.end());
  const std::size_t each = size - (bos ? 1 : 0);
  std::vector<Ids> all = windows(rest, each, each);
  for (Ids& window : all)
    if (bos) window.insert(window.begin(), ids.front());
  return all;
}

std::string convention_of(const Text& text, bool bos) {
  const auto count = [](std::size_t n) { return with_thousands(static_cast<long long>(n)); };
  std::string out = count(text.prompt.ids.size()) + " tokens in " + count(text.windows.size()) + " windows of " +
                    count(text.size()) + (bos ? ", with BOS" : ", no BOS");
  return text.first.specs.empty() ? out : out + ", edits: " + join(text.first.specs, ", ");
}

/// A pass over one window; `once`: no later one continues from it.
Task<Expected<Window>> pass(Context* context, const Ready* ready, bool once) {
  const checkpoint::Config& config = context->inputs().network->config();
  const Ids& ids = ready->prompt.ids;
  const auto same = std::make_shared<const std::vector<std::vector<std::uint32_t>>>(earlier_places(ids));
  std::vector<model::DiagonalMeans> diagonals;
  std::vector<HeadMetrics> metrics;
  for (std::size_t l = 0; l < config.n_layer; ++l) {
    diagonals.emplace_back(model::Hook{model::HookKind::pattern, l}, config, ids.size(), kLeftOut);
    metrics.emplace_back(model::Hook{model::HookKind::pattern, l}, config.n_head, same);
  }
  Wanted wanted;
  for (model::DiagonalMeans& layer : diagonals) wanted.taps.push_back(layer.tap());
  for (HeadMetrics& layer : metrics) wanted.taps.push_back(layer.tap());
  wanted.once = once;
  const auto ran = co_await context->runner().run(*ready, std::move(wanted));
  if (!ran) co_return ran.error();
  Window out;
  for (const model::DiagonalMeans& layer : diagonals)
    for (std::size_t head = 0; head < config.n_head; ++head)
      for (std::size_t lag = 0; lag < layer.lags(); ++lag) out.diagonals.push_back(layer.mean(head, lag));
  const Gathered even = even_metrics(*same, ready->edits.causal);
  for (std::size_t k = 0; k < kKinds; ++k) {
    out.even[k] = even.mean(static_cast<Kind>(k));
    for (const HeadMetrics& layer : metrics)
      for (std::size_t head = 0; head < config.n_head; ++head)
        out.kinds[k].push_back(layer.mean(head, static_cast<Kind>(k)));
  }
  co_return std::move(out);
}

Task<Expected<Window>> pass_of_window(Context* context, const Text* text, std::size_t which) {
  const auto ready = co_await prepared(context, text->windows[which]);
  if (!ready) co_return ready.error();
  co_return co_await pass(context, &*ready, true);
}

Task<Expected<Seen>> see(Context* context, const Text* text) {
  const checkpoint::Config& config = context->inputs().network->config();
  Seen out{config.n_layer, config.n_head, text->size() - kLeftOut, {}};
  const std::size_t count = text->windows.size();
  if (count == 1) {
    auto one = co_await pass(context, &text->first, false);
    if (!one) co_return one.error();
    out.windows.push_back(std::move(*one));
    co_return std::move(out);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const auto part = co_await progress_part(static_cast<double>(i), 1, static_cast<double>(count),
                                             "window " + std::to_string(i + 1) + " of " + std::to_string(count));
    auto one = co_await pass_of_window(context, text, i);
    if (!one) co_return one.error();
    out.windows.push_back(std::move(*one));
  }
  co_return std::move(out);
}

}  // namespace

std::size_t Seen::bytes() const {
  std::size_t sum = 0;
  for (const Window& window : windows) sum += (window.diagonals.size() + kKinds * layers * heads) * sizeof(double);
  return sum;
}

Task<Expected<Text>> text_of(Params params, Context* context) {
  const Inputs& inputs = context->inputs();
  if (!inputs.network) co_return Error{inputs.no_network};
  const std::size_t n_ctx = inputs.network->config().n_ctx;
  const std::size_t size = params.window > 0 ? std::min(static_cast<std::size_t>(params.window), n_ctx) : n_ctx;
  auto prompt = read_prompt(inputs, inputs.subject.keep_last ? n_ctx : 0);
  if (!prompt) co_return prompt.error();
  if (prompt->ids.size() < kFewest) co_return too_few();
  Text out;
  if (prompt->ids.size() <= size) {
    auto ready = co_await context->runner().prepare(false);
    if (!ready) co_return ready.error();
    out.convention = ready->convention, out.prompt = ready->prompt, out.windows = {ready->prompt.ids};
    out.first = std::move(*ready);
    co_return std::move(out);
  }
  if (size < kFewest)
    co_return Error{
        "A window needs at least three tokens: the first one is left out, and only two others can show who "
        "looks back."};
  out.windows = windows_of(prompt->ids, size, inputs.subject.bos);
  auto ready = co_await prepared(context, out.windows.front());
  if (!ready) co_return ready.error();
  out.prompt = std::move(*prompt), out.first = std::move(*ready);
  for (const std::string& note : out.first.prompt.notes) out.prompt.notes.push_back(note);
  out.convention = convention_of(out, inputs.subject.bos);
  co_return std::move(out);
}

Task<Expected<std::shared_ptr<const Seen>>> seen_in(Context* context, const Text* text) {
  std::string key = run_key(text->first);
  for (std::size_t i = 1; i < text->windows.size(); ++i) {
    key += "|";
    for (const std::int32_t id : text->windows[i]) key += " " + std::to_string(id);
  }
  co_return co_await context->cached_run<Seen>(std::move(key), [&] { return see(context, text); });
}

}  // namespace helix::studies::head_taxonomy
