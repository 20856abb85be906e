// How much of the residual stream is position: over many texts each value is a common mean, a part of its position, a
// part of its text, and the rest. J. Song and Y. Zhong, arXiv 2310.04861, 2023, with the conventions of their code.
#pragma once

#include <string>
#include <vector>

#include "studies/bundled_texts.h"
#include "studies/study.h"

namespace helix::studies::position_share {

/// Whose text is cut into windows, in the order of the parameter.
enum class Source { books, prompt };

inline constexpr std::size_t kAxes = 3;      // components in which the positions' part is drawn
inline constexpr double kAboveChance = 1.5;  // times what averaging leaves of the rest: beyond, it is position

struct Params {
  int layer = 3;
  int windows = 32, window = 96;
  Source text = Source::books;
  int first = 1;

  template <class V, class Self>
  static void fields(V&& v, Self& p) {
    v(Field{"layer", "Before layer", "Whose positions are drawn; one more than the last layer: the end.", "layer"},
      p.layer, Whole{0, 999, Bound::last_layer, "", true});
    v(Field{"windows", "Texts",
            "Windows of the text, each of which begins at position 0. Averaging leaves less of the rest in more of "
            "them.",
            "windows"},
      p.windows, Whole{2, 256});
    v(Field{"window", "Tokens in each", "At most as many as the model reads, and as half of the text.", "tokens"},
      p.window, Whole{3, 65535, Bound::last_position});
    v(Field{"text", "Text", "The bundled books, or the prompt: paste a long one.", "", "", true}, p.text,
      OneOf{{{"books", "the bundled books"}, {"prompt", "the prompt"}}});
    v(Field{"first", "From position",
            "Positions before this one are left out of every number: the first is an outlier in many models.",
            "position", "", true},
      p.first, Whole{0, 65535, Bound::last_position});
  }
};

struct Output : OutputBase {
  protocol::Quantity position, context, rest, chance, position_start, position_most, position_end, most_layer,
      stable_rank, rank_corrected, table_rank, relative_norm, context_norm, rest_norm, explained_first3, turns, along,
      neighbours, crossing, crossing_chance, sum_error, layer, windows, window, step, first;
  protocol::Grid share_position, share_context, share_rest, share_chance, rank, rank_less, norm_position, norm_context,
      norm_rest, length, length_position, explained, neighbour_cosine, context_cosine, points, matrix, walk_rank,
      walk_explained_first3, walk_turns, walk_along;

