// The distances of all heads, and of random matrices of the same shapes; the chosen head's numbers. Numbers of a model
// are cached from run to run: choosing another head costs nothing.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "checkpoint/convert.h"
#include "geometry/products.h"
#include "studies/check_index.h"
#include "studies/context_compute.h"
#include "studies/qk_symmetry/products.h"
#include "studies/qk_symmetry/qk_symmetry.h"

namespace helix::studies::qk_symmetry {
namespace {

constexpr const char* kTokens = "wte.weight";
constexpr double kClose = 0.5;        // largest fraction of random matrices' distance at which a head counts as close
constexpr std::uint64_t kDraws = 16;  // random matrices, seeds 1 to 16

/// The cosines of all heads, [layer, head]; NaN where weights are missing.
struct Found {
  std::size_t layers = 0, heads = 0, d_model = 0, d_head = 0;
  std::vector<Cosines> cosines;
  Cosines random{std::nan(""), std::nan("")};  // mean distance of the random matrices, not a cosine
  double best = std::nan("");                  // largest cosine with the identity at this rank
  std::vector<std::string> notes;

  std::size_t bytes() const { return cosines.size() * sizeof(Cosines); }
};

std::string weight_name(std::size_t layer) { return "h." + std::to_string(layer) + ".attn.c_attn.weight"; }
std::string gain_name(std::size_t layer) { return "h." + std::to_string(layer) + ".ln_1.weight"; }

/// Tokens are optional: without them a head can be compared with its transpose, but not with the identity.
std::vector<ModelNeeds> needs(const ParamValues& values, const Known& known) {
  const auto params = read_params<Params>(values);
  const auto size = known.size("");
  ModelNeeds own{"", {weight_name(0)}};
  for (std::size_t layer = 0; layer < (size ? size->n_layer : 0); ++layer) {
    if (layer > 0) own.tensors.push_back(weight_name(layer));
    if (params.gain) own.tensors.push_back(gain_name(layer));
  }
  std::vector<ModelNeeds> all{std::move(own)};
  if (params.identity) all.push_back({"", {kTokens}, {}, Reads::weights, true});
  return all;
}

/// c_attn of a layer, its rows times the gain if requested; an error if a tensor is missing or has a wrong shape.
Expected<Matrix<float>> weights_of(std::size_t layer, bool gain, const Inputs& inputs) {
  const auto tensor = inputs.weights->tensor(weight_name(layer));
  if (!tensor) return tensor.error();
  auto w = checkpoint::to_finite_f32(*tensor);
  if (!w) return w.error();
  if (tensor->info->shape.size() != 2 || w->cols != 3 * w->rows)
    return Error{"The tensor " + in_quotes(weight_name(layer)) + " is not three square matrices side by side."};
  if (!gain) return w;
  const auto ln = inputs.weights->tensor(gain_name(layer));
  if (!ln) return ln.error();
  const auto g = checkpoint::to_finite_f32(*ln);
  if (!g) return g.error();
  if (g->data.size() != w->rows)
    return Error{"The tensor " + in_quotes(gain_name(layer)) + " does not fit " + in_quotes(weight_name(layer)) + "."};
  for (std::size_t i = 0; i < w->rows; ++i)
    for (float& x : w->row(i)) x *= g->data[i];
  return w;
}

Head head_of(const Matrix<float>& w, std::size_t head, std::size_t d_head) {
  Head out{Matrix<double>(w.rows, d_head), Matrix<double>(w.rows, d_head)};
  for (std::size_t i = 0; i < w.rows; ++i)
    for (std::size_t j = 0; j < d_head; ++j) {
      out.q(i, j) = static_cast<double>(w(i, head * d_head + j));
      out.k(i, j) = static_cast<double>(w(i, w.rows + head * d_head + j));
    }
  return out;
}

/// XᵀX of all tokens, a block of rows at a time, minus n m mᵀ when centred.
Task<Expected<std::shared_ptr<const Gram>>> gram_of(std::shared_ptr<const checkpoint::WeightFile> weights,
                                                    bool centre) {
  constexpr std::size_t kBlock = 1024;
  const auto tensor = weights->tensor(kTokens);
  if (!tensor) co_return tensor.error();
  if (tensor->info->shape.size() != 2) co_return Error{"The tensor " + in_quotes(kTokens) + " is no table of rows."};
  const geometry::RowBlocks table = table_rows(*tensor, weights);
  const std::size_t n = table.rows, d = table.cols;
  auto out = std::make_shared<Gram>();
  out->products = Matrix<double>(d, d);
  std::vector<double> sums(d, 0);
  for (std::size_t first = 0; first < n; first += kBlock) {
    co_await pause_point(static_cast<double>(first), static_cast<double>(n), "tokens");
    auto block = std::make_shared<Matrix<double>>(std::min(kBlock, n - first), d);
    if (const auto ok = table.read(first, block->view()); !ok) co_return ok.error();
    for (std::size_t i = 0; i < block->rows; ++i)
      for (std::size_t j = 0; j < d; ++j) sums[j] += (*block)(i, j);
    const Matrix<double> part = co_await geometry::gram(block, true);
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = i; j < d; ++j) out->products(i, j) += part(i, j);
  }
  double square = 0;
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = i; j < d; ++j) {
      if (centre) out->products(i, j) -= sums[i] * sums[j] / static_cast<double>(n);
      const double x = out->products(j, i) = out->products(i, j);
      square += (i == j ? 1 : 2) * x * x;
    }
  out->norm = std::sqrt(square);
  co_return std::shared_ptr<const Gram>(std::move(out));
}

