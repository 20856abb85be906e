#include "base/divergence.h"

#include <algorithm>
#include <cmath>

namespace helix {
namespace {

constexpr int kRounds = 200;

/// p log(p / q): nothing where p is 0, without bound where q alone is.
double term(double p, double q) { return p > 0 ? p * std::log(p / std::max(q, 1e-300)) : 0; }

/// What one list has and the other has not: the sum of the known probabilities, and how many they are.
struct Alone {
  double sum = 0;
  double count = 0;
  void add(double x) { sum += x, ++count; }
};

}  // namespace

double least_divergence(std::span<const Probabilities> listed) {
  double known = 0, p_rest = 1, q_rest = 1, p_last = 1, q_last = 1;
  Alone in_p, in_q;
  for (const auto& [p, q] : listed) {
    const bool has_p = !std::isnan(p), has_q = !std::isnan(q);
    if (has_p) p_last = std::min(p_last, p), p_rest -= p;
    if (has_q) q_last = std::min(q_last, q), q_rest -= q;
    if (has_p && has_q)
      known += term(p, q);
    else if (has_p)
      in_p.add(p);
    else if (has_q)
      in_q.add(q);
  }
  p_rest = std::max(p_rest, 0.0), q_rest = std::max(q_rest, 0.0);
  // Of p's own entries q has `q_there`, of q's own p has `p_there`: each at most the last of its list for every entry. The
  // divergence is convex in both, so that making it least in turns leads to the least.
  const double most_q = std::min(in_p.count * q_last, q_rest), most_p = std::min(in_q.count * p_last, p_rest);
  double q_there = 0, p_there = 0;
  for (int round = 0; round < kRounds; ++round) {
    const double all_p = in_p.sum + p_rest - p_there, all_q = in_q.sum + q_rest - q_there;
    q_there = all_p > 0 ? std::min(q_rest * in_p.sum / all_p, most_q) : 0;
    p_there = all_q > 0 ? std::min(p_rest * in_q.sum / all_q, most_p) : 0;
  }
  const double rest = term(in_p.sum, q_there) + term(p_there, in_q.sum) + term(p_rest - p_there, q_rest - q_there);
  return std::max(known + rest, 0.0);
}

}  // namespace helix
