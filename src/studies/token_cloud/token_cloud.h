// All tokens as points: the rows of wte along the three directions in which they vary most, and the positions in the same
// axes. "Insights into GPT-2's positional encodings", 2024: positions and tokens lie in roughly orthogonal subspaces.
#pragma once

#include "studies/study.h"

namespace helix::studies::token_cloud {

inline constexpr Words say{"token_cloud"};

enum class Of { wte, head };
enum class Colour { norm, rank, found };

inline constexpr std::size_t kComponents = 3;

struct Params {
  Of of = Of::wte;
  Colour colour = Colour::norm;
  std::string find;
  bool positions = true, centre = true;

  static void fields(ParamVisitor& v, Params& p) {
    v(Field{"of"}, p.of, OneOf{{"wte", "head"}});
    v(Field{"colour"}, p.colour, OneOf{{"norm", "rank", "found"}});
    v(Field{"find"}, p.find, helix::Text{40});
    v(Field{"positions"}, p.positions);
    v(Field{"centre"}, p.centre);
  }
};

struct Output : OutputBase {
  protocol::Quantity explained_first3, chance, positions_held, positions_explained, tokens_held, mean_norm, count,
      found_count;
  protocol::Grid points, norm, explained, position_points, found, random_explained_first3;
  protocol::Texts text;

  static void fields(protocol::OutputVisitor& v, Output& o) {
    using protocol::Out;
    v(Out{"explained_first3", "fraction"}.headline(), o.explained_first3);
    v(Out{"chance", "fraction"}, o.chance);
    v(Out{"positions_held", "fraction"}, o.positions_held);
    v(Out{"positions_explained", "fraction"}, o.positions_explained);
    v(Out{"tokens_held", "fraction"}, o.tokens_held);
    v(Out{"mean_norm", "length"}, o.mean_norm);
    v(Out{"count", "tokens"}.setting(), o.count);
    v(Out{"found_count", "tokens"}, o.found_count);
    v(Out{"points", "", {"token", "component"}}.coordinate().f32(), o.points);
    v(Out{"norm", "", {"token"}}.f32(), o.norm);
    v(Out{"explained", "fraction", {"component"}}, o.explained);
    v(Out{"random_explained_first3", "fraction", {"seed"}}, o.random_explained_first3);
    v(Out{"position_points", "", {"position", "component"}}.coordinate().f32(), o.position_points);
    v(Out{"found", "", {"item"}}.key(), o.found);
    v(Out{"text", "", {"token"}}, o.text);
  }
};

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "token_cloud";
  schema.group = "Text";
  schema.presets = {{"default", ""},
                    {"rank", "colour=rank"},
                    {"word", "colour=found&find=house"},
                    {"numbers", "colour=found&find=19"},
                    {"head", "of=head"},
                    {"origin", "centre=false"}};
  schema.leads = {{"capture", "study=subspace_capture"}, {"helix", "study=position_helix"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::token_cloud