/// Every head's cosines, with the identity if there is a Gram matrix, and the random ones'. `found` gives the sizes.
Task<Found> all_heads(Found found, std::shared_ptr<const Gram> gram, bool gain, const Inputs* inputs) {
  found.cosines.clear(), found.notes.clear();
  for (std::size_t layer = 0; layer < found.layers; ++layer) {
    const auto w = weights_of(layer, gain, *inputs);
    const bool fits = w && w->rows == found.d_model;
    if (!fits)
      found.notes.push_back("Layer " + std::to_string(layer) +
                            " is left out: " + (w ? "its size differs." : w.error().sentence));
    for (std::size_t h = 0; h < found.heads; ++h) {
      if (fits)
        found.cosines.push_back(co_await cosines_of(std::make_shared<const Head>(head_of(*w, h, found.d_head)), gram));
      else
        found.cosines.push_back({std::nan(""), std::nan("")});
      co_await pause_point(static_cast<double>(found.cosines.size()), static_cast<double>(found.layers * found.heads),
                           "heads");
    }
  }
  found.random = {0, 0};
  for (std::uint64_t seed = 1; seed <= kDraws; ++seed) {
    const auto drawn = std::make_shared<const Head>(random_head(found.d_model, found.d_head, seed));
    co_await pause_point();
    const Cosines c = co_await cosines_of(drawn, gram);
    found.random.transpose += distance_at(c.transpose) / kDraws;
    found.random.identity += distance_at(c.identity) / kDraws;
  }
  if (gram) found.best = co_await best_cosine(gram, found.d_head);
  co_return std::move(found);
}

/// The sizes, from the first layer's weights and what is known of the model.
Expected<Found> sizes_of(const Params& params, const Context& context) {
  const auto& weights = context.inputs().weights;
  if (!weights) return Error{"No model is open, so there are no heads to compare; open one."};
  const auto first = weights->tensor(weight_name(0));
  if (!first) return first.error();
  const auto heads = context.heads();
  if (!heads) return heads.error();
  Found found;
  found.layers = std::max<std::size_t>(context.size().n_layer, 1), found.heads = *heads;
  found.d_model = static_cast<std::size_t>(first->info->shape.front());
  found.d_head = found.d_model / found.heads;
  if (found.d_head == 0 || found.d_head * found.heads != found.d_model)
    return Error{"A width of " + std::to_string(found.d_model) + " does not divide into " + std::to_string(*heads) +
                 " heads."};
  if (const auto ok = check_index("layer", static_cast<std::size_t>(params.layer), found.layers); !ok)
    return ok.error();
  if (const auto ok = check_index("head", static_cast<std::size_t>(params.head), found.heads); !ok) return ok.error();
  return found;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0, n = 0;
  for (const double x : values)
    if (std::isfinite(x)) sum += x, ++n;
  return n > 0 ? sum / n : std::nan("");
}

std::vector<protocol::Claim> claims(const Params& params, const Output& out, bool tokens) {
  if (!params.identity || params.gain || params.centre) return {};
  const bool symmetric = out.mean_transpose.value <= kClose * out.random_transpose.value,
             identity = out.mean_identity.value <= kClose * out.random_identity.value;
  protocol::Claim claim{"F4", out.mean_transpose.value, {}, {}, ""};
  if (symmetric || tokens) claim.holds = symmetric || identity;
  if (!tokens) claim.needs = {kTokens};
  claim.convention =
      "mean over " + number_text(out.heads.value, 0) + " heads without biases: d(M, Mᵀ) is " +
      number_text(out.mean_transpose.value, 3) + ", of random matrices " + number_text(out.random_transpose.value, 3) +
      "; from the identity " + number_text(out.mean_identity.value, 3) + ", of random matrices " +
      number_text(out.random_identity.value, 3) + ". Close means at most half the distance of random matrices";
  return {std::move(claim)};
}

