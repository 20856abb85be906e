// Why attention falls on the first token: the part of a score that depends on the key alone, b_Q W_Kᵀ x, by dimension, and
// what is left of the sink when a bias, a position or an MLP is removed. Ran-Milo et al. 2026, arXiv 2604.14722.
#pragma once

#include "studies/study.h"

namespace helix::studies::attention_sink {

inline constexpr Words say{"attention_sink"};

/// In the order of the removals that run.
enum class Without { nothing, query_bias, key_bias, position, mlp, positions, tokens };
inline constexpr std::size_t kRemovals = 7;  // the first removes nothing

struct Params {
  int layer = -1;
  std::vector<int> dimensions;
  Without without = Without::query_bias;

  static void fields(ParamVisitor& v, Params& p) {
    v(Field{"layer", "layer"}, p.layer, Whole{-1, 999, Bound::last_layer});
    v(Field{"without"}, p.without, OneOf{{"nothing", "bias", "key_bias", "position", "mlp", "positions", "tokens"}});
    v(Field{"dimensions", "", "", true}, p.dimensions, Wholes{0, 65535, 0, 16, Bound::last_dimension});
  }
};

struct Output : OutputBase {
  protocol::Quantity to_first, even, without, chosen, others, ratio, chosen_gain, others_gain, ratio_gain, random_ratio,
      random_ratio_gain, first_layer, last_layer, queries;
  protocol::Grid bias_term, bias_term_gain, by_layer, without_by_layer, removed, share, dimension, random_ratios,
      random_ratios_gain;
  protocol::Texts removal;

  static void fields(protocol::OutputVisitor& v, Output& o) {
    using protocol::Out;
    v(Out{"to_first", "fraction"}.headline(), o.to_first);
    v(Out{"even", "fraction"}, o.even);
    v(Out{"without", "fraction"}, o.without);
    v(Out{"chosen", "|b_Q W_Kᵀ|"}, o.chosen);
    v(Out{"others", "|b_Q W_Kᵀ|"}, o.others);
    v(Out{"ratio", "times"}, o.ratio);
    v(Out{"chosen_gain", "|b_Q W_Kᵀ|"}, o.chosen_gain);
    v(Out{"others_gain", "|b_Q W_Kᵀ|"}, o.others_gain);
    v(Out{"ratio_gain", "times"}, o.ratio_gain);
    v(Out{"random_ratio", "times"}, o.random_ratio);
    v(Out{"random_ratio_gain", "times"}, o.random_ratio_gain);
    v(Out{"first_layer", "layer"}.setting(), o.first_layer);
    v(Out{"last_layer", "layer"}.setting(), o.last_layer);
    v(Out{"queries", "queries"}.setting(), o.queries);
    v(Out{"bias_term", "|b_Q W_Kᵀ|", {"dimension"}}.brief("raw"), o.bias_term);
    v(Out{"bias_term_gain", "|b_Q W_Kᵀ|", {"dimension"}}.brief("with the gain"), o.bias_term_gain);
    v(Out{"by_layer", "fraction", {"layer"}}, o.by_layer);
    v(Out{"without_by_layer", "fraction", {"layer"}}, o.without_by_layer);
    v(Out{"removal", "", {"removal"}}.key(), o.removal);
    v(Out{"removed", "fraction", {"removal"}}, o.removed);
    v(Out{"share", "fraction", {"removal"}}, o.share);
    v(Out{"dimension", "", {"rank"}}.setting(), o.dimension);
    v(Out{"random_ratios", "times", {"seed"}}, o.random_ratios);
    v(Out{"random_ratios_gain", "times", {"seed"}}, o.random_ratios_gain);
  }
};

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "attention_sink";
  schema.group = "Heads";
  schema.reads = Reads::layers;
  schema.text_run = "study=predictions&top=50";
  schema.presets = {{"default", ""},
                    {"position", "without=position"},
                    {"control", "without=key_bias"},
                    {"gpt2", "dimensions=138,378,447"}};
  constexpr std::string_view small = kGpt2Small;
  schema.claims = {
      {"SINK-chosen", 1.3695, "|b_Q W_Kᵀ|", small, "dimensions=138,378,447", {"", "chosen|chosen_gain", 0.00005}},
      {"SINK-others", 0.1757, "|b_Q W_Kᵀ|", small, "dimensions=138,378,447", {"", "others|others_gain", 0.00005}}};
  schema.leads = {{"scores", "study=position_scores&head=5&first=50"}, {"attention", "study=attention&from=text"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::attention_sink
