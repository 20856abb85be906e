// Attention: the scores, the masked scores and the pattern of one head exactly, and an overview of all heads.
// Vaswani et al. 2017; claims T3, T11, T13.
#pragma once

#include "studies/study.h"

namespace helix::studies::attention {

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

  template <class V, class Self>
  static void fields(V&& v, Self& p) {
    v(Field{"layer", "Layer", "Counted from 0.", "layer"}, p.layer, Whole{0, 999, Bound::last_layer});
    v(Field{"head", "Head", "Counted from 0.", "head"}, p.head, Whole{0, 999, Bound::last_head});
    v(Field{"stage", "Stage", "q·k/√d_head without the mask, with later keys masked (−∞), or after the softmax."},
      p.stage, OneOf{{{"pattern", "pattern"}, {"scores", "scores, before the mask"}, {"masked", "scores, masked"}}});
    v(Field{"grid", "All heads as",
            "For each head its attention to the previous token as a number, or a small picture.", "", "", true},
      p.grid, OneOf{{{"numbers", "numbers"}, {"pictures", "small pictures"}}});
  }
};

struct Output : OutputBase {
  protocol::Quantity previous, self, first, induction, even_previous, even_self, even_first, even_induction, repeats,
      pooled, pattern_pooled;
  protocol::Grid pattern, was, heads, previous_by_head;

  template <class V, class Self>
  static void fields(V&& v, Self& o) {
    using protocol::Out;
    v(Out{"previous", "fraction", "attention to the previous token, mean"}.headline(), o.previous);
    v(Out{"self", "fraction", "attention to the token itself, mean"}, o.self);
    v(Out{"first", "fraction", "attention to the first token, mean"}, o.first);
    v(Out{"induction", "fraction", "attention to what followed the same token earlier, mean"}, o.induction);
    v(Out{"even_previous", "fraction", "to the previous token, of a head that looks everywhere equally"},
      o.even_previous);
    v(Out{"even_self", "fraction", "to the token itself, of a head that looks everywhere equally"}, o.even_self);
    v(Out{"even_first", "fraction", "to the first token, of a head that looks everywhere equally"}, o.even_first);
    v(Out{"even_induction", "fraction",
          "to what followed the same token earlier, of a head that looks everywhere equally"},
      o.even_induction);
    v(Out{"repeats", "tokens", "tokens that occurred before"}.setting(), o.repeats);
    v(Out{"pooled", "tokens", "tokens a cell of the grid of heads, each way"}.setting(), o.pooled);
    v(Out{"pattern_pooled", "tokens", "tokens a cell of the chosen head's matrix, each way"}.setting(),
      o.pattern_pooled);
    v(Out{"pattern", "", "the chosen head at the chosen stage", {"query", "key"}}, o.pattern);
    v(Out{"was", "fraction", "the chosen head's pattern without the edits, of a short prompt", {"query", "key"}}
          .setting(),
      o.was);
    v(Out{"heads", "fraction", "largest pattern entry of each cell, all heads", {"layer", "head", "query", "key"}},
      o.heads);
    v(Out{"previous_by_head", "fraction", "attention to the previous token, mean", {"layer", "head"}},
      o.previous_by_head);
  }
};

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "attention";
  schema.title = "Attention";
  schema.group = "Heads";
  schema.question = "Which earlier tokens does each token attend to?";
  schema.source = "Vaswani et al., Attention Is All You Need, 2017; A. Yedidia, 2023";
  schema.reads = Reads::layers;
  schema.text_run = "study=predictions&top=50";
  schema.presets = {
      {"previous_token", "Previous token",
       "head 4.4 of minihelix attends most to the previous token; in another model it may not",
       "layer=4&head=4&prompt=The old house stood by the river. The old house stood by the"},
      {"induction", "Induction",
       "head 5.0 of minihelix attends to what followed the same token earlier; in another model it may not",
       "layer=5&head=0&prompt= river stone window captain letter green horse summer river stone window captain letter "
       "green horse summer"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::attention
