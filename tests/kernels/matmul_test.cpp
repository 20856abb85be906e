#include <catch_amalgamated.hpp>

#include "tests/kernels/samples.h"

namespace matmul_test {

using namespace helix;
using namespace helix::kernels;
using namespace helix::kernels::samples;

namespace {

struct Product {
  std::size_t rows, in, out;
  bool bias = true;
};

/// x·W + bias with this table's kernels; the weights are packed for its panels.
std::vector<float> product(const Table& table, Product p, const std::vector<float>& x, const Packed& w,
                           const std::vector<float>& bias) {
  std::vector<float> y(p.rows * p.out, Guarded::kMark);
  table.matmul(x.data(), p.in, p.rows, w.view(), 0, w.view().panels(), p.bias ? bias.data() : nullptr, y.data(), p.out);
  return y;
}

/// Compares every output with its exact value, within the bound on the rounding errors of a chain of `in` sums.
void check_close(const Table& table, Product p) {
  CAPTURE(table.name, p.rows, p.in, p.out, p.bias);
  const std::vector<float> x = noise(p.rows * p.in, 1), w = noise(p.in * p.out, 2), bias = noise(p.out, 3);
  const std::vector<float> y = product(table, p, x, Packed::from({w.data(), p.in, p.out}, table.panel), bias);
  double worst = 0;  // in units of the bound
  for (std::size_t r = 0; r < p.rows; ++r)
    for (std::size_t j = 0; j < p.out; ++j) {
      double exact = p.bias ? bias[j] : 0.0, size = std::fabs(exact);
      for (std::size_t i = 0; i < p.in; ++i) {
        const double term = double(x[r * p.in + i]) * w[i * p.out + j];
        exact += term;
        size += std::fabs(term);
      }
      // Higham: |error| ≤ γ·Σ|terms|, γ ≈ (number of roundings a term sees)·2⁻²⁴; one more where products round too.
      const double bound = (static_cast<double>(p.in) + (table.fused ? 0 : 1)) * 0x1p-24 * size * 1.001;
      const double error = std::fabs(y[r * p.out + j] - exact);
      worst = std::max(worst, error == 0 ? 0 : error / bound);
    }
  CHECK(worst <= 1);
}

}  // namespace

TEST_CASE("products are right at every remainder of tiles, panels and groups", "[kernels][matmul]") {
  for (const Table& table : tables()) {
    const std::size_t p = table.panel;
    for (std::size_t rows = 1; rows <= 13; ++rows)
      for (std::size_t in : {0u, 1u, 2u, 5u, 64u})
        for (std::size_t out : {std::size_t(1), p - 1, p, p + 1, 4 * p - 1, 4 * p, 4 * p + 1, 5 * p + 3})
          check_close(table, {rows, in, out, (rows + in) % 2 == 0});
  }
}

TEST_CASE("products are right beyond a block of rows and of inputs", "[kernels][matmul]") {
  for (const Table& table : tables())
    for (Product p : {Product{1, 383, 37},
                      {2, 384, 37},
                      {3, 385, 37},
                      {5, 768, 41},
                      {6, 769, 8},
                      {4, 1537, 33},
                      {193, 17, 9},
                      {205, 400, 35}})
      check_close(table, p);
}

TEST_CASE("a row's product does not depend on the rows, the panels and the block beside it, to the last bit",
          "[kernels][matmul]") {
  for (const Table& table : tables()) {
    CAPTURE(table.name);
    for (std::size_t in : {33u, 1000u}) {
      const std::size_t rows = 31, out = table.panel * 9 + 5;
      const Packed w = packed_noise(in, out, table.panel, 2);
      const std::size_t panels = w.view().panels();
      const std::vector<float> x = noise(rows * in, 1), bias = noise(out, 3);
      const std::vector<float> all = product(table, {rows, in, out}, x, w, bias);

      // Blocks of rows, at each height of a tile, and blocks of panels.
      for (std::size_t height = 1; height <= 14; ++height)
        for (std::size_t width : {std::size_t(1), std::size_t(2), std::size_t(3), std::size_t(5), panels}) {
          CAPTURE(in, height, width);
          std::vector<float> y(all.size());
          for (std::size_t r = 0; r < rows; r += height)
            for (std::size_t p = 0; p < panels; p += width)
              table.matmul(x.data() + r * in, in, std::min(height, rows - r), w.view(), p, std::min(p + width, panels),
                           bias.data(), y.data() + r * out, out);
          CHECK(same_bits(y, all));
        }
    }
  }
}

TEST_CASE("a product is one chain over the inputs, begun with the bias", "[kernels][matmul]") {
  // 2²⁴ + 1 is 2²⁴ in float: a sum that starts with 2²⁴ loses each 1 added to it; 1s added first are counted.
  for (const Table& table : tables()) {
    CAPTURE(table.name);
    const std::size_t in = 1200, out = table.panel + 3;
    std::vector<float> ones(in * out, 1.0f), x(7 * in, 1.0f), bias(out, 16777216.0f);
    const Packed w = Packed::from({ones.data(), in, out}, table.panel);
    for (float y : product(table, {7, in, out}, x, w, bias)) CHECK(y == 16777216.0f);
    for (std::size_t r = 0; r < 7; ++r) x[r * in + 1000] = 16777216.0f;
    for (float y : product(table, {7, in, out, false}, x, w, bias)) CHECK(y == 16777216.0f + 1000);
  }
}

TEST_CASE("tables that round alike give the same bits as the reference", "[kernels][matmul]") {
  const std::size_t rows = 13, in = 500, out = 101;
  const std::vector<float> x = noise(rows * in, 1), numbers = noise(in * out, 2), bias = noise(out, 3);
  const auto by = [&](const Table& table) {
    return product(table, {rows, in, out}, x, Packed::from({numbers.data(), in, out}, table.panel), bias);
  };
  std::vector<float> fused(rows * out);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t j = 0; j < out; ++j) {
      float sum = bias[j];
      for (std::size_t i = 0; i < in; ++i) sum = std::fma(x[r * in + i], numbers[i * out + j], sum);
      fused[r * out + j] = sum;
    }
  const std::vector<float> plain = by(tables().front());
  CHECK_FALSE(same_bits(plain, fused));
  for (const Table& table : tables()) {
    CAPTURE(table.name, table.fused);
    CHECK(same_bits(by(table), table.fused ? fused : plain));
  }
}

