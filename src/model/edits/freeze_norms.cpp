#include "model/edits/freeze.h"

namespace helix::model::effects {
namespace {

/// ln1 and ln2 of each layer, then ln_final.
Task<Expected<Change>> change(ParsedEdit, std::shared_ptr<Network> network, EditedText text) {
  const std::size_t n_layer = network->config().n_layer, n = text.tokens.size();
  Frozen scales{"scales of", {}, (2 * n_layer + 1) * n, 1, [=](const Chunk& chunk, std::size_t i) {
                  const std::size_t norm = chunk.hook.kind == HookKind::final_scale ? 2 * n_layer
                                           : chunk.hook.kind == HookKind::ln1_scale ? 2 * chunk.hook.layer
                                                                                    : 2 * chunk.hook.layer + 1;
                  return norm * n + chunk.first + i;
                }};
  for (std::size_t layer = 0; layer < n_layer; ++layer) {
    scales.hooks.push_back({HookKind::ln1_scale, layer});
    scales.hooks.push_back({HookKind::ln2_scale, layer});
  }
  scales.hooks.push_back({HookKind::final_scale});
  co_return co_await freeze(network, std::move(text.tokens), std::move(scales));
}

}  // namespace

Effect freeze_norms() { return FromRun{no_more_tokens, change}; }

}  // namespace helix::model::effects
