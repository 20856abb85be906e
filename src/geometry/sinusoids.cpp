#include "geometry/sinusoids.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace helix::geometry {
namespace {

constexpr double kTau = 2 * std::numbers::pi;
constexpr std::size_t kFewest = 8;        // points
constexpr double kLeastCycles = 0.5;      // below this, a sinusoid with an offset fits any gentle bend
constexpr double kStep = 0.25, kLow = 3;  // low frequencies that are tried one by one: the periodogram blurs them
constexpr std::size_t kPeaks = 3;         // of the periodogram that are refined
constexpr int kFirstSteps = 8;            // of each start; a step shrinks the interval by 0.618: 1 cycle to 0.02
constexpr int kLastSteps = 18;            // of the best: to 4e-6 cycles

/// Of centred values at one frequency: coefficients of cosine and sine, and the share of Σy² they explain.
struct Waves {
  double cosine = 0, sine = 0, r2 = 0;
  double cosine_mean = 0, sine_mean = 0;
};

Waves waves_at(std::span<const double> y, double energy, double cycles) {
  const auto n = static_cast<double>(y.size());
  const double turn = kTau * cycles / n, cs = std::cos(turn), sn = std::sin(turn);
  double c = 1, s = 0, sum_c = 0, sum_s = 0, cc = 0, ss = 0, cross = 0, yc = 0, ys = 0;
  for (const double v : y) {
    sum_c += c, sum_s += s, cc += c * c, ss += s * s, cross += c * s, yc += v * c, ys += v * s;
    const double next = c * cs - s * sn;
    s = s * cs + c * sn, c = next;
  }
  cc -= sum_c * sum_c / n, ss -= sum_s * sum_s / n, cross -= sum_c * sum_s / n;  // about their means, as y is
  Waves out;
  out.cosine_mean = sum_c / n, out.sine_mean = sum_s / n;
  const double determinant = cc * ss - cross * cross;
  if (determinant > 1e-12 * n * n) {
    out.cosine = (yc * ss - ys * cross) / determinant, out.sine = (ys * cc - yc * cross) / determinant;
  } else {  // at n/2 cycles there is only a cosine
    out.cosine = cc > 0 ? yc / cc : 0;
  }
  out.r2 = (out.cosine * yc + out.sine * ys) / energy;
  return out;
}

/// In place, of a power of two entries (Cooley and Tukey).
void fourier(std::vector<double>& re, std::vector<double>& im) {
  const std::size_t m = re.size();
  for (std::size_t i = 1, j = 0; i < m; ++i) {
    std::size_t bit = m >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(re[i], re[j]), std::swap(im[i], im[j]);
  }
  for (std::size_t half = 1; half < m; half *= 2) {
    const double turn = -std::numbers::pi / static_cast<double>(half);
    for (std::size_t k = 0; k < half; ++k) {
      const double c = std::cos(turn * static_cast<double>(k)), s = std::sin(turn * static_cast<double>(k));
      for (std::size_t i = k; i < m; i += 2 * half) {
        const double x = re[i + half] * c - im[i + half] * s, y = re[i + half] * s + im[i + half] * c;
        re[i + half] = re[i] - x, im[i + half] = im[i] - y, re[i] += x, im[i] += y;
      }
    }
  }
}

/// The frequencies of the highest peaks of the periodogram, in cycles over the points; each to about half a cycle.
std::vector<double> highest_peaks(std::span<const double> y) {
  const std::size_t m = std::bit_ceil(2 * y.size());
  std::vector<double> re(m, 0), im(m, 0);
  std::ranges::copy(y, re.begin());
  fourier(re, im);
  std::vector<double> power(m / 2 + 2, 0);
  for (std::size_t k = 1; k <= m / 2; ++k) power[k] = re[k] * re[k] + im[k] * im[k];
  std::vector<std::size_t> peaks;
  for (std::size_t k = 1; k <= m / 2; ++k)
    if (power[k] >= power[k - 1] && power[k] > power[k + 1]) peaks.push_back(k);
  const std::size_t count = std::min(peaks.size(), kPeaks);
  std::partial_sort(
      peaks.begin(), peaks.begin() + static_cast<std::ptrdiff_t>(count), peaks.end(),
      [&](std::size_t a, std::size_t b) { return power[a] > power[b] || (power[a] == power[b] && a < b); });
  std::vector<double> out;
  for (std::size_t i = 0; i < count; ++i)
    out.push_back(static_cast<double>(peaks[i] * y.size()) / static_cast<double>(m));
  return out;
}

/// The best of evenly spaced low frequencies.
double best_low(std::span<const double> y, double energy, double most) {
  double best = -1, at = kLeastCycles;
  for (double cycles = kLeastCycles; cycles <= std::min(kLow, most); cycles += kStep)
    if (const double r2 = waves_at(y, energy, cycles).r2; r2 > best) best = r2, at = cycles;
  return at;
}

/// A frequency, and how near it is known.
struct Fitted {
  double cycles = 0, within = 0, r2 = -1;
};

/// The best frequency within `from.within` of `from`, by golden section; never worse than `from`.
Fitted refined(std::span<const double> y, double energy, Fitted from, double most, int steps) {
  constexpr double kGolden = 0.6180339887498949;
  double low = std::max(from.cycles - from.within, kLeastCycles), high = std::min(from.cycles + from.within, most);
  double a = high - kGolden * (high - low), b = low + kGolden * (high - low);
  double at_a = waves_at(y, energy, a).r2, at_b = waves_at(y, energy, b).r2;
  for (int i = 0; i < steps; ++i) {
    if (at_a < at_b) {
      low = a, a = b, at_a = at_b, b = low + kGolden * (high - low), at_b = waves_at(y, energy, b).r2;
    } else {
      high = b, b = a, at_b = at_a, a = high - kGolden * (high - low), at_a = waves_at(y, energy, a).r2;
    }
  }
  const Fitted end = at_a < at_b ? Fitted{b, high - low, at_b} : Fitted{a, high - low, at_a};
  return end.r2 > from.r2 ? end : Fitted{from.cycles, high - low, from.r2};
}

}  // namespace