TEST_CASE("a product reads and writes where it should, at any alignment", "[kernels][matmul]") {
  for (const Table& table : tables()) {
    CAPTURE(table.name);
    for (std::size_t rows : {1u, 2u, 3u, 7u, 12u})
      for (std::size_t shift : {0u, 1u, 2u, 3u}) {
        const std::size_t in = 37, out = 4 * table.panel + 3, ldx = in + 5, ldy = out + 7;
        const std::size_t first = 1, end = 5;  // the columns panel .. 4·panel+2
        CAPTURE(rows, shift);
        const Packed w = packed_noise(in, out, table.panel, 2);
        Guarded x(noise(rows * ldx, 1), shift), bias(noise(out, 3), 3 - shift), y(rows * ldy, shift);
        table.matmul(x.data(), ldx, rows, w.view(), first, end, bias.data(), y.data(), ldy);
        CHECK(y.untouched_around());
        bool kept = true, written = true;
        for (std::size_t r = 0; r < rows; ++r)
          for (std::size_t j = 0; j < ldy; ++j) {
            const bool inside = j >= first * table.panel && j < out;
            float one = Guarded::kMark;
            if (inside) {
              std::vector<float> alone(out);
              table.matmul(x.data() + r * ldx, ldx, 1, w.view(), j / table.panel, j / table.panel + 1, bias.data(),
                           alone.data(), out);
              one = alone[j];
            }
            (inside ? written : kept) &= y.data()[r * ldy + j] == one;
          }
        CHECK(kept);
        CHECK(written);
      }
  }
}

