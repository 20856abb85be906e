#include "figure/ticks.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace helix::figure {
namespace {

constexpr int kMostTicks = 200;

/// As many decimals as a step has.
int digits_of(double step) { return std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 12); }

std::string superscript(int number) {
  static constexpr const char* kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string out = number < 0 ? "⁻" : "";
  for (const char c : std::to_string(std::abs(number))) out += kDigits[c - '0'];
  return out;
}

/// 1, 2 or 5 times a power of ten, without superfluous digits.
std::string round_text(int part, int exponent) {
  if (exponent >= -3 && exponent <= 4) return to_fixed(part * std::pow(10.0, exponent), std::max(-exponent, 0));
  return (part == 1 ? "" : std::to_string(part) + "·") + "10" + superscript(exponent);
}

/// 1, 2 and 5 times each power of ten, for ranges with fewer than two powers of ten.
std::vector<Tick> parts_of_decades(double low, double high) {
  std::vector<Tick> out;
  const int first = static_cast<int>(std::floor(std::log10(low))),
            last = static_cast<int>(std::floor(std::log10(high)));
  for (int e = first; e <= last; ++e)
    for (const int part : {1, 2, 5})
      if (const double value = part * std::pow(10.0, e); value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9))
        out.push_back({value, round_text(part, e)});
  return out;
}

/// A tick at every n-th power of ten.
int decade_step(int decades, int count) { return std::max(1, (decades + count - 1) / std::max(count, 1)); }

std::vector<Tick> log_ticks(double low, double high, int count) {
  std::vector<Tick> out;
  if (!(low > 0) || !(high > low)) return out;
  const int first = static_cast<int>(std::ceil(std::log10(low) - 1e-9)),
            last = static_cast<int>(std::floor(std::log10(high) + 1e-9));
  for (int e = first; e <= last; e += decade_step(last - first + 1, count))
    out.push_back({std::pow(10.0, e), round_text(1, e)});
  return out.size() >= 2 ? out : parts_of_decades(low, high);
}

/// The same powers of ten on both sides of zero.
std::vector<Tick> symlog_ticks(double low, double high, int count) {
  const double most = std::max(std::abs(low), std::abs(high));
  const double each =
      (straightened(ScaleKind::symlog, high) - straightened(ScaleKind::symlog, low)) / std::max(count, 1);
  std::vector<Tick> above;
  if (most < 10) {
    above = parts_of_decades(1, most);
  } else {
    const int step = std::max(1, static_cast<int>(std::ceil(each - 1e-9)));
    for (int e = 0; e <= std::log10(most) + 1e-9; e += step)
      if (e > 0 || std::log10(2.0) > 0.4 * each)  // 1 is near 0: only if both labels fit
        above.push_back({std::pow(10.0, e), round_text(1, e)});
  }
  std::vector<Tick> out;
  for (auto t = above.rbegin(); t != above.rend(); ++t)
    if (-t->value >= low && -t->value <= high) out.push_back({-t->value, "−" + t->text});
  if (low <= 0 && high >= 0) out.push_back({0, "0"});
  for (const Tick& t : above)
    if (t.value >= low && t.value <= high) out.push_back(t);
  return out;
}

std::vector<Tick> linear_ticks(const Scale& scale, double low, double high, int count) {
  const double factor = scale.percent ? 100 : 1;
  const double step = nice_step((high - low) * factor, count);
  std::vector<Tick> out;
  const double first = std::ceil(low * factor / step - 1e-6), last = std::floor(high * factor / step + 1e-6);
  for (double i = first; i <= last && out.size() < kMostTicks; ++i)
    out.push_back({i * step / factor, tick_text(i * step, step) + (scale.percent ? " %" : "")});
  return out;
}

}  // namespace

double nice_step(double span, int count) {
  if (!(span > 0) || !std::isfinite(span)) return 1;
  const double raw = span / std::max(count, 1);
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  const double part = raw / power;
  return power * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
}

std::string tick_text(double value, double step) {
  const double rounded = std::round(value / step) * step;
  if (std::abs(rounded) >= 1e5 && step >= 1) {
    const std::string text = with_thousands(static_cast<long long>(std::abs(rounded)));
    return rounded < 0 ? "−" + text : text;
  }
  const std::string text = to_fixed(std::abs(rounded), digits_of(step));
  return rounded < 0 && text.find_first_not_of("0.,") != std::string::npos ? "−" + text : text;
}

std::string short_number(double value) {
  if (!std::isfinite(value)) return std::isnan(value) ? "–" : value < 0 ? "−∞" : "∞";
  const double size = std::abs(value);
  const std::string sign = value < 0 ? "−" : "";
  if (size == 0) return "0";
  if (size < 1e-3 || size >= 1e6) {
    int exponent = static_cast<int>(std::floor(std::log10(size)));
    if (size / std::pow(10.0, exponent) >= 9.95) ++exponent;  // 10.0 is written as 1.0 times the next power
    return sign + to_fixed(size / std::pow(10.0, exponent), 1) + "·10" + superscript(exponent);
  }
  return sign + (size >= 100 ? to_fixed(size, 0) : size >= 10 ? to_fixed(size, 1) : to_fixed(size, size < 0.1 ? 3 : 2));
}

std::string plain_number(double value) {
  const double size = std::abs(value);
  if (!(size == 0 || (size >= 1e-3 && size < 1e6))) return short_number(value);
  return (value < 0 ? "−" : "") + to_fixed(size, size == std::floor(size) ? 0 : 4);
}

double straightened(ScaleKind kind, double value) {
  if (kind == ScaleKind::log) return value > 0 ? std::log10(value) : -HUGE_VAL;
  if (kind == ScaleKind::symlog) return std::copysign(std::log10(1 + std::abs(value)), value);
  return value;
}

std::vector<Tick> ticks(const Scale& scale, double low, double high, int count) {
  if (!(high > low) || !std::isfinite(high - low)) return {};
  if (scale.kind == ScaleKind::log) return log_ticks(low, high, count);
  // Within ±1 a symlog scale is linear.
  if (scale.kind == ScaleKind::symlog && std::max(std::abs(low), std::abs(high)) > 1)
    return symlog_ticks(low, high, count);
  return linear_ticks(scale, low, high, count);
}

Domain nice_domain(const Scale& scale, Domain d, int count) {
  if (scale.kind == ScaleKind::log) {
    d.high = d.high > 0 && std::isfinite(d.high) ? d.high : 1;
    d.low = d.low > 0 && std::isfinite(d.low) ? d.low : d.high / 10;
    if (!(d.high > d.low)) d.low /= 2, d.high *= 2;
    return d;
  }
  if (!std::isfinite(d.low) || !std::isfinite(d.high) || d.low > d.high) d = {0, 1};
  if (scale.from_zero) d.low = std::min(d.low, 0.0), d.high = std::max(d.high, 0.0);
  if (d.low == d.high) {
    const double by = d.low == 0 ? 1 : std::abs(d.low) * 0.5;
    d.low -= scale.from_zero ? 0 : by, d.high += by;
  }
  if (scale.kind == ScaleKind::symlog) return d;
  // The ticks' step is that of the rounded range: where rounding makes it longer, it is rounded by the longer one.
  for (double step = 0, next = nice_step(d.high - d.low, count); next != step;) {
    step = next;
    if (!scale.low) d.low = std::floor(d.low / step + 1e-9) * step;
    if (!scale.high) d.high = std::ceil(d.high / step - 1e-9) * step;
    next = std::max(nice_step(d.high - d.low, count), step);
  }
  return d;
}

}  // namespace helix::figure
