// Which other token at which other position gives nearly the same sum: the nearest e(t') + p(i') to e(t) + p(i).
// "Insights into GPT-2's positional encodings", 2024: claim O7.
#pragma once

#include "studies/study.h"

namespace helix::studies::collisions {

inline constexpr Words say{"collisions"};

/// " cat" in GPT-2's vocabulary, at index 3: the text's example.
inline constexpr int kCat = 3797, kIndex = 3;

struct Params {
  int token = kCat, position = kIndex, count = 20;
  std::string word;

  static void fields(ParamVisitor& v, Params& p) {
    v(Field{"token", "token"}, p.token, Whole{0, 999999, Bound::last_token});
    v(Field{"position", "position"}, p.position, Whole{0, 65535, Bound::last_position});
    v(Field{"count", "sums"}, p.count, Whole{1, 200});
    v(Field{"word"}, p.word, helix::Text{40});
  }
};

struct Output : OutputBase {
  protocol::Quantity token, position, nearest, same_position, same_token, typical, orthogonal, compared;
  protocol::Grid nearest_token, nearest_position, distance, token_distance, position_distance;
  protocol::Texts text, names;

  static void fields(protocol::OutputVisitor& v, Output& o) {
    using protocol::Out;
    v(Out{"token", "token"}.setting(), o.token);
    v(Out{"position", "position"}.setting(), o.position);
    v(Out{"nearest", "distance"}.headline(), o.nearest);
    v(Out{"same_position", "distance"}, o.same_position);
    v(Out{"same_token", "distance"}, o.same_token);
    v(Out{"typical", "distance"}, o.typical);
    v(Out{"orthogonal", "distance"}, o.orthogonal);
    v(Out{"compared", "fraction"}, o.compared);
    v(Out{"nearest_token", "", {"item"}}.key(), o.nearest_token);
    v(Out{"nearest_position", "", {"item"}}.key(), o.nearest_position);
    v(Out{"distance", "", {"item"}}.brief("distance"), o.distance);
    v(Out{"token_distance", "", {"item"}}.brief("of the tokens"), o.token_distance);
    v(Out{"position_distance", "", {"item"}}.brief("of the positions"), o.position_distance);
    v(Out{"text", "", {"item"}}, o.text);
    v(Out{"names", "", {"name"}}, o.names);
  }
};

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "collisions";
  schema.group = "Text";
  schema.presets = {{"default", ""},
                    {"house", "word= house&position=10"},
                    {"first", "word= the&position=0"},
                    {"late", "word= the&position=500"}};
  schema.claims = {{"O7", {}, "distance", std::string(kGpt2Small), ""}};
  schema.leads = {{"capture", "study=subspace_capture"}, {"cloud", "study=token_cloud"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::collisions
