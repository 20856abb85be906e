// What a head of layer 0 makes of positions alone: rows of wpe through ln_1, without any token. Claim T12.
#pragma once

#include "studies/study.h"

namespace helix::studies::position_scores {

struct Params {
  int head = 0;
  bool biases = true;
  int query = 128;
  int first = 0, last = 255;

  template <class V, class Self>
  static void fields(V&& v, Self& p) {
    v(Field{"head", "Head", "Head of layer 0, counted from 0; −1: all of them.", "head"}, p.head,
      Whole{-1, 999, Bound::last_head});
    v(Field{"biases", "Biases b_Q and b_K",
            "Off: queries and keys without their biases. b_K adds the same to all keys of a query, so the pattern "
            "depends on b_Q alone."},
      p.biases);
    v(Field{"query", "Query", "The position that looks: its pull is the arrow, its scores are the colours.",
            "position"},
      p.query, Whole{1, 65535, Bound::last_position, "", true});
    v(Field{"first", "Queries", "The first query of the maps and their means. Keys always start at position 0.",
            "position"},
      p.first, Whole{0, 65535, Bound::last_position});
    v(Field{"last", "to", "The last query, included; also the last key of the maps.", "position"}, p.last,
      Whole{0, 65535, Bound::last_position});
  }
};

struct Output : OutputBase {
  protocol::Quantity rising, previous, self, to_first, even, to_first_other, rising_heads, heads, query, along_share,
      outward_share, held, positions;
  protocol::Grid score, pattern, rising_by_head, patterns, by_lag, lag_spread, query_score, points, explained, pull,
      along, outward, rows_rising, walk_rising, random_rising;

  template <class V, class Self>
  static void fields(V&& v, Self& o) {
    using protocol::Out;
    v(Out{"rising", "fraction", "positions i with s(i, i+1) > s(i, i−1)"}.headline(), o.rising);
    v(Out{"previous", "fraction", "attention to the previous position"}, o.previous);
    v(Out{"self", "fraction", "attention to the position itself"}, o.self);
    v(Out{"to_first", "fraction", "attention to position 0"}, o.to_first);
    v(Out{"even", "fraction", "of even attention, to any one position"}, o.even);
    v(Out{"to_first_other", "fraction", "attention to position 0 with the biases switched the other way"},
      o.to_first_other);
    v(Out{"rising_heads", "heads", "heads in which every position counts as rising"}, o.rising_heads);
    v(Out{"heads", "heads", "heads of the layer"}.setting(), o.heads);
    v(Out{"query", "position", "the query"}.setting(), o.query);
    v(Out{"along_share", "fraction", "of the squared pull lies along the curve, mean"}, o.along_share);
    v(Out{"outward_share", "fraction", "of the squared pull points away from the axis, mean"}, o.outward_share);
    v(Out{"held", "fraction", "of the squared pull lies in the three components, mean"}, o.held);
    v(Out{"positions", "rows", "positions in total"}.setting(), o.positions);
    v(Out{"score", "score", "q·k / √d_head", {"query", "key"}}.f32(), o.score);
    v(Out{"pattern", "fraction", "causal softmax of the scores", {"query", "key"}}.f32(), o.pattern);
    v(Out{"rising_by_head", "fraction", "positions with s(i, i+1) > s(i, i−1)", {"head"}}, o.rising_by_head);
    v(Out{"patterns", "fraction", "patterns of all heads, the largest entry of each cell", {"head", "row", "column"}}
          .f32(),
      o.patterns);
    v(Out{"by_lag", "score", "score less that of the query's own place, mean by lag", {"lag"}}, o.by_lag);
    v(Out{"lag_spread", "score", "its standard deviation over the queries", {"lag"}}, o.lag_spread);
    v(Out{"query_score", "score", "the query's score with every position", {"position"}}, o.query_score);
    v(Out{"points", "", "coordinates along the components", {"position", "component"}}.coordinate(), o.points);
    v(Out{"explained", "fraction", "share of the variance", {"component"}}, o.explained);
    v(Out{"pull", "", "gradient of the own score, along the components", {"position", "component"}}.coordinate(),
      o.pull);
    v(Out{"along", "cosine", "of the pull with the curve", {"position"}}, o.along);
    v(Out{"outward", "cosine", "of the pull with the direction away from the axis", {"position"}}, o.outward);
    v(Out{"rows_rising", "fraction", "rising positions, rows in random order", {"seed"}}, o.rows_rising);
    v(Out{"walk_rising", "fraction", "rising positions, random walks", {"seed"}}, o.walk_rising);
    v(Out{"random_rising", "fraction", "rising positions, random heads", {"seed"}}, o.random_rising);
  }
};

inline std::vector<ClaimSpec> declared_claims() {
  const std::string small{kGpt2Small};
  return {{"T12",
           "In ten of the twelve heads of layer 0, positions alone score the next position above the previous one at "
           "every position from 50 to 999.",
           10,
           "heads",
           small,
           "",
           {"", "rising_heads", 0.5}},
          {"T12-first",
           "On positions alone, head 0.5 attends to the first position with .57.",
           0.57,
           "fraction",
           small,
           "head=5&first=50",
           {"first=0|16|50", "to_first", 0.005}},
          {"T12-biases",
           "Without b_Q and b_K, head 0.5 attends to the first position with .08.",
           0.08,
           "fraction",
           small,
           "head=5&biases=0&first=16",
           {"first=0|16|50", "to_first", 0.005}}};
}

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "position_scores";
  schema.title = "Scores of positions";
  schema.group = "Heads";
  schema.question = "Where does a head look if it sees nothing but positions?";
  schema.source = "A. Yedidia, The positional embedding matrix and previous-token heads, 2023";
  schema.presets = {
      {"near", "Head 2",
       "in minihelix it attends most to positions close by, nearly four times as much as an even head", "head=2"},
      {"default", "Head 0", "its scores on the helix, and the query's pull", ""},
      {"no_biases", "Without biases", "the same head without b_Q and b_K", "biases=0"},
      {"local", "Head 3", "in GPT-2 small it attends to its own place: its pull lies along the curve", "head=3"},
      {"sink", "Head 5", "in GPT-2 small its query bias asks for the first position; queries 50 to 255",
       "head=5&first=50"},
      {"all", "All heads", "each head's pattern on positions alone", "head=-1"},
      {"far", "A query far along the curve", "the same head, seen from position 400", "query=400"}};
  schema.claims = declared_claims();
  schema.leads = {{"helix", "The curve itself", "The positions without any head", "study=position_helix"},
                  {"attention", "With words", "What the same heads attend to on a text", "study=attention&from=text"},
                  {"taxonomy", "Every layer", "Which heads find the previous token", "study=head_taxonomy&from=text"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::position_scores
