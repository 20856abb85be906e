// What each part of the model has written to the residual stream of the last token, and what the output head reads in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "studies/context_compute.h"

namespace helix::studies::head_logits {

using Vec = std::vector<double>;

/// The end of a pass at its last token.
struct End {
  Matrix<double> heads, value_biases;  // [layer · head, d_model]: z W_O and b_V W_O; of a silent head both are 0
  std::vector<std::vector<float>> parts;
  std::vector<std::string> names;  // of these: "tokens", "positions", "MLP 0", …
  Vec output_bias;                 // the attention layers' output biases, summed
  double scale = 1;                // of the last LayerNorm
  std::vector<float> logits;

  std::size_t bytes() const {
    return 8 * (heads.data.size() + value_biases.data.size() + output_bias.size()) + 4 * logits.size() +
           4 * parts.size() * output_bias.size();
  }
};

/// The pointers outlive the tasks, here and below.
Task<Expected<End>> run_to_end(Context* context, const Ready* text, bool once);

/// A token's row of the output head; and the mean row of all tokens.
Vec output_row(const model::Network& network, std::size_t token);
Task<Expected<Vec>> mean_output_row(const model::Network* network);

/// What a difference of two rows of the output head reads in the residual stream: rows · along / scale, and the constant
/// that the last LayerNorm's shift adds. Centring the rows is the same as centring what reads them.
struct Reader {
  Vec along;
  double constant = 0;
};
Reader reader_of(const model::Network& network, const Vec& row, const Vec& against);

/// The contributions to the difference.
struct Contributions {
  Vec heads, parts;  // [layer · head]; as End::parts, then the biases
};
Contributions contributions(const End& end, const Reader& reader, bool bias_with_heads);
/// Of the heads alone.
Vec head_contributions(const End& end, const Reader& reader, bool bias_with_heads);

}  // namespace helix::studies::head_logits
