// What the published numbers of GPT-2 small were computed from; the first logit of each prompt, the norms and their
// sources are declared as claims (verification.h).
#pragma once

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

/// In float32 without BOS; the last digits differ between implementations.
inline constexpr double kLogitTolerance = 5e-3;
const std::vector<PublishedLogits>& published_logits();

/// Norms of a tensor's rows, printed with four digits; the standard deviation divides by n.
struct PublishedNorms {
  const char *id, *tensor;  // the claims are id-mean, id-sd, id-max, id-min
};
inline constexpr double kNormTolerance = 5.1e-5;
inline constexpr PublishedNorms kPublishedNorms[] = {{"F9-wpe", "wpe.weight"}, {"F9-wte", "wte.weight"}};

}  // namespace helix::studies::verification
