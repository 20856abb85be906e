#include <algorithm>
#include <utility>

#include "model/forward.h"
#include "model/session.h"
#include "model/taps.h"

namespace helix::model {
namespace {

/// Layers at the front that this session can skip for a pass over the same text: 0 where it can skip none, n_layer where
/// all.
std::size_t shared_layers(const Session& session, const Asked& asked) {
  std::size_t same = 0;
  while (same + 1 < session.stages.size() && session.stages[same + 1].done &&
         session.stages[same].edits == layer_key(asked.edits, same))
    ++same;
  return same;
}

bool ran_same_text(const Session& session, const Asked& asked, std::size_t n_layer) {
  return session.stages.size() == n_layer + 1 && session.stages[0].done && session.tokens == asked.tokens &&
         session.embedding == prefix_key(asked.edits);
}

/// One text is the beginning of the other: only the rest runs, or none of it.
bool continues(const Session& session, const Asked& asked, std::size_t n_layer) {
  if (session.stages.size() != n_layer + 1 || session.tokens.empty() || session.embedding != prefix_key(asked.edits) ||
      shared_layers(session, asked) < n_layer)
    return false;
  const auto [a, b] = std::ranges::mismatch(session.tokens, asked.tokens);
  return a == session.tokens.end() || b == asked.tokens.end();
}

/// A session with the layers in front of `layer`, and its input.
Session front_of(const Session& session, std::size_t layer) {
  Session out;
  out.tokens = session.tokens, out.embedding = session.embedding;
  out.stages.resize(session.stages.size());
  for (std::size_t i = 0; i < layer; ++i)
    out.stages[i] = {true, session.stages[i].edits, session.stages[i].resid_pre, session.stages[i].cache.copy()};
  out.stages[layer].done = true, out.stages[layer].resid_pre = session.stages[layer].resid_pre;
  return out;
}

std::size_t expected_bytes(const checkpoint::Config& config, std::size_t n_tokens) {
  return (3 * config.n_layer + 1) * n_tokens * config.d_model * sizeof(float);
}

}  // namespace

std::size_t Sessions::bytes() const {
  std::size_t bytes = 0;
  for (const auto& session : all_) bytes += session->bytes();
  return bytes;
}

std::shared_ptr<Session> Sessions::add(const Network& network, std::size_t n_tokens, Session session) {
  const std::size_t more = expected_bytes(network.config(), n_tokens);
  while (!all_.empty() && (all_.size() >= most_ || bytes() + more > most_bytes_)) all_.pop_front();
  all_.push_back(std::make_shared<Session>(std::move(session)));
  return all_.back();
}

Sessions::Shared Sessions::most_shared(const Network& network, const Asked& asked) const {
  Shared best{all_.end()};
  // Of several that share as much, the one with the least changes where they part: while an edit is dragged that is the
  // run without it, which thereby stays, and not the value before.
  const auto changes = [](const Session& session, std::size_t layer) { return session.stages[layer].edits.size(); };
  for (auto it = all_.begin(); it != all_.end(); ++it) {
    if (!ran_same_text(**it, asked, network.config().n_layer)) continue;
    const std::size_t layers = shared_layers(**it, asked);
    const bool better = best.session == all_.end() || layers > best.layers ||
                        (layers == best.layers && changes(**it, layers) <= changes(**best.session, layers));
    if (better) best = {it, layers};
  }
  return best;
}

std::shared_ptr<Session> Sessions::for_pass(const Network& network, const Asked& asked) {
  const std::size_t n_layer = network.config().n_layer;
  const auto use = [&](auto it) {
    all_.splice(all_.end(), all_, it);
    return all_.back();
  };
  if (const Shared best = most_shared(network, asked); best.session != all_.end()) {
    const std::shared_ptr<Session> base = use(best.session);
    if (best.layers == n_layer || !base->stages[best.layers + 1].done) return base;  // nothing of it is overwritten
    return add(network, asked.tokens.size(), front_of(*base, best.layers));
  }
  for (auto it = all_.begin(); it != all_.end(); ++it)
    if (continues(**it, asked, n_layer)) return use(it);
  return add(network, asked.tokens.size(), {});
}

std::shared_ptr<Session> Sessions::for_once(const Network& network, const Asked& asked) const {
  auto session = std::make_shared<Session>();
  session->once = true;
  const Taps watch({}, asked.watch);
  const Shared best = most_shared(network, asked);
  if (best.session == all_.end() || watch.at_embedding()) return session;
  const Session& base = **best.session;
  const std::size_t layer = std::min(best.layers, watch.first_layer(network.config().n_layer));
  session->tokens = base.tokens, session->embedding = base.embedding;
  session->stages.resize(base.stages.size());
  for (std::size_t i = 0; i < layer; ++i)
    session->stages[i].done = true, session->stages[i].edits = base.stages[i].edits;
  session->stages[layer].done = true, session->stages[layer].resid_pre = base.stages[layer].resid_pre;
  return session;
}

}  // namespace helix::model
