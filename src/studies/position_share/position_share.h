// How much of the residual stream is position: over many texts each value is a common mean, a part of its position, a
// part of its text, and the rest. J. Song and Y. Zhong, arXiv 2310.04861, 2023, with the conventions of their code.
#pragma once

#include <string>
#include <vector>

#include "studies/bundled_texts.h"
#include "studies/study.h"

namespace helix::studies::position_share {

inline constexpr Words say{"position_share"};

/// Whose text is cut into windows, in the order of the parameter.
enum class Source { books, prompt };

inline constexpr std::size_t kAxes = 3;      // components in which the positions' part is drawn
inline constexpr double kAboveChance = 1.5;  // times what averaging leaves of the rest: beyond, it is position

struct Params {
  int layer = 3;
  int windows = 32, window = 96;
  Source text = Source::books;
  int first = 1;

  static void fields(ParamVisitor& v, Params& p) {
    v(Field{"layer", "layer"}, p.layer, Whole{0, 999, Bound::last_layer, "", true});
    v(Field{"windows", "windows"}, p.windows, Whole{2, 256});
    v(Field{"window", "tokens"}, p.window, Whole{3, 65535, Bound::last_position});
    v(Field{"text", "", "", true}, p.text, OneOf{{"books", "prompt"}});
    v(Field{"first", "position", "", true}, p.first, Whole{0, 65535, Bound::last_position});
  }
};

struct Output : OutputBase {
  protocol::Quantity position, context, rest, chance, position_start, position_most, position_end, most_layer,
      stable_rank, rank_corrected, table_rank, relative_norm, context_norm, rest_norm, explained_first3, turns, along,
      neighbours, crossing, crossing_chance, sum_error, layer, windows, window, step, first;
  protocol::Grid share_position, share_context, share_rest, share_chance, rank, rank_less, norm_position, norm_context,
      norm_rest, length, length_position, explained, neighbour_cosine, context_cosine, points, matrix, walk_rank,
      walk_explained_first3, walk_turns, walk_along;

  static void fields(protocol::OutputVisitor& v, Output& o) {
    using protocol::Out;
    v(Out{"position", "fraction"}.headline(), o.position);
    v(Out{"context", "fraction"}, o.context);
    v(Out{"rest", "fraction"}, o.rest);
    v(Out{"chance", "fraction"}, o.chance);
    v(Out{"position_start", "fraction"}, o.position_start);
    v(Out{"position_most", "fraction"}, o.position_most);
    v(Out{"position_end", "fraction"}, o.position_end);
    v(Out{"stable_rank", "dimensions"}.digits(3), o.stable_rank);
    v(Out{"rank_corrected", "dimensions"}.digits(3), o.rank_corrected);
    v(Out{"table_rank", "dimensions"}.digits(3), o.table_rank);
    v(Out{"relative_norm", "fraction"}, o.relative_norm);
    v(Out{"context_norm", "fraction"}, o.context_norm);
    v(Out{"rest_norm", "fraction"}, o.rest_norm);
    v(Out{"explained_first3", "fraction"}, o.explained_first3);
    v(Out{"turns", "turns"}.digits(2), o.turns);
    v(Out{"along", "correlation"}.digits(3), o.along);
    v(Out{"neighbours", "cosine"}.digits(3), o.neighbours);
    v(Out{"crossing", "cosine"}.digits(3), o.crossing);
    v(Out{"crossing_chance", "cosine"}.digits(3), o.crossing_chance);
    v(Out{"sum_error", "fraction"}.digits(9), o.sum_error);
    v(Out{"most_layer", "layer"}, o.most_layer);
    v(Out{"layer", "layer"}.setting(), o.layer);
    v(Out{"windows", "windows"}.setting(), o.windows);
    v(Out{"window", "tokens"}.setting(), o.window);
    v(Out{"step", "tokens"}.setting(), o.step);
    v(Out{"first", "position"}.setting(), o.first);
    v(Out{"share_position", "fraction", {"layer"}}, o.share_position);
    v(Out{"share_context", "fraction", {"layer"}}, o.share_context);
    v(Out{"share_rest", "fraction", {"layer"}}, o.share_rest);
    v(Out{"share_chance", "fraction", {"layer"}}, o.share_chance);
    v(Out{"rank", "dimensions", {"layer"}}.digits(3), o.rank);
    v(Out{"rank_less", "dimensions", {"layer"}}.digits(3), o.rank_less);
    v(Out{"norm_position", "fraction", {"layer"}}, o.norm_position);
    v(Out{"norm_context", "fraction", {"layer"}}, o.norm_context);
    v(Out{"norm_rest", "fraction", {"layer"}}, o.norm_rest);
    v(Out{"length", "vector length", {"layer"}}, o.length);
    v(Out{"length_position", "vector length", {"layer"}}, o.length_position);
    v(Out{"explained", "fraction", {"layer", "component"}}, o.explained);
    v(Out{"neighbour_cosine", "cosine", {"layer"}}.digits(3), o.neighbour_cosine);
    v(Out{"context_cosine", "cosine", {"layer"}}.digits(3), o.context_cosine);
    v(Out{"points", "", {"layer", "position", "component"}}.coordinate().f32(), o.points);
    v(Out{"matrix", "", {"position", "dimension"}}.f32(), o.matrix);
    v(Out{"walk_rank", "dimensions", {"seed"}}.digits(3), o.walk_rank);
    v(Out{"walk_explained_first3", "fraction", {"seed"}}, o.walk_explained_first3);
    v(Out{"walk_turns", "turns", {"seed"}}, o.walk_turns);
    v(Out{"walk_along", "", {"seed"}}, o.walk_along);
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

inline Claims declared_claims() {
  constexpr std::string_view small = kGpt2Small;
  return {{"SHARE-table", 2.05, "dimensions", small, "windows=2&window=512", {"first=1|0", "table_rank", 0.005}},
          {"SHARE-rank", 1.92, "dimensions", small, kAsText},
          {"SHARE-norm", 0.974, "fraction", small, kAsText}};
}

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "position_share";
  schema.group = "Layers";
  schema.reads = Reads::forward, schema.judges_parts = true;
  schema.presets = {{"default", ""},
                    {"more", "windows=64&window=48"},
                    {"long", kAsText},
                    {"unplaced", "edit=zero_positions"},
                    {"prompt", "text=prompt&from=text"}};
  schema.claims = declared_claims();
  schema.leads = {{"extended", "study=extended_positions"},
                  {"averaged", "study=averaged_positions"},
                  {"helix", "study=position_helix"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::position_share
