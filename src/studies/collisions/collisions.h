// Which other token at which other position gives nearly the same sum: the nearest e(t') + p(i') to e(t) + p(i).
// "Insights into GPT-2's positional encodings", 2024: claim O7.
#pragma once

#include "studies/study.h"

namespace helix::studies::collisions {

/// " cat" in GPT-2's vocabulary, at index 3: the text's example.
inline constexpr int kCat = 3797, kIndex = 3;

struct Params {
  int token = kCat, position = kIndex, count = 20;
  std::string word;

  template <class V, class Self>
  static void fields(V&& v, Self& p) {
    v(Field{"token", "Token", "The id of the token; in GPT-2's vocabulary 3797 is “ cat”.", "token"}, p.token,
      Whole{0, 999999, Bound::last_token});
    v(Field{"position", "Position", "Where the token stands.", "position"}, p.position,
      Whole{0, 65535, Bound::last_position});
    v(Field{"count", "Nearest", "How many of the nearest sums are listed.", "sums"}, p.count, Whole{1, 200});
    v(Field{"word", "or its text", "The token by its text instead of its id, with the space that precedes most words."},
      p.word, helix::Text{40});
  }
};

struct Output : OutputBase {
  protocol::Quantity token, position, nearest, same_position, same_token, typical, orthogonal, compared;
  protocol::Grid nearest_token, nearest_position, distance, token_distance, position_distance;
  protocol::Texts text, names;

  template <class V, class Self>
  static void fields(V&& v, Self& o) {
    using protocol::Out;
    v(Out{"token", "token", "the token's id"}.setting(), o.token);
    v(Out{"position", "position", "where it stands"}.setting(), o.position);
    v(Out{"nearest", "distance", "to the nearest sum with another token and another position"}.headline(), o.nearest);
    v(Out{"same_position", "distance", "to the nearest other token at the same position"}, o.same_position);
    v(Out{"same_token", "distance", "to the nearest other position of the same token"}, o.same_token);
    v(Out{"typical", "distance", "root mean square over all sums with another token and position"}, o.typical);
    v(Out{"orthogonal", "distance", "to the nearest sum, if its two differences were orthogonal"}, o.orthogonal);
    v(Out{"compared", "fraction", "of the tokens, compared at every position; the others are farther"}, o.compared);
    v(Out{"nearest_token", "", "ids of the nearest sums' tokens", {"item"}}.key(), o.nearest_token);
    v(Out{"nearest_position", "", "their positions", {"item"}}.key(), o.nearest_position);
    v(Out{"distance", "", "between the two sums", {"item"}}, o.distance);
    v(Out{"token_distance", "", "between the two tokens", {"item"}}, o.token_distance);
    v(Out{"position_distance", "", "between the two positions", {"item"}}, o.position_distance);
    v(Out{"text", "", "the nearest sums' tokens", {"item"}}, o.text);
    v(Out{"names", "", "the token, and the nearest other one", {"name"}}, o.names);
  }
};

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "collisions";
  schema.title = "Nearly equal sums";
  schema.group = "Text";
  schema.question = "Can one token at one position be mistaken for another token at another position?";
  schema.source = "Insights into GPT-2's positional encodings, 2024: CAT at index 3 and APPLE at index 6";
  schema.presets = {
      {"default", "Token 3797 at position 3", "“ cat” in GPT-2: which sums come nearest to it?", ""},
      {"house", "“ house” at position 10", "a word that most vocabularies hold", "word= house&position=10"},
      {"first", "“ the” at position 0", "the first position lies far from all others", "word= the&position=0"},
      {"late", "“ the” at position 500", "neighbouring positions are almost alike", "word= the&position=500"}};
  schema.claims = {{"O7",
                    "A token and its position can be told from their sum: no other token at another position comes "
                    "nearer than another token at the same position.",
                    {},
                    "distance",
                    std::string(kGpt2Small),
                    ""}};
  schema.leads = {{"capture", "Why sums are rarely equal", "Tokens and positions use different directions",
                   "study=subspace_capture"},
                  {"cloud", "All tokens as a cloud", "With the positions among them", "study=token_cloud"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::collisions
