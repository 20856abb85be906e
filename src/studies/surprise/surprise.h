// How well the model predicts each token of the text, given those before it: −log p of the token that is there.
#pragma once

#include <string>
#include <vector>

#include "studies/random_tokens.h"
#include "studies/study.h"

namespace helix::studies::surprise {

struct Params {
  template <class V, class Self>
  static void fields(V&&, Self&) {}
};

struct Output : OutputBase {
  protocol::Quantity mean_nats, mean_bits, perplexity, uniform_nats, most_bits, most, first_nats, again_nats, kl_nats;
  protocol::Grid loss, token, kl;  // from position 1: nothing stands before the first token
  protocol::Texts text;

  template <class V, class Self>
  static void fields(V&& v, Self& o) {
    using protocol::Out;
    v(Out{"mean_nats", "nats", "mean loss per token"}.headline(), o.mean_nats);
    v(Out{"mean_bits", "bits", "the same in bits"}, o.mean_bits);
    v(Out{"perplexity", "tokens", "perplexity"}.digits(2), o.perplexity);
    v(Out{"uniform_nats", "nats", "loss of uniform guessing"}.setting(), o.uniform_nats);
    v(Out{"most_bits", "bits", "the largest surprise of a token"}, o.most_bits);
    v(Out{"most", "position", "position of the largest surprise"}.setting(), o.most);
    v(Out{"first_nats", "nats", "mean loss of new tokens"}, o.first_nats);
    v(Out{"again_nats", "nats", "mean loss of tokens seen before"}, o.again_nats);
    v(Out{"kl_nats", "nats", "mean KL from no edits"}, o.kl_nats);
    v(Out{"loss", "nats", "loss of the token, −ln p", {"position"}}, o.loss);
    v(Out{"token", "", "id in the vocabulary", {"position"}}.setting(), o.token);
    v(Out{"kl", "nats", "KL from no edits", {"position"}}, o.kl);
    v(Out{"text", "", "the token", {"position"}}, o.text);
  }
};

/// Wide tolerances: others drew other tokens.
inline std::vector<ClaimSpec> declared_claims() {
  const std::string small{kGpt2Small}, twice = random_tokens(2);
  return {{"RAND-first",
           "30 random tokens cost 13.7 nats each, more than the 10.8 of uniform guessing.",
           13.7,
           "nats",
           small,
           twice,
           {"", "first_nats", 1.5}},
          {"RAND-again",
           "The same 30 random tokens again cost 0.74 nats each: the model has seen them.",
           0.74,
           "nats",
           small,
           twice,
           {"", "again_nats", 0.5}}};
}

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "surprise";
  schema.title = "Surprise";
  schema.group = "Text";
  schema.question = "How surprising is each token of the text?";
  schema.source = "C. Shannon, Prediction and Entropy of Printed English, 1951; Radford et al. 2019";
  schema.reads = Reads::forward;
  const std::string sentence = "A lighthouse keeper counted seven grey ships before breakfast.";
  schema.presets = {
      {"default", "The prompt", "each token, given those before it", ""},
      {"twice", "The same sentence twice", "what the second time costs", "prompt=" + sentence + " " + sentence},
      {"garden", "A garden-path sentence", "its last word makes the reader start again",
       "prompt=The horse raced past the barn fell."},
      {"random", "Random tokens, twice",
       "30 tokens of GPT-2's vocabulary and the same 30 again: only the repetition can be predicted",
       random_tokens(2)}};
  schema.claims = declared_claims();
  schema.leads = {{"predictions", "What was likely instead?", "The whole prediction after any token",
                   "study=predictions&from=text"},
                  {"logit_lens", "Where does the prediction come from?", "What each layer would predict",
                   "study=logit_lens&from=text"},
                  {"blind", "The same text without positions", "What each token costs a model that cannot count",
                   "study=surprise&from=text&edit=zero_positions"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::surprise
