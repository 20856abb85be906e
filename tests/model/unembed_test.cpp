#include "model/unembed.h"

#include <cmath>

#include "model/capture.h"
#include "model/exponential.h"
#include "model/forward.h"
#include "model/sampling.h"
#include "tests/model/tiny_network.h"

namespace unembed_test {

using namespace helix;
using namespace helix::model;
using namespace helix::testing;
using Catch::Approx;

namespace {

const TinySizes kSizes{3, 24, 2, 40, 300};

struct Pass {
  Matrix<float> logits, end;  // at every position; the end of the residual stream
  std::vector<std::int32_t> tokens;
};

Pass pass(const std::shared_ptr<Network>& network, std::int32_t start) {
  Pass out;
  for (std::int32_t i = 0; i < 21; ++i) out.tokens.push_back((start + i * 17) % 300);
  Capture end({HookKind::resid_post, 2}, network->config(), out.tokens.size());
  Asked asked;
  asked.tokens = out.tokens, asked.watch = {end.tap()};
  for (std::size_t i = 0; i < out.tokens.size(); ++i) asked.logits_at.push_back(i);
  auto logits = run_to_end(forward(network, std::make_shared<Session>(), asked));
  REQUIRE(logits);
  out.logits = std::move(*logits);
  out.end = Matrix<float>(out.tokens.size(), kSizes.d_model);
  out.end.data = end.data();
  return out;
}

double log_p(std::span<const float> logits, std::int32_t id) {
  return std::log(probabilities(logits)[static_cast<std::size_t>(id)]);
}

}  // namespace

TEST_CASE("ln_f and the output head of the last rows are the pass' logits, bit for bit", "[model][unembed]") {
  const auto network = tiny_network(kSizes);
  const Pass p = pass(network, 5);
  const Matrix<float> logits = run_to_end(unembed(network, p.end));
  REQUIRE(logits.data.size() == p.logits.data.size());
  CHECK(std::memcmp(logits.data.data(), p.logits.data.data(), logits.data.size() * sizeof(float)) == 0);
}

TEST_CASE("e to the power of a logit is the library's", "[model][unembed]") {
  constexpr double kUnit = 0x1p-52;
  Dice dice(2);
  std::vector<double> xs{0, -0.0, -1e-300, -kUnit, -0.3465735902799727, -0.34657359027997259, -1, -707.999};
  while (xs.size() < 20000) xs.push_back(-dice.between(0, 1) * (xs.size() % 2 ? 708 : 4));
  std::vector<double> es = xs;
  exponentials(es);
  for (std::size_t i = 0; i < xs.size(); ++i) {
    CAPTURE(xs[i]);
    CHECK(std::abs(es[i] - std::exp(xs[i])) <= kUnit * std::exp(xs[i]));
  }
  std::vector<double> odd{-708.5, -1e300, -INFINITY, std::nan("")};
  exponentials(odd);
  CHECK((odd[0] == 0 && odd[1] == 0 && odd[2] == 0 && std::isnan(odd[3])));
  const std::vector<float> logits{-INFINITY, 1000, 999, -3e38f};
  CHECK(log_sum_exp(logits) == Approx(1000 + std::log1p(std::exp(-1))).epsilon(1e-15));
  CHECK(divergence(logits, logits) == 0);
}

TEST_CASE("what rows predict: the likeliest tokens, the entropy, and the target's probability", "[model][unembed]") {
  const auto network = tiny_network(kSizes);
  const Pass p = pass(network, 9);
  const Readout read = run_to_end(read_out(network, final_norm(*network, p.end), 3));
  const auto log_probability = run_to_end(log_probabilities(network, final_norm(*network, p.end), p.tokens));
  REQUIRE(read.entropy.size() == 21);
  REQUIRE(log_probability.size() == 21);
  for (std::size_t i = 0; i < 21; ++i) {
    const std::vector<double> all = probabilities(p.logits.row(i));
    const auto ids = top_ids(p.logits.row(i), 3);
    CHECK(read.entropy[i] == entropy_nats(all));
    for (std::size_t j = 0; j < 3; ++j) {
      CHECK(read.top(i, j) == ids[j]);
      CHECK(read.probability(i, j) == all[static_cast<std::size_t>(ids[j])]);
    }
    CHECK(log_probability[i] == Approx(log_p(p.logits.row(i), p.tokens[i])).epsilon(1e-12));
  }
}

TEST_CASE("the norms before the head, in double", "[model][unembed]") {
  Tensors tensors;
  const auto network = tiny_network(kSizes, 0.3, 1, &tensors);
  Dice dice(3);
  Matrix<float> rows(4, kSizes.d_model);
  for (float& x : rows.data) x = static_cast<float>(2 + dice.normal());
  const auto& gain = tensors.at("ln_f.weight");
  const auto& shift = tensors.at("ln_f.bias");
  const auto moments = [&](const std::vector<double>& row) {
    double mean = 0, variance = 0;
    for (const double x : row) mean += x / static_cast<double>(row.size());
    for (const double x : row) variance += (x - mean) * (x - mean) / static_cast<double>(row.size());
    return std::pair(mean, std::sqrt(variance + 1e-5));
  };
  const auto normed = [&](std::vector<double> row, std::optional<double> scale = {}) {
    const auto [mean, own] = moments(row);
    for (std::size_t j = 0; j < row.size(); ++j)
      row[j] = (row[j] - mean) / scale.value_or(own) * static_cast<double>(gain[j]) + static_cast<double>(shift[j]);
    return row;
  };
  const std::vector<float> scales{1.5f, 2, 3, 4};
  const Matrix<float> once = final_norm(*network, rows), none = final_norm(*network, rows, FinalNorm::none),
                      twice = final_norm(*network, rows, FinalNorm::twice),
                      frozen = final_norm(*network, rows, FinalNorm::frozen, scales);
  CHECK(none.data == rows.data);
  for (std::size_t i = 0; i < rows.rows; ++i) {
    const std::vector<double> row(rows.row(i).begin(), rows.row(i).end());
    CHECK(static_cast<double>(final_scales(*network, rows)[i]) == Approx(moments(row).second).epsilon(1e-5));
    for (std::size_t j = 0; j < rows.cols; ++j) {
      CHECK(static_cast<double>(once(i, j)) == Approx(normed(row)[j]).margin(1e-5));
      CHECK(static_cast<double>(twice(i, j)) == Approx(normed(normed(row))[j]).margin(1e-5));
      CHECK(static_cast<double>(frozen(i, j)) == Approx(normed(row, static_cast<double>(scales[i]))[j]).margin(1e-5));
    }
  }
}

TEST_CASE("the divergence of two runs' predictions", "[model][unembed]") {
  const auto network = tiny_network(kSizes);
  const Pass p = pass(network, 5), q = pass(network, 6);
  const Matrix<float> a = final_norm(*network, p.end), b = final_norm(*network, q.end);
  const auto kl = run_to_end(divergence(network, a, b));
  REQUIRE(kl.size() == 21);
  for (std::size_t i = 0; i < 21; ++i) {
    const std::vector<double> x = probabilities(p.logits.row(i)), y = probabilities(q.logits.row(i));
    double sum = 0;
    for (std::size_t j = 0; j < x.size(); ++j) sum += x[j] * std::log(x[j] / y[j]);
    CHECK(kl[i] == Approx(sum).margin(1e-9));
    CHECK(kl[i] > 0);
  }
  for (const double x : run_to_end(divergence(network, a, a))) CHECK(x == 0);
}

}  // namespace unembed_test
