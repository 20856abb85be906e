#include "cli/forward.h"

#include <numeric>

#include "model/forward.h"

namespace helix::cli {

Expected<Ran> run_forward(const Options& options, Logits logits, const std::vector<std::string>& hooks,
                          std::vector<model::Capture>* captured) {
  const auto subject = subject_from(options);
  if (!subject) return subject.error();
  const auto threads = threads_from(options);
  if (!threads) return threads.error();
  auto opened = open_model(options, *subject, Reads::forward, *threads);
  if (!opened) return opened.error();
  auto ready = run_to_end(helix::studies::make_ready(opened->inputs));
  if (!ready) return ready.error();
  const auto& network = opened->inputs.network;
  model::Asked asked;
  asked.tokens = ready->prompt.ids, asked.edits = ready->edits;
  for (const std::string& name : hooks) {
    const auto hook = model::parse_hook(name, network->config().n_layer);
    if (!hook) return hook.error();
    captured->emplace_back(*hook, network->config(), asked.tokens.size());
  }
  if (captured)
    for (model::Capture& capture : *captured) asked.watch.push_back(capture.tap());
  if (logits == Logits::last) asked.logits_at = {asked.tokens.size() - 1};
  if (logits == Logits::all) {
    asked.logits_at.resize(asked.tokens.size());
    std::iota(asked.logits_at.begin(), asked.logits_at.end(), std::size_t{0});
  }
  auto out = run_to_end(model::forward(network, opened->inputs.session, std::move(asked)));
  if (!out) return out.error();
  return Ran{std::move(*opened), std::move(*ready), std::move(*out)};
}

}  // namespace helix::cli
