#include "model/products.h"

#include <algorithm>

namespace helix::model {
namespace {

constexpr std::size_t kRows = 96;  // of a product at once: they stay in the cache while weights stream by
// Work of a thread between two pause points: some 7 ms of floats in a browser. Each part gathers the rows again, so
// small parts are expensive: with a quarter of this, two threads took a tenth more time.
constexpr double kFlopAtOnce = 4e8;
constexpr std::size_t kTogether = 32;  // columns that the kernels prefer in one call

/// How a product of some rows is divided: panels between two pause points, and the least number of panels for a thread.
struct Division {
  std::size_t panels, grain;

  Division(std::size_t rows, std::size_t in, std::size_t panel, std::size_t threads) {
    const double flop = std::max(2.0 * static_cast<double>(rows * in * panel), 1.0);
    panels = static_cast<std::size_t>(std::max(kFlopAtOnce / flop, 1.0)) * threads;
    grain = std::max(std::max(kTogether / panel, std::size_t{1}), static_cast<std::size_t>(kFlopToShare / flop));
  }
};

Task<Done> multiply(const Network* network, MatrixView<const float> x, kernels::PackedView w, const float* bias,
                    MatrixView<float> y) {
  const auto matmul = network->kernels().matmul;
  kernels::Threads& threads = network->threads();
  for (std::size_t row = 0; row < x.rows; row += kRows) {
    const std::size_t rows = std::min(kRows, x.rows - row);
    const Division division(rows, w.in, w.panel, threads.count());
    for (std::size_t p = 0; p < w.panels(); p += division.panels) {
      const std::size_t count = std::min(division.panels, w.panels() - p);
      threads.share(count, division.grain, [&](std::size_t from, std::size_t end, std::size_t) {
        matmul(&x(row, 0), x.stride, rows, w, p + from, p + end, bias, &y(row, 0), y.stride);
      });
      co_await pause_point();
    }
  }
  co_return Done{};
}

Task<Done> multiply(const Network* network, MatrixView<const float> x, kernels::Q8View w, int digits, const float* bias,
                    MatrixView<float> y) {
  const kernels::Q8Kernels& q8 = network->kernels().q8;
  kernels::Threads& threads = network->threads();
  kernels::Q8Rows integers;
  for (std::size_t row = 0; row < x.rows; row += kRows) {
    const std::size_t rows = std::min(kRows, x.rows - row);
    const Division division(rows, w.in, w.panel, threads.count());
    const auto view = integers.resize(rows, w.in, digits, q8.form);
    for_rows(*network, rows, 8.0 * static_cast<double>(w.in),
             [&](std::size_t i) { integers.set_row(i, &x(row + i, 0)); });
    for (std::size_t p = 0; p < w.panels(); p += division.panels) {
      const std::size_t count = std::min(division.panels, w.panels() - p);
      threads.share(count, division.grain, [&](std::size_t from, std::size_t end, std::size_t) {
        q8.matmul(view, 0, rows, w, p + from, p + end, bias, &y(row, 0), y.stride);
      });
      co_await pause_point();
    }
  }
  co_return Done{};
}

}  // namespace

Task<Done> multiply(const Network* network, MatrixView<const float> x, const Weight* w, const float* bias,
                    MatrixView<float> y) {
  return network->precision() == Precision::f32 ? multiply(network, x, w->f32.view(), bias, y)
                                                : multiply(network, x, w->q8.view(), w->digits, bias, y);
}

}  // namespace helix::model
