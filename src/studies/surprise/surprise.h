// How well the model predicts each token of the text, given those before it: −log p of the token that is there.
#pragma once

#include <string>
#include <vector>

#include "studies/random_tokens.h"
#include "studies/study.h"

namespace helix::studies::surprise {

inline constexpr Words say{"surprise"};

struct Params {
  static void fields(ParamVisitor&, Params&) {}
};

struct Output : OutputBase {
  protocol::Quantity mean_nats, mean_bits, perplexity, uniform_nats, most_bits, most, first_nats, again_nats, kl_nats;
  protocol::Grid loss, token, kl;  // from position 1: nothing stands before the first token
  protocol::Texts text;

  static void fields(protocol::OutputVisitor& v, Output& o) {
    using protocol::Out;
    v(Out{"mean_nats", "nats"}, o.mean_nats);
    v(Out{"mean_bits", "bits"}.headline(), o.mean_bits);
    v(Out{"perplexity", "tokens"}.digits(2), o.perplexity);
    v(Out{"uniform_nats", "nats"}.setting(), o.uniform_nats);
    v(Out{"most_bits", "bits"}, o.most_bits);
    v(Out{"most", "position"}.setting(), o.most);
    v(Out{"first_nats", "nats"}, o.first_nats);
    v(Out{"again_nats", "nats"}, o.again_nats);
    v(Out{"kl_nats", "nats"}, o.kl_nats);
    v(Out{"loss", "nats", {"position"}}, o.loss);
    v(Out{"token", "", {"position"}}.setting(), o.token);
    v(Out{"kl", "nats", {"position"}}, o.kl);
    v(Out{"text", "", {"position"}}, o.text);
  }
};

/// Wide tolerances: others drew other tokens.
inline Claims declared_claims() {
  constexpr std::string_view small = kGpt2Small;
  const std::string twice = random_tokens(2);
  return {{"RAND-first", 13.7, "nats", small, twice, {"", "first_nats", 1.5}},
          {"RAND-again", 0.74, "nats", small, twice, {"", "again_nats", 0.5}}};
}

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "surprise";
  schema.group = "Text";
  schema.reads = Reads::forward;
  const std::string sentence = "A lighthouse keeper counted seven grey ships before breakfast.";
  schema.presets = {{"default", ""},
                    {"twice", "prompt=" + sentence + " " + sentence},
                    {"garden", "prompt=The horse raced past the barn fell."},
                    {"random", random_tokens(2)}};
  schema.claims = declared_claims();
  schema.leads = {{"predictions", "study=predictions&from=text"},
                  {"logit_lens", "study=logit_lens&from=text"},
                  {"blind", "study=surprise&from=text&edit=zero_positions"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::surprise
