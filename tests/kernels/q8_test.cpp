#include "kernels/q8.h"

#include <catch_amalgamated.hpp>

#include "tests/kernels/samples.h"

namespace q8_test {

using namespace helix;
using namespace helix::kernels;
using namespace helix::kernels::samples;

namespace {

constexpr auto kForms = {Q8RowsView::Form::kDigits, Q8RowsView::Form::kShorts};

struct Product {
  std::size_t rows, in, out;
  int digits = 1;
};

/// x·W + bias with these kernels, from the float numbers.
std::vector<float> product(const Q8Kernels& kernels, Product p, const std::vector<float>& x,
                           const std::vector<float>& w, const float* bias) {
  const PackedQ8 packed = PackedQ8::from({w.data(), p.in, p.out}, kernels.panel);
  Q8Rows rows;
  rows.assign(x.data(), p.in, p.rows, p.in, p.digits, kernels.form);
  std::vector<float> y(p.rows * p.out, Guarded::kMark);
  kernels.matmul(rows.view(), 0, p.rows, packed.view(), 0, packed.view().panels(), bias, y.data(), p.out);
  return y;
}

/// Approximately normal numbers: sums of twelve uniform ones.
std::vector<float> normal(std::size_t n, unsigned seed) {
  const std::vector<float> even = noise(12 * n, seed);
  std::vector<float> numbers(n, 0.0f);
  for (std::size_t i = 0; i < 12 * n; ++i) numbers[i / 12] += even[i] / 2;
  return numbers;
}

/// Relative error of one layer, in the root mean square.
double layer_error(int digits, bool outliers) {
  const std::size_t rows = 24, in = 768, out = 96;
  std::vector<float> x = normal(rows * in, 5), w = normal(in * out, 6);
  for (std::size_t i : {37u, 138u, 378u, 447u}) {
    for (std::size_t r = 0; outliers && r < rows; ++r) x[r * in + i] *= 20;
    for (std::size_t j = 0; outliers && j < out; ++j) w[i * out + j] /= 20;
  }
  const std::vector<float> y = product(q8_kernels().back(), {rows, in, out, digits}, x, w, nullptr);
  double error = 0, size = 0;
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t j = 0; j < out; ++j) {
      double exact = 0;
      for (std::size_t i = 0; i < in; ++i) exact += double(x[r * in + i]) * w[i * out + j];
      error += (y[r * out + j] - exact) * (y[r * out + j] - exact);
      size += exact * exact;
    }
  return std::sqrt(error / size);
}

}  // namespace

TEST_CASE("all 8-bit products are the scalar ones, to the last bit", "[kernels][q8]") {
  const Q8Kernels& scalar = q8_kernels().front();
  REQUIRE(scalar.name == "scalar");
  for (const Q8Kernels& kernels : q8_kernels()) {
    const std::size_t p = kernels.panel;
    for (int digits : {1, 2})
      for (std::size_t rows : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 11u, 12u, 13u})
        for (std::size_t in : {0u, 1u, 3u, 63u, 64u, 65u, 200u})
          for (std::size_t out : {std::size_t(1), p - 1, p, p + 1, 4 * p - 1, 4 * p + 1, 9 * p}) {
            CAPTURE(kernels.name, digits, rows, in, out);
            const std::vector<float> x = noise(rows * in, 1), w = noise(in * out, 2), bias = noise(out, 3);
            const float* b = (rows + in) % 2 ? bias.data() : nullptr;
            const Product size{rows, in, out, digits};
            CHECK(same_bits(product(kernels, size, x, w, b), product(scalar, size, x, w, b)));
          }
    for (Product size : {Product{200, 130, 37, 1}, {7, 833, 37, 2}, {2, 833, 37, 2}, {5, 3072, 35, 1}}) {
      CAPTURE(kernels.name, size.rows, size.in);
      const std::vector<float> x = noise(size.rows * size.in, 1), w = noise(size.in * size.out, 2);
      CHECK(same_bits(product(kernels, size, x, w, nullptr), product(scalar, size, x, w, nullptr)));
    }
  }
}

