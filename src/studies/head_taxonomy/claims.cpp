#include "studies/head_taxonomy/claims.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/text.h"
#include "studies/head_taxonomy/findings.h"

namespace helix::studies::head_taxonomy {
namespace {

using protocol::Claim;

constexpr std::size_t kEnoughEntries = 100;  // of the longest diagonal; with fewer, chance decides for many heads
constexpr double kNear = 7;                  // heads, a tenth of the stated count: another text gives another count

struct Ranked {
  std::size_t layer, head;
  double ratio;
};
/// The text's list of the clearest previous-token heads.
constexpr Ranked kStated[] = {{4, 11, .01}, {5, 6, .18}, {3, 3, .33}, {2, 2, .33}, {6, 8, .43}, {7, 0, .45},
                              {2, 4, .46},  {1, 0, .47}, {3, 7, .50}, {8, 7, .51}, {3, 2, .52}};

bool looks_back(const Output& out, std::size_t i) { return out.argmax_lag.data[i] == 1 && out.ratio.data[i] >= 0; }

/// The smallest ratio of a previous-token head other than this one.
double next_clearest(const Output& out, std::size_t but) {
  double least = std::nan("");
  for (std::size_t i = 0; i < out.ratio.data.size(); ++i)
    if (i != but && looks_back(out, i)) least = std::fmin(least, out.ratio.data[i]);
  return least;
}

/// The rank correlation of the text's ranking with this one; nothing if the model lacks these heads.
std::optional<double> agreement(const Output& out) {
  std::vector<double> stated, here;
  for (const Ranked& r : kStated) {
    if (r.layer >= out.ratio.rows() || r.head >= out.ratio.cols()) return std::nullopt;
    stated.push_back(r.ratio), here.push_back(out.ratio(r.layer, r.head));
  }
  return rank_correlation(stated, here);
}

/// "; in the 3 single windows 60 to 70"; empty where the text is one window.
std::string in_windows(const std::vector<double>& least, const std::vector<double>& most, double windows, int digits) {
  if (!(windows > 1) || least.empty()) return {};
  const std::string from = to_fixed(std::ranges::min(least), digits), to = to_fixed(std::ranges::max(most), digits);
  return "; in the " + to_fixed(windows, 0) + " single windows " + (from == to ? from : from + " to " + to);
}

/// The same of T6's number.
std::string ratio_in_windows(const Output& out, std::size_t head) {
  const std::size_t at = static_cast<std::size_t>(Metric::ratio) * out.ratio.data.size() + head;
  if (at >= out.least.data.size()) return {};
  return in_windows({out.least.data[at]}, {out.most.data[at]}, out.windows.value, 2);
}

Claim count(const Output& out, const std::string& how, bool judged) {
  static const double stated = *describe().claim("T5")->stated;
  const double here = out.previous_token_heads.value;
  if (!std::isfinite(here)) return {"T5", std::nullopt, std::nullopt, {}, how + "; " + out.previous_token_heads.note};
  return {"T5",
          here,
          judged ? std::optional(std::fabs(here - stated) <= kNear) : std::nullopt,
          {},
          how + in_windows(out.window_heads.data, out.window_heads.data, out.windows.value, 0) +
              "; if all heads attended evenly, it would be " + number_text(out.even_heads.value, 0) +
              "; holds within " + to_fixed(kNear, 0) + ", because the text counted on a prompt of its own"};
}

Claim clearest(const Output& out, const std::string& how, bool judged) {
  const Ranked& first = kStated[0];
  const std::size_t at = first.layer * out.ratio.cols() + first.head;
  const bool there = first.layer < out.ratio.rows() && first.head < out.ratio.cols();
  Claim claim{"T6", there ? out.ratio.data[at] : out.smallest_ratio.value, std::nullopt, {}, how};
  if (!there) {
    if (!std::isfinite(*claim.here)) claim.here.reset();
    claim.convention += "; " + out.smallest_ratio.note;
    return claim;
  }
  if (!std::isfinite(out.ratio.data[at]) || !std::isfinite(out.previous_token_heads.value)) {
    claim.here.reset();
    claim.convention += "; " + (out.previous_token_heads.note.empty() ? std::string("its diagonals are all zero")
                                                                      : out.previous_token_heads.note);
    return claim;
  }
  claim.convention += ratio_in_windows(out, at);
  const double next = next_clearest(out, at);
  if (judged) claim.holds = looks_back(out, at) && !(next < 2 * out.ratio.data[at]);
  claim.convention += std::isfinite(next) ? "; the next clearest head has " + number_text(next, 2) +
                                                ", and at least twice as much holds"
                                          : "; no other head attends most to the previous token";
  if (const auto alike = agreement(out))
    claim.convention += "; rank correlation with the text's eleven heads " + number_text(*alike, 2);
  return claim;
}

/// Ranks from 1; equal values share their mean rank.
std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<double> out;
  for (const double x : values) {
    const auto below = std::ranges::count_if(values, [&](double y) { return y < x; });
    const auto equal = std::ranges::count_if(values, [&](double y) { return y == x; });
    out.push_back(static_cast<double>(below) + (static_cast<double>(equal) + 1) / 2);
  }
  return out;
}

}  // namespace

double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const std::vector<double> x = ranks(a), y = ranks(b);
  const double mean = (static_cast<double>(x.size()) + 1) / 2;
  double xx = 0, yy = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    xx += (x[i] - mean) * (x[i] - mean), yy += (y[i] - mean) * (y[i] - mean), xy += (x[i] - mean) * (y[i] - mean);
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : std::nan("");
}

std::vector<Claim> claims(const Output& output, const std::string& ran, std::size_t entries) {
  std::vector<Claim> all = findings(output, ran);
  if (is_random(output)) return all;
  const bool judged = entries >= kEnoughEntries;
  const std::string how = ran + (judged ? "" : ", too few to judge") + "; first row and column left out";
  all.insert(all.begin(), {count(output, how, judged), clearest(output, how, judged)});
  return all;
}

}  // namespace helix::studies::head_taxonomy