TEST_CASE("panels may lie further apart, and infinities and NaN stay in their row and column", "[kernels][matmul]") {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const Table& table : tables()) {
    CAPTURE(table.name);
    const std::size_t in = 5, rows = 7, out = 3 * table.panel, stride = (in + 2) * table.panel;
    const Packed tight = packed_noise(in, out, table.panel, 2);
    std::vector<float> spread(3 * stride, std::nanf(""));
    for (std::size_t p = 0; p < 3; ++p)
      std::copy_n(tight.view().data + p * tight.view().stride, in * table.panel, &spread[p * stride]);
    PackedView w{spread.data(), in, out, table.panel, stride};
    const std::vector<float> x = noise(rows * in, 1);
    const std::vector<float> before = product(table, {rows, in, out, false}, x, tight, {});
    std::vector<float> y(rows * out), bad = x;
    table.matmul(x.data(), in, rows, w, 0, 3, nullptr, y.data(), out);
    CHECK(same_bits(y, before));

    bad[2 * in + 1] = infinity;
    bad[4 * in + 3] = std::nanf("");
    table.matmul(bad.data(), in, rows, w, 0, 3, nullptr, y.data(), out);
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t j = 0; j < out; ++j) {
        const float at = y[r * out + j];
        if (r == 2) CHECK(at == (tight.view()(1, j) > 0 ? infinity : -infinity));
        if (r == 4) CHECK(std::isnan(at));
        if (r != 2 && r != 4) CHECK(bits(at) == bits(before[r * out + j]));
      }
  }
}

TEST_CASE("the sign of zero is kept", "[kernels][matmul]") {
  for (const Table& table : tables()) {
    CAPTURE(table.name);
    const std::size_t out = 5 * table.panel + 1;
    const Packed w = Packed::from({std::vector<float>(out, 1.0f).data(), 1, out}, table.panel);
    const std::vector<float> minus(out, -0.0f);
    for (float y : product(table, {3, 1, out}, {-0.0f, -0.0f, -0.0f}, w, minus)) CHECK(bits(y) == bits(-0.0f));
  }
}

TEST_CASE("a packed matrix gives back what was put in", "[kernels]") {
  const std::size_t in = 7, out = 19;
  const std::vector<float> w = noise(in * out, 1);
  std::vector<float> transposed(w.size()), column(in);
  for (std::size_t i = 0; i < in; ++i)
    for (std::size_t j = 0; j < out; ++j) transposed[j * in + i] = w[i * out + j];
  for (std::size_t panel : {8u, 16u, 32u}) {
    const Packed a = Packed::from({w.data(), in, out}, panel);
    const Packed b = Packed::from_transposed({transposed.data(), out, in}, panel);
    CHECK(a.view().panels() == (out + panel - 1) / panel);
    CHECK(a.bytes() == a.view().panels() * panel * in * sizeof(float));
    CHECK(reinterpret_cast<std::uintptr_t>(a.view().data) % kCacheLine == 0);
    for (std::size_t j = 0; j < out; ++j) {
      b.read_column(j, column.data());
      for (std::size_t i = 0; i < in; ++i) {
        CHECK(a.view()(i, j) == w[i * out + j]);
        CHECK(column[i] == w[i * out + j]);
      }
    }
  }
}

TEST_CASE("a table can be forced by its name, and an unknown one is said", "[kernels]") {
  const Table* before = &active();
  CHECK(before == &tables().back());
  CHECK(tables().front().name == "scalar");
  CHECK(tables().size() >= 2);
  for (const Table& table : tables()) {
    REQUIRE(force(table.name));
    CHECK(&active() == &table);
  }
  REQUIRE(force("scalar"));
  const auto none = force("abacus");
  REQUIRE_FALSE(none);
  CHECK(none.error().sentence.starts_with("There are no kernels called abacus here; there are scalar, "));
  CHECK(active().name == "scalar");
  REQUIRE(force(before->name));
}

}  // namespace matmul_test
