#include "model/capture.h"

#include <algorithm>

namespace helix::model {
namespace {

std::vector<std::size_t> shape_of(HookKind kind, const checkpoint::Config& c, std::size_t n) {
  switch (kind) {
    case HookKind::scores_raw:
    case HookKind::scores:
    case HookKind::pattern:
      return {c.n_head, n, n};
    case HookKind::q:
    case HookKind::k:
    case HookKind::v:
    case HookKind::z:
      return {n, c.n_head, c.d_head};
    case HookKind::result:
      return {n, c.n_head, c.d_model};
    case HookKind::mlp_pre:
    case HookKind::mlp_post:
      return {n, c.d_mlp};
    case HookKind::ln1_scale:
    case HookKind::ln2_scale:
    case HookKind::final_scale:
      return {n, 1};
    default:
      return {n, c.d_model};
  }
}

std::size_t product(const std::vector<std::size_t>& shape) {
  std::size_t size = 1;
  for (const std::size_t extent : shape) size *= extent;
  return size;
}

}  // namespace

Capture::Capture(Hook hook, const checkpoint::Config& config, std::size_t n_tokens)
    : hook_(hook), shape_(shape_of(hook.kind, config, n_tokens)), data_(product(shape_)) {}

Tap Capture::tap() {
  return {hook_, [this](const Chunk& chunk) { see(chunk); }};
}

void Capture::see(const Chunk& chunk) {
  const bool apart = has_heads_apart(hook_.kind);
  const std::size_t width = chunk.rows.cols, first = apart ? chunk.head * shape_[1] + chunk.first : chunk.first;
  for (std::size_t i = 0; i < chunk.rows.rows; ++i)
    std::copy(chunk.rows.row(i).begin(), chunk.rows.row(i).end(),
              data_.begin() + static_cast<std::ptrdiff_t>((first + i) * width));
}

std::vector<std::string> Capture::axes() const {
  if (has_heads_apart(hook_.kind)) return {"head", "query", "key"};
  if (shape_.size() == 3) return {"position", "head", hook_.kind == HookKind::result ? "d_model" : "d_head"};
  return {"position", shape_[1] == 1 ? "scale" : "dimension"};
}

}  // namespace helix::model
