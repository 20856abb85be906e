// The reference of the 8-bit products: their definition, as plainly as C++ allows.
#include <algorithm>

#include "kernels/tables.h"

namespace helix::kernels {
namespace {

void matmul(const Q8RowsView& x, std::size_t first_row, std::size_t rows, const Q8View& w, std::size_t first_panel,
            std::size_t end_panel, const float* bias, float* y, std::size_t ldy) {
  const std::size_t first = first_panel * w.panel, end = std::min(end_panel * w.panel, w.out);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t j = first; j < end; ++j) {
      float sum = bias ? bias[j] : 0.0f;
      for (std::size_t group = 0; group < w.groups(); ++group) {
        int products = 0;
        for (std::size_t i = group * kQ8Group; i < std::min((group + 1) * kQ8Group, w.in); ++i)
          products += x.integer(first_row + r, i) * w.weight(i, j);
        sum += static_cast<float>(products) * (x.grid(first_row + r, group).scale * w.scale(group, j));
      }
      y[r * ldy + j] = sum;
    }
}

}  // namespace

Q8Kernels q8_scalar() { return {"scalar", 8, Q8RowsView::Form::kDigits, matmul, {}}; }

}  // namespace helix::kernels