Output outputs_of(const Params& params, const Found& found, const std::string& no_identity) {
  Output out;
  out.convention = std::string("M = W_Q W_Kᵀ without biases") + (params.gain ? ", ln_1 gain folded in" : "") +
                   (params.identity && params.centre ? ", tokens centred" : "");
  out.notes = found.notes;
  for (protocol::Grid* grid : {&out.by_head, &out.by_head_identity}) grid->shape = {found.layers, found.heads};
  for (const Cosines& c : found.cosines) {
    out.by_head.data.push_back(distance_at(c.transpose));
    out.by_head_identity.data.push_back(distance_at(c.identity));
  }
  const std::size_t at = static_cast<std::size_t>(params.layer) * found.heads + static_cast<std::size_t>(params.head);
  const std::string head = "head " + std::to_string(params.layer) + "." + std::to_string(params.head);
  const std::string shapes = std::to_string(found.d_model) + " × " + std::to_string(found.d_head);
  out.distance_transpose = {out.by_head.data[at], head}, out.cosine_transpose = {found.cosines[at].transpose, head};
  out.random_transpose = {found.random.transpose, "mean of 16 draws of " + shapes};
  out.mean_transpose = {mean_of(out.by_head.data), "over all heads"};
  double close = 0, there = 0;
  for (const double d : out.by_head.data) there += std::isfinite(d), close += d <= kClose * found.random.transpose;
  out.close_heads = {close, "at most half the distance of random matrices"}, out.heads = {there, "weights are there"};
  const char* const zero = "W_Q W_Kᵀ is zero, or its weights are not there";
  if (there == 0) out.close_heads = {.note = zero}, out.mean_transpose.note = zero;
  if (!std::isfinite(out.distance_transpose.value)) out.distance_transpose.note = out.cosine_transpose.note = zero;
  if (!no_identity.empty()) {
    for (protocol::Quantity* q :
         {&out.distance_identity, &out.cosine_identity, &out.random_identity, &out.bound_identity, &out.mean_identity})
      q->note = no_identity;
    return out;
  }
  out.distance_identity = {out.by_head_identity.data[at], head};
  out.cosine_identity = {found.cosines[at].identity, head};
  out.random_identity = {found.random.identity, "mean of 16 draws of " + shapes};
  out.bound_identity = {distance_at(found.best), "rank " + std::to_string(found.d_head)};
  out.mean_identity = {mean_of(out.by_head_identity.data), "over all heads"};
  return out;
}

/// All there is to know of a model with these sizes. A first picture before the tokens. `context` outlives the task.
Task<Expected<Found>> compared(Found sizes, Params params, bool tokens, Context* context) {
  const Inputs* inputs = &context->inputs();
  Found found = co_await all_heads(std::move(sizes), nullptr, params.gain, inputs);
  if (!tokens) co_return std::move(found);
  context->first_picture(outputs_of(params, found, "being computed"));
  auto gram = co_await gram_of(inputs->weights, params.centre);
  if (!gram) co_return gram.error();
  if ((*gram)->products.rows != found.d_model)
    co_return Error{"The tokens have " + std::to_string((*gram)->products.rows) + " numbers and the heads read " +
                    std::to_string(found.d_model) + ": they cannot be compared."};
  co_return co_await all_heads(std::move(found), *gram, params.gain, inputs);
}

Task<Expected<Output>> compute(Params params, Context& context) {
  auto sizes = sizes_of(params, context);
  if (!sizes) co_return sizes.error();
  const checkpoint::WeightFile& weights = *context.inputs().weights;
  const bool tokens = params.identity && weights.has(kTokens);
  const std::string no_identity = tokens ? "" : params.identity ? "needs wte.weight" : "not asked for";
  const std::string key = std::string(params.gain ? "gain " : "") + (tokens ? params.centre ? "centred" : "raw" : "");
  co_await pause_point();
  const auto found = co_await context.cached<Found>(key, [&] { return compared(*sizes, params, tokens, &context); });
  if (!found) co_return found.error();
  std::vector<std::string> read;
  for (std::size_t layer = 0; layer < (*found)->layers; ++layer) {
    read.push_back(weight_name(layer));
    if (params.gain) read.push_back(gain_name(layer));
  }
  if (tokens) read.push_back(kTokens);
  std::erase_if(read, [&](const std::string& name) { return !weights.has(name); });
  if (const auto ok = co_await context.reads(std::move(read)); !ok) co_return ok.error();
  Output out = outputs_of(params, **found, no_identity);
  out.claims = claims(params, out, tokens);
  co_return std::move(out);
}

}  // namespace

ComputeStudy compute_study() { return study_of<describe, compute>(needs); }

}  // namespace helix::studies::qk_symmetry
