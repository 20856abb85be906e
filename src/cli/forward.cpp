#include "cli/forward.h"

#include <numeric>

#include "base/text.h"
#include "model/forward.h"
#include "state/subject_keys.h"

namespace helix::cli {
namespace {

/// The other side of a comparison, from which edits may take values: this subject after the part of a link.
Expected<Subject> other_subject(Subject subject, const std::string& fragment) {
  const auto pairs = state::split_link(fragment);
  if (!pairs) return pairs.error();
  state::make_room(subject, *pairs);
  for (const auto& [key, value] : *pairs) {
    const state::KeyOutcome outcome = state::read_subject_key(subject, key, value);
    if (!outcome.problem.empty() || !outcome.known)
      return Error{"The other side " + in_quotes(fragment) + " could not be read: " +
                   (outcome.known ? outcome.problem : in_quotes(key) + " is not a part of a text or its edits") + "."};
  }
  return subject;
}

}  // namespace

Expected<Ran> run_forward(const Options& options, Logits logits, const std::vector<std::string>& hooks,
                          std::vector<model::Capture>* captured) {
  auto subject = subject_from(options);
  if (!subject) return subject.error();
  if (!options.all("against").empty()) {
    auto other = other_subject(*subject, options.get("against"));
    if (!other) return other.error();
    subject->other = {std::move(*other)};
  }
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
