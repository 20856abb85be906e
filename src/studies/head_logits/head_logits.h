// What each head says about the next word: direct logit attribution (Elhage et al. 2021), of one text or over a set of
// indirect-object prompts (Wang et al. 2022).
#pragma once

#include "studies/study.h"

namespace helix::studies::head_logits {

inline constexpr Words say{"head_logits"};

/// Which texts are taken apart: the visitor's, or those of the set.
enum class Prompts { text, set };
/// Where the part of a head's output that no text changes is counted: the bias of its values, through W_O.
enum class ValueBias { biases, heads };

struct Params {
  Prompts prompts = Prompts::text;
  std::string answer, against;
  ValueBias value_bias = ValueBias::biases;

  static void fields(ParamVisitor& v, Params& p) {
    v(Field{"prompts"}, p.prompts, OneOf{{"text", "set"}});
    v(Field{"answer", "", "prompts=text"}, p.answer, Text{40});
    v(Field{"against", "", "prompts=text"}, p.against, Text{40});
    v(Field{"value_bias", "", "", true}, p.value_bias, OneOf{{"biases", "heads"}});
  }
};

struct Output : OutputBase {
  protocol::Quantity difference, strongest, opposed, all_heads, all_mlps, residual_error, spread, right, prompts;
  protocol::Grid answer, contribution, deviation, part, part_deviation, by_prompt, random_strongest;
  protocol::Texts text, parts, sentences;

  static void fields(protocol::OutputVisitor& v, Output& o) {
    using protocol::Out;
    v(Out{"difference", "logits"}.headline().of("answer"), o.difference);
    v(Out{"strongest", "logits"}.of("answer"), o.strongest);
    v(Out{"opposed", "logits"}.of("answer"), o.opposed);
    v(Out{"all_heads", "logits"}.of("answer"), o.all_heads);
    v(Out{"all_mlps", "logits"}.of("answer"), o.all_mlps);
    v(Out{"residual_error", "fraction"}, o.residual_error);
    v(Out{"spread", "logits"}, o.spread);
    v(Out{"right", "fraction"}, o.right);
    v(Out{"prompts", "prompts"}.setting(), o.prompts);
    v(Out{"answer", "", {"side"}}.key(), o.answer);
    v(Out{"text", "", {"side"}}, o.text);
    v(Out{"contribution", "logits", {"layer", "head"}}.of("answer"), o.contribution);
    v(Out{"deviation", "logits", {"layer", "head"}}, o.deviation);
    v(Out{"parts", "", {"part"}}.key(), o.parts);
    v(Out{"part", "logits", {"part"}}.of("answer"), o.part);
    v(Out{"part_deviation", "logits", {"part"}}, o.part_deviation);
    v(Out{"sentences", "", {"prompt"}}.key(), o.sentences);
    v(Out{"by_prompt", "logits", {"prompt"}}.brief("difference"), o.by_prompt);
    v(Out{"random_strongest", "logits", {"seed"}}, o.random_strongest);
  }
};

inline constexpr const char* kNames =
    "bos=1&answer= Mary&against= John&prompt=When John and Mary went to the shops, John gave the bag to";
inline constexpr const char* kList =
    "prompt= river stone window captain letter green horse summer river stone window captain letter green horse";

inline Claims declared_claims() {
  constexpr std::string_view small = kGpt2Small, bias = "value_bias=biases|heads";
  const auto of_head = [&](const char* id, const char* number, double stated) {
    return ClaimText{id, stated, "logits", small, kNames, {bias, number, 0.001}};
  };
  return {of_head("DIRECT-9.9", "contribution[9,9]", 1.9583),
          of_head("DIRECT-9.6", "contribution[9,6]", 1.6281),
          of_head("DIRECT-10.0", "contribution[10,0]", 0.6370),
          of_head("DIRECT-10.7", "contribution[10,7]", -1.4267),
          of_head("DIRECT-11.1", "contribution[11,1]", -0.9117),
          of_head("DIRECT-11.10", "contribution[11,10]", -0.9042),
          {"NAMES-set", 3.56, "logits", small, "prompts=set", {"", "difference", 0.5}},
          {"NAMES-movers", 3, "of the three largest", small, "prompts=set"},
          {"NAMES-negative", 2, "of the two lowest", small, "prompts=set"}};
}

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "head_logits";
  schema.group = "Heads";
  schema.reads = Reads::forward;
  schema.presets = {{"list", kList},
                    {"default", ""},
                    {"names", kNames},
                    {"set", "prompts=set"},
                    {"without", "prompts=set&edit=ablate_head:5.0"}};
  schema.claims = declared_claims();
  schema.leads = {{"predictions", "study=predictions&from=text"},
                  {"sources", "study=head_sources&from=text"},
                  {"lens", "study=logit_lens&from=text"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::head_logits
