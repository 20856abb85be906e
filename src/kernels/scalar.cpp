// The reference: the definition of each kernel, as plainly as C++ allows. Slow, but always available.
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/kernels.h"

namespace helix::kernels {
namespace {

void matmul(const float* x, std::size_t ldx, std::size_t rows, const PackedView& w, std::size_t first_panel,
            std::size_t end_panel, const float* bias, float* y, std::size_t ldy) {
  const std::size_t first = first_panel * w.panel, end = std::min(end_panel * w.panel, w.out);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t j = first; j < end; ++j) {
      float sum = bias ? bias[j] : 0.0f;
      for (std::size_t i = 0; i < w.in; ++i) sum += x[r * ldx + i] * w(i, j);
      y[r * ldy + j] = sum;
    }
}

float layer_norm(const float* x, std::size_t n, double epsilon, float* normalized) {
  double mean = 0, variance = 0;
  for (std::size_t i = 0; i < n; ++i) mean += x[i];
  mean /= static_cast<double>(n);
  for (std::size_t i = 0; i < n; ++i) variance += (x[i] - mean) * (x[i] - mean);
  const double scale = std::sqrt(variance / static_cast<double>(n) + epsilon);
  for (std::size_t i = 0; i < n; ++i) normalized[i] = static_cast<float>((x[i] - mean) / scale);
  return static_cast<float>(scale);
}

void gelu(const float* x, float* y, std::size_t n) {
  const float root = 0.7978845608028654f;  // √(2/π)
  for (std::size_t i = 0; i < n; ++i) {
    const float v = x[i];
    y[i] = 0.5f * v * (1.0f + std::tanh(root * (v + 0.044715f * v * v * v)));
  }
}

void softmax(float* x, std::size_t n) {
  const float top = *std::max_element(x, x + n);
  if (std::count(x, x + n, -std::numeric_limits<float>::infinity()) == static_cast<std::ptrdiff_t>(n))
    return std::fill_n(x, n, 0.0f), void();
  float sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += x[i] = std::exp(x[i] - top);
  for (std::size_t i = 0; i < n; ++i) x[i] /= sum;
}

}  // namespace

Table scalar_table() { return {"scalar", 8, false, matmul, layer_norm, gelu, softmax, {}, {}}; }

}  // namespace helix::kernels
