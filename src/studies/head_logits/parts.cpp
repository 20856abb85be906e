#include "studies/head_logits/parts.h"

#include <algorithm>
#include <utility>

namespace helix::studies::head_logits {
namespace {

using model::HookKind;

/// Copies the row of one position as it passes by.
model::Tap keep_row(model::Hook hook, std::size_t position, std::vector<float>* into) {
  return {hook, [position, into](const model::Chunk& chunk) {
            if (position < chunk.first || position >= chunk.first + chunk.rows.rows) return;
            const auto row = chunk.rows.row(position - chunk.first);
            into->assign(row.begin(), row.end());
          }};
}

void read_column(const model::Weight& weight, std::size_t j, float* into) {
  if (weight.f32.bytes() > 0)
    weight.f32.read_column(j, into);
  else
    weight.q8.read_column(j, into);
}

/// What each head of a layer writes: its z through its own rows of W_O; and the bias of its values.
Task<Expected<void>> add_layer(End* end, const model::Network* network, std::size_t layer,
                               const std::vector<float>* z) {
  const model::Layer& weights = network->layer(layer);
  const std::size_t d = network->config().d_model, heads = network->config().n_head, d_head = d / heads;
  const float* bias = weights.c_attn.bias.data() + 2 * d;
  std::vector<float> column(d);
  for (std::size_t j = 0; j < d; ++j) {
    if (j % 64 == 0) co_await pause_point();
    read_column(weights.c_proj.weight, j, column.data());
    for (std::size_t h = 0; h < heads; ++h) {
      double written = 0, constant = 0;
      bool silent = true;
      for (std::size_t i = h * d_head; i < (h + 1) * d_head; ++i) {
        const auto w = static_cast<double>(column[i]);
        written += w * static_cast<double>((*z)[i]), constant += w * static_cast<double>(bias[i]);
        silent = silent && (*z)[i] == 0;
      }
      end->heads(layer * heads + h, j) = written;
      end->value_biases(layer * heads + h, j) = silent ? 0 : constant;
    }
    end->output_bias[j] += static_cast<double>(weights.c_proj.bias[j]);
  }
  co_return Expected<void>();
}

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

Task<Expected<End>> run_to_end(Context* context, const Ready* text, bool once) {
  const model::Network* network = context->inputs().network.get();
  const checkpoint::Config& config = network->config();
  const std::size_t last = text->prompt.ids.size() - 1, layers = config.n_layer;
  End end;
  end.names = {"tokens", "positions"};
  for (std::size_t l = 0; l < layers; ++l) end.names.push_back("MLP " + std::to_string(l));
  end.parts.resize(end.names.size());
  std::vector<std::vector<float>> z(layers);
  std::vector<float> scale;
  Wanted wanted;
  wanted.taps = {keep_row({HookKind::embed}, last, &end.parts[0]), keep_row({HookKind::pos_embed}, last, &end.parts[1]),
                 keep_row({HookKind::final_scale}, last, &scale)};
  for (std::size_t l = 0; l < layers; ++l) {
    wanted.taps.push_back(keep_row({HookKind::z, l}, last, &z[l]));
    wanted.taps.push_back(keep_row({HookKind::mlp_out, l}, last, &end.parts[2 + l]));
  }
  wanted.logits_at = {last}, wanted.once = once;
  auto ran = co_await context->runner().run(*text, std::move(wanted));
  if (!ran) co_return ran.error();
  end.logits = std::move(ran->logits.data), end.scale = static_cast<double>(scale.at(0));
  end.heads = end.value_biases = Matrix<double>(layers * config.n_head, config.d_model);
  end.output_bias.resize(config.d_model);
  for (std::size_t l = 0; l < layers; ++l)
    if (const auto ok = co_await add_layer(&end, network, l, &z[l]); !ok) co_return ok.error();
  co_return std::move(end);
}

Vec output_row(const model::Network& network, std::size_t token) {
  std::vector<float> row(network.config().d_model);
  read_column(network.head(), token, row.data());
  return {row.begin(), row.end()};
}

Task<Expected<Vec>> mean_output_row(const model::Network* network) {
  const std::size_t count = network->config().n_vocab;
  std::vector<float> row(network->config().d_model);
  Vec mean(row.size());
  for (std::size_t token = 0; token < count; ++token) {
    if (token % 512 == 0) co_await pause_point();
    read_column(network->head(), token, row.data());
    for (std::size_t j = 0; j < row.size(); ++j) mean[j] += static_cast<double>(row[j]);
  }
  for (double& x : mean) x /= static_cast<double>(count);
  co_return std::move(mean);
}

Reader reader_of(const model::Network& network, const Vec& row, const Vec& against) {
  const model::Affine& norm = network.ln_f();
  Reader out{Vec(row.size()), 0};
  double mean = 0;
  for (std::size_t j = 0; j < row.size(); ++j) {
    const double difference = row[j] - against[j];
    out.along[j] = difference * static_cast<double>(norm.gain[j]);
    out.constant += difference * static_cast<double>(norm.shift[j]);
    mean += out.along[j] / static_cast<double>(row.size());
  }
  for (double& x : out.along) x -= mean;
  return out;
}

Vec head_contributions(const End& end, const Reader& reader, bool bias_with_heads) {
  Vec out;
  for (std::size_t i = 0; i < end.heads.rows; ++i) {
    double value = dot(end.heads.row(i), reader.along);
    if (!bias_with_heads) value -= dot(end.value_biases.row(i), reader.along);
    out.push_back(value / end.scale);
  }
  return out;
}

Contributions contributions(const End& end, const Reader& reader, bool bias_with_heads) {
  Contributions out{head_contributions(end, reader, bias_with_heads), {}};
  for (const std::vector<float>& part : end.parts)
    out.parts.push_back(dot(Vec(part.begin(), part.end()), reader.along) / end.scale);
  double biases = reader.constant + dot(end.output_bias, reader.along) / end.scale;
  for (std::size_t i = 0; i < end.heads.rows && !bias_with_heads; ++i)
    biases += dot(end.value_biases.row(i), reader.along) / end.scale;
  out.parts.push_back(biases);
  return out;
}

}  // namespace helix::studies::head_logits
