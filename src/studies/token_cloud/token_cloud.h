// All tokens as points: the rows of wte along the three directions in which they vary most, and the positions in the same
// axes. "Insights into GPT-2's positional encodings", 2024: positions and tokens lie in roughly orthogonal subspaces.
#pragma once

#include "studies/study.h"

namespace helix::studies::token_cloud {

enum class Of { wte, head };
enum class Colour { norm, rank, found };

inline constexpr std::size_t kComponents = 3;

struct Params {
  Of of = Of::wte;
  Colour colour = Colour::norm;
  std::string find;
  bool positions = true, centre = true;

  template <class V, class Self>
  static void fields(V&& v, Self& p) {
    v(Field{"of", "Vectors",
            "The rows of wte as they enter the model, or as the output head compares with them: multiplied by the gain "
            "of ln_f."},
      p.of, OneOf{{{"wte", "tokens (wte)"}, {"head", "output head (wte, ln_f gain)"}}});
    v(Field{"colour", "Colour",
            "By the length of each vector, by the token's rank in the vocabulary (its id: frequent tokens came first), "
            "or only the tokens that are found."},
      p.colour, OneOf{{{"norm", "length"}, {"rank", "rank"}, {"found", "found"}}});
    v(Field{"find", "Find", "Marks the tokens whose text contains this; case-sensitive."}, p.find, helix::Text{40});
    v(Field{"positions", "Positions", "Draw the rows of wpe in the same axes."}, p.positions);
    v(Field{"centre", "Centred", "Axes through the mean of all tokens; else through the origin."}, p.centre);
  }
};

struct Output : OutputBase {
  protocol::Quantity explained_first3, chance, positions_held, positions_explained, tokens_held, mean_norm, count,
      found_count;
  protocol::Grid points, norm, explained, position_points, found, random_explained_first3;
  protocol::Texts text;

  template <class V, class Self>
  static void fields(V&& v, Self& o) {
    using protocol::Out;
    v(Out{"explained_first3", "fraction", "of the tokens' variance, along the three axes"}.headline(),
      o.explained_first3);
    v(Out{"chance", "fraction", "of any variance along three random axes: 3 / d_model"}, o.chance);
    v(Out{"positions_held", "fraction", "of the positions' variance, along the same three axes"}, o.positions_held);
    v(Out{"positions_explained", "fraction", "of the positions' variance, along their own three axes"},
      o.positions_explained);
    v(Out{"tokens_held", "fraction", "of the tokens' variance, along the positions' three axes"}, o.tokens_held);
    v(Out{"mean_norm", "length", "mean length of a token's vector"}, o.mean_norm);
    v(Out{"count", "tokens", "tokens in the vocabulary"}.setting(), o.count);
    v(Out{"found_count", "tokens", "tokens whose text contains the search text"}, o.found_count);
    v(Out{"points", "", "coordinates along the three axes", {"token", "component"}}.coordinate().f32(), o.points);
    v(Out{"norm", "", "length of each vector", {"token"}}.f32(), o.norm);
    v(Out{"explained", "fraction", "share of the tokens' variance", {"component"}}, o.explained);
    v(Out{"random_explained_first3",
          "fraction",
          "of the variance of as many independent normal rows, along their own three axes",
          {"seed"}},
      o.random_explained_first3);
    v(Out{"position_points", "", "coordinates of the positions along the same axes", {"position", "component"}}
          .coordinate()
          .f32(),
      o.position_points);
    v(Out{"found", "", "ids of the tokens that are found", {"item"}}.key(), o.found);
    v(Out{"text", "", "each token", {"token"}}, o.text);
  }
};

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "token_cloud";
  schema.title = "All tokens as a cloud";
  schema.group = "Text";
  schema.question = "How do the vectors of all tokens lie, and do the positions lie among them?";
  schema.source = "Insights into GPT-2's positional encodings, 2024: the spaces of positions and of tokens";
  schema.presets = {
      {"default", "Tokens and positions", "do words and positions share a space?", ""},
      {"rank", "By rank", "do rare tokens lie apart from frequent ones?", "colour=rank"},
      {"word", "Tokens with “house”", "do related words lie together?", "colour=found&find=house"},
      {"numbers", "Tokens with “19”", "do numbers lie together?", "colour=found&find=19"},
      {"head", "The output head", "what the last layer's output is compared with", "of=head"},
      {"origin", "Not centred", "how much of the picture is the mean that all tokens share?", "centre=false"}};
  schema.leads = {{"capture", "All directions, not three", "How much of each token direction the positions hold",
                   "study=subspace_capture"},
                  {"helix", "The positions alone", "Along their own three directions", "study=position_helix"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::token_cloud