TEST_CASE("an 8-bit product does not overflow at its largest", "[kernels][q8]") {
  for (const Q8Kernels& kernels : q8_kernels())
    for (int digits : {1, 2})
      for (float sign : {1.0f, -1.0f}) {
        CAPTURE(kernels.name, digits, sign);
        const std::size_t in = 128, out = kernels.panel + 1;
        const std::vector<float> x(3 * in, sign * static_cast<float>(Q8Rows::steps(digits))), w(in * out, 127.0f);
        const float exact = sign * 128 * 127 * static_cast<float>(Q8Rows::steps(digits));
        for (float y : product(kernels, {3, in, out, digits}, x, w, nullptr)) CHECK(y == exact);
      }
}

TEST_CASE("an 8-bit product is that of the integers, and near that of the numbers", "[kernels][q8]") {
  const std::size_t rows = 5, in = 150, out = 11;
  const std::vector<float> x = noise(rows * in, 1), numbers = noise(in * out, 2), bias = noise(out, 3);
  const PackedQ8 packed = PackedQ8::from({numbers.data(), in, out}, 8);
  std::vector<float> column(in);
  for (int digits : {1, 2}) {
    Q8Rows q;
    const Q8RowsView view = q.assign(x.data(), in, rows, in, digits, Q8RowsView::Form::kDigits);
    const std::vector<float> y = product(q8_kernels().front(), {rows, in, out, digits}, x, numbers, bias.data());
    for (std::size_t j = 0; j < out; ++j) {
      packed.read_column(j, column.data());
      for (std::size_t i = 0; i < in; ++i) CHECK(std::fabs(column[i] - numbers[i * out + j]) <= 0.501 / 127);
      for (std::size_t r = 0; r < rows; ++r) {
        double exact = bias[j];
        for (std::size_t i = 0; i < in; ++i)
          exact += double(view.integer(r, i)) * view.grid(r, i / kQ8Group).scale * column[i];
        CHECK(std::fabs(y[r * out + j] - exact) < 1e-4);
      }
    }
  }
}

TEST_CASE("rows become integers: each within half a step, halves to even", "[kernels][q8]") {
  for (auto form : kForms)
    for (int digits : {1, 2}) {
      const int steps = Q8Rows::steps(digits);
      CAPTURE(digits);
      std::vector<float> x = noise(3 * 70, 9);
      for (float& v : x) v *= 3;
      for (std::size_t i = 70; i < 140; ++i) x[i] = std::fabs(x[i]);
      for (std::size_t i = 140; i < 210; ++i) x[i] = 0.1f * x[i] - 2;
      Q8Rows q;
      const Q8RowsView view = q.assign(x.data(), 70, 3, 67, digits, form);
      for (std::size_t r = 0; r < 3; ++r)
        for (std::size_t i = 0; i < 67; ++i) {
          const auto [scale, low] = view.grid(r, i / kQ8Group);
          const int least = low * (digits == 1 ? 1 : 128);
          CHECK((low <= 0 && low >= -127));
          CHECK((view.integer(r, i) >= least && view.integer(r, i) <= least + (digits == 1 ? 127 : 16383)));
          CHECK(std::fabs(static_cast<float>(view.integer(r, i)) * scale - x[r * 70 + i]) <= 0.501f * scale);
        }
      // All steps are used, wherever the range lies; the scale is one, so errors of half a step are visible.
      for (int least : {0, -1, -steps / 2, -steps}) {
        const auto low = static_cast<float>(least), high = static_cast<float>(least + steps);
        const std::vector<float> halves = {low, high, least < 0 ? -0.5f : 0.5f, least < -1 ? -1.5f : 1.5f, 0.0f};
        const Q8RowsView small = q.assign(halves.data(), 5, 1, 5, digits, form);
        CHECK(small.grid(0, 0).scale == 1.0f);
        CHECK(small.grid(0, 0).low == (digits == 1 ? least : -((127 - least) / 128)));
        const std::vector<int> expected{least, least + steps, 0, least < -1 ? -2 : 2, 0};
        for (std::size_t i = 0; i < 5; ++i) CHECK(small.integer(0, i) == expected[i]);
      }
    }
}

