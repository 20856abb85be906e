// What a head reads: how much each earlier head adds to its scores along the direct path, and what really goes when that
// head is removed; and the composition of their weights. Claim T13; Elhage et al. 2021.
#pragma once

#include "base/text.h"
#include "studies/study.h"

namespace helix::studies::head_sources {

/// Whose rows are taken apart: the keys' (K-composition) or the queries' (Q-composition).
enum class Through { keys, queries };
/// Which keys of a query a score is about.
enum class Target { most, previous, induction, first, self };

struct Params {
  int layer = -1, head = 0;
  Through through = Through::keys;
  Target target = Target::most;
  int query = -1;
  std::string others;

  template <class V, class Self>
  static void fields(V&& v, Self& p) {
    v(Field{"layer", "Layer", "Layer of the head that reads, counted from 0; −1: the last one.", "layer"}, p.layer,
      Whole{-1, 999, Bound::last_layer});
    v(Field{"head", "Head", "The head that reads, counted from 0.", "head"}, p.head, Whole{0, 999, Bound::last_head});
    v(Field{"through", "Read through",
            "The keys: what tokens offer to be found by (K-composition). The queries: what tokens look for "
            "(Q-composition)."},
      p.through, OneOf{{{"keys", "its keys"}, {"queries", "its queries"}}});
    v(Field{"target", "Score of",
            "The keys whose score is explained, less the mean score of all keys that the query sees."},
      p.target,
      OneOf{{{"most", "the key it attends to most"},
             {"previous", "the previous token"},
             {"induction", "what followed the same token earlier"},
             {"first", "the first token"},
             {"self", "the token itself"}}});
    v(Field{"query", "Query", "The position that looks; −1: the mean of all of them.", "position"}, p.query,
      Whole{-1, 65535, Bound::last_position});
    v(Field{"others", "Other readers",
            "More heads that read, as in “6.9 7.10”: each earlier head's composition with W_QK is the mean over the "
            "head and these.",
            "", "", true},
      p.others, Text{80});
  }
};

struct Output : OutputBase {
  protocol::Quantity lead, attention, even_attention, strongest, strongest_removed, strongest_attention, agreement,
      residual_error, composition, mean_composition, random_mean, readers_largest, random_readers_mean, layer, queries,
      readers;
  protocol::Grid contribution, ablated, attention_without, k_composition, q_composition, v_composition, part,
      part_ablated, random_strongest, random_composition, readers_composition, random_readers;
  protocol::Texts parts;

