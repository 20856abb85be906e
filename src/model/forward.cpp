#include "model/forward.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "model/attention.h"
#include "model/products.h"
#include "model/taps.h"
#include "model/unembed.h"

namespace helix::model {
namespace {

constexpr std::size_t kGeluRows = 96;            // of gelu, between two pause points
constexpr double kNormFlop = 8, kGeluFlop = 30;  // of a number, roughly
constexpr std::string_view kPhase = "running the layers";

/// One pass: rows `first` .. of all positions, from layer `from` on.
class Pass {
 public:
  Pass(const Network& network, Session& session, const Asked& asked, std::size_t first)
      : net_(network),
        config_(network.config()),
        kernels_(network.kernels()),
        session_(session),
        asked_(asked),
        taps_(asked.edits.taps, asked.watch),
        first_(first),
        rows_(asked.tokens.size() - first),
        normal_(rows_, config_.d_model),
        out_(rows_, config_.d_model),
        wide_(rows_, std::max(3 * config_.d_model, config_.d_mlp)) {}

  void embed();
  Task<Done> layer(std::size_t index);
  Task<Matrix<float>> logits();

 private:
  MatrixView<float> resid(std::size_t layer) { return session_.stages[layer].resid_pre.view().slice(first_, rows_); }
  Task<Done> times(MatrixView<const float> x, const Weight& w, const float* bias, MatrixView<float> y) {
    return multiply(&net_, x, &w, bias, y);
  }
  MatrixView<float> wide(std::size_t cols) { return {wide_.data.data(), rows_, cols}; }
  void see(Hook hook, MatrixView<float> rows) { taps_.see({hook, 0, first_, rows}); }
  void add(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> sum);
  void norm(MatrixView<const float> x, const Affine& affine, Hook scale, Hook normalized);
  Task<Done> attend(const Layer& layer, std::size_t index);
  Task<Done> add_results(const Layer& layer, std::size_t index, MatrixView<const float> z);
  Task<Done> mlp(const Layer& layer, std::size_t index);

