// What the model reads: the prompt split into tokens, each with its id and its bytes, the merges that formed one of
// them, and the two rows of numbers that represent it. Claim H8.
#pragma once

#include "studies/study.h"

namespace helix::studies::tokens {

struct Params {
  int position = -1;

  template <class V, class Self>
  static void fields(V&& v, Self& p) {
    v(Field{"position", "Token", "The token whose merges and numbers are shown; −1: the last one.", "position"},
      p.position, Whole{-1, 65535, Bound::last_position});
  }
};

struct Output : OutputBase {
  protocol::Quantity count, text_tokens, bytes_per_token, position, wte_norm, wpe_norm, cosine;
  protocol::Grid id, wte, wpe, sum, rank;
  protocol::Texts text, bytes, merge;

  template <class V, class Self>
  static void fields(V&& v, Self& o) {
    using protocol::Out;
    v(Out{"count", "tokens", "tokens, BOS included"}.headline(), o.count);
    v(Out{"text_tokens", "tokens", "tokens of the text, without BOS"}, o.text_tokens);
    v(Out{"bytes_per_token", "bytes", "bytes of text per token, without BOS"}, o.bytes_per_token);
    v(Out{"position", "position", "the token whose numbers are shown"}.setting(), o.position);
    v(Out{"wte_norm", "length", "length of its row of wte"}, o.wte_norm);
    v(Out{"wpe_norm", "length", "length of its position's row of wpe"}, o.wpe_norm);
    v(Out{"cosine", "cosine", "cosine between the two rows"}, o.cosine);
    v(Out{"id", "", "id in the vocabulary", {"position"}}.key(), o.id);
    v(Out{"text", "", "the token, partial characters as \\xE2", {"position"}}, o.text);
    v(Out{"bytes", "", "its bytes, hexadecimal", {"position"}}, o.bytes);
    v(Out{"wte", "", "the token's row of wte", {"dimension"}}, o.wte);
    v(Out{"wpe", "", "the position's row of wpe", {"dimension"}}, o.wpe);
    v(Out{"sum", "", "their sum: what enters the first layer", {"dimension"}}, o.sum);
    v(Out{"merge", "", "the merges that made the token, in order", {"merge"}}, o.merge);
    v(Out{"rank", "", "rank of each merge, from 0", {"merge"}}.setting(), o.rank);
  }
};

inline constexpr const char* kAdam = "prompt=Hello my name is Adam&bos=1";

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "tokens";
  schema.title = "Tokens";
  schema.group = "Text";
  schema.no_difference = "Tokens are words, so two texts are read beside each other, not subtracted.";
  schema.question = "Which tokens does the model read, and which numbers stand for them?";
  schema.source = "GPT-2's byte-level BPE (Radford et al. 2019); A. Yedidia, 2023: a prompt as tokens and positions";
  schema.reads = Reads::tokens;
  schema.presets = {{"adam", "“Hello my name is Adam”", "the source's example: BOS, then one token per word", kAdam},
                    {"pieces", "Rare words in pieces", "a rare word takes several tokens, a frequent one takes one",
                     "prompt=The lighthouse keeper recited antidisestablishmentarianism."},
                    {"scripts", "Other scripts", "a character outside English can be cut into bytes",
                     "prompt=Hello, Привет, 你好, 🙂"},
                    {"spaces", "Spaces count", "a space belongs to the word after it, so a word has several tokens",
                     "prompt=house  house House HOUSE house"}};
  schema.claims = {{"H8", "“Hello my name is Adam” is six tokens: BOS and one per word, at the positions 0 to 5.", 6,
                    "tokens", std::string(kGpt2Small), kAdam}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::tokens