Sinusoid fit_sinusoid(std::span<const double> y) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const auto n = static_cast<double>(y.size());
  double mean = 0, energy = 0;
  for (const double v : y) mean += v / n;
  for (const double v : y) energy += (v - mean) * (v - mean);
  if (y.size() < kFewest || !std::isfinite(energy) || energy <= 1e-24 * mean * mean * n)
    return {kNan, kNan, kNan, mean, kNan};
  std::vector<double> centred(y.begin(), y.end());
  for (double& v : centred) v -= mean;
  const double most = n / 2;
  std::vector<double> starts = highest_peaks(centred);
  starts.push_back(best_low(centred, energy, most));
  Fitted best;
  for (const double start : starts) {
    const double cycles = std::clamp(start, kLeastCycles, most);
    const Fitted near{cycles, 0.5, waves_at(centred, energy, cycles).r2};
    if (const Fitted one = refined(centred, energy, near, most, kFirstSteps); one.r2 > best.r2) best = one;
  }
  best = refined(centred, energy, best, most, kLastSteps);
  const Waves w = waves_at(centred, energy, best.cycles);
  return {best.cycles, std::hypot(w.cosine, w.sine), std::atan2(w.cosine, w.sine),
          mean - w.cosine * w.cosine_mean - w.sine * w.sine_mean, std::clamp(w.r2, 0.0, 1.0)};
}

std::vector<double> sinusoid_values(const Sinusoid& fit, std::size_t n) {
  std::vector<double> out(n);
  for (std::size_t t = 0; t < n; ++t)
    out[t] = fit.offset +
             fit.amplitude * std::sin(kTau * fit.cycles * static_cast<double>(t) / static_cast<double>(n) + fit.phase);
  return out;
}

}  // namespace helix::geometry
