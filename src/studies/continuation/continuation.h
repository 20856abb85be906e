// Generation: token after token, each chosen from the probabilities of the whole vocabulary. Shown as it is generated.
// Sampling after Holtzman et al. 2020 (top-p) and Fan et al. 2018 (top-k).
#pragma once

#include "studies/study.h"

namespace helix::studies::continuation {

inline constexpr Words say{"continuation"};

enum class Choice { greedy, sampled };

struct Params {
  int count = 20;
  Choice choice = Choice::greedy;
  double temperature = 1;
  int top_k = 0;
  double top_p = 1;
  int seed = 0;

  static void fields(ParamVisitor& v, Params& p) {
    v(Field{"count", "tokens"}, p.count, Whole{1, 1023});
    v(Field{"choice"}, p.choice, OneOf{{"greedy", "sampled"}});
    v(Field{"temperature", "", "choice=sampled"}, p.temperature, Real{0.05, 10, true});
    v(Field{"top_k", "tokens", "choice=sampled"}, p.top_k, Whole{0, 1000});
    v(Field{"top_p", "", "choice=sampled"}, p.top_p, Real{0.01, 1});
    v(Field{"seed", "", "choice=sampled"}, p.seed, Whole{0, 999'999});
  }
};

struct Output : OutputBase {
  protocol::Quantity written, prompt_tokens, surprise;
  protocol::Grid token, probability, entropy;
  protocol::Texts text;

  static void fields(protocol::OutputVisitor& v, Output& o) {
    using protocol::Out;
    v(Out{"written", "tokens"}, o.written);
    v(Out{"prompt_tokens", "tokens"}.setting(), o.prompt_tokens);
    v(Out{"surprise", "nats"}.headline(), o.surprise);
    v(Out{"token", "", {"step"}}.setting(), o.token);
    v(Out{"probability", "fraction", {"step"}}, o.probability);
    v(Out{"entropy", "nats", {"step"}}, o.entropy);
    v(Out{"text", "", {"step"}}, o.text);
  }
};

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "continuation";
  schema.group = "Text";
  schema.reads = Reads::forward;
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::continuation
