// What a head reads: how much each earlier head adds to its scores along the direct path, and what really goes when that
// head is removed; and the composition of their weights. Claim T13; Elhage et al. 2021.
#pragma once

#include "base/text.h"
#include "studies/study.h"

namespace helix::studies::head_sources {

inline constexpr Words say{"head_sources"};

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

  static void fields(ParamVisitor& v, Params& p) {
    v(Field{"layer", "layer"}, p.layer, Whole{-1, 999, Bound::last_layer});
    v(Field{"head", "head"}, p.head, Whole{0, 999, Bound::last_head});
    v(Field{"through"}, p.through, OneOf{{"keys", "queries"}});
    v(Field{"target"}, p.target, OneOf{{"most", "previous", "induction", "first", "self"}});
    v(Field{"query", "position"}, p.query, Whole{-1, 65535, Bound::last_position});
    v(Field{"others", "", "", true}, p.others, Text{80});
  }
};

struct Output : OutputBase {
  protocol::Quantity lead, attention, even_attention, strongest, strongest_removed, strongest_attention, agreement,
      residual_error, composition, mean_composition, random_mean, readers_largest, random_readers_mean, layer, queries,
      readers;
  protocol::Grid contribution, ablated, attention_without, k_composition, q_composition, v_composition, part,
      part_ablated, random_strongest, random_composition, readers_composition, random_readers;
  protocol::Texts parts;

  static void fields(protocol::OutputVisitor& v, Output& o) {
    using protocol::Out;
    v(Out{"lead", "score"}.headline(), o.lead);
    v(Out{"attention", "fraction"}, o.attention);
    v(Out{"even_attention", "fraction"}, o.even_attention);
    v(Out{"strongest", "score"}, o.strongest);
    v(Out{"strongest_removed", "score"}, o.strongest_removed);
    v(Out{"strongest_attention", "fraction"}, o.strongest_attention);
    v(Out{"agreement", "correlation"}, o.agreement);
    v(Out{"residual_error", "fraction"}, o.residual_error);
    v(Out{"composition", "ratio"}, o.composition);
    v(Out{"mean_composition", "ratio"}, o.mean_composition);
    v(Out{"random_mean", "ratio"}, o.random_mean);
    v(Out{"readers_largest", "ratio"}, o.readers_largest);
    v(Out{"random_readers_mean", "ratio"}, o.random_readers_mean);
    v(Out{"layer", "layer"}.setting(), o.layer);
    v(Out{"queries", "queries"}.setting(), o.queries);
    v(Out{"readers", "heads"}.setting(), o.readers);
    v(Out{"contribution", "score", {"layer", "head"}}, o.contribution);
    v(Out{"ablated", "score", {"layer", "head"}}, o.ablated);
    v(Out{"attention_without", "fraction", {"layer", "head"}}, o.attention_without);
    v(Out{"k_composition", "ratio", {"layer", "head"}}, o.k_composition);
    v(Out{"q_composition", "ratio", {"layer", "head"}}, o.q_composition);
    v(Out{"v_composition", "ratio", {"layer", "head"}}, o.v_composition);
    v(Out{"parts", "", {"part"}}.key(), o.parts);
    v(Out{"part", "score", {"part"}}, o.part);
    v(Out{"part_ablated", "score", {"part"}}, o.part_ablated);
    v(Out{"random_strongest", "score", {"seed"}}, o.random_strongest);
    v(Out{"random_composition", "ratio", {"seed"}}, o.random_composition);
    v(Out{"readers_composition", "ratio", {"layer", "head"}}, o.readers_composition);
    v(Out{"random_readers", "ratio", {"seed"}}, o.random_readers);
  }
};

inline constexpr const char* kRepeats =
    "prompt= river stone window captain letter green horse summer river stone window captain letter green horse summer";

/// Heads 5.5, 6.9, 7.10, 5.1 and 7.2 of GPT-2 small: its strongest induction heads.
inline constexpr const char* kInduction = "layer=5&head=5&others=6.9 7.10 5.1 7.2";

inline Claims declared_claims() {
  const auto of_4_11 = [](const char* id, double stated, const char* fragment) {
    return ClaimText{id, stated, "ratio", kGpt2Small, fragment, {"", "composition", 0.0005}};
  };
  const auto with_induction = [](const char* id, double stated, const char* output) {
    return ClaimText{id, stated, "ratio", kGpt2Small, kInduction, {"", output, 0.001}};
  };
  return {{"T13", 6, "of the six largest", kGpt2Small, "layer=4&head=11&target=previous"},
          of_4_11("T13-5.5", 0.096, "layer=5&head=5"),
          of_4_11("T13-5.1", 0.101, "layer=5&head=1"),
          of_4_11("T13-6.9", 0.101, "layer=6&head=9"),
          with_induction("COMPOSITION-4.11", 0.096, "readers_composition[4,11]"),
          with_induction("COMPOSITION-4.7", 0.091, "readers_composition[4,7]")};
}

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "head_sources";
  schema.group = "Heads";
  schema.reads = Reads::layers;
  schema.text_run = "study=predictions&top=50";
  schema.presets = {{"induction", "layer=5&head=0&target=induction&" + std::string(kRepeats)},
                    {"default", ""},
                    {"previous", "layer=4&head=4&target=previous"},
                    {"queries", "through=queries"},
                    {"frozen", "layer=5&head=0&target=induction&edit=freeze_norms&" + std::string(kRepeats)},
                    {"gpt2", "layer=5&head=5"},
                    {"readers", kInduction},
                    {"aggregator", "layer=4&head=11&target=previous"}};
  schema.claims = declared_claims();
  schema.leads = {{"attention", "study=attention&from=text"},
                  {"taxonomy", "study=head_taxonomy&from=text"},
                  {"dose", "study=attention_dose&from=text"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::head_sources
