#include "studies/head_sources/removal.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace helix::studies::head_sources {
namespace {

struct Without {
  double lost = std::nan(""), attention = std::nan("");
};

Task<Expected<Without>> run_without(Context* context, const Question* question, std::string spec) {
  Subject subject = context->inputs().subject;
  subject.edits.push_back({std::move(spec), true});
  const auto text = co_await context->runner().prepare(std::move(subject), false);
  if (!text) co_return text.error();
  Matrix<double> pattern(question->tokens(), question->tokens());
  Wanted wanted;
  wanted.layers = question->layer + 1;
  wanted.hooks = {{question->rows(), question->layer}};
  wanted.taps = {keep_pattern(question->layer, question->head, &pattern)};
  const auto ran = co_await context->runner().run(*text, std::move(wanted));
  if (!ran) co_return ran.error();
  const double lead = lead_of(head_part(ran->kept.front(), question->head), question->pull);
  co_return Without{question->lead - lead, attention_to(question->targets, pattern)};
}

}  // namespace

Matrix<double> head_part(const model::Capture& kept, std::size_t head) {
  const std::size_t n = kept.shape()[0], heads = kept.shape()[1], d_head = kept.shape()[2];
  Matrix<double> out(n, d_head);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < d_head; ++j)
      out(i, j) = static_cast<double>(kept.data()[(i * heads + head) * d_head + j]);
  return out;
}

model::Tap keep_pattern(std::size_t layer, std::size_t head, Matrix<double>* into) {
  return {{model::HookKind::pattern, layer},
          [into](const model::Chunk& chunk) {
            for (std::size_t i = 0; i < chunk.rows.rows; ++i) {
              const auto row = chunk.rows.row(i);
              std::copy_n(row.begin(), std::min(row.size(), into->cols), into->row(chunk.first + i).begin());
            }
          },
          head};
}

Task<Expected<Removed>> remove_each(Context* context, const Question* question, std::vector<std::string> edits) {
  Removed out;
  const std::size_t heads = question->layer * question->heads, all = heads + edits.size();
  for (std::size_t i = 0; i < all; ++i) {
    const std::size_t layer = i / question->heads, head = i % question->heads;
    const bool is_head = i < heads;
    std::string spec = is_head ? "ablate_head:" + std::to_string(layer) + "." + std::to_string(head) : edits[i - heads];
    const auto part = co_await progress_part(static_cast<double>(i), 1, static_cast<double>(all), "removals");
    Without without;
    if (!spec.empty()) {
      const auto ran = co_await run_without(context, question, std::move(spec));
      if (!ran) co_return ran.error();
      without = *ran;
    }
    (is_head ? out.heads : out.parts).push_back(without.lost);
    if (is_head) out.attention.push_back(without.attention);
  }
  co_return std::move(out);
}

}  // namespace helix::studies::head_sources
