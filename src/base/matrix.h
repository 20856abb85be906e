// Row-major matrices as plain values and views: what the layers hand to each other instead of library types.
#pragma once

#include <cassert>
#include <cstddef>
#include <span>
#include <vector>

namespace helix {

/// A view of rows x cols numbers, row-major, rows `stride` apart. Does not own.
template <class T>
struct MatrixView {
  T* data = nullptr;
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::size_t stride = 0;

  MatrixView() = default;
  MatrixView(T* from, std::size_t n, std::size_t d) : MatrixView(from, n, d, d) {}
  MatrixView(T* from, std::size_t n, std::size_t d, std::size_t apart) : data(from), rows(n), cols(d), stride(apart) {}
  /// A mutable view reads as a const one.
  operator MatrixView<const T>() const { return {data, rows, cols, stride}; }

  std::span<T> row(std::size_t i) const {
    assert(i < rows);
    return {data + i * stride, cols};
  }
  T& operator()(std::size_t i, std::size_t j) const {
    assert(i < rows && j < cols);
    return data[i * stride + j];
  }
  /// Rows first .. first+count-1.
  MatrixView slice(std::size_t first, std::size_t count) const {
    assert(first + count <= rows);
    return {data + first * stride, count, cols, stride};
  }
};

/// A matrix that owns its rows x cols numbers, row-major.
template <class T>
struct Matrix {
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::vector<T> data;

  Matrix() = default;
  Matrix(std::size_t n, std::size_t d) : rows(n), cols(d), data(n * d) {}

  T& operator()(std::size_t i, std::size_t j) {
    assert(i < rows && j < cols);
    return data[i * cols + j];
  }
  const T& operator()(std::size_t i, std::size_t j) const {
    assert(i < rows && j < cols);
    return data[i * cols + j];
  }
  std::span<T> row(std::size_t i) { return {data.data() + i * cols, cols}; }
  std::span<const T> row(std::size_t i) const { return {data.data() + i * cols, cols}; }
  MatrixView<T> view() { return {data.data(), rows, cols}; }
  MatrixView<const T> view() const { return {data.data(), rows, cols}; }
  operator MatrixView<const T>() const { return view(); }
};

}  // namespace helix