  template <class V, class Self>
  static void fields(V&& v, Self& o) {
    using protocol::Out;
    v(Out{"lead", "score", "score of these keys, less the mean over all keys"}.headline(), o.lead);
    v(Out{"attention", "fraction", "attention to these keys"}, o.attention);
    v(Out{"even_attention", "fraction", "of a head that attends to every key equally"}, o.even_attention);
    v(Out{"strongest", "score", "largest contribution of an earlier head"}, o.strongest);
    v(Out{"strongest_removed", "score", "what the lead loses when that head is removed"}, o.strongest_removed);
    v(Out{"strongest_attention", "fraction", "attention to these keys without that head"}, o.strongest_attention);
    v(Out{"agreement", "correlation", "of contributions with what removal takes, over the heads"}, o.agreement);
    v(Out{"residual_error", "fraction", "the parts' sum less the lead, of the largest part"}, o.residual_error);
    v(Out{"composition", "ratio", "largest composition of an earlier head's W_OV with the head's weights"},
      o.composition);
    v(Out{"mean_composition", "ratio", "mean composition of the earlier heads"}, o.mean_composition);
    v(Out{"random_mean", "ratio", "mean composition of random matrices of these shapes"}, o.random_mean);
    v(Out{"readers_largest", "ratio", "largest composition of an earlier head's W_OV with W_QK, mean over the readers"},
      o.readers_largest);
    v(Out{"random_readers_mean", "ratio", "the same mean of random matrices of these shapes"}, o.random_readers_mean);
    v(Out{"layer", "layer", "layer of the head"}.setting(), o.layer);
    v(Out{"queries", "queries", "queries in the mean"}.setting(), o.queries);
    v(Out{"readers", "heads", "heads that read, in the mean with W_QK"}.setting(), o.readers);
    v(Out{"contribution", "score", "of each earlier head to the lead, along the direct path", {"layer", "head"}},
      o.contribution);
    v(Out{"ablated", "score", "what the lead loses when the head is removed", {"layer", "head"}}, o.ablated);
    v(Out{"attention_without", "fraction", "attention to these keys without the head", {"layer", "head"}},
      o.attention_without);
    v(Out{"k_composition", "ratio", "W_OV with W_K", {"layer", "head"}}, o.k_composition);
    v(Out{"q_composition", "ratio", "W_OV with W_Q", {"layer", "head"}}, o.q_composition);
    v(Out{"v_composition", "ratio", "W_OV with W_V", {"layer", "head"}}, o.v_composition);
    v(Out{"parts", "", "what adds to the residual stream besides heads", {"part"}}.key(), o.parts);
    v(Out{"part", "score", "its contribution to the lead", {"part"}}, o.part);
    v(Out{"part_ablated", "score", "what the lead loses without it", {"part"}}, o.part_ablated);
    v(Out{"random_strongest", "score", "largest contribution of an earlier head to random weights", {"seed"}},
      o.random_strongest);
    v(Out{"random_composition", "ratio", "composition of random matrices", {"seed"}}, o.random_composition);
    v(Out{"readers_composition", "ratio", "W_OV with W_QK, mean over the heads that read", {"layer", "head"}},
      o.readers_composition);
    v(Out{"random_readers", "ratio", "the same mean of random matrices", {"seed"}}, o.random_readers);
  }
};

inline constexpr const char* kRepeats =
    "prompt= river stone window captain letter green horse summer river stone window captain letter green horse summer";

/// Heads 5.5, 6.9, 7.10, 5.1 and 7.2 of GPT-2 small: its strongest induction heads.
inline constexpr const char* kInduction = "layer=5&head=5&others=6.9 7.10 5.1 7.2";

inline std::vector<ClaimSpec> declared_claims() {
  const auto of_4_11 = [](const char* id, const char* into, double stated, const char* fragment) {
    return ClaimSpec{id,
                     std::string("Of all earlier heads, 4.11 has the largest K-composition with head ") + into + ".",
                     stated,
                     "ratio",
                     std::string(kGpt2Small),
                     fragment,
                     {"", "composition", 0.0005}};
  };
  const auto with_induction = [](const char* id, const char* head, double stated, const char* output) {
    return ClaimSpec{
        id,
        std::string("Head ") + head + " has a mean K-composition of " + to_fixed(stated, 3) +
            " with five induction heads; here 5.5, 6.9, 7.10, 5.1 and 7.2 by their W_QK, as the text names "
            "neither the heads nor the form.",
        stated,
        "ratio",
        std::string(kGpt2Small),
        kInduction,
        {"", output, 0.001}};
  };
  return {{"T13",
           "Head 4.11 reads heads 1.0, 2.2, 2.4, 3.2, 3.3 and 3.7: their contributions to its score of the previous "
           "token are the largest.",
           6, "of the six largest", std::string(kGpt2Small), "layer=4&head=11&target=previous"},
          of_4_11("T13-5.5", "5.5", 0.096, "layer=5&head=5"),
          of_4_11("T13-5.1", "5.1", 0.101, "layer=5&head=1"),
          of_4_11("T13-6.9", "6.9", 0.101, "layer=6&head=9"),
          with_induction("COMPOSITION-4.11", "4.11", 0.096, "readers_composition[4,11]"),
          with_induction("COMPOSITION-4.7", "4.7", 0.091, "readers_composition[4,7]")};
}

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "head_sources";
  schema.title = "What a head reads";
  schema.group = "Heads";
  schema.question = "Which earlier heads make a head attend where it does?";
  schema.source =
      "A. Yedidia, The positional embedding matrix and previous-token heads, 2023; Elhage et al., A Mathematical "
      "Framework for Transformer Circuits, 2021";
  schema.reads = Reads::layers;
  schema.text_run = "study=predictions&top=50";
  schema.presets = {
      {"induction", "An induction head",
       "head 5.0 of minihelix finds what followed the same token earlier; in another model it may not",
       "layer=5&head=0&target=induction&" + std::string(kRepeats)},
      {"default", "The last layer's first head", "what adds to its score of the key that it attends to most", ""},
      {"previous", "A previous-token head",
       "head 4.4 of minihelix attends to the previous token; in another model it may not",
       "layer=4&head=4&target=previous"},
      {"queries", "Through the queries", "what earlier heads add to what the tokens look for", "through=queries"},
      {"frozen", "LayerNorm frozen in the removals too",
       "what is left off the line is the work of the heads and MLPs between",
       "layer=5&head=0&target=induction&edit=freeze_norms&" + std::string(kRepeats)},
      {"gpt2", "Induction in GPT-2 small", "head 5.5 of GPT-2 small and head 4.11, which looks one token back",
       "layer=5&head=5"},
      {"readers", "Five induction heads of GPT-2 small", "which earlier heads compose with all of them, by weights",
       kInduction},
      {"aggregator", "Head 4.11 of GPT-2 small", "the previous-token head that is said to read six others",
       "layer=4&head=11&target=previous"}};
  schema.claims = declared_claims();
  schema.leads = {{"attention", "See its pattern", "What the head attends to", "study=attention&from=text"},
                  {"taxonomy", "Which heads look back", "Every head of every layer", "study=head_taxonomy&from=text"},
                  {"dose", "One attention weight", "What the prediction owes to it", "study=attention_dose&from=text"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::head_sources
