#include "model/diagonal_means.h"

#include "model/capture.h"
#include "model/forward.h"
#include "tests/model/tiny_network.h"

namespace diagonal_means_test {

using namespace helix;
using namespace helix::model;
using namespace helix::testing;

namespace {

/// The diagonal means of a head with this pattern, fed some queries at a time.
DiagonalMeans means_of(const std::function<double(std::size_t query, std::size_t key)>& pattern, std::size_t n,
                       std::size_t left_out) {
  checkpoint::Config config;
  config.n_head = 2;
  const Hook hook{HookKind::pattern, 0};
  DiagonalMeans means(hook, config, n, left_out);
  const Tap tap = means.tap();
  for (std::size_t first = 0; first < n; first += 7) {
    Matrix<float> rows(std::min<std::size_t>(7, n - first), n);
    for (std::size_t i = 0; i < rows.rows; ++i)
      for (std::size_t j = 0; j < n; ++j) rows(i, j) = static_cast<float>(pattern(first + i, j));
    tap.see({hook, 1, first, rows.view()});
  }
  return means;
}

}  // namespace

TEST_CASE("diagonal means are those of the captured patterns", "[model][diagonals]") {
  const TinySizes sizes{2, 24, 3, 90, 40};
  const auto network = tiny_network(sizes);
  const std::size_t n = 80;  // several blocks of queries
  for (const std::size_t left_out : {0u, 1u, 5u})
    for (const bool causal : {true, false}) {
      const Hook hook{HookKind::pattern, 1};
      Capture whole(hook, network->config(), n);
      DiagonalMeans means(hook, network->config(), n, left_out);
      Asked asked;
      for (std::size_t i = 0; i < n; ++i) asked.tokens.push_back(static_cast<std::int32_t>(i * 7 % 40));
      asked.edits.causal = causal;
      asked.watch = {whole.tap(), means.tap()};
      REQUIRE(run_to_end(forward(network, std::make_shared<Session>(), asked)));
      REQUIRE(means.n_head() == 3);
      REQUIRE(means.lags() == n - left_out);
      for (std::size_t head = 0; head < 3; ++head)
        for (std::size_t lag = 0; lag < means.lags(); ++lag) {
          double sum = 0;
          for (std::size_t q = left_out + lag; q < n; ++q)
            sum += static_cast<double>(whole.data()[(head * n + q) * n + q - lag]);
          CHECK(std::abs(means.mean(head, lag) - sum / static_cast<double>(n - left_out - lag)) < 1e-12);
        }
    }
}

TEST_CASE("heads whose diagonals are known", "[model][diagonals]") {
  const std::size_t n = 30;
  const DiagonalMeans shift =
      means_of([](std::size_t q, std::size_t k) { return q == 0 || k + 1 == q ? 1.0 : 0.0; }, n, 1);
  for (std::size_t lag = 0; lag < shift.lags(); ++lag) {
    CHECK(shift.mean(1, lag) == (lag == 1 ? 1 : 0));
    CHECK(shift.mean(0, lag) == 0);
  }
  const DiagonalMeans even =
      means_of([](std::size_t q, std::size_t k) { return k <= q ? 1 / static_cast<double>(q + 1) : 0.0; }, n, 1);
  for (std::size_t lag = 1; lag < even.lags(); ++lag) CHECK(even.mean(1, lag) < even.mean(1, lag - 1));
  // All attention goes to the first token: without its column, nothing is left.
  const DiagonalMeans sink = means_of([](std::size_t, std::size_t k) { return k == 0 ? 1.0 : 0.0; }, n, 1);
  for (std::size_t lag = 0; lag < sink.lags(); ++lag) CHECK(sink.mean(1, lag) == 0);
}

TEST_CASE("fewer tokens than are left out have no diagonals", "[model][diagonals]") {
  CHECK(means_of([](std::size_t, std::size_t) { return 1.0; }, 1, 1).lags() == 0);
  CHECK(means_of([](std::size_t, std::size_t) { return 1.0; }, 1, 3).lags() == 0);
}

}  // namespace diagonal_means_test
