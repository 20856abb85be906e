#include "studies/position_share/claims.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "studies/judged.h"

namespace helix::studies::position_share {
namespace {

using protocol::Claim;

constexpr std::size_t kFrom = 1, kTo = 10, kHigh = 8;  // layers that the claims name
constexpr double kLastDigit = 0.005;                   // half of the last one of 2.05
constexpr double kNear = 0.1;                          // of a stable rank on other texts
constexpr double kMost = 0.9, kLeast = 0.5;            // a norm that stays nearly whole; one that has fallen
constexpr const char* kHardly =
    "before one of layers 1 to 10 the positions' part is hardly more than what averaging leaves: needs more texts";

Claim unjudged(const char* id, const Output& out, const std::string& why) {
  Claim claim{id, std::nullopt, std::nullopt, {}, out.convention + "; " + why};
  return claim;
}

/// It is of the table that each text's values are averaged to, as if there were infinitely many texts.
Claim table(const Params& params, const Output& out) {
  const bool asked = params.window == kStatedWindow && params.first == 1;
  const double here = out.table_rank.value;
  const std::string how = out.table_rank.note + ": the positions' part before layer 0 over ever more texts";
  if (!asked) return {"SHARE-table", here_of(here), std::nullopt, {}, how + "; the text has rows 1..511"};
  return {"SHARE-table", here_of(here), judged(here, std::abs(here - kStatedRank[0]) < kLastDigit), {}, how};
}

Claim rank(const Output& out) {
  const auto& by_layer = out.rank_less.data;
  if (by_layer.size() != kStatedLayers) return unjudged("SHARE-rank", out, "needs a model of 12 layers");
  double here = 0, stated = 0;
  for (std::size_t l = kFrom; l <= kTo; ++l)
    here += by_layer[l] / (kTo - kFrom + 1), stated += kStatedRank[l] / (kTo - kFrom + 1);
  if (!std::isfinite(here)) return unjudged("SHARE-rank", out, kHardly);
  return {"SHARE-rank",
          here_of(here),
          judged(here, std::abs(here - stated) < kNear),
          {},
          out.convention +
              "; mean over layers 1 to 10, without what averaging leaves of the rest; other texts than the source's: "
              "holds within " +
              to_text(kNear)};
}

Claim norm(const Output& out) {
  const auto& by_layer = out.norm_position.data;
  if (by_layer.size() != kStatedLayers) return unjudged("SHARE-norm", out, "needs a model of 12 layers");
  bool falls = by_layer.back() < kLeast * by_layer[kHigh];
  for (std::size_t l = kFrom; l <= kHigh; ++l) falls = falls && by_layer[l] >= kMost;
  for (std::size_t l = kHigh + 1; l < kStatedLayers; ++l) falls = falls && by_layer[l] < by_layer[l - 1];
  std::string values;
  for (std::size_t l = kHigh; l < kStatedLayers; ++l) values += (l > kHigh ? ", " : "") + number_text(by_layer[l], 3);
  return {"SHARE-norm",
          here_of(by_layer[kHigh]),
          judged(by_layer[kHigh], falls),
          {},
          out.convention + "; before layer 8 and on: " + values +
              "; other texts than the source's: holds if it is above .9 before layers 1 to 8, falls from layer to "
              "layer after that, and ends below half of it"};
}

}  // namespace

std::vector<Claim> claims(const Params& params, const Output& out) {
  std::vector<Claim> all{table(params, out)};
  if (out.share_position.data.empty()) {
    for (const char* id : {"SHARE-rank", "SHARE-norm"}) {
      Claim lacking{id, std::nullopt, std::nullopt, {"the whole checkpoint"}, out.convention};
      all.push_back(std::move(lacking));
    }
    return all;
  }
  if (params.window < kStatedWindow || params.windows < kEnoughTexts || params.first != 1) return all;
  all.push_back(rank(out)), all.push_back(norm(out));
  return all;
}

}  // namespace helix::studies::position_share
