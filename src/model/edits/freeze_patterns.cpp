#include <cmath>

#include "base/text.h"
#include "model/edits/freeze.h"

namespace helix::model::effects {
namespace {

constexpr double kMostNumbers = 5e7;

Task<Expected<Change>> change(ParsedEdit, std::shared_ptr<Network> network, EditedText text) {
  const checkpoint::Config& config = network->config();
  const std::size_t n_head = config.n_head, n = text.tokens.size(), heads = config.n_layer * n_head;
  const double most = std::floor(std::sqrt(kMostNumbers / static_cast<double>(heads)));
  if (static_cast<double>(n) > most)
    co_return Error{"The patterns of " + with_thousands(static_cast<long long>(n)) +
                    " tokens are too many to keep; freeze_patterns takes up to " +
                    with_thousands(static_cast<long long>(most)) + " with this model."};
  Frozen patterns{"patterns of", {}, heads * n, n, [=](const Chunk& chunk, std::size_t i) {
                    return (chunk.hook.layer * n_head + chunk.head) * n + chunk.first + i;
                  }};
  for (std::size_t layer = 0; layer < config.n_layer; ++layer) patterns.hooks.push_back({HookKind::pattern, layer});
  co_return co_await freeze(network, std::move(text.tokens), std::move(patterns));
}

}  // namespace

Effect freeze_patterns() { return FromRun{no_more_tokens, change}; }

}  // namespace helix::model::effects