  const Network& net_;
  const checkpoint::Config& config_;
  const kernels::Table& kernels_;
  Session& session_;
  const Asked& asked_;
  Taps taps_;
  std::size_t first_, rows_;
  Matrix<float> normal_;  // [row, d_model] after a LayerNorm
  Matrix<float> out_;     // [row, d_model] what a block adds
  Matrix<float> wide_;    // [row, 3·d_model] queries, keys and values; [row, d_mlp] neurons
};

void Pass::add(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> sum) {
  for_rows(net_, sum.rows, static_cast<double>(sum.cols), [&](std::size_t i) {
    const float *x = &a(i, 0), *y = &b(i, 0);
    float* out = &sum(i, 0);
    for (std::size_t j = 0; j < sum.cols; ++j) out[j] = x[j] + y[j];
  });
}

void Pass::embed() {
  const MatrixView<const float> table = asked_.edits.positions ? asked_.edits.positions->view() : net_.positions();
  Matrix<float> positions(rows_, config_.d_model);
  for (std::size_t i = 0; i < rows_; ++i) {
    net_.read_embedding(static_cast<std::size_t>(asked_.tokens[first_ + i]), out_.row(i).data());
    std::copy_n(table.row(first_ + i).begin(), config_.d_model, positions.row(i).begin());
  }
  see({HookKind::embed}, out_.view());
  see({HookKind::pos_embed}, positions.view());
  add(out_.view(), positions.view(), resid(0));
}

void Pass::norm(MatrixView<const float> x, const Affine& affine, Hook scale, Hook normalized) {
  const std::size_t d = config_.d_model;
  Matrix<float> scales(rows_, 1);
  for_rows(net_, rows_, kNormFlop * static_cast<double>(d), [&](std::size_t i) {
    scales(i, 0) = kernels_.layer_norm(&x(i, 0), d, config_.layer_norm_epsilon, normal_.row(i).data());
  });
  if (taps_.any(scale)) {
    const Matrix<float> before = scales;
    see(scale, scales.view());
    for (std::size_t i = 0; i < rows_; ++i)
      if (scales(i, 0) != before(i, 0))  // untouched rows keep every bit
        for (float& value : normal_.row(i)) value *= before(i, 0) / scales(i, 0);
  }
  see(normalized, normal_.view());
  for_rows(net_, rows_, static_cast<double>(d), [&](std::size_t i) {
    float* row = normal_.row(i).data();
    for (std::size_t j = 0; j < d; ++j) row[j] = row[j] * affine.gain[j] + affine.shift[j];
  });
}

/// Adds a tap's changes to the results of single heads: a tap that only reads changes no bit.
Task<Done> Pass::add_results(const Layer& layer, std::size_t index, MatrixView<const float> z) {
  const std::size_t d = config_.d_model, d_head = config_.d_head;
  Matrix<float> results(rows_, config_.n_head * d);  // [pos, head, d_model]
  for (std::size_t head = 0; head < config_.n_head; ++head) {
    // Only the head's rows of W_O multiply its z, with the same product as for all heads together.
    Matrix<float> own(rows_, d), result(rows_, d);
    for (std::size_t i = 0; i < rows_; ++i)
      std::copy_n(&z(i, head * d_head), d_head, own.row(i).begin() + static_cast<std::ptrdiff_t>(head * d_head));
    co_await times(own.view(), layer.c_proj.weight, nullptr, result.view());
    for (std::size_t i = 0; i < rows_; ++i)
      std::copy_n(result.row(i).begin(), d, results.row(i).begin() + static_cast<std::ptrdiff_t>(head * d));
  }
  const Matrix<float> before = results;
  see({HookKind::result, index}, results.view());
  for (std::size_t i = 0; i < rows_; ++i)
    for (std::size_t j = 0; j < results.cols; ++j)
      if (results(i, j) != before(i, j)) out_(i, j % d) += results(i, j) - before(i, j);
  co_return Done{};
}

Task<Done> Pass::attend(const Layer& layer, std::size_t index) {
  const std::size_t d = config_.d_model;
  const MatrixView<float> qkv = wide(3 * d);
  std::vector<float> bias = layer.c_attn.bias;
  for (const BiasChange& edit : asked_.edits.biases)
    if (edit.layer == index) edit.change(bias);
  co_await times(normal_.view(), layer.c_attn.weight, bias.data(), qkv);
  const auto part = [&](std::size_t which) { return MatrixView<float>(&qkv(0, which * d), rows_, d, qkv.stride); };
  see({HookKind::q, index}, part(0));
  see({HookKind::k, index}, part(1));
  see({HookKind::v, index}, part(2));
  KeyValues& cache = session_.stages[index].cache;
  cache.reserve(first_ + rows_);
  for (std::size_t i = 0; i < rows_; ++i) cache.put(first_ + i, &qkv(i, d), &qkv(i, 2 * d));

  const Attention attention{&kernels_,      &net_.threads(),    &taps_, index, config_.n_head,
                            config_.d_head, asked_.edits.causal};
  co_await attention.run(part(0), first_, &cache, normal_.view());
  const MatrixView<float> z = normal_.view();
  see({HookKind::z, index}, z);
  co_await times(z, layer.c_proj.weight, layer.c_proj.bias.data(), out_.view());
  if (taps_.any({HookKind::result, index})) co_await add_results(layer, index, z);
  see({HookKind::attn_out, index}, out_.view());
  co_return Done{};
}

Task<Done> Pass::mlp(const Layer& layer, std::size_t index) {
  const MatrixView<float> hidden = wide(config_.d_mlp);
  co_await times(normal_.view(), layer.c_fc.weight, layer.c_fc.bias.data(), hidden);
  see({HookKind::mlp_pre, index}, hidden);
  for (std::size_t row = 0; row < rows_; row += kGeluRows) {
    const std::size_t rows = std::min(kGeluRows, rows_ - row);
    for_rows(net_, rows, kGeluFlop * static_cast<double>(config_.d_mlp),
             [&](std::size_t i) { kernels_.gelu(&hidden(row + i, 0), &hidden(row + i, 0), config_.d_mlp); });
    co_await pause_point();
  }
  see({HookKind::mlp_post, index}, hidden);
  co_await times(hidden, layer.mlp_proj.weight, layer.mlp_proj.bias.data(), out_.view());
  see({HookKind::mlp_out, index}, out_.view());
  co_return Done{};
}

Task<Done> Pass::layer(std::size_t index) {
  const Layer& weights = net_.layer(index);
  // The input is kept as it came, without edits: the next pass may start here with other edits.
  Matrix<float> copy;
  MatrixView<float> before = resid(index);
  const MatrixView<float> after = resid(index + 1);
  if (taps_.any({HookKind::resid_pre, index})) {
    copy = Matrix<float>(before.rows, before.cols);
    std::copy_n(&before(0, 0), copy.data.size(), copy.data.begin());
    before = copy.view();
    see({HookKind::resid_pre, index}, before);
  }
  norm(before, weights.ln_1, {HookKind::ln1_scale, index}, {HookKind::ln1_normalized, index});
  co_await attend(weights, index);
  add(before, out_.view(), after);
  see({HookKind::resid_mid, index}, after);
  norm(after, weights.ln_2, {HookKind::ln2_scale, index}, {HookKind::ln2_normalized, index});
  co_await mlp(weights, index);
  add(after, out_.view(), after);
  see({HookKind::resid_post, index}, after);
  co_return Done{};
}

Task<Matrix<float>> Pass::logits() {
  norm(resid(config_.n_layer), net_.ln_f(), {HookKind::final_scale}, {HookKind::final_normalized});
  const std::vector<std::size_t>& at = asked_.logits_at;
  Matrix<float> chosen(at.size(), config_.d_model);
  for (std::size_t i = 0; i < at.size(); ++i)
    std::copy_n(normal_.row(at[i] - first_).begin(), config_.d_model, chosen.row(i).begin());
  co_return co_await head_logits(&net_, std::move(chosen));
}

Expected<void> check(const Asked& asked, const checkpoint::Config& config) {
  if (asked.tokens.empty()) return Error{"There is nothing to run: the prompt is empty."};
  if (asked.tokens.size() > config.n_ctx)
    return Error{"The prompt has " + std::to_string(asked.tokens.size()) + " tokens, but this model reads at most " +
                 std::to_string(config.n_ctx) + "."};
  if (const MostTokens most = most_tokens(asked.edits, config); asked.tokens.size() > most.count)
    return Error{most.why + ", but the text has " + std::to_string(asked.tokens.size()) + "."};
  for (const std::int32_t id : asked.tokens)
    if (id < 0 || static_cast<std::size_t>(id) >= config.n_vocab)
      return Error{"There is no token " + std::to_string(id) + "; this model's ids go from 0 to " +
                   std::to_string(config.n_vocab - 1) + "."};
  return {};
}

struct Start {
  std::size_t row = 0, layer = 0;
  bool embed = true;
};

/// Rows and layers that need not run again. A tap must see all positions, so no layer is skipped from the first tap on.
Start start_of(const Session& session, const Asked& asked, std::size_t n_layer) {
  const Taps watch({}, asked.watch);
  if (session.stages.size() != n_layer + 1 || session.embedding != prefix_key(asked.edits) || !session.stages[0].done)
    return {};
  std::size_t same = 0;  // layers whose input is that of the earlier pass
  while (same < n_layer && session.stages[same + 1].done && session.stages[same].edits == layer_key(asked.edits, same))
    ++same;
  if (session.tokens == asked.tokens) {
    if (watch.at_embedding()) return {};
    return {0, std::min(same, watch.first_layer(n_layer)), false};
  }
  if (same < n_layer || asked.layers < n_layer || !asked.edits.causal || asked.edits.looks_ahead ||
      !asked.watch.empty())
    return {};
  // Rows do not depend on later ones: those of a common prefix stay valid.
  const auto differ =
      std::mismatch(session.tokens.begin(), session.tokens.end(), asked.tokens.begin(), asked.tokens.end());
  const auto common = static_cast<std::size_t>(differ.first - session.tokens.begin());
  if (common == asked.tokens.size()) return {0, n_layer, false};
  return {asked.logits_at.empty() ? common : std::min(common, asked.logits_at.front()), 0, true};
}

/// Makes room for all rows (of a pass that runs once, in its first layer), and marks the layers that will be computed as not
/// done.
void make_ready(Session& session, const Network& network, const Asked& asked, Start start) {
  const checkpoint::Config& config = network.config();
  session.stages.resize(config.n_layer + 1);
  for (std::size_t i = 0; i < session.stages.size(); ++i) {
    if (session.once && (i < start.layer || i > start.layer + 1)) continue;
    Session::Stage& stage = session.stages[i];
    if (!stage.cache.bytes()) stage.cache = KeyValues(config.n_head, config.d_head, network.kernels().panel);
    stage.resid_pre.rows = asked.tokens.size(), stage.resid_pre.cols = config.d_model;
    stage.resid_pre.data.resize(stage.resid_pre.rows * stage.resid_pre.cols);
    if (start.row == 0 && (start.embed || i > start.layer)) stage.done = false;
  }
  session.embedding = prefix_key(asked.edits);
  // Until the new rows are through all layers, only the rows before them are valid.
  if (start.row == 0)
    session.tokens = asked.tokens;
  else
    session.tokens.resize(start.row);
}

/// A pass that runs once moves on in the room of the layer before.
void take_room(std::vector<Session::Stage>& stages, std::size_t layer) {
  Session::Stage& before = stages[layer - 1];
  before.done = false;
  std::swap(stages[layer].cache, before.cache);
  std::swap(stages[layer + 1].resid_pre, before.resid_pre);
}

/// A change that has no name is given one that it never has again.
void name_all(Interventions& edits) {
  static std::uint64_t unnamed = 0;
  for (Tap& tap : edits.taps)
    if (tap.key.empty()) tap.key = "unnamed " + std::to_string(++unnamed);
  for (BiasChange& bias : edits.biases)
    if (bias.key.empty()) bias.key = "unnamed " + std::to_string(++unnamed);
}

}  // namespace

MostTokens most_tokens(const Interventions& edits, const checkpoint::Config& config) {
  const auto tokens = [](std::size_t count) { return std::to_string(count) + (count == 1 ? " token" : " tokens"); };
  MostTokens most{config.n_ctx, "The model's context of " + tokens(config.n_ctx) + " is full"};
  if (edits.positions && edits.positions->rows < most.count)
    most = {edits.positions->rows, "The edited table of positions has rows for " + tokens(edits.positions->rows)};
  if (edits.frozen > 0 && edits.frozen < most.count)
    most = {edits.frozen, "The frozen values are those of the prompt's " + tokens(edits.frozen)};
  return most;
}

std::string prefix_key(const Interventions& edits) {
  std::string key = edits.embedding;
  for (const Tap& tap : edits.taps)
    if (!in_layers(tap.hook.kind) && tap.hook.kind <= HookKind::pos_embed) key += tap.key + ";";
  return key;
}

std::string layer_key(const Interventions& edits, std::size_t layer) {
  std::string key;
  for (const Tap& tap : edits.taps)
    if (in_layers(tap.hook.kind) && tap.hook.layer == layer) key += tap.key + ";";
  for (const BiasChange& bias : edits.biases)
    if (bias.layer == layer) key += bias.key + ";";
  return key;
}

Task<Expected<Matrix<float>>> forward(std::shared_ptr<const Network> network, std::shared_ptr<Sessions> sessions,
                                      Asked asked) {
  if (const auto ok = check(asked, network->config()); !ok) co_return ok.error();
  name_all(asked.edits);
  const auto session = asked.once ? sessions->for_once(*network, asked) : sessions->for_pass(*network, asked);
  co_return co_await forward(network, session, std::move(asked));
}

Task<Expected<Matrix<float>>> forward(std::shared_ptr<const Network> network, std::shared_ptr<Session> session,
                                      Asked asked) {
  if (const auto ok = check(asked, network->config()); !ok) co_return ok.error();
  name_all(asked.edits);
  const std::size_t n_layer = network->config().n_layer;
  const Start start = start_of(*session, asked, n_layer);
  make_ready(*session, *network, asked, start);
  Pass pass(*network, *session, asked, start.row);
  if (start.embed) {
    pass.embed();
    session->stages[0].done = true;
  }
  const std::size_t last = std::min(n_layer, asked.layers);
  for (std::size_t i = start.layer; i < last; ++i) {
    co_await pause_point(static_cast<double>(i), static_cast<double>(last), kPhase);
    if (session->once && i > start.layer) take_room(session->stages, i);
    co_await pass.layer(i);
    session->stages[i].edits = layer_key(asked.edits, i);
    session->stages[i + 1].done = true;
  }
  session->tokens = asked.tokens;
  if (last < n_layer) co_return Matrix<float>();
  co_return co_await pass.logits();
}

}  // namespace helix::model
