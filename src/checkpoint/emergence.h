// How a model's positions emerged: the record of its training, a safetensors file stored beside its weights.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"

namespace helix::checkpoint {

/// The file's name, in the model's folder.
inline constexpr const char* kEmergenceFile = "emergence.safetensors";

/// `wpe` at several moments of training, each as its own principal components, and what was measured then.
/// Row p at moment t is about mean[t] + Σ scores[t, p, r] · axes[t, r]: the best approximation of its rank.
struct Emergence {
  std::size_t moments = 0, positions = 0, rank = 0, d_model = 0;
  std::vector<float> scores;           // [moment, position, rank]
  std::vector<float> axes;             // [moment, rank, d_model], orthonormal
  std::vector<float> mean;             // [moment, d_model] of the rows; empty in records that lack it
  std::vector<float> singular_values;  // [moment, component] of the centred rows, all of them
  std::size_t components = 0;          // their number at each moment

  std::vector<double> tokens;            // [moment] read in training so far; never falls
  std::vector<double> loss, held_out;    // nats a token: recent training loss; loss on held-out books
  std::vector<double> previous;          // the best head's mean attention to the previous token
  std::vector<double> induction;         // the best head's, in repeated random tokens, to what followed the first time
  std::vector<double> explained_first3;  // share of the centred rows' variance
  std::vector<double> adjacent_cosine;   // mean over neighbouring rows, not centred

  std::string sha256, precision;  // of the file; how its scores and axes are stored

  /// From the file's bytes; `source` names the model in errors. Shapes that do not fit and numbers that are not finite
  /// are errors.
  static Expected<Emergence> read(std::string_view bytes, const std::string& source);
};

}  // namespace helix::checkpoint
