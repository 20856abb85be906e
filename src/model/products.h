// A pass' matrix products and its loops over rows, shared by the network's threads. Threads divide the columns of a
// product and whole rows of everything else, but never a sum: so the number of threads changes no bit.
#pragma once

#include "base/matrix.h"
#include "base/task.h"
#include "model/network.h"
#include "model/taps.h"

namespace helix::model {

/// About the least multiplications and additions that are worth handing to another thread: some microseconds.
inline constexpr double kFlopToShare = 3e4;

/// y = x·W + bias; `bias` [out], or null.
Task<Done> multiply(const Network* network, MatrixView<const float> x, const Weight* w, const float* bias,
                    MatrixView<float> y);

/// Calls work(i) for each row; `flop` is what a row costs.
template <class Work>
void for_rows(const Network& network, std::size_t rows, double flop, const Work& work) {
  const auto grain = static_cast<std::size_t>(kFlopToShare / flop) + 1;
  network.threads().share(rows, grain, [&](std::size_t from, std::size_t end, std::size_t) {
    for (std::size_t i = from; i < end; ++i) work(i);
  });
}

}  // namespace helix::model