  template <class V, class Self>
  static void fields(V&& v, Self& o) {
    using protocol::Out;
    v(Out{"position", "fraction", "of the variance, the positions' part"}.headline(), o.position);
    v(Out{"context", "fraction", "of the variance, the texts' part"}, o.context);
    v(Out{"rest", "fraction", "of the variance, what neither explains"}, o.rest);
    v(Out{"chance", "fraction", "of the variance, what averaging over the texts leaves of the rest"}, o.chance);
    v(Out{"position_start", "fraction", "the positions' part before layer 0"}, o.position_start);
    v(Out{"position_most", "fraction", "the largest positions' part of all layers"}, o.position_most);
    v(Out{"position_end", "fraction", "the positions' part at the end"}, o.position_end);
    v(Out{"stable_rank", "dimensions", "stable rank of the positions' part"}.digits(3), o.stable_rank);
    v(Out{"rank_corrected", "dimensions", "the same without what averaging leaves of the rest"}.digits(3),
      o.rank_corrected);
    v(Out{"table_rank", "dimensions", "stable rank of the table of positions"}.digits(3), o.table_rank);
    v(Out{"relative_norm", "fraction", "spectral norm of the positions' part over that of the whole"}, o.relative_norm);
    v(Out{"context_norm", "fraction", "the same of the texts' part"}, o.context_norm);
    v(Out{"rest_norm", "fraction", "the same of the rest"}, o.rest_norm);
    v(Out{"explained_first3", "fraction", "of the positions' part, in its first three components"}, o.explained_first3);
    v(Out{"turns", "turns", "of the positions' part, in the plane of its first two components"}.digits(2), o.turns);
    v(Out{"along", "correlation", "of its third component with the position"}.digits(3), o.along);
    v(Out{"neighbours", "cosine", "of neighbouring positions' parts, mean"}.digits(3), o.neighbours);
    v(Out{"crossing", "cosine", "of a position's part with a text's, mean size"}.digits(3), o.crossing);
    v(Out{"crossing_chance", "cosine", "the same of random vectors"}.digits(3), o.crossing_chance);
    v(Out{"sum_error", "fraction", "by which the parts miss the whole, largest over the layers"}.digits(9),
      o.sum_error);
    v(Out{"most_layer", "layer", "where the positions' part is largest"}, o.most_layer);
    v(Out{"layer", "layer", "before this layer"}.setting(), o.layer);
    v(Out{"windows", "windows", "texts"}.setting(), o.windows);
    v(Out{"window", "tokens", "tokens in each text"}.setting(), o.window);
    v(Out{"step", "tokens", "between the beginnings of two texts"}.setting(), o.step);
    v(Out{"first", "position", "the first position that counts"}.setting(), o.first);
    v(Out{"share_position", "fraction", "of the variance, the positions' part", {"layer"}}, o.share_position);
    v(Out{"share_context", "fraction", "of the variance, the texts' part", {"layer"}}, o.share_context);
    v(Out{"share_rest", "fraction", "of the variance, the rest", {"layer"}}, o.share_rest);
    v(Out{"share_chance", "fraction", "what averaging leaves of the rest", {"layer"}}, o.share_chance);
    v(Out{"rank", "dimensions", "stable rank of the positions' part", {"layer"}}.digits(3), o.rank);
    v(Out{"rank_less", "dimensions", "the same without what averaging leaves", {"layer"}}.digits(3), o.rank_less);
    v(Out{"norm_position", "fraction", "relative norm of the positions' part", {"layer"}}, o.norm_position);
    v(Out{"norm_context", "fraction", "relative norm of the texts' part", {"layer"}}, o.norm_context);
    v(Out{"norm_rest", "fraction", "relative norm of the rest", {"layer"}}, o.norm_rest);
    v(Out{"length", "vector length", "root mean square about the common mean", {"layer"}}, o.length);
    v(Out{"length_position", "vector length", "the same of the positions' part", {"layer"}}, o.length_position);
    v(Out{"explained", "fraction", "of the positions' part, along each component", {"layer", "component"}},
      o.explained);
    v(Out{"neighbour_cosine", "cosine", "of neighbouring positions' parts, mean", {"layer"}}.digits(3),
      o.neighbour_cosine);
    v(Out{"context_cosine", "cosine", "of a position's part with a text's, mean size", {"layer"}}.digits(3),
      o.context_cosine);
    v(Out{"points", "", "the positions' part along its components", {"layer", "position", "component"}}
          .coordinate()
          .f32(),
      o.points);
    v(Out{"matrix", "", "the positions' part before this layer", {"position", "dimension"}}.f32(), o.matrix);
    v(Out{"walk_rank", "dimensions", "stable rank of random walks with its steps", {"seed"}}.digits(3), o.walk_rank);
    v(Out{"walk_explained_first3", "fraction", "in three components, of the walks", {"seed"}}, o.walk_explained_first3);
    v(Out{"walk_turns", "turns", "of the walks", {"seed"}}, o.walk_turns);
    v(Out{"walk_along", "", "of the third component with the row, of the walks", {"seed"}}, o.walk_along);
  }
};

/// What the authors found in GPT-2 small, before layer 0, 1, … and at the end: OpenWebText, 6,400 texts of 512 tokens,
/// positions 1 to 511. Printed in their notebook.
inline constexpr std::size_t kStatedLayers = 13;
inline constexpr double kStatedRank[kStatedLayers] = {2.05, 1.92, 1.91, 1.89, 1.88, 1.88, 1.88,
                                                      1.90, 1.91, 1.96, 2.02, 2.24, 1.49};
inline constexpr double kStatedNorm[kStatedLayers] = {1.000, 0.996, 0.990, 0.989, 0.986, 0.983, 0.981,
                                                      0.979, 0.974, 0.841, 0.631, 0.480, 0.075};
inline constexpr int kStatedWindow = 512, kEnoughTexts = 8;
inline constexpr const char* kAsText = "windows=8&window=512";

inline std::vector<ClaimSpec> declared_claims() {
  const std::string small{kGpt2Small};
  return {{"SHARE-table",
           "Before layer 0, the positions' part has a stable rank of 2.05.",
           2.05,
           "dimensions",
           small,
           "windows=2&window=512",
           {"first=1|0", "table_rank", 0.005}},
          {"SHARE-rank", "Before layers 1 to 10, the positions' part has a stable rank of 1.92 on average.", 1.92,
           "dimensions", small, kAsText},
          {"SHARE-norm",
           "The relative norm of the positions' part is .974 before layer 8 and falls from there: .841, .631, .480, "
           "and .075 at the end.",
           0.974, "fraction", small, kAsText}};
}

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "position_share";
  schema.title = "Share of positions";
  schema.group = "Layers";
  schema.question = "How much of the residual stream is position, and how much is text?";
  schema.source = "J. Song and Y. Zhong, Uncovering hidden geometry in Transformers, arXiv 2310.04861, 2023";
  schema.reads = Reads::forward, schema.judges_parts = true;
  schema.presets = {{"default", "Bundled texts", "windows of Darwin, Austen and Melville", ""},
                    {"more", "Shorter and more texts", "averaging leaves less of the rest", "windows=64&window=48"},
                    {"long", "As long as the source's", "512 positions, where the model reads as many", kAsText},
                    {"unplaced", "Without positions", "the null: what averaging leaves", "edit=zero_positions"},
                    {"prompt", "Your own text", "the prompt, cut into windows", "text=prompt&from=text"}};
  schema.claims = declared_claims();
  schema.leads = {{"extended", "The same word everywhere", "Positions in the layers, when the texts do not differ",
                   "study=extended_positions"},
                  {"averaged", "How exact must it be?", "Positions averaged in groups", "study=averaged_positions"},
                  {"helix", "The table of positions", "What layer 0 reads", "study=position_helix"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::position_share
