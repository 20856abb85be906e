// Why attention falls on the first token: the part of a score that depends on the key alone, b_Q W_Kᵀ x, by dimension, and
// what is left of the sink when a bias, a position or an MLP is removed. Ran-Milo et al. 2026, arXiv 2604.14722.
#pragma once

#include "studies/study.h"

namespace helix::studies::attention_sink {

/// In the order of the removals that run.
enum class Without { nothing, query_bias, key_bias, position, mlp, positions, tokens };
inline constexpr std::size_t kRemovals = 7;  // the first removes nothing

struct Params {
  int layer = -1;
  std::vector<int> dimensions;
  Without without = Without::query_bias;

  template <class V, class Self>
  static void fields(V&& v, Self& p) {
    v(Field{"layer", "Layer",
            "Counted from 0; −1: the mean of the layers from a quarter of the way to the last but one.", "layer"},
      p.layer, Whole{-1, 999, Bound::last_layer});
    v(Field{"without", "Without", "The removal that is drawn layer by layer."}, p.without,
      OneOf{{{"nothing", "nothing"},
             {"bias", "the bias of the queries"},
             {"key_bias", "the bias of the keys"},
             {"position", "position 0 (row 1 in its place)"},
             {"mlp", "the first MLP"},
             {"positions", "all positions"},
             {"tokens", "all tokens"}}});
    v(Field{"dimensions", "Dimensions", "That are compared with all others; none: the three largest.", "", "", true},
      p.dimensions, Wholes{0, 65535, 0, 16, Bound::last_dimension});
  }
};

struct Output : OutputBase {
  protocol::Quantity to_first, even, without, chosen, others, ratio, chosen_gain, others_gain, ratio_gain, random_ratio,
      random_ratio_gain, first_layer, last_layer, queries;
  protocol::Grid bias_term, bias_term_gain, by_layer, without_by_layer, removed, share, dimension, random_ratios,
      random_ratios_gain;
  protocol::Texts removal;

  template <class V, class Self>
  static void fields(V&& v, Self& o) {
    using protocol::Out;
    v(Out{"to_first", "fraction", "attention to the first token, mean over heads and later queries"}.headline(),
      o.to_first);
    v(Out{"even", "fraction", "of heads that attend to every key equally"}, o.even);
    v(Out{"without", "fraction", "attention to the first token with the chosen removal"}, o.without);
    v(Out{"chosen", "|b_Q W_Kᵀ|", "mean over the chosen dimensions, raw weights"}, o.chosen);
    v(Out{"others", "|b_Q W_Kᵀ|", "mean over all other dimensions, raw weights"}, o.others);
    v(Out{"ratio", "times", "chosen over others, raw weights"}, o.ratio);
    v(Out{"chosen_gain", "|b_Q W_Kᵀ|", "mean over the chosen dimensions, ln_1's gain folded in"}, o.chosen_gain);
    v(Out{"others_gain", "|b_Q W_Kᵀ|", "mean over all other dimensions, ln_1's gain folded in"}, o.others_gain);
    v(Out{"ratio_gain", "times", "chosen over others, ln_1's gain folded in"}, o.ratio_gain);
    v(Out{"random_ratio", "times", "chosen over others with random W_K, mean"}, o.random_ratio);
    v(Out{"random_ratio_gain", "times", "the same with ln_1's gain folded in"}, o.random_ratio_gain);
    v(Out{"first_layer", "layer", "first layer of the mean"}.setting(), o.first_layer);
    v(Out{"last_layer", "layer", "last layer of the mean"}.setting(), o.last_layer);
    v(Out{"queries", "queries", "queries of the mean: the second half of the text"}.setting(), o.queries);
    v(Out{"bias_term", "|b_Q W_Kᵀ|", "mean over layers and heads, raw weights", {"dimension"}}, o.bias_term);
    v(Out{"bias_term_gain", "|b_Q W_Kᵀ|", "the same with ln_1's gain folded in", {"dimension"}}, o.bias_term_gain);
    v(Out{"by_layer", "fraction", "attention to the first token", {"layer"}}, o.by_layer);
    v(Out{"without_by_layer", "fraction", "the same with the chosen removal", {"layer"}}, o.without_by_layer);
    v(Out{"removal", "", "what is removed", {"removal"}}.key(), o.removal);
    v(Out{"removed", "fraction", "attention to the first token without it", {"removal"}}, o.removed);
    v(Out{"share", "fraction", "of the sink that stays", {"removal"}}, o.share);
    v(Out{"dimension", "", "the chosen dimensions", {"rank"}}.setting(), o.dimension);
    v(Out{"random_ratios", "times", "chosen over others with random W_K", {"seed"}}, o.random_ratios);
    v(Out{"random_ratios_gain", "times", "the same with ln_1's gain folded in", {"seed"}}, o.random_ratios_gain);
  }
};

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "attention_sink";
  schema.title = "Attention sink";
  schema.group = "Heads";
  schema.question = "Why do so many heads attend to the first token?";
  schema.source = "Ran-Milo et al., arXiv 2604.14722, 2026";
  schema.reads = Reads::layers;
  schema.text_run = "study=predictions&top=50";
  schema.presets = {
      {"default", "The prompt", "the sink on your text, and what is left of it without the bias of the queries", ""},
      {"position", "Without position 0", "row 1 of the table of positions in the place of row 0", "without=position"},
      {"control", "Without the bias of the keys", "it adds the same to all keys of a query, so nothing changes",
       "without=key_bias"},
      {"gpt2", "The dimensions of the text", "138, 378 and 447, in which GPT-2 small's first position is large",
       "dimensions=138,378,447"}};
  const std::string small{kGpt2Small};
  schema.claims = {{"SINK-chosen",
                    "In dimensions 138, 378 and 447, |b_Q W_Kᵀ| is 1.3695, mean over layers 4 to 11 of 12 and their "
                    "heads.",
                    1.3695,
                    "|b_Q W_Kᵀ|",
                    small,
                    "dimensions=138,378,447",
                    {"", "chosen|chosen_gain", 0.00005}},
                   {"SINK-others",
                    "In all other dimensions, |b_Q W_Kᵀ| is .1757.",
                    0.1757,
                    "|b_Q W_Kᵀ|",
                    small,
                    "dimensions=138,378,447",
                    {"", "others|others_gain", 0.00005}}};
  schema.leads = {{"scores", "Positions alone", "What layer 0 makes of positions without any token",
                   "study=position_scores&head=5&first=50"},
                  {"attention", "The patterns", "Every query and key of every head", "study=attention&from=text"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::attention_sink
