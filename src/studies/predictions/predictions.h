// Next-token prediction: the probabilities of the whole vocabulary, and their entropy. Claims F1, F3.
#pragma once

#include "studies/study.h"

namespace helix::studies::predictions {

struct Params {
  int top = 10;
  int position = -1;
  double temperature = 1;

  template <class V, class Self>
  static void fields(V&& v, Self& p) {
    v(Field{"top", "Most likely",
            "How many of the most likely tokens are listed; probabilities are always over the whole vocabulary.",
            "tokens"},
      p.top, Whole{1, 100});
    v(Field{"position", "After position", "The token after which to predict; −1: the last one.", "position"},
      p.position, Whole{-1, 65535, Bound::last_position});
    v(Field{"temperature", "Temperature",
            "Logits are divided by it: below 1 the likeliest token gains, above 1 all tokens become more alike."},
      p.temperature, Real{0.05, 10, true});
  }
};

struct Output : OutputBase {
  protocol::Quantity entropy_nats, entropy_bits, listed, position;
  protocol::Grid probability, logit, token;
  protocol::Texts text, bytes;

  template <class V, class Self>
  static void fields(V&& v, Self& o) {
    using protocol::Out;
    v(Out{"entropy_nats", "nats", "entropy of the next token"}, o.entropy_nats);
    v(Out{"entropy_bits", "bits", "the same in bits"}.headline(), o.entropy_bits);
    v(Out{"listed", "fraction", "probability of all that is listed"}, o.listed);
    v(Out{"position", "position", "after the token at"}.setting(), o.position);
    v(Out{"probability", "fraction", "softmax of the logits over the temperature", {"rank"}}, o.probability);
    v(Out{"logit", "", "before the softmax", {"rank"}}, o.logit);
    v(Out{"token", "", "id in the vocabulary", {"rank"}}.key(), o.token);
    v(Out{"text", "", "the token", {"rank"}}, o.text);
    v(Out{"bytes", "", "its bytes, hexadecimal", {"rank"}}, o.bytes);
  }
};

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "predictions";
  schema.title = "Next-token prediction";
  schema.group = "Text";
  schema.question = "Which token does the model predict next, and with what probability?";
  schema.source = "Radford et al., Language Models are Unsupervised Multitask Learners, 2019";
  schema.reads = Reads::forward;
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::predictions
