#include "studies/head_taxonomy/findings.h"

#include <cmath>
#include <optional>

#include "base/text.h"

namespace helix::studies::head_taxonomy {
namespace {

using protocol::Claim;

/// Whether BOS and the random tokens ran, so many times.
bool ran_random(const Output& out, std::size_t times) {
  const std::size_t n = kRandomTokens.size();
  if (!out.edits.empty() || out.tokens.size() != times * n + 1) return false;
  for (std::size_t i = 1; i < out.tokens.size(); ++i)
    if (out.tokens[i].id != kRandomTokens[(i - 1) % n]) return false;
  return true;
}

/// Whether BOS and the prose ran.
bool ran_prose(const Output& out) {
  std::string text;
  for (std::size_t i = 1; i < out.tokens.size(); ++i) text += out.tokens[i].bytes;
  return out.edits.empty() && text == kProse;
}

/// A head's mean diagonal; nothing if the model has no such head, or the diagonal is too short to count.
std::optional<double> diagonal(const Output& out, const Measured& m, std::size_t lag) {
  const std::vector<std::size_t>& shape = out.mean_diagonal.shape;
  if (shape.size() != 3 || m.layer >= shape[0] || m.head >= shape[1] || lag >= shape[2]) return std::nullopt;
  return out.mean_diagonal.data[(m.layer * shape[1] + m.head) * shape[2] + lag];
}

struct Measure {
  double stated, within;
  std::size_t lag;
};

Claim judged(const std::string& id, const Output& out, const Measured& head, const Measure& m, const std::string& how) {
  const auto here = diagonal(out, head, m.lag);
  if (!here || !std::isfinite(*here))
    return {id, std::nullopt, std::nullopt, {}, how + "; there is no head " + head.name()};
  std::string convention = how + "; even attention would give " + number_text(out.even.data[m.lag], 3);
  if (m.lag == 1) convention += ", the ratio of claim T6 is " + number_text(out.ratio(head.layer, head.head), 2);
  return {id,
          here,
          std::fabs(*here - m.stated) <= m.within,
          {},
          convention + "; holds within " + to_text(m.within) + ", because the tokens are others"};
}

}  // namespace

bool is_random(const Output& output) { return ran_random(output, 1) || ran_random(output, 2); }

std::vector<Claim> findings(const Output& output, const std::string& ran) {
  std::vector<Claim> all;
  if (output.windows.value > 1) return all;  // they measured whole texts
  const std::string mean = ran + "; mean of the diagonal without the first row and column";
  if (ran_random(output, 2))
    for (const Measured& m : kInduction)
      all.push_back(judged(m.id("IND"), output, m, {m.random, kNearInduction, kRandomTokens.size() - 1}, mean));
  const bool random = ran_random(output, 1), prose = ran_prose(output);
  if (random || prose)
    for (const Measured& m : kPrevious)
      all.push_back(
          judged(m.id("PREV") + (prose ? "-prose" : ""), output, m, {prose ? m.prose : m.random, kNearOther, 1}, mean));
  return all;
}

}  // namespace helix::studies::head_taxonomy
