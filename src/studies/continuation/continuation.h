// Generation: token after token, each chosen from the probabilities of the whole vocabulary. Shown as it is generated.
// Sampling after Holtzman et al. 2020 (top-p) and Fan et al. 2018 (top-k).
#pragma once

#include "studies/study.h"

namespace helix::studies::continuation {

enum class Choice { greedy, sampled };

struct Params {
  int count = 20;
  Choice choice = Choice::greedy;
  double temperature = 1;
  int top_k = 0;
  double top_p = 1;
  int seed = 0;

  template <class V, class Self>
  static void fields(V&& v, Self& p) {
    v(Field{"count", "Tokens", "How many tokens are generated, at most.", "tokens"}, p.count, Whole{1, 1023});
    v(Field{"choice", "Choice", "Always the most likely token, or one sampled from the probabilities."}, p.choice,
      OneOf{{{"greedy", "most likely"}, {"sampled", "sampled"}}});
    v(Field{"temperature", "Temperature",
            "Logits are divided by it: below 1 the text is more predictable, above 1 more random.", "",
            "choice=sampled"},
      p.temperature, Real{0.05, 10, true});
    v(Field{"top_k", "Top k", "Sample only from the k most likely tokens; 0: from all.", "tokens", "choice=sampled"},
      p.top_k, Whole{0, 1000});
    v(Field{"top_p", "Top p",
            "Sample only from the fewest tokens whose probabilities reach p, after temperature and k; 1: from all.", "",
            "choice=sampled"},
      p.top_p, Real{0.01, 1});
    v(Field{"seed", "Seed", "The same seed gives the same text.", "", "choice=sampled"}, p.seed, Whole{0, 999'999});
  }
};

struct Output : OutputBase {
  protocol::Quantity written, prompt_tokens, surprise;
  protocol::Grid token, probability, entropy;
  protocol::Texts text;

  template <class V, class Self>
  static void fields(V&& v, Self& o) {
    using protocol::Out;
    v(Out{"written", "tokens", "tokens generated"}, o.written);
    v(Out{"prompt_tokens", "tokens", "tokens of the prompt, BOS included"}.setting(), o.prompt_tokens);
    v(Out{"surprise", "nats", "mean surprise per generated token, at temperature 1"}.headline(), o.surprise);
    v(Out{"token", "", "id in the vocabulary", {"step"}}.setting(), o.token);
    v(Out{"probability", "fraction", "of the chosen token, before any cut", {"step"}}, o.probability);
    v(Out{"entropy", "nats", "of the whole distribution", {"step"}}, o.entropy);
    v(Out{"text", "", "the chosen token", {"step"}}, o.text);
  }
};

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "continuation";
  schema.title = "Generation";
  schema.group = "Text";
  schema.no_difference =
      "Two texts that have parted hold different words, so they are read beside each other, not subtracted.";
  schema.question = "What text does the model generate after yours, and how confident is it at each token?";
  schema.source = "Radford et al., Language Models are Unsupervised Multitask Learners, 2019; Holtzman et al. 2020";
  schema.reads = Reads::forward;
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::continuation
