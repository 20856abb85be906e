// What each head says about the next word: direct logit attribution (Elhage et al. 2021), of one text or over a set of
// indirect-object prompts (Wang et al. 2022).
#pragma once

#include "studies/study.h"

namespace helix::studies::head_logits {

/// Which texts are taken apart: the visitor's, or those of the set.
enum class Prompts { text, set };
/// Where the part of a head's output that no text changes is counted: the bias of its values, through W_O.
enum class ValueBias { biases, heads };

struct Params {
  Prompts prompts = Prompts::text;
  std::string answer, against;
  ValueBias value_bias = ValueBias::biases;

  template <class V, class Self>
  static void fields(V&& v, Self& p) {
    v(Field{"prompts", "Prompts",
            "Your text; or a set of sentences in which two people are named and one of them gives something, so that "
            "the other one's name comes next."},
      p.prompts, OneOf{{{"text", "your text"}, {"set", "indirect objects"}}});
    v(Field{"answer", "Answer",
            "The token whose logit is taken apart, with the space in front of it; empty: the likeliest token.", "",
            "prompts=text"},
      p.answer, Text{40});
    v(Field{"against", "Against",
            "A token whose logit is subtracted, with the space in front of it; empty: the mean logit of the "
            "vocabulary.",
            "", "prompts=text"},
      p.against, Text{40});
    v(Field{"value_bias", "Bias of the values",
            "Attention passes the bias of a head's values on whatever the text is. It is counted with all other "
            "biases, as published numbers have it, or with its head.",
            "", "", true},
      p.value_bias, OneOf{{{"biases", "with the biases"}, {"heads", "with its head"}}});
  }
};

struct Output : OutputBase {
  protocol::Quantity difference, strongest, opposed, all_heads, all_mlps, residual_error, spread, right, prompts;
  protocol::Grid answer, contribution, deviation, part, part_deviation, by_prompt, random_strongest;
  protocol::Texts text, parts, sentences;

  template <class V, class Self>
  static void fields(V&& v, Self& o) {
    using protocol::Out;
    v(Out{"difference", "logits", "logit difference of the answer"}.headline().of("answer"), o.difference);
    v(Out{"strongest", "logits", "largest contribution of a head to it"}.of("answer"), o.strongest);
    v(Out{"opposed", "logits", "contribution of the head that is most against it"}.of("answer"), o.opposed);
    v(Out{"all_heads", "logits", "contribution of all heads together"}.of("answer"), o.all_heads);
    v(Out{"all_mlps", "logits", "contribution of all MLPs together"}.of("answer"), o.all_mlps);
    v(Out{"residual_error", "fraction", "the parts' sum less the difference, of the largest part"}, o.residual_error);
    v(Out{"spread", "logits", "standard deviation of the difference over the prompts"}, o.spread);
    v(Out{"right", "fraction", "prompts in which the answer has the higher logit"}, o.right);
    v(Out{"prompts", "prompts", "prompts in the mean"}.setting(), o.prompts);
    v(Out{"answer", "", "id in the vocabulary: the answer, then the token it is compared with", {"side"}}.key(),
      o.answer);
    v(Out{"text", "", "the token", {"side"}}, o.text);
    v(Out{"contribution", "logits", "of each head to the difference", {"layer", "head"}}.of("answer"), o.contribution);
    v(Out{"deviation", "logits", "its standard deviation over the prompts", {"layer", "head"}}, o.deviation);
    v(Out{"parts", "", "what writes to the residual stream besides heads", {"part"}}.key(), o.parts);
    v(Out{"part", "logits", "its contribution to the difference", {"part"}}.of("answer"), o.part);
    v(Out{"part_deviation", "logits", "its standard deviation over the prompts", {"part"}}, o.part_deviation);
    v(Out{"sentences", "", "the prompt", {"prompt"}}.key(), o.sentences);
    v(Out{"by_prompt", "logits", "difference in each prompt", {"prompt"}}, o.by_prompt);
    v(Out{"random_strongest", "logits", "largest size of a head's contribution to random tokens", {"seed"}},
      o.random_strongest);
  }
};

inline constexpr const char* kNames =
    "bos=1&answer= Mary&against= John&prompt=When John and Mary went to the shops, John gave the bag to";
inline constexpr const char* kList =
    "prompt= river stone window captain letter green horse summer river stone window captain letter green horse";

inline std::vector<ClaimSpec> declared_claims() {
  const std::string small{kGpt2Small}, bias = "value_bias=biases|heads";
  const auto of_head = [&](const char* id, const char* head, const char* cell, double stated, const char* said) {
    return ClaimSpec{id,
                     std::string("After “When John and Mary went to the shops, John gave the bag to”, head ") + head +
                         " adds " + said + " to the logit of “ Mary” less that of “ John”.",
                     stated,
                     "logits",
                     small,
                     kNames,
                     {bias, std::string("contribution[") + cell + "]", 0.001}};
  };
  return {of_head("DIRECT-9.9", "9.9", "9,9", 1.9583, "1.9583"),
          of_head("DIRECT-9.6", "9.6", "9,6", 1.6281, "1.6281"),
          of_head("DIRECT-10.0", "10.0", "10,0", 0.6370, "0.6370"),
          of_head("DIRECT-10.7", "10.7", "10,7", -1.4267, "−1.4267"),
          of_head("DIRECT-11.1", "11.1", "11,1", -0.9117, "−0.9117"),
          of_head("DIRECT-11.10", "11.10", "11,10", -0.9042, "−0.9042"),
          {"NAMES-set",
           "Over generated indirect-object prompts, the logit of the right name is 3.56 higher than that of the other "
           "one.",
           3.56,
           "logits",
           small,
           "prompts=set",
           {"", "difference", 0.5}},
          {"NAMES-movers", "Over indirect-object prompts, heads 9.9, 9.6 and 10.0 add most to the right name's logit.",
           3, "of the three largest", small, "prompts=set"},
          {"NAMES-negative", "Over indirect-object prompts, heads 10.7 and 11.10 are most against the right name.", 2,
           "of the two lowest", small, "prompts=set"}};
}

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "head_logits";
  schema.title = "What each head says about the next word";
  schema.group = "Heads";
  schema.question = "Which heads make the answer likelier, and which are against it?";
  schema.source =
      "Elhage et al., A Mathematical Framework for Transformer Circuits, 2021; Wang et al., Interpretability in the "
      "Wild, 2022; TransformerLens, demos/Exploratory_Analysis_Demo.ipynb";
  schema.reads = Reads::forward;
  schema.presets = {
      {"list", "A repeated list",
       "head 5.0 of minihelix says what followed the same word earlier; in another model it may not", kList},
      {"default", "The likeliest next token", "against the mean logit of the vocabulary", ""},
      {"names", "“ Mary” or “ John”", "the sentence of the published numbers, which are those of GPT-2 small", kNames},
      {"set", "A set of indirect objects", "sentences with two names in both orders: mean and spread of each head",
       "prompts=set"},
      {"without", "The set without head 5.0",
       "the head of minihelix that is most against the right name; in another model it may be no such head",
       "prompts=set&edit=ablate_head:5.0"}};
  schema.claims = declared_claims();
  schema.leads = {{"predictions", "See the whole prediction", "All likely next tokens", "study=predictions&from=text"},
                  {"sources", "What a head reads", "Which earlier heads make it attend where it does",
                   "study=head_sources&from=text"},
                  {"lens", "Read out every layer", "What each layer would predict", "study=logit_lens&from=text"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::head_logits
