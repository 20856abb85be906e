// What a head of layer 0 makes of positions alone: rows of wpe through ln_1, without any token. Claim T12.
#pragma once

#include "studies/study.h"

namespace helix::studies::position_scores {

inline constexpr Words say{"position_scores"};

struct Params {
  int head = 0;
  bool biases = true;
  int query = 128;
  int first = 0, last = 255;

  static void fields(ParamVisitor& v, Params& p) {
    v(Field{"head", "head"}, p.head, Whole{-1, 999, Bound::last_head});
    v(Field{"biases"}, p.biases);
    v(Field{"query", "position"}, p.query, Whole{1, 65535, Bound::last_position, "", true});
    v(Field{"first", "position"}, p.first, Whole{0, 65535, Bound::last_position});
    v(Field{"last", "position"}, p.last, Whole{0, 65535, Bound::last_position});
  }
};

struct Output : OutputBase {
  protocol::Quantity rising, previous, self, to_first, even, to_first_other, rising_heads, heads, query, along_share,
      outward_share, held, positions;
  protocol::Grid score, pattern, rising_by_head, patterns, by_lag, lag_spread, query_score, points, explained, pull,
      along, outward, rows_rising, walk_rising, random_rising;

  static void fields(protocol::OutputVisitor& v, Output& o) {
    using protocol::Out;
    v(Out{"rising", "fraction"}.headline(), o.rising);
    v(Out{"previous", "fraction"}, o.previous);
    v(Out{"self", "fraction"}, o.self);
    v(Out{"to_first", "fraction"}, o.to_first);
    v(Out{"even", "fraction"}, o.even);
    v(Out{"to_first_other", "fraction"}, o.to_first_other);
    v(Out{"rising_heads", "heads"}, o.rising_heads);
    v(Out{"heads", "heads"}.setting(), o.heads);
    v(Out{"query", "position"}.setting(), o.query);
    v(Out{"along_share", "fraction"}, o.along_share);
    v(Out{"outward_share", "fraction"}, o.outward_share);
    v(Out{"held", "fraction"}, o.held);
    v(Out{"positions", "rows"}.setting(), o.positions);
    v(Out{"score", "score", {"query", "key"}}.f32(), o.score);
    v(Out{"pattern", "fraction", {"query", "key"}}.f32(), o.pattern);
    v(Out{"rising_by_head", "fraction", {"head"}}, o.rising_by_head);
    v(Out{"patterns", "fraction", {"head", "row", "column"}}.f32(), o.patterns);
    v(Out{"by_lag", "score", {"lag"}}, o.by_lag);
    v(Out{"lag_spread", "score", {"lag"}}, o.lag_spread);
    v(Out{"query_score", "score", {"position"}}, o.query_score);
    v(Out{"points", "", {"position", "component"}}.coordinate(), o.points);
    v(Out{"explained", "fraction", {"component"}}, o.explained);
    v(Out{"pull", "", {"position", "component"}}.coordinate(), o.pull);
    v(Out{"along", "cosine", {"position"}}, o.along);
    v(Out{"outward", "cosine", {"position"}}, o.outward);
    v(Out{"rows_rising", "fraction", {"seed"}}, o.rows_rising);
    v(Out{"walk_rising", "fraction", {"seed"}}, o.walk_rising);
    v(Out{"random_rising", "fraction", {"seed"}}, o.random_rising);
  }
};

inline Claims declared_claims() {
  constexpr std::string_view small = kGpt2Small;
  return {{"T12", 10, "heads", small, "", {"", "rising_heads", 0.5}},
          {"T12-first", 0.57, "fraction", small, "head=5&first=50", {"first=0|16|50", "to_first", 0.005}},
          {"T12-biases", 0.08, "fraction", small, "head=5&biases=0&first=16", {"first=0|16|50", "to_first", 0.005}}};
}

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "position_scores";
  schema.group = "Heads";
  schema.presets = {{"near", "head=2"},          {"default", ""},    {"no_biases", "biases=0"}, {"local", "head=3"},
                    {"sink", "head=5&first=50"}, {"all", "head=-1"}, {"far", "query=400"}};
  schema.claims = declared_claims();
  schema.leads = {{"helix", "study=position_helix"},
                  {"attention", "study=attention&from=text"},
                  {"taxonomy", "study=head_taxonomy&from=text"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::position_scores
