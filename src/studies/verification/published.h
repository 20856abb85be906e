// What the published numbers of GPT-2 small were computed from; the numbers and their sources are declared as claims
// (verification.h).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace helix::studies::verification {

struct PublishedLogits {
  std::string id;  // of the claim that states the logit of `shown`
  std::vector<std::int32_t> tokens;
  std::int32_t shown;
  std::vector<std::pair<std::int32_t, double>> others;  // after the last token
};

const std::vector<PublishedLogits>& published_logits();

/// Norms of a tensor's rows, printed with four digits; the standard deviation divides by n.
struct PublishedNorms {
  const char *id, *tensor;  // the claims are id-mean, id-sd, id-max, id-min
};
inline constexpr PublishedNorms kPublishedNorms[] = {{"F9-wpe", "wpe.weight"}, {"F9-wte", "wte.weight"}};

/// A text and its tokens in GPT-2's vocabulary, without BOS.
struct KnownText {
  std::string text;
  std::vector<std::int32_t> tokens;
};
inline constexpr std::int32_t kGpt2Bos = 50256;

/// The mean loss of a text after BOS.
struct PublishedLoss {
  std::string id;
  KnownText text;
  std::string edit;  // empty: none
  double within;     // as the publisher's own test allows, or half of the last digit
};
const std::vector<PublishedLoss>& published_losses();

/// Two prompts: each of the names gives something, and the other one is given it.
struct NamePair {
  KnownText before, after;         // the giver's name stands between them
  std::array<KnownText, 2> names;  // one token each
};
const std::vector<NamePair>& name_pairs();

/// What follows kDog greedily.
const KnownText& dog();
const std::vector<std::int32_t>& published_greedy();

}  // namespace helix::studies::verification
