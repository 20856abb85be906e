// The learned positions of several models, each along its own principal components. Claim H4.
#pragma once

#include "studies/study.h"

namespace helix::studies::position_models {

inline constexpr int kComponents = 8;          // whose shares are listed; points have three
inline constexpr std::size_t kMostModels = 9;  // as many as the text of claim H4 compares
inline constexpr const char* kNine =
    "models=openai-community/gpt2,openai-community/gpt2-medium,openai-community/gpt2-large,openai-community/gpt2-xl,"
    "stanford-crfm/alias-gpt2-small-x21,stanford-crfm/battlestar-gpt2-small-x49,stanford-crfm/caprica-gpt2-small-x81,"
    "stanford-crfm/darkmatter-gpt2-small-x343,stanford-crfm/expanse-gpt2-small-x777";
inline constexpr const char* kWithoutHelix = "openai-community/gpt2-xl";

struct Params {
  std::vector<std::string> models;
  int first = 1, last = 1023;

  template <class V, class Self>
  static void fields(V&& v, Self& p) {
    v(Field{"models", "Models", "The models to compare, by their names; without any, the open model alone."}, p.models,
      Names{kMostModels, 120, Suggest::models});
    v(Field{"first", "Rows", "The first position of each model that is fitted and shown.", "position"}, p.first,
      Whole{0, 65535});
    v(Field{"last", "to", "The last position, included; in a model with fewer positions, its last.", "position"},
      p.last, Whole{0, 65535});
  }
};

/// Every array has one entry per model, in the order of `name`; missing values are NaN.
struct Output : OutputBase {
  protocol::Quantity helices, models_shown;
  protocol::Texts name, why_not;  // why_not: empty for a model that is shown
  protocol::Grid positions, dimensions, explained_first3, components_for_90, turns, turns_skipped, along;
  protocol::Grid walk_explained_first3, walk_turns;
  protocol::Grid explained, points;  // points: of the positions from `first` on

  template <class V, class Self>
  static void fields(V&& v, Self& o) {
    using protocol::Out;
    v(Out{"helices", "models", "models whose positions lie on a helix"}.headline(), o.helices);
    v(Out{"models_shown", "models", "models that are shown"}, o.models_shown);
    v(Out{"name", "", "name", {"model"}}.key(), o.name);
    v(Out{"why_not", "", "why it is not shown", {"model"}}, o.why_not);
    v(Out{"positions", "rows", "positions", {"model"}}.setting(), o.positions);
    v(Out{"dimensions", "dimensions", "dimensions of a position", {"model"}}.setting(), o.dimensions);
    v(Out{"explained_first3", "fraction", "variance explained by three components", {"model"}}, o.explained_first3);
    v(Out{"components_for_90", "components", "components for 90 % of the variance", {"model"}}, o.components_for_90);
    v(Out{"turns", "turns", "turns of the helix", {"model"}}, o.turns);
    v(Out{"turns_skipped", "steps", "steps excluded from the turns", {"model"}}, o.turns_skipped);
    v(Out{"along", "correlation", "correlation of the third component with the position", {"model"}}, o.along);
    v(Out{"walk_explained_first3",
          "fraction",
          "variance in three components of random walks with its steps",
          {"model", "seed"}},
      o.walk_explained_first3);
    v(Out{"walk_turns", "turns", "turns of random walks with its steps", {"model", "seed"}}, o.walk_turns);
    v(Out{"explained", "fraction", "share of the variance", {"model", "component"}}, o.explained);
    v(Out{"points", "", "coordinates along the components", {"model", "position", "component"}}.coordinate(), o.points);
  }
};

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "position_models";
  schema.title = "Several models";
  schema.group = "Positions";
  schema.question = "Do other models keep their positions on a helix too?";
  schema.source = "A. Yedidia, GPT-2's positional embedding matrix is a helix, 2023";
  schema.reads = Reads::positions;
  schema.presets = {
      {"page", "The models of the page", "GPT-2 small's positions, and those of a small model that we trained",
       "models=gpt2-positions,minihelix"},
      {"default", "The open model", "its positions from row 1 on", ""},
      {"sizes", "GPT-2 in four sizes", "small, medium, large and xl: some 20 MB from the hub, if you agree",
       "models=openai-community/gpt2,openai-community/gpt2-medium,"
       "openai-community/gpt2-large,openai-community/gpt2-xl"},
      {"nine", "The nine models of the text",
       "GPT-2 in four sizes, and five training runs of the small one at Stanford, from the hub, if you agree", kNine}};
  schema.claims = {{"H4", "Of nine GPT-2s, all but gpt2-xl have a clear helix.", 8, "models", "", kNine}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::position_models
