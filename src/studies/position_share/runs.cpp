#include "studies/position_share/runs.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace helix::studies::position_share {
namespace {

using Ids = std::vector<std::int32_t>;

constexpr std::size_t kFewest = 2;  // texts, and positions of each that count

std::string books() {
  std::string all;
  for (const char* id : {"darwin", "austen", "melville"})
    all += (all.empty() ? "" : " ") + std::string(find_bundled_text(id)->text);
  return all;
}

Expected<Ids> encoded(const Params& params, const Inputs& inputs) {
  if (params.text == Source::prompt && !inputs.subject.tokens.empty()) return inputs.subject.tokens;
  if (!inputs.tokenizer) return Error{inputs.no_tokenizer};
  return inputs.tokenizer->encode(params.text == Source::prompt ? inputs.subject.prompt : books());
}

Expected<Ids> bos_of(const Inputs& inputs) {
  if (!inputs.subject.bos) return Ids{};
  if (!inputs.tokenizer) return Error{inputs.no_tokenizer};
  if (const auto id = inputs.tokenizer->end_of_text()) return Ids{*id};
  return Error{"This model's vocabulary has no <|endoftext|>, so there is no BOS to put in front."};
}

/// Values of all texts at one place of the pass, [text · position, d_model].
struct Gathered {
  Matrix<float> rows;
  std::size_t at = 0;  // rows that are filled

  void add(const model::Capture& seen, std::size_t first) {
    const auto& numbers = seen.data();
    const auto from = numbers.begin() + static_cast<std::ptrdiff_t>(first * rows.cols);
    std::copy(from, numbers.end(), rows.data.begin() + static_cast<std::ptrdiff_t>(at * rows.cols));
    at += (numbers.size() / rows.cols) - first;
  }
};

Task<Expected<void>> run_window(Context* context, const Texts* texts, std::size_t which, std::vector<Gathered>* all) {
  Subject subject = context->inputs().subject;
  subject.tokens = texts->windows[which], subject.bos = false;
  const auto text = co_await context->runner().prepare(std::move(subject), false);
  if (!text) co_return text.error();
  Wanted wanted;
  const std::size_t n_layer = all->size() - 1;
  for (std::size_t layer = 0; layer < n_layer; ++layer) wanted.hooks.push_back({model::HookKind::resid_pre, layer});
  wanted.hooks.push_back({model::HookKind::resid_post, n_layer - 1});
  wanted.once = true;
  const auto ran = co_await context->runner().run(*text, std::move(wanted));
  if (!ran) co_return ran.error();
  for (std::size_t layer = 0; layer <= n_layer; ++layer) (*all)[layer].add(ran->kept[layer], texts->first);
  co_return Expected<void>();
}

Task<Expected<Layers>> run_all(Context* context, const Texts* texts) {
  const checkpoint::Config& config = context->inputs().network->config();
  const std::size_t count = texts->windows.size(), rows = count * texts->positions();
  std::vector<Gathered> all(config.n_layer + 1);
  for (Gathered& layer : all) layer.rows = Matrix<float>(rows, config.d_model);
  const double total = 1.25 * static_cast<double>(count);  // taking the layers apart takes about a fifth of the time
  for (std::size_t i = 0; i < count; ++i) {
    const auto part = co_await progress_part(static_cast<double>(i), 1, total,
                                             "text " + std::to_string(i + 1) + " of " + std::to_string(count));
    if (const auto ok = co_await run_window(context, texts, i, &all); !ok) co_return ok.error();
  }
  Layers out;
  for (std::size_t layer = 0; layer < all.size(); ++layer) {
    const double share = 0.25 * static_cast<double>(count) / static_cast<double>(all.size());
    const auto part = co_await progress_part(static_cast<double>(count) + share * static_cast<double>(layer), share,
                                             total, "the parts of layer " + std::to_string(layer));
    Parts parts = co_await parts_of(all[layer].rows, count);
    out.of.push_back(std::move(parts));
    all[layer].rows = {};
  }
  co_return std::move(out);
}

}  // namespace

std::size_t Layers::bytes() const {
  std::size_t sum = 0;
  for (const Parts& layer : of) sum += layer.bytes();
  return sum;
}

Expected<Texts> texts_of(const Params& params, const Context& context) {
  const Inputs& inputs = context.inputs();
  const auto ids = encoded(params, inputs);
  if (!ids) return ids.error();
  const auto bos = bos_of(inputs);
  if (!bos) return bos.error();
  Texts out;
  out.of = params.text == Source::prompt ? "the prompt" : "Darwin, Austen and Melville";
  out.first = static_cast<std::size_t>(params.first), out.tokens = ids->size();
  const std::size_t most = std::min(static_cast<std::size_t>(params.window), inputs.network->config().n_ctx);
  const std::size_t half = ids->size() / 2;  // so that two windows do not overlap
  const std::size_t each = std::min(std::max(most, bos->size()) - bos->size(), half);
  if (each + bos->size() < out.first + kFewest)
    return Error{"Two texts are needed, with two positions from position " + std::to_string(out.first) +
                 " on in each; from " + out.of + " come two of " + std::to_string(each + bos->size()) + "."};
  if (each == half && half + bos->size() < most)
    out.notes.push_back(say("note.windows", {{"tokens", with_thousands(static_cast<long long>(ids->size()))},
                                             {"each", std::to_string(each + bos->size())}}));
  const std::size_t count = std::min(static_cast<std::size_t>(params.windows), ids->size() - each + 1);
  out.step = (ids->size() - each) / (count - 1);
  for (auto& window : windows(*ids, each, out.step)) {
    if (out.windows.size() == count) break;
    window.insert(window.begin(), bos->begin(), bos->end());
    out.windows.push_back(std::move(window));
  }
  if (params.text == Source::prompt)
    for (const std::int32_t id : *ids)
      out.prompt.push_back({id, inputs.tokenizer ? std::string(inputs.tokenizer->bytes(id)) : std::string()});
  return out;
}

std::string key_of(const Texts& texts, const Subject& subject) {
  std::string key = "from " + std::to_string(texts.first);
  for (const Edit& edit : subject.edits)
    if (edit.on) key += "|" + edit.spec;
  for (const Ids& window : texts.windows) {
    key += "|";
    for (const std::int32_t id : window) key += " " + std::to_string(id);
  }
  return key;
}

Task<Expected<std::shared_ptr<const Layers>>> layers_of(Context* context, const Texts* texts) {
  const std::string key = key_of(*texts, context->inputs().subject);
  co_return co_await context->cached_run<Layers>(key, [&] { return run_all(context, texts); });
}

}  // namespace helix::studies::position_share