TEST_CASE("rows of zeros, of tiny numbers, of infinities and NaN", "[kernels][q8]") {
  for (const Q8Kernels& kernels : q8_kernels())
    for (int digits : {1, 2}) {
      CAPTURE(kernels.name, digits);
      const std::size_t in = 130, out = 5, rows = 7;
      const std::vector<float> w = noise(in * out, 2), bias = noise(out, 3);
      std::vector<float> x = noise(rows * in, 1);
      const std::vector<float> before = product(kernels, {rows, in, out, digits}, x, w, bias.data());
      for (std::size_t i = 0; i < in; ++i) {
        x[0 * in + i] = 0;
        x[1 * in + i] = 1e-38f;
        x[2 * in + i] = 1e-42f;
      }
      x[3 * in + 129] = std::nanf("");
      x[4 * in + 70] = std::numeric_limits<float>::infinity();
      for (std::size_t i = 0; i < in; ++i) x[5 * in + i] *= 1e30f;
      const std::vector<float> y = product(kernels, {rows, in, out, digits}, x, w, bias.data());
      for (std::size_t j = 0; j < out; ++j) {
        for (std::size_t r : {0u, 1u, 2u}) CHECK(y[r * out + j] == bias[j]);
        CHECK(std::isnan(y[3 * out + j]));
        CHECK(std::isnan(y[4 * out + j]));
        CHECK(std::fabs(y[5 * out + j] / 1e30f - (before[5 * out + j] - bias[j])) < 1e-4);
        CHECK(bits(y[6 * out + j]) == bits(before[6 * out + j]));
      }
      for (float v :
           product(kernels, {rows, in, out, digits}, before.size() < x.size() ? std::vector<float>(rows * in, 1.0f) : x,
                   std::vector<float>(in * out, 0.0f), nullptr))
        CHECK(v == 0);
    }
}

TEST_CASE("an 8-bit row does not depend on the rows and panels beside it, and writes only there", "[kernels][q8]") {
  for (const Q8Kernels& kernels : q8_kernels()) {
    CAPTURE(kernels.name);
    const std::size_t rows = 15, in = 900, out = kernels.panel * 5 + 3, ldy = out + 5;
    const std::vector<float> x = noise(rows * in, 1), w = noise(in * out, 2), bias = noise(out, 3);
    const PackedQ8 packed = PackedQ8::from({w.data(), in, out}, kernels.panel);
    const std::size_t panels = packed.view().panels();
    Q8Rows q;
    q.assign(x.data(), in, rows, in, 1, kernels.form);
    const std::vector<float> all = product(kernels, {rows, in, out}, x, w, bias.data());
    for (std::size_t height = 1; height <= 13; ++height)
      for (std::size_t width : {std::size_t(1), std::size_t(2), std::size_t(4), panels}) {
        CAPTURE(height, width);
        Guarded y(rows * ldy, height % 4);
        for (std::size_t r = 0; r < rows; r += height)
          for (std::size_t p = 0; p < panels; p += width)
            kernels.matmul(q.view(), r, std::min(height, rows - r), packed.view(), p, std::min(p + width, panels),
                           bias.data(), y.data() + r * ldy, ldy);
        CHECK(y.untouched_around());
        bool right = true;
        for (std::size_t r = 0; r < rows; ++r)
          for (std::size_t j = 0; j < ldy; ++j)
            right &= bits(y.data()[r * ldy + j]) == bits(j < out ? all[r * out + j] : Guarded::kMark);
        CHECK(right);
      }
  }
}

