// Attention: the scores, the masked scores and the pattern of one head exactly, and an overview of all heads.
// Vaswani et al. 2017; claims T3, T11, T13.
#pragma once

#include "studies/study.h"

namespace helix::studies::attention {

inline constexpr Words say{"attention"};

enum class Stage { pattern, scores, masked };
/// What the overview of all heads shows.
enum class Grid { numbers, pictures };

/// The grid of all heads has at most this many cells per side; longer prompts are pooled.
inline constexpr std::size_t kGridCells = 24;

/// Up to so many tokens, an edited pattern comes with what it was without the edits.
inline constexpr std::size_t kMostBefore = 64;

/// The chosen head's matrix has at most this many cells per side; longer prompts are pooled.
inline constexpr std::size_t kMostCells = 2048;

struct Params {
  int layer = 0, head = 0;
  Stage stage = Stage::pattern;
  Grid grid = Grid::numbers;

  static void fields(ParamVisitor& v, Params& p) {
    v(Field{"layer", "layer"}, p.layer, Whole{0, 999, Bound::last_layer});
    v(Field{"head", "head"}, p.head, Whole{0, 999, Bound::last_head});
    v(Field{"stage"}, p.stage, OneOf{{"pattern", "scores", "masked"}});
    v(Field{"grid", "", "", true}, p.grid, OneOf{{"numbers", "pictures"}});
  }
};

struct Output : OutputBase {
  protocol::Quantity previous, self, first, induction, even_previous, even_self, even_first, even_induction, repeats,
      pooled, pattern_pooled;
  protocol::Grid pattern, was, heads, previous_by_head;

  static void fields(protocol::OutputVisitor& v, Output& o) {
    using protocol::Out;
    v(Out{"previous", "fraction"}.headline(), o.previous);
    v(Out{"self", "fraction"}, o.self);
    v(Out{"first", "fraction"}, o.first);
    v(Out{"induction", "fraction"}, o.induction);
    v(Out{"even_previous", "fraction"}, o.even_previous);
    v(Out{"even_self", "fraction"}, o.even_self);
    v(Out{"even_first", "fraction"}, o.even_first);
    v(Out{"even_induction", "fraction"}, o.even_induction);
    v(Out{"repeats", "tokens"}.setting(), o.repeats);
    v(Out{"pooled", "tokens"}.setting(), o.pooled);
    v(Out{"pattern_pooled", "tokens"}.setting(), o.pattern_pooled);
    v(Out{"pattern", "", {"query", "key"}}, o.pattern);
    v(Out{"was", "fraction", {"query", "key"}}.setting(), o.was);
    v(Out{"heads", "fraction", {"layer", "head", "query", "key"}}, o.heads);
    v(Out{"previous_by_head", "fraction", {"layer", "head"}}, o.previous_by_head);
  }
};

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "attention";
  schema.group = "Heads";
  schema.reads = Reads::layers;
  schema.text_run = "study=predictions&top=50";
  schema.presets = {
      {"previous_token", "layer=4&head=4&prompt=The old house stood by the river. The old house stood by the"},
      {"induction",
       "layer=5&head=0&prompt= river stone window captain letter green horse summer river stone window captain letter "
       "green horse summer"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::attention
