#include <algorithm>
#include <optional>

#include "base/text.h"
#include "model/capture.h"
#include "model/edits/effect.h"

namespace helix::model::effects {
namespace {

/// The part of a hook's values that is replaced: rows of the values, and columns of each row.
struct Part {
  Hook hook;
  std::optional<std::size_t> position, head;
  std::size_t first = 0, count = 0;  // columns of a row; 0: all
};

Expected<Part> part_of(const ParsedEdit& edit, const checkpoint::Config& config) {
  const auto hook = parse_hook(edit.hook, config.n_layer);
  if (!hook) return hook.error();
  Part part{*hook, {}, {}};
  if (!edit.numbers.empty()) part.position = edit.index(0);
  if (edit.numbers.size() < 2) return part;
  part.head = edit.index(1);
  if (*part.head >= config.n_head)
    return Error{"There is no head " + std::to_string(*part.head) + "; the last one is " +
                 std::to_string(config.n_head - 1) + "."};
  if (has_heads_apart(part.hook.kind)) return part;
  const std::vector<std::size_t> shape = Capture(part.hook, config, 1).shape();
  if (shape.size() < 3)
    return Error{"The values at " + edit.hook + " do not belong to single heads, so no head of them can be patched."};
  part.count = shape[2], part.first = *part.head * part.count;
  return part;
}

/// The values of the other side's run, [position, …] or [head · query, key]; kept, because a drag asks for them often.
Task<Expected<std::shared_ptr<const Matrix<float>>>> values_of(std::shared_ptr<Network> network, OtherRun other,
                                                               Hook hook) {
  const std::string name = "values at " + hook_name(hook) + " of " + other.key;
  if (auto kept = network->kept().find(name)) co_return kept;
  Capture capture(hook, network->config(), other.tokens.size());
  Asked asked{std::move(other.tokens), std::move(other.edits), {capture.tap()}, {}};
  const auto session = std::make_shared<Session>();
  if (const auto ran = co_await forward(network, session, std::move(asked)); !ran) co_return ran.error();
  const auto& shape = capture.shape();
  const std::size_t rows = has_heads_apart(hook.kind) ? shape[0] * shape[1] : shape[0];
  auto values = std::make_shared<Matrix<float>>(rows, rows ? capture.data().size() / rows : 0);
  values->data = capture.data();
  network->kept().keep(name, values);
  co_return values;
}

Task<Expected<Change>> change(ParsedEdit edit, std::shared_ptr<Network> network, EditedText text) {
  if (!text.other)
    co_return Error{
        "The edit patch takes its values from the other side of a comparison, and there is none with this "
        "model: compare with another text or other edits first."};
  const auto part = part_of(edit, network->config());
  if (!part) co_return part.error();
  const std::size_t n = text.other->tokens.size(), own = text.tokens.size();
  const bool apart = has_heads_apart(part->hook.kind);
  if (part->position && *part->position >= n)
    co_return Error{"The other side has no position " + std::to_string(*part->position) + "; its last token is at " +
                    std::to_string(n - 1) + "."};
  if (n != own && (apart || !part->position))
    co_return Error{"The two sides have " + std::to_string(own) + " and " + std::to_string(n) + " tokens: " +
                    (apart ? "attention can only be patched between texts of one length."
                           : "name a position, or patch between texts of one length.")};
  const std::string key = " of " + text.other->key;
  const auto values = co_await values_of(network, std::move(*text.other), part->hook);
  if (!values) co_return values.error();
  Change out;
  if (!part->position) out.frozen = n;
  Tap tap{part->hook, [values = *values, part = *part, apart, n](const Chunk& chunk) {
            for (std::size_t i = 0; i < chunk.rows.rows; ++i) {
              const std::size_t at = chunk.first + i;
              if (at >= n || (part.position && at != *part.position)) continue;
              const auto from = values->row(apart ? chunk.head * n + at : at);
              const auto to = chunk.rows.row(i);
              const std::size_t count = part.count ? part.count : std::min(from.size(), to.size());
              std::ranges::copy(from.subspan(part.first, count), to.subspan(part.first, count).begin());
            }
          }};
  if (apart) tap.head = part->head;
  tap.key = key;
  out.taps.push_back(std::move(tap));
  co_return out;
}

}  // namespace

Effect patch() { return FromRun{no_tokens, change}; }

}  // namespace helix::model::effects
