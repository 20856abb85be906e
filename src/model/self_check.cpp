#include "model/self_check.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/forward.h"

namespace helix::model {
namespace {

constexpr std::size_t kTokens = 12, kMatrices = 4;

/// Numbers between −1 and 1 that look random and are the same everywhere.
std::vector<float> seeded_row(std::size_t n) {
  std::vector<float> row(n);
  std::uint32_t state = 12345;
  for (float& x : row) {
    state = state * 1664525u + 1013904223u;
    x = static_cast<float>(static_cast<double>(state >> 8) / 8388608.0 - 1.0);
  }
  return row;
}

std::vector<float> product(const Network& network, const Weight& w, const std::vector<float>& x, std::size_t out) {
  std::vector<float> y(out);
  if (network.precision() == Precision::f32) {
    const kernels::PackedView view = w.f32.view();
    network.kernels().matmul(x.data(), x.size(), 1, view, 0, view.panels(), nullptr, y.data(), out);
  } else {
    const kernels::Q8Kernels& q8 = network.kernels().q8;
    kernels::Q8Rows rows;
    const auto integers = rows.assign(x.data(), x.size(), 1, x.size(), w.digits, q8.form);
    q8.matmul(integers, 0, 1, w.q8.view(), 0, w.q8.view().panels(), nullptr, y.data(), out);
  }
  return y;
}

double error_of(const Network& network, const Weight& w) {
  const bool f32 = network.precision() == Precision::f32;
  const std::size_t in = f32 ? w.f32.view().in : w.q8.view().in, out = f32 ? w.f32.view().out : w.q8.view().out;
  const std::vector<float> x = seeded_row(in), y = product(network, w, x, out);
  std::vector<float> column(in);
  double most = 0, difference = 0;
  for (std::size_t j = 0; j < out; ++j) {
    f32 ? w.f32.read_column(j, column.data()) : w.q8.read_column(j, column.data());
    double sum = 0;
    for (std::size_t i = 0; i < in; ++i) sum += static_cast<double>(x[i]) * static_cast<double>(column[i]);
    most = std::max(most, std::abs(sum));
    const double off = std::abs(static_cast<double>(y[j]) - sum);
    difference = std::isnan(off) ? off : std::max(difference, off);
  }
  return most > 0 ? difference / most : difference;
}

}  // namespace

Task<Matrix<double>> matrix_errors(std::shared_ptr<const Network> network) {
  const std::size_t n_layer = network->config().n_layer;
  Matrix<double> errors(n_layer, kMatrices);
  for (std::size_t i = 0; i < n_layer; ++i) {
    const Layer& layer = network->layer(i);
    std::size_t at = 0;
    for (const Linear* linear : {&layer.c_attn, &layer.c_proj, &layer.c_fc, &layer.mlp_proj}) {
      errors(i, at++) = error_of(*network, linear->weight);
      co_await pause_point(static_cast<double>(i), static_cast<double>(n_layer), "checking products");
    }
  }
  co_return errors;
}

Task<Expected<double>> cache_difference(std::shared_ptr<const Network> network) {
  const checkpoint::Config& config = network->config();
  const std::size_t n = std::min(kTokens, config.n_ctx);
  Asked asked;
  for (std::size_t i = 0; i < n; ++i) {
    asked.tokens.push_back(static_cast<std::int32_t>(i * 7919 % config.n_vocab));
    asked.logits_at.push_back(i);
  }
  auto at_once = co_await forward(network, std::make_shared<Session>(), asked);
  if (!at_once) co_return at_once.error();
  const auto session = std::make_shared<Session>();
  double difference = 0;
  for (std::size_t end = 1; end <= n; ++end) {
    Asked part;
    part.tokens.assign(asked.tokens.begin(), asked.tokens.begin() + static_cast<std::ptrdiff_t>(end));
    part.logits_at.push_back(end - 1);
    const auto logits = co_await forward(network, session, part);
    if (!logits) co_return logits.error();
    for (std::size_t j = 0; j < config.n_vocab; ++j)
      difference = std::max(
          difference, std::abs(static_cast<double>((*logits)(0, j)) - static_cast<double>((*at_once)(end - 1, j))));
  }
  co_return difference;
}

}  // namespace helix::model
