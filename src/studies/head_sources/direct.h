// A head's weights and those of the heads before it; and its lead as a sum over everything that writes to the residual
// stream before its layer.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "studies/head_sources/removal.h"

namespace helix::studies::head_sources {

std::string dotted(std::size_t layer, std::size_t head);
/// −1 is the last layer.
std::size_t layer_of(int layer, std::size_t n_layer);
/// Layers and heads of “6.9 7.10”.
Expected<std::vector<std::pair<std::size_t, std::size_t>>> heads_named(const std::string& text);

/// The head that reads, and what the earlier layers' heads write with.
struct Weights {
  HeadWeights head;
  std::size_t n_layer = 0, heads = 0;
  std::vector<Matrix<float>> out;       // [d_model, d_model] of each earlier layer
  std::vector<Matrix<float>> out_bias;  // [1, d_model]
  std::vector<double> k, q, v;          // compositions, [layer, head]
  std::vector<Matrix<double>> readers;  // W_QK of this head and of the other ones that read: qk_reader
  std::size_t first_reader = 0;         // the layer of the earliest of them
  std::vector<double> with_readers;     // compositions, mean over them, [layer, head]; NaN from that layer on

  std::size_t d_model() const { return head.k.rows; }
  std::size_t d_head() const { return head.k.cols; }
  std::size_t sources() const { return head.layer * heads; }
};
/// `params` and `context` outlive the task, here and below.
Task<Expected<Weights>> read_weights(const Params* params, Context* context);

/// The lead, and what each part adds to it.
struct Explained {
  Question question;
  double attention = 0, even = 0;
  std::vector<double> heads, random;  // [layer, head]; [seed]
  std::vector<std::string> parts, edits;
  std::vector<double> part;
  double residual = std::nan("");

  std::size_t bytes() const {
    return 8 * (question.pull.data.size() + heads.size() + random.size()) + 16 * question.tokens();
  }
};
/// No targets: nothing is explained.
Task<Expected<Explained>> explain(Context* context, const Params* params, const Weights* w, const Ready* text);

}  // namespace helix::studies::head_sources
