#include "studies/layer_frames/claims.h"

#include <cmath>

#include "base/text.h"
#include "studies/judged.h"

namespace helix::studies::layer_frames {
namespace {

using protocol::Claim, protocol::Grid;

constexpr double kLong = 400;  // tokens from which on a prompt stands for the text's of about 1,000

double at_length(const Output& out, const Grid& grid, double tokens) {
  for (std::size_t i = 0; i < out.length.data.size() && i < grid.data.size(); ++i)
    if (out.length.data[i] == tokens) return grid.data[i];
  return std::nan("");
}

/// What grows (or, with `sign` −1, falls) from 15 to 150 tokens and on to all of them.
Claim trend(const char* id, const Output& out, const Grid& grid, const Grid& random, double sign, int digits) {
  const double all = out.samples.value;
  if (grid.data.empty()) return {id, std::nullopt, std::nullopt, {}, "needs three tokens"};
  const double here = grid.data.back(), few = at_length(out, grid, 15), some = at_length(out, grid, 150);
  Claim claim{id, here_of(here), std::nullopt, {}, out.convention};
  if (!(all >= kLong)) {
    claim.convention += "; needs a prompt of " + to_fixed(kLong, 0) + " tokens or more to be judged";
    return claim;
  }
  if (!std::isfinite(few) || !std::isfinite(some) || !std::isfinite(here)) {
    claim.convention += "; with 15 or 150 tokens no two layers have signal dimensions";
    return claim;
  }
  claim.holds = sign * (some - few) > 0 && sign * (here - some) > 0;
  claim.convention +=
      "; " + number_text(few, digits) + " with 15 tokens, " + number_text(some, digits) + " with 150, " +
      number_text(here, digits) + " with " + to_fixed(all, 0) +
      (random.data.size() == grid.data.size()
           ? " (random frames " + number_text(at_length(out, random, 15), digits) + ", " +
                 number_text(at_length(out, random, 150), digits) + ", " + number_text(random.data.back(), digits) + ")"
           : "") +
      "; holds if the order is the text's, whose prompts are unknown";
  return claim;
}

Claim noise(const Output& out) {
  const Grid& by_rule = out.rule_noise;
  const auto under = [&](Criterion c) {
    const auto i = static_cast<std::size_t>(c);
    return i < by_rule.data.size() ? by_rule.data[i] : std::nan("");
  };
  const double here = under(Criterion::mean);
  return {"F12",
          here_of(here),
          judged(here, here < 0.5),
          {},
          to_fixed(out.samples.value - 1, 0) + " rows of " + to_fixed(out.features.value, 0) +
              " normal numbers, mean of five; noise estimated by the mean eigenvalue, and " +
              number_text(under(Criterion::median), 1) + " dimensions by the median, " +
              number_text(under(Criterion::geometric), 1) + " by the geometric mean; holds below a half"};
}

Claim shown(const char* id, const Output& out, const protocol::Quantity& number, const std::string& what) {
  return {id, here_of(number.value), std::nullopt, {}, out.convention + "; " + what + number.note};
}

}  // namespace

std::vector<Claim> claims(const Output& out) {
  return {noise(out),
          shown("F13", out, out.consecutive_angle, "sums of angles, mean "),
          trend("F14", out, out.length_angle, out.length_random_angle, 1, 2),
          trend("F14-dispersion", out, out.length_dispersion, out.length_random, -1, 3),
          shown("F15", out, out.overlapping, "mean over pairs, "),
          trend("F16", out, out.length_union, {}, 1, 0),
          shown("F17", out, out.stress, "")};
}

}  // namespace helix::studies::layer_frames