TEST_CASE("8-bit weights are the same from rows, from columns and from the transpose", "[kernels][q8]") {
  const std::size_t in = 150, out = 21;
  std::vector<float> w = noise(in * out, 2), transposed(in * out), a(in), b(in), c(in);
  for (std::size_t i = 0; i < 64; ++i) w[i * out + 4] = 0;  // a group of zeros
  w[70 * out + 4] = std::nanf("");
  for (std::size_t i = 0; i < in; ++i)
    for (std::size_t j = 0; j < out; ++j) transposed[j * in + i] = w[i * out + j];
  for (std::size_t panel : {4u, 8u, 16u, 32u}) {
    const PackedQ8 rows = PackedQ8::from({w.data(), in, out}, panel);
    const PackedQ8 columns = PackedQ8::from_transposed({transposed.data(), out, in}, panel);
    PackedQ8 some(in, out, panel);
    for (std::size_t j = 0; j < out; ++j) some.set_column(j, &transposed[j * in]);
    REQUIRE(rows.bytes() == (out + panel - 1) / panel * panel * 3 * 70);
    CHECK(std::memcmp(rows.view().data, columns.view().data, rows.bytes()) == 0);
    CHECK(std::memcmp(rows.view().data, some.view().data, rows.bytes()) == 0);
    for (std::size_t i = 0; i < 64; ++i) CHECK(rows.view().weight(i, 4) == 0);
  }
}

TEST_CASE("8-bit weights that were quantised before are the same bits", "[kernels][q8]") {
  const std::size_t in = 150, out = 21, groups = 3;
  const std::vector<float> w = noise(in * out, 4);
  std::vector<std::int8_t> integers(in * out), transposed(in * out), group(64);
  std::vector<float> by_row(groups * out), by_column(groups * out);
  for (std::size_t j = 0; j < out; ++j)
    for (std::size_t g = 0; g < groups; ++g) {
      const std::size_t count = std::min<std::size_t>(64, in - g * 64);
      const float scale = quantise_weights(&w[g * 64 * out + j], out, count, group.data());
      by_row[g * out + j] = by_column[j * groups + g] = scale;
      for (std::size_t k = 0; k < count; ++k)
        integers[(g * 64 + k) * out + j] = transposed[j * in + g * 64 + k] = group[k];
    }
  for (std::size_t panel : {4u, 8u, 16u, 32u}) {
    const PackedQ8 floats = PackedQ8::from({w.data(), in, out}, panel);
    PackedQ8 rows(in, out, panel), columns(in, out, panel);
    for (std::size_t i = 0; i < in; i += 64) {
      const std::size_t count = std::min<std::size_t>(64, in - i);
      rows.set_rows(i, MatrixView<const std::int8_t>(&integers[i * out], count, out), &by_row[i / 64 * out]);
    }
    for (std::size_t j = 0; j < out; ++j) columns.set_column(j, &transposed[j * in], &by_column[j * groups]);
    CHECK(std::memcmp(floats.view().data, rows.view().data, floats.bytes()) == 0);
    CHECK(std::memcmp(floats.view().data, columns.view().data, floats.bytes()) == 0);
  }
}

TEST_CASE("8-bit products keep a layer's numbers, with outliers too", "[kernels][q8]") {
  CHECK(layer_error(1, false) < 0.0135);
  CHECK(layer_error(2, false) < 0.0075);
  // Int8 weights and activations with one scale per row would give 7 % here.
  CHECK(layer_error(1, true) < 0.045);
  CHECK(layer_error(2, true) < 0.012);
}

TEST_CASE("every table has 8-bit products", "[kernels][q8]") {
  for (const Table& table : tables()) {
    CAPTURE(table.name, table.q8.name);
    CHECK(table.q8.matmul != nullptr);
    CHECK((table.q8.name == "scalar") == (table.name == "scalar"));
  }
  CHECK(tables().back().q8.name == q8_kernels().back().name);
}

}  // namespace q8_test
