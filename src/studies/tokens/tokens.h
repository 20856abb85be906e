// What the model reads: the prompt split into tokens, each with its id and its bytes, the merges that formed one of
// them, and the two rows of numbers that represent it. Claim H8.
#pragma once

#include "studies/study.h"

namespace helix::studies::tokens {

inline constexpr Words say{"tokens"};

struct Params {
  int position = -1;

  static void fields(ParamVisitor& v, Params& p) {
    v(Field{"position", "position"}, p.position, Whole{-1, 65535, Bound::last_position});
  }
};

struct Output : OutputBase {
  protocol::Quantity count, text_tokens, bytes_per_token, position, wte_norm, wpe_norm, cosine;
  protocol::Grid id, wte, wpe, sum, rank;
  protocol::Texts text, bytes, merge;

  static void fields(protocol::OutputVisitor& v, Output& o) {
    using protocol::Out;
    v(Out{"count", "tokens"}.headline(), o.count);
    v(Out{"text_tokens", "tokens"}, o.text_tokens);
    v(Out{"bytes_per_token", "bytes"}, o.bytes_per_token);
    v(Out{"position", "position"}.setting(), o.position);
    v(Out{"wte_norm", "length"}, o.wte_norm);
    v(Out{"wpe_norm", "length"}, o.wpe_norm);
    v(Out{"cosine", "cosine"}, o.cosine);
    v(Out{"id", "", {"position"}}.key(), o.id);
    v(Out{"text", "", {"position"}}, o.text);
    v(Out{"bytes", "", {"position"}}, o.bytes);
    v(Out{"wte", "", {"dimension"}}.brief("wte"), o.wte);
    v(Out{"wpe", "", {"dimension"}}.brief("wpe"), o.wpe);
    v(Out{"sum", "", {"dimension"}}.brief("sum"), o.sum);
    v(Out{"merge", "", {"merge"}}, o.merge);
    v(Out{"rank", "", {"merge"}}.setting(), o.rank);
  }
};

inline constexpr const char* kAdam = "prompt=Hello my name is Adam&bos=1";

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "tokens";
  schema.group = "Text";
  schema.reads = Reads::tokens;
  schema.presets = {{"adam", kAdam},
                    {"pieces", "prompt=The lighthouse keeper recited antidisestablishmentarianism."},
                    {"scripts", "prompt=Hello, Привет, 你好, 🙂"},
                    {"spaces", "prompt=house  house House HOUSE house"}};
  schema.claims = {{"H8", 6, "tokens", std::string(kGpt2Small), kAdam}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::tokens
