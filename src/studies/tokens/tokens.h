// What the model reads: the prompt cut into tokens, each with its id and its bytes. Claim H8.
#pragma once

#include "studies/study.h"

namespace helix::studies::tokens {

struct Params {
  template <class V, class Self>
  static void fields(V&&, Self&) {}
};

struct Output : OutputBase {
  protocol::Quantity count, bytes_per_token;
  protocol::Grid id;
  protocol::Texts text, bytes;

  template <class V, class Self>
  static void fields(V&& v, Self& o) {
    using protocol::ArrayField, protocol::ScalarField, protocol::WordsField;
    v(ScalarField{"count", "tokens", "tokens, BOS included"}, o.count);
    v(ScalarField{"bytes_per_token", "bytes", "bytes of text per token"}, o.bytes_per_token);
    v(ArrayField{"id", "", "id in the vocabulary", {"position"}}, o.id);
    v(WordsField{"text", "the token, partial characters as \\xE2", "position"}, o.text);
    v(WordsField{"bytes", "its bytes, hexadecimal", "position"}, o.bytes);
  }
};

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "tokens";
  schema.title = "Tokens";
  schema.group = "Text";
  schema.question = "Which tokens does the model read, and at which positions?";
  schema.source = "GPT-2's byte-level BPE (Radford et al. 2019); A. Yedidia, 2023: a prompt as tokens and positions";
  schema.reads = Reads::tokens;
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::tokens
