// One pass keeps what each part adds to the residual stream before the head's layer; its share of the lead is a sum.
#include "studies/head_sources/direct.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "studies/check_index.h"
#include "studies/head_sources/composition.h"

namespace helix::studies::head_sources {
namespace {

Matrix<double> transposed(const Matrix<double>& m) {
  Matrix<double> out(m.cols, m.rows);
  for (std::size_t i = 0; i < m.rows; ++i)
    for (std::size_t j = 0; j < m.cols; ++j) out(j, i) = m(i, j);
  return out;
}

Matrix<double> rows_of(const Matrix<float>& m, std::size_t first, std::size_t count) {
  Matrix<double> out(count, m.cols);
  std::copy_n(m.row(first).begin(), out.data.size(), out.data.begin());
  return out;
}

/// Of one earlier layer's heads, one after the other: with W_K, W_Q and W_V, then with each reader's W_QK.
Task<Expected<std::vector<double>>> layer_compositions(const Weights* w, const Matrix<float>* in,
                                                       const Matrix<float>* out) {
  std::vector<Matrix<double>> readers{transposed(w->head.k), transposed(w->head.q), transposed(w->head.v)};
  readers.insert(readers.end(), w->readers.begin(), w->readers.end());
  std::vector<double> all;
  const std::size_t d_head = w->d_head();
  for (std::size_t h = 0; h < w->heads; ++h) {
    Source source{Matrix<double>(d_head, in->rows), rows_of(*out, h * d_head, d_head)};
    for (std::size_t i = 0; i < in->rows; ++i)
      for (std::size_t j = 0; j < d_head; ++j)
        source.v(j, i) = static_cast<double>((*in)(i, 2 * in->rows + h * d_head + j));
    for (const double one : compositions(source, readers)) all.push_back(one);
    co_await pause_point();
  }
  co_return std::move(all);
}

// ---- along the direct path

struct Pass {
  std::vector<model::Capture> kept;  // q, k, scale; embed, pos_embed; z and mlp_out of each earlier layer
  Matrix<double> pattern;
};

MatrixView<const float> view_of(const model::Capture& kept) {
  const std::size_t n = kept.shape()[0];
  return {kept.data().data(), n, kept.data().size() / n};
}

Task<Expected<Pass>> base_pass(Context* context, const Weights* w, const Ready* text) {
  const std::size_t n = text->prompt.ids.size(), layer = w->head.layer;
  Pass pass{{}, Matrix<double>(n, n)};
  Wanted wanted;
  wanted.layers = layer + 1;
  wanted.hooks = {{model::HookKind::q, layer},
                  {model::HookKind::k, layer},
                  {model::HookKind::ln1_scale, layer},
                  {model::HookKind::embed},
                  {model::HookKind::pos_embed}};
  for (std::size_t l = 0; l < layer; ++l) {
    wanted.hooks.push_back({model::HookKind::z, l});
    wanted.hooks.push_back({model::HookKind::mlp_out, l});
  }
  wanted.taps = {keep_pattern(layer, w->head.head, &pass.pattern)};
  auto ran = co_await context->runner().run(*text, std::move(wanted));
  if (!ran) co_return ran.error();
  pass.kept = std::move(ran->kept);
  co_return std::move(pass);
}

/// A part's row sum with every W: the head's own, and random ones.
struct Readers {
  Matrix<double> own;
  std::vector<Matrix<double>> random;
};

void add_heads(Explained& out, const Weights& w, const Pass& pass, const Matrix<double>& pull, const Readers& readers) {
  std::vector<double> most(readers.random.size(), -HUGE_VAL);
  for (std::size_t i = 0; i < w.sources(); ++i) {
    const std::size_t layer = i / w.heads, first = i % w.heads * w.d_head();
    const MatrixView<const float> z = view_of(pass.kept[5 + 2 * layer]);
    const Matrix<double> sum =
        outer_sum({&z(0, first), z.rows, w.d_head(), z.stride}, pull);  // [d_head of the source, d_head]
    const Matrix<double> o = rows_of(w.out[layer], first, w.d_head());
    Matrix<double> written(w.d_model(), w.d_head());
    for (std::size_t a = 0; a < o.rows; ++a)
      for (std::size_t b = 0; b < o.cols; ++b)
        for (std::size_t c = 0; c < sum.cols; ++c) written(b, c) += o(a, b) * sum(a, c);
    out.heads.push_back(inner(written, readers.own));
    for (std::size_t s = 0; s < most.size(); ++s) most[s] = std::max(most[s], inner(written, readers.random[s]));
  }
  if (w.sources() > 0) out.random = std::move(most);
}

/// The output biases of the earlier layers, and what ln_1's shift and the head's own bias add.
double of_biases(const Weights& w, Through through, const Matrix<double>& pull, const Matrix<double>& scaled,
                 const Matrix<double>& reader) {
  const bool keys = through == Through::keys;
  const Matrix<double>& raw = keys ? w.head.k : w.head.q;
  const std::vector<double>& bias = keys ? w.head.k_bias : w.head.q_bias;
  double sum = 0;
  for (std::size_t j = 0; j < w.d_head(); ++j) {
    double all = 0, all_scaled = 0, constant = bias[j], written = 0;
    for (std::size_t i = 0; i < pull.rows; ++i) all += pull(i, j), all_scaled += scaled(i, j);
    for (std::size_t i = 0; i < w.d_model(); ++i) {
      constant += w.head.shift[i] * raw(i, j);
      for (const Matrix<float>& b : w.out_bias) written += static_cast<double>(b.data[i]) * reader(i, j);
    }
    sum += constant * all + written * all_scaled;
  }
  return sum;
}

void add_parts(Explained& out, const Weights& w, const Pass& pass, const Matrix<double>& pull,
               const Matrix<double>& scaled, const Matrix<double>& reader, bool edited) {
  const auto add = [&](std::string name, std::string edit, double value) {
    out.parts.push_back(std::move(name)), out.edits.push_back(std::move(edit)), out.part.push_back(value);
  };
  const auto along = [&](std::size_t kept) { return inner(outer_sum(view_of(pass.kept[kept]), scaled), reader); };
  add("tokens", "zero_tokens", along(3));
  add("positions", "zero_positions", along(4));
  for (std::size_t l = 0; l < w.head.layer; ++l)
    add("MLP " + std::to_string(l), "zero_mlp:" + std::to_string(l), along(6 + 2 * l));
  add("biases", "", of_biases(w, out.question.through, pull, scaled, reader));
  double sum = 0, most = 0;
  for (const auto* list : {&out.heads, &out.part})
    for (const double x : *list) sum += x, most = std::max(most, std::abs(x));
  const double rest = out.question.lead - sum;
  if (!edited)
    out.residual = most > 0 ? std::abs(rest) / most : std::abs(rest);
  else
    add("edits", "", rest);
}

}  // namespace

std::string dotted(std::size_t layer, std::size_t head) { return std::to_string(layer) + "." + std::to_string(head); }

std::size_t layer_of(int layer, std::size_t n_layer) {
  return layer < 0 ? std::max<std::size_t>(n_layer, 1) - 1 : static_cast<std::size_t>(layer);
}

Expected<std::vector<std::pair<std::size_t, std::size_t>>> heads_named(const std::string& text) {
  std::vector<std::pair<std::size_t, std::size_t>> out;
  for (const std::string& name : split(text, ' ')) {
    if (name.empty()) continue;
    const auto parts = split(name, '.');
    const auto layer = parse_int(parts.front()), head = parse_int(parts.back());
    if (parts.size() != 2 || !layer || !head || *layer < 0 || *head < 0)
      return Error{"“" + name + "” names no head: other readers are written like “6.9 7.10”."};
    out.emplace_back(static_cast<std::size_t>(*layer), static_cast<std::size_t>(*head));
  }
  return out;
}

namespace {

/// W_QK of the head and of the others that read.
Task<Expected<void>> read_readers(const Params* params, Context* context, Weights* w) {
  const auto others = heads_named(params->others);
  if (!others) co_return others.error();
  w->readers = {qk_reader(w->head.q, w->head.k)}, w->first_reader = w->head.layer;
  for (const auto& [layer, at] : *others) {
    if (const auto ok = check_index("layer", layer, w->n_layer); !ok) co_return ok.error();
    const auto head = co_await context->head(layer, at);
    if (!head) co_return head.error();
    w->readers.push_back(qk_reader(head->q, head->k)), w->first_reader = std::min(w->first_reader, layer);
    co_await pause_point();
  }
  co_return Expected<void>();
}

/// One layer's compositions, as layer_compositions has them.
void add_layer(const std::vector<double>& found, std::size_t layer, Weights& w) {
  const std::size_t readers = w.readers.size();
  for (std::size_t i = 0; i < found.size(); i += 3 + readers) {
    w.k.push_back(found[i]), w.q.push_back(found[i + 1]), w.v.push_back(found[i + 2]);
    double sum = layer < w.first_reader ? 0 : std::nan("");
    for (std::size_t r = 0; r < readers; ++r) sum += found[i + 3 + r] / static_cast<double>(readers);
    w.with_readers.push_back(sum);
  }
}

}  // namespace

Task<Expected<Weights>> read_weights(const Params* params, Context* context) {
  Weights w;
  w.n_layer = std::max<std::size_t>(context->size().n_layer, 1);
  const std::size_t layer = layer_of(params->layer, w.n_layer);
  if (const auto ok = check_index("layer", layer, w.n_layer); !ok) co_return ok.error();
  const auto heads = context->heads();
  if (!heads) co_return heads.error();
  w.heads = *heads;
  auto head = co_await context->head(layer, static_cast<std::size_t>(params->head));
  if (!head) co_return head.error();
  w.head = std::move(*head);
  if (const auto ok = co_await read_readers(params, context, &w); !ok) co_return ok.error();
  for (std::size_t l = 0; l < layer; ++l) {
    const auto part =
        co_await progress_part(static_cast<double>(l), 1, static_cast<double>(layer), "weights of earlier layers");
    const auto in = co_await context->whole(in_layer(l, "attn.c_attn.weight"));
    if (!in) co_return in.error();
    auto out = co_await context->whole(in_layer(l, "attn.c_proj.weight"));
    if (!out) co_return out.error();
    auto bias = co_await context->whole(in_layer(l, "attn.c_proj.bias"));
    if (!bias) co_return bias.error();
    const std::size_t d = w.d_model();
    if (in->rows != d || in->cols != 3 * d || out->rows != d || out->cols != d || bias->data.size() != d)
      co_return Error{"The tensors of layer " + std::to_string(l) + "'s attention do not fit those of layer " +
                      std::to_string(layer) + "."};
    const auto found = co_await context->cached<std::vector<double>>(
        "composition " + std::to_string(l) + " " + dotted(layer, w.head.head) + " " + params->others,
        [&] { return layer_compositions(&w, &*in, &*out); });
    if (!found) co_return found.error();
    add_layer(**found, l, w);
    w.out.push_back(std::move(*out)), w.out_bias.push_back(std::move(*bias));
  }
  co_return std::move(w);
}

Task<Expected<Explained>> explain(Context* context, const Params* params, const Weights* w, const Ready* text) {
  const auto pass = co_await base_pass(context, w, text);
  if (!pass) co_return pass.error();
  const bool keys = params->through == Through::keys, causal = text->edits.causal;
  const std::size_t n = text->prompt.ids.size();
  Explained out;
  Question& question = out.question;
  question = {w->head.layer, w->head.head, w->heads, params->through, {}, {}, 0};
  question.targets = targets_of(params->target, text->prompt.ids, pass->pattern, causal, params->query);
  if (count_of(question.targets) == 0) co_return std::move(out);
  const Matrix<double> q = head_part(pass->kept[0], w->head.head), k = head_part(pass->kept[1], w->head.head);
  question.pull = pull_of(pair_weights(question.targets, n, causal), keys ? q : k, params->through);
  question.lead = lead_of(keys ? k : q, question.pull);
  out.attention = attention_to(question.targets, pass->pattern);
  out.even = even_attention(question.targets, n, causal);
  Matrix<double> scaled = question.pull;
  for (std::size_t i = 0; i < n; ++i)
    for (double& x : scaled.row(i)) x /= static_cast<double>(pass->kept[2].data()[i]);
  co_await pause_point();
  const Matrix<double>& raw = keys ? w->head.k : w->head.q;
  const Readers readers{folded(raw, w->head.gain), random_folded(raw, w->head.gain)};
  co_await pause_point();
  add_heads(out, *w, *pass, scaled, readers);
  add_parts(out, *w, *pass, question.pull, scaled, readers.own, !text->specs.empty());
  co_return std::move(out);
}

}  // namespace helix::studies::head_sources
