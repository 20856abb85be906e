// Shared test helpers: planted positions, weights made in memory, and a budget for fuzzing.
#pragma once

#include <catch_amalgamated.hpp>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <numbers>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/matrix.h"
#include "base/schema.h"
#include "checkpoint/weights.h"
#include "tests/checkpoint/safetensors_bytes.h"

namespace helix::testing {

/// A loop that fuzzes for HELIXSCOPE_FUZZ_SECONDS (2 by default), and at least `rounds` times.
class Fuzzing {
 public:
  explicit Fuzzing(int rounds) : rounds_(rounds) {
    const char* given = std::getenv("HELIXSCOPE_FUZZ_SECONDS");
    const double seconds = given ? std::atof(given) : 2;
    end_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(static_cast<long>(seconds * 1000));
  }
  bool more() { return rounds_-- > 0 || std::chrono::steady_clock::now() < end_; }

 private:
  int rounds_;
  std::chrono::steady_clock::time_point end_;
};

/// Seeded, and the same on every machine (unlike the standard library's distributions).
class Dice {
 public:
  explicit Dice(unsigned seed) : bits_(seed) {}
  std::size_t below(std::size_t n) { return n ? static_cast<std::size_t>(bits_()) % n : 0; }
  double unit() { return static_cast<double>(bits_() >> 11) * 0x1p-53; }
  double between(double low, double high) { return low + (high - low) * unit(); }
  double normal() {  // Box and Muller
    return std::sqrt(-2 * std::log(1 - unit())) * std::cos(2 * std::numbers::pi * unit());
  }
  template <class T>
  const T& one_of(const std::vector<T>& list) {
    return list[below(list.size())];
  }

 private:
  std::mt19937_64 bits_;
};

/// Changes, adds, drops or duplicates a few bytes of a text.
inline std::string mutated(std::string text, Dice& dice) {
  for (std::size_t i = 0, n = 1 + dice.below(4); i < n && !text.empty(); ++i) {
    const std::size_t at = dice.below(text.size());
    switch (dice.below(5)) {
      case 0:
        text[at] = static_cast<char>(dice.below(256));
        break;
      case 1:
        text.erase(at, 1 + dice.below(8));
        break;
      case 2:
        text.insert(at, 1, static_cast<char>(dice.below(256)));
        break;
      case 3:
        text.insert(at, text.substr(dice.below(text.size()), 1 + dice.below(24)));
        break;
      default:
        text[at] = "0123456789-.eE[]{}\",:%&=#"[dice.below(25)];
    }
  }
  return text;
}

/// Positions on a helix of `turns` turns in a space of d dimensions, off-centre, with noise of size `noise` in
/// every dimension. Row 0 lies far away, as in GPT-2.
inline Matrix<double> helix_rows(std::size_t n, std::size_t d, double turns, double noise, unsigned seed = 1) {
  Dice dice(seed);
  std::vector<std::vector<double>> axes;  // orthonormal, by Gram and Schmidt
  while (axes.size() < 3) {
    std::vector<double> v(d);
    for (double& x : v) x = dice.normal();
    for (const auto& a : axes) {
      double dot = 0;
      for (std::size_t j = 0; j < d; ++j) dot += a[j] * v[j];
      for (std::size_t j = 0; j < d; ++j) v[j] -= dot * a[j];
    }
    double size = 0;
    for (const double x : v) size += x * x;
    for (double& x : v) x /= std::sqrt(size);
    axes.push_back(v);
  }
  Matrix<double> rows(n, d);
  for (std::size_t i = 0; i < n; ++i) {
    const double t = static_cast<double>(i) / static_cast<double>(n - 1), angle = 2 * std::numbers::pi * turns * t;
    const double at[3] = {2 * std::cos(angle), 2 * std::sin(angle), 3 * (t - 0.5)};
    for (std::size_t j = 0; j < d; ++j) {
      rows(i, j) = 0.5 + noise * dice.normal() + (i == 0 ? 6.0 * axes[0][j] : 0);
      for (std::size_t k = 0; k < 3; ++k) rows(i, j) += at[k] * axes[k][j];
    }
  }
  return rows;
}

inline Matrix<double> noise_rows(std::size_t n, std::size_t d, unsigned seed = 1) {
  Dice dice(seed);
  Matrix<double> rows(n, d);
  for (double& x : rows.data) x = dice.normal();
  return rows;
}

/// A checkpoint that holds these rows as its wpe. `gap`: bytes of another tensor before it.
inline Bytes checkpoint_of(const Matrix<double>& wpe, std::size_t gap = 0) {
  std::vector<testing::Entry> entries;
  if (gap) entries.push_back({"gap", {gap}, "U8", 1});
  entries.push_back({"wpe.weight", {wpe.rows, wpe.cols}});
  Bytes file = testing::file_of(entries);
  const std::size_t begin = file.size() - wpe.data.size() * sizeof(float);
  for (std::size_t i = 0; i < wpe.data.size(); ++i) {
    const auto x = static_cast<float>(wpe.data[i]);
    std::memcpy(&file[begin + i * sizeof x], &x, sizeof x);
  }
  return file;
}

inline std::shared_ptr<const checkpoint::WeightFile> weights_of(const Bytes& file) {
  const auto weights = std::make_shared<checkpoint::WeightFile>("planted", file.size());
  const std::vector<std::string> names{"wpe.weight"};
  weights->want(names);
  REQUIRE(weights->feed(0, file));
  return weights;
}

/// The path of a file of the repository, from any working directory.
std::string in_repository(const std::string& path);

/// GPT-2 small's weights, if a copy is available: HELIXSCOPE_GPT2, else shared/gpt2 beside the repository.
inline std::optional<std::string> gpt2_path() {
  const char* given = std::getenv("HELIXSCOPE_GPT2");
  const std::string path = given ? given : in_repository("../shared/gpt2");
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return std::nullopt;
  return path;
}

/// One sentence a visitor can read: it ends with a full stop, contains no control bytes and names `part`.
inline void check_sentence(const std::string& text, const std::string& part = {}) {
  INFO(text);
  CHECK(text.size() > 10);
  CHECK(text.size() < 600);
  CHECK(text.ends_with('.'));
  CHECK(text.find(part) != std::string::npos);
  for (const char c : text)
    if (static_cast<unsigned char>(c) < 0x20) FAIL_CHECK("a control byte in the sentence");
}

/// The defaults of a study with some of them replaced; an unknown name is a failure.
inline ParamValues values_of(const StudySchema& schema, const ParamValues& changes = {}) {
  ParamValues values = defaults(schema);
  for (const auto& [key, text] : changes) REQUIRE(set_value(schema, values, key, text, true));
  return values;
}

}  // namespace helix::testing
