// The learned positions of several models, each along its own principal components. Claim H4.
#pragma once

#include "studies/study.h"

namespace helix::studies::position_models {

inline constexpr Words say{"position_models"};

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

  static void fields(ParamVisitor& v, Params& p) {
    v(Field{"models"}, p.models, Names{kMostModels, 120, Suggest::models});
    v(Field{"first", "position"}, p.first, Whole{0, 65535});
    v(Field{"last", "position"}, p.last, Whole{0, 65535});
  }
};

/// Every array has one entry per model, in the order of `name`; missing values are NaN.
struct Output : OutputBase {
  protocol::Quantity helices, models_shown;
  protocol::Texts name, why_not;  // why_not: empty for a model that is shown
  protocol::Grid positions, dimensions, explained_first3, components_for_90, turns, turns_skipped, along;
  protocol::Grid walk_explained_first3, walk_turns;
  protocol::Grid explained, points;  // points: of the positions from `first` on

  static void fields(protocol::OutputVisitor& v, Output& o) {
    using protocol::Out;
    v(Out{"helices", "models"}.headline(), o.helices);
    v(Out{"models_shown", "models"}, o.models_shown);
    v(Out{"name", "", {"model"}}.key(), o.name);
    v(Out{"why_not", "", {"model"}}, o.why_not);
    v(Out{"positions", "rows", {"model"}}.setting(), o.positions);
    v(Out{"dimensions", "dimensions", {"model"}}.setting(), o.dimensions);
    v(Out{"explained_first3", "fraction", {"model"}}, o.explained_first3);
    v(Out{"components_for_90", "components", {"model"}}, o.components_for_90);
    v(Out{"turns", "turns", {"model"}}, o.turns);
    v(Out{"turns_skipped", "steps", {"model"}}, o.turns_skipped);
    v(Out{"along", "correlation", {"model"}}, o.along);
    v(Out{"walk_explained_first3", "fraction", {"model", "seed"}}, o.walk_explained_first3);
    v(Out{"walk_turns", "turns", {"model", "seed"}}, o.walk_turns);
    v(Out{"explained", "fraction", {"model", "component"}}, o.explained);
    v(Out{"points", "", {"model", "position", "component"}}.coordinate(), o.points);
  }
};

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "position_models";
  schema.group = "Positions";
  schema.reads = Reads::positions;
  schema.presets = {{"page", "models=gpt2-positions,minihelix"},
                    {"default", ""},
                    {"sizes",
                     "models=openai-community/gpt2,openai-community/gpt2-medium,"
                     "openai-community/gpt2-large,openai-community/gpt2-xl"},
                    {"nine", kNine}};
  schema.claims = {{"H4", 8, "models", "", kNine}};
  schema.leads = {{"emergence", "study=position_emergence"}, {"helix", "study=position_helix"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::position_models
