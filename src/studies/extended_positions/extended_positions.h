// Extended positions: what a layer reads of each position when the word is the same everywhere. The residual stream of
// <|endoftext|> and a repeated token less its mean over the positions, averaged over tokens, beside the table of positions.
// A. Yedidia, 2023: claims T7 to T10.
#pragma once

#include "studies/study.h"

namespace helix::studies::extended_positions {

enum class Hook { resid_pre, ln1, ln1_normalized };
enum class Side { right, left };

/// The three spaces, each with both curves; and the eight variants of the angles: side, then centring, then hook.
inline constexpr std::size_t kSpaces = 3, kCurves = 2, kAxes = 3, kVariants = 8;
/// Left, not centred, after ln_1: what the text's code computes.
inline constexpr std::size_t kOfText = 7;
inline std::size_t variant_of(Side side, bool centre, bool normalized) {
  return 4 * (side == Side::left) + 2 * !centre + normalized;
}

struct Params {
  int layer = 2, token = -1, prompts = 1;
  std::string word = "hello";
  Hook hook = Hook::resid_pre;
  Side side = Side::right;
  bool centre = true;
  int first = 1;
  double threshold = 0.3;

  template <class V, class Self>
  static void fields(V&& v, Self& p) {
    v(Field{"layer", "Before layer", "Layer 0 reads the table of positions itself.", "layer"}, p.layer,
      Whole{0, 999, Bound::last_layer, "", true});
    v(Field{"word", "Repeated token", "The first token of this text is repeated through the whole context."}, p.word,
      helix::Text{40});
    v(Field{"token", "or its id", "The token by its id; −1: the one of the text.", "token", "", true}, p.token,
      Whole{-1, 999'999, Bound::last_token});
    v(Field{"prompts", "Prompts",
            "How many tokens are averaged: the chosen one, then random ones. Each is a pass over the whole context.",
            "prompts"},
      p.prompts, Whole{1, 101});
    v(Field{"hook", "Read at",
            "The residual stream before the layer; or what its attention reads, after ln_1 with its gain, as in the "
            "text's code; or before the gain, as TransformerLens has it today."},
      p.hook,
      OneOf{{{"resid_pre", "residual stream"}, {"ln1", "after ln_1"}, {"ln1_normalized", "ln_1, before its gain"}}});
    v(Field{"side", "Angles between",
            "Three directions of the embedding space, in which the positions lie; or three profiles along the "
            "positions, which is what the text's code compares."},
      p.side, OneOf{{{"right", "directions"}, {"left", "profiles"}}});
    v(Field{"centre", "Centred", "Subtract the mean row of both matrices before their components are taken."},
      p.centre);
    v(Field{"first", "Rows from", "The first position that counts. Row 0 holds <|endoftext|>, not the repeated token.",
            "position", "", true},
      p.first, Whole{0, 65535, Bound::last_position});
    v(Field{"threshold", "Counted beyond", "A dimension counts if any entry is larger than this in size.", "", "",
            true},
      p.threshold, Real{0.001, 100, true});
  }
};

struct Output : OutputBase {
  protocol::Quantity angle_1, angle_2, angle_3, shared, explained_first3, turns, along, agreement, dimensions_over,
      dimensions_over_positions, times_fewer, effective, effective_positions, layer;
  protocol::Grid points, explained, matrix, angles, largest, angles_by_layer, explained_by_layer, agreement_by_layer,
      random_angles, walk_angles, walk_explained_first3, walk_turns, walk_along, walk_effective, token;
  protocol::Texts variants, text;

  template <class V, class Self>
  static void fields(V&& v, Self& o) {
    using protocol::Out;
    v(Out{"angle_1", "degrees", "smallest canonical angle to the positions' three directions or profiles"}.digits(2),
      o.angle_1);
    v(Out{"angle_2", "degrees", "second canonical angle"}.digits(2), o.angle_2);
    v(Out{"angle_3", "degrees", "largest canonical angle"}.digits(2), o.angle_3);
    v(Out{"shared", "fraction", "variance within the positions' first three directions"}.headline(), o.shared);
    v(Out{"explained_first3", "fraction", "variance in its own first three components"}, o.explained_first3);
    v(Out{"turns", "turns", "in the plane of its own first two components"}.digits(2), o.turns);
    v(Out{"along", "correlation", "of its own third component with the position"}.digits(3), o.along);
    v(Out{"agreement", "cosine", "mean over pairs of prompts, rows from 1 on, centred"}, o.agreement);
    v(Out{"dimensions_over", "dimensions", "with an entry beyond the threshold"}, o.dimensions_over);
    v(Out{"dimensions_over_positions", "dimensions", "the same of the table of positions"},
      o.dimensions_over_positions);
    v(Out{"times_fewer", "times", "dimensions beyond the threshold, positions over extended positions"}.digits(2),
      o.times_fewer);
    v(Out{"effective", "dimensions", "participation ratio of the dimensions' mean squares"}.digits(1), o.effective);
    v(Out{"effective_positions", "dimensions", "the same of the table of positions"}.digits(1), o.effective_positions);
    v(Out{"layer", "layer", "before this layer"}.setting(), o.layer);
    v(Out{"points",
          "",
          "positions and extended positions in the components of positions, of extended positions, of both",
          {"space", "matrix", "position", "component"}}
          .coordinate()
          .f32(),
      o.points);
    v(Out{"explained", "fraction", "share of the variance along each component", {"space", "component"}}, o.explained);
    v(Out{"matrix", "", "extended positions", {"position", "dimension"}}.f32(), o.matrix);
    v(Out{"angles", "degrees", "canonical angles of every variant", {"variant", "angle"}}, o.angles);
    v(Out{"largest", "", "largest entry of each dimension, positions and extended positions", {"matrix", "dimension"}},
      o.largest);
    v(Out{"angles_by_layer", "degrees", "canonical angles before each layer", {"layer", "angle"}}, o.angles_by_layer);
    v(Out{"explained_by_layer", "fraction", "variance in three components, before each layer", {"layer"}},
      o.explained_by_layer);
    v(Out{"agreement_by_layer", "", "cosine between prompts, before each layer", {"layer"}}, o.agreement_by_layer);
    v(Out{"random_angles", "degrees", "of two random subspaces of three dimensions", {"seed", "angle"}},
      o.random_angles);
    v(Out{"walk_angles", "degrees", "to the positions, of random walks with these steps", {"seed", "angle"}},
      o.walk_angles);
    v(Out{"walk_explained_first3", "fraction", "in three components, of the walks", {"seed"}}, o.walk_explained_first3);
    v(Out{"walk_turns", "turns", "of the walks", {"seed"}}, o.walk_turns);
    v(Out{"walk_along", "", "of the third component with the row, of the walks", {"seed"}}, o.walk_along);
    v(Out{"walk_effective", "dimensions", "participation ratio, of the walks", {"seed"}}, o.walk_effective);
    v(Out{"token", "", "ids of the repeated tokens", {"prompt"}}.key(), o.token);
    v(Out{"variants", "", "variants of the angles", {"variant"}}, o.variants);
    v(Out{"text", "", "the repeated tokens", {"prompt"}}, o.text);
  }
};

inline constexpr const char* kAsText = "prompts=2&hook=ln1&side=left&centre=0&first=0";

inline ClaimSpec angle_claim(const char* id, const char* which, double stated, const char* number) {
  return {id,
          "The " + std::string(which) + " canonical angle between positions and extended positions before layer 2 is " +
              to_text(stated) + "°.",
          stated,
          "degrees",
          std::string(kGpt2Small),
          kAsText,
          {"side=left|right&centre=0|1&hook=ln1|ln1_normalized|resid_pre&first=0|1", number, 0.5}};
}

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "extended_positions";
  schema.title = "Extended positions";
  schema.group = "Layers";
  schema.question = "What is left of a position's vector in the layers after the first?";
  schema.source = "A. Yedidia, 2023: extended positional embeddings, with the code of resid_viewer";
  schema.reads = Reads::model;
  schema.presets = {
      {"default", "One repeated token", "before layer 2, “hello” at every position", ""},
      {"ten", "Averaged over ten tokens", "how much the result depends on the token", "prompts=10"},
      {"start", "Before layer 0", "the table of positions itself, except for row 0", "layer=0"},
      {"attention", "As attention reads it", "after ln_1, which makes every row about equally long", "hook=ln1"},
      {"code", "As the text's code", "left singular vectors, not centred, after ln_1, with row 0", kAsText},
      {"full", "All 101 prompts", "as many as the text averages: minutes on a large model", "prompts=101"}};
  const std::string small{kGpt2Small};
  schema.claims = {
      {"T7", "Extended positions are almost independent of the repeated token.", {}, "cosine", small, "prompts=2"},
      {"T8",
       "Extended positions before layer 2 have about three times fewer dimensions with an entry beyond 0.3 than the "
       "table of positions.",
       3,
       "times",
       small,
       kAsText,
       {"hook=ln1|ln1_normalized|resid_pre&centre=0|1&first=0|1", "times_fewer", 0.5}},
      {"T9", "Extended positions before layer 2 lie on a helix, too.", {}, "turns", small, "prompts=2"},
      angle_claim("T10", "smallest", 8, "angle_1"),
      angle_claim("T10-second", "second", 9, "angle_2"),
      angle_claim("T10-third", "largest", 10, "angle_3")};
  schema.leads = {
      {"helix", "See the table's helix", "The positions that layer 0 reads", "study=position_helix"},
      {"heads", "Which heads use positions?", "Attention by distance, head by head", "study=head_taxonomy"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::extended_positions
