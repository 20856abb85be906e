// Extended positions: what a layer reads of each position when the word is the same everywhere. The residual stream of
// <|endoftext|> and a repeated token less its mean over the positions, averaged over tokens, beside the table of positions.
// A. Yedidia, 2023: claims T7 to T10.
#pragma once

#include "studies/study.h"

namespace helix::studies::extended_positions {

inline constexpr Words say{"extended_positions"};

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

  static void fields(ParamVisitor& v, Params& p) {
    v(Field{"layer", "layer"}, p.layer, Whole{0, 999, Bound::last_layer, "", true});
    v(Field{"word"}, p.word, helix::Text{40});
    v(Field{"token", "token", "", true}, p.token, Whole{-1, 999'999, Bound::last_token});
    v(Field{"prompts", "prompts"}, p.prompts, Whole{1, 101});
    v(Field{"hook"}, p.hook, OneOf{{"resid_pre", "ln1", "ln1_normalized"}});
    v(Field{"side"}, p.side, OneOf{{"right", "left"}});
    v(Field{"centre"}, p.centre);
    v(Field{"first", "position", "", true}, p.first, Whole{0, 65535, Bound::last_position});
    v(Field{"threshold", "", "", true}, p.threshold, Real{0.001, 100, true});
  }
};

struct Output : OutputBase {
  protocol::Quantity angle_1, angle_2, angle_3, shared, explained_first3, turns, along, agreement, dimensions_over,
      dimensions_over_positions, times_fewer, effective, effective_positions, layer;
  protocol::Grid points, explained, matrix, angles, largest, angles_by_layer, explained_by_layer, agreement_by_layer,
      random_angles, walk_angles, walk_explained_first3, walk_turns, walk_along, walk_effective, token;
  protocol::Texts variants, text;

  static void fields(protocol::OutputVisitor& v, Output& o) {
    using protocol::Out;
    v(Out{"angle_1", "degrees"}.digits(2), o.angle_1);
    v(Out{"angle_2", "degrees"}.digits(2), o.angle_2);
    v(Out{"angle_3", "degrees"}.digits(2), o.angle_3);
    v(Out{"shared", "fraction"}.headline(), o.shared);
    v(Out{"explained_first3", "fraction"}, o.explained_first3);
    v(Out{"turns", "turns"}.digits(2), o.turns);
    v(Out{"along", "correlation"}.digits(3), o.along);
    v(Out{"agreement", "cosine"}, o.agreement);
    v(Out{"dimensions_over", "dimensions"}, o.dimensions_over);
    v(Out{"dimensions_over_positions", "dimensions"}, o.dimensions_over_positions);
    v(Out{"times_fewer", "times"}.digits(2), o.times_fewer);
    v(Out{"effective", "dimensions"}.digits(1), o.effective);
    v(Out{"effective_positions", "dimensions"}.digits(1), o.effective_positions);
    v(Out{"layer", "layer"}.setting(), o.layer);
    v(Out{"points", "", {"space", "matrix", "position", "component"}}.coordinate().f32(), o.points);
    v(Out{"explained", "fraction", {"space", "component"}}, o.explained);
    v(Out{"matrix", "", {"position", "dimension"}}.f32(), o.matrix);
    v(Out{"angles", "degrees", {"variant", "angle"}}, o.angles);
    v(Out{"largest", "", {"matrix", "dimension"}}, o.largest);
    v(Out{"angles_by_layer", "degrees", {"layer", "angle"}}, o.angles_by_layer);
    v(Out{"explained_by_layer", "fraction", {"layer"}}, o.explained_by_layer);
    v(Out{"agreement_by_layer", "", {"layer"}}, o.agreement_by_layer);
    v(Out{"random_angles", "degrees", {"seed", "angle"}}, o.random_angles);
    v(Out{"walk_angles", "degrees", {"seed", "angle"}}, o.walk_angles);
    v(Out{"walk_explained_first3", "fraction", {"seed"}}, o.walk_explained_first3);
    v(Out{"walk_turns", "turns", {"seed"}}, o.walk_turns);
    v(Out{"walk_along", "", {"seed"}}, o.walk_along);
    v(Out{"walk_effective", "dimensions", {"seed"}}, o.walk_effective);
    v(Out{"token", "", {"prompt"}}.key(), o.token);
    v(Out{"variants", "", {"variant"}}, o.variants);
    v(Out{"text", "", {"prompt"}}, o.text);
  }
};

inline constexpr const char* kAsText = "prompts=2&hook=ln1&side=left&centre=0&first=0";

inline constexpr ClaimText angle_claim(const char* id, double stated, const char* number) {
  return {id,         stated,  "degrees",
          kGpt2Small, kAsText, {"side=left|right&centre=0|1&hook=ln1|ln1_normalized|resid_pre&first=0|1", number, 0.5}};
}

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "extended_positions";
  schema.group = "Layers";
  schema.reads = Reads::model;
  schema.presets = {{"default", ""},           {"ten", "prompts=10"}, {"start", "layer=0"},
                    {"attention", "hook=ln1"}, {"code", kAsText},     {"full", "prompts=101"}};
  constexpr std::string_view small = kGpt2Small;
  schema.claims = {{"T7", {}, "cosine", small, "prompts=2"},
                   {"T8",
                    3,
                    "times",
                    small,
                    kAsText,
                    {"hook=ln1|ln1_normalized|resid_pre&centre=0|1&first=0|1", "times_fewer", 0.5}},
                   {"T9", {}, "turns", small, "prompts=2"},
                   angle_claim("T10", 8, "angle_1"),
                   angle_claim("T10-second", 9, "angle_2"),
                   angle_claim("T10-third", 10, "angle_3")};
  schema.leads = {{"helix", "study=position_helix"}, {"heads", "study=head_taxonomy"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::extended_positions
