// Choosing the next token from its logits, over the whole vocabulary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace helix::model {

struct Sampling {
  bool greedy = true;      // the most likely token; the other members are then ignored
  double temperature = 1;  // logits are divided by it; above 0
  std::size_t top_k = 0;   // only the k most likely; 0: all
  double top_p = 1;        // then only the fewest whose probabilities sum to at least p; 1: all
  std::uint64_t seed = 0;
};

/// softmax(logits / temperature) in double precision, [n_vocab]: probabilities of all tokens. The temperature is above
/// 0.
std::vector<double> probabilities(std::span<const float> logits, double temperature = 1);
/// −Σ p·ln p in nats; 0·ln 0 is 0.
double entropy_nats(std::span<const double> probabilities);
/// The ids of the `count` largest, largest first; of equal ones the lower id first. NaN counts as smallest.
std::vector<std::int32_t> top_ids(std::span<const float> logits, std::size_t count);

/// Draws tokens one after the other: the same seed and logits give the same tokens on every machine.
class Sampler {
 public:
  explicit Sampler(const Sampling& how) : how_(how), state_(how.seed) {}
  std::int32_t choose(std::span<const float> logits);

 private:
  double uniform();  // in [0, 1)

  Sampling how_;
  std::uint64_t state_;
};

}  // namespace helix::model
