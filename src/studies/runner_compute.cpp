#include "studies/runner_compute.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace helix::studies {

double TextLoss::mean() const {
  double sum = 0;
  for (const double x : log_probability) sum -= x;
  return log_probability.empty() ? std::nan("") : sum / static_cast<double>(log_probability.size());
}

std::vector<Subject> Runner::subjects() const {
  std::vector<Subject> all{inputs_.subject};
  all.insert(all.end(), inputs_.more.begin(), inputs_.more.end());
  return all;
}

Task<Expected<Ready>> Runner::prepare(Subject subject, bool logits) {
  Inputs own = inputs_;
  own.subject = std::move(subject);
  co_return co_await make_ready(std::move(own), logits);
}

Task<Expected<Ran>> Runner::run(std::vector<std::int32_t> ids, model::Interventions edits, Wanted wanted) {
  Ran out;
  for (const model::Hook hook : wanted.hooks) out.kept.emplace_back(hook, inputs_.network->config(), ids.size());
  model::Asked asked;
  asked.tokens = std::move(ids), asked.edits = std::move(edits);
  for (model::Capture& capture : out.kept) asked.watch.push_back(capture.tap());
  for (model::Tap& tap : wanted.taps) asked.watch.push_back(std::move(tap));
  asked.logits_at = std::move(wanted.logits_at), asked.layers = wanted.layers;
  asked.once = wanted.once;
  auto logits = co_await model::forward(inputs_.network, inputs_.session, std::move(asked));
  if (!logits) co_return logits.error();
  out.logits = std::move(*logits);
  co_return std::move(out);
}

/// What the output head reads: the end of the residual stream after ln_f, at every position.
Task<Expected<Matrix<float>>> Runner::last_rows(Ready text, std::vector<model::Tap> taps, bool once) {
  const checkpoint::Config& config = inputs_.network->config();
  Wanted wanted;
  wanted.hooks = {{model::HookKind::resid_post, config.n_layer - 1}};
  wanted.taps = std::move(taps), wanted.once = once;
  const auto ran = co_await run(text, std::move(wanted));
  if (!ran) co_return ran.error();
  const std::vector<float>& numbers = ran->kept.front().data();
  const MatrixView<const float> rows(numbers.data(), text.prompt.ids.size(), config.d_model);
  co_return model::final_norm(*inputs_.network, rows);
}

Task<Expected<TextLoss>> Runner::loss(Ready text, WantedLoss wanted) {
  auto rows = co_await last_rows(text, std::move(wanted.taps), wanted.once);
  if (!rows) co_return rows.error();
  TextLoss out;
  if (wanted.next) {
    Matrix<float> last(1, rows->cols);
    std::ranges::copy(rows->row(rows->rows - 1), last.data.begin());
    out.next = (co_await model::head_logits(inputs_.network.get(), std::move(last))).data;
  }
  const std::size_t n = text.prompt.ids.size() - 1;  // nothing is there to be predicted after the last token
  const std::size_t first = std::min(wanted.first, n);
  rows->rows = n - first, rows->data.resize(n * rows->cols);
  rows->data.erase(rows->data.begin(), rows->data.begin() + static_cast<std::ptrdiff_t>(first * rows->cols));
  const std::vector<std::int32_t> targets(text.prompt.ids.begin() + static_cast<std::ptrdiff_t>(first) + 1,
                                          text.prompt.ids.end());
  out.log_probability = co_await model::log_probabilities(inputs_.network, std::move(*rows), targets);
  co_return std::move(out);
}

Task<Expected<std::vector<double>>> Runner::divergence(Ready p, Ready q) {
  if (p.prompt.ids != q.prompt.ids) co_return Error{"Only two runs of the same tokens can be compared token by token."};
  std::vector<model::Tap> none;
  auto a = co_await last_rows(std::move(p), none, false);
  if (!a) co_return a.error();
  auto b = co_await last_rows(std::move(q), none, false);
  if (!b) co_return b.error();
  co_return co_await model::divergence(inputs_.network, std::move(*a), std::move(*b));
}

std::vector<std::vector<std::int32_t>> windows(const std::vector<std::int32_t>& ids, std::size_t size,
                                               std::size_t step) {
  std::vector<std::vector<std::int32_t>> all;
  for (std::size_t first = 0;; first += std::max<std::size_t>(step, 1)) {
    const bool last = first + size >= ids.size();
    if (last) first = ids.size() - std::min(size, ids.size());
    const auto begin = ids.begin() + static_cast<std::ptrdiff_t>(first);
    all.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(std::min(size, ids.size())));
    if (last) return all;
  }
}

}  // namespace helix::studies
