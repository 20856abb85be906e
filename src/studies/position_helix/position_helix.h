// The helix in the positional embeddings: principal components of the rows of wpe (or of the sinusoidal encoding).
// A. Yedidia, "GPT-2's positional embedding matrix is a helix" (2023): claims H1, H2, H3, H5, H6.
#pragma once

#include "studies/position_fields.h"
#include "studies/study.h"

namespace helix::studies::position_helix {

inline constexpr Words say{"position_helix"};

/// Row ranges are inclusive. At most this many components are kept per row.
inline constexpr int kComponents = 8;

struct Params {
  PositionSource source = PositionSource::learned;
  int first = 1, last = 1023;
  int group = 1;
  int fit_first = -1, fit_last = -1;
  double base = 10000;
  int positions = 1024, dimensions = 768;
  bool centre = true;
  std::vector<int> plane{1, 2};

  static void fields(ParamVisitor& v, Params& p) {
    v(Field{"source"}, p.source, OneOf{{"learned", "sinusoidal"}});
    v(Field{"first", "position"}, p.first, Whole{0, 65535, Bound::last_position, "", false, "positions"});
    v(Field{"last", "position"}, p.last, Whole{0, 65535, Bound::last_position, "", false, "positions"});
    v(Field{"group", "rows"}, p.group, Whole{1, 512});
    v(Field{"fit_first", "position"}, p.fit_first, Whole{-1, 65535, Bound::last_position, "first", false, "positions"});
    v(Field{"fit_last", "position"}, p.fit_last, Whole{-1, 65535, Bound::last_position, "last", false, "positions"});
    v(Field{"base", "", "source=sinusoidal"}, p.base, Real{2, 1e6, true});
    v(Field{"positions", "rows", "source=sinusoidal", true}, p.positions, Whole{2, 4096});
    v(Field{"dimensions", "dimensions", "source=sinusoidal", true}, p.dimensions, Whole{2, 2048});
    v(Field{"centre", "", "", true}, p.centre);
    v(Field{"plane", "components", "", true}, p.plane, Wholes{1, kComponents, 2});
  }
};

struct Output : OutputBase {
  protocol::Quantity explained_first3, components_for_90, turns, turns_skipped, along, rank, positions;
  protocol::Grid points, explained, residual, walk_explained_first3, walk_turns, walk_along;

  static void fields(protocol::OutputVisitor& v, Output& o) {
    using protocol::Out;
    v(Out{"explained_first3", "fraction"}.headline(), o.explained_first3);
    v(Out{"components_for_90", "components"}, o.components_for_90);
    v(Out{"turns", "turns"}, o.turns);
    v(Out{"turns_skipped", "steps"}, o.turns_skipped);
    v(Out{"along", "correlation"}, o.along);
    v(Out{"rank", "components"}, o.rank);
    v(Out{"positions", "rows"}.setting(), o.positions);
    v(Out{"points", "", {"position", "component"}}.coordinate(), o.points);
    v(Out{"explained", "fraction", {"component"}}, o.explained);
    v(Out{"residual", "", {"position"}}, o.residual);
    v(Out{"walk_explained_first3", "fraction", {"seed"}}, o.walk_explained_first3);
    v(Out{"walk_turns", "turns", {"seed"}}, o.walk_turns);
    v(Out{"walk_along", "correlation", {"seed"}}, o.walk_along);
  }
};

inline Claims declared_claims() {
  constexpr std::string_view small = kGpt2Small;
  return {{"H1", 0.90, "fraction", small, "", {"first=0|1&last=1022|1023&centre=1|0", "explained_first3", 0.005}},
          {"H2", {}, "turns", small, ""},
          {"H3", {}, "standard deviations", small, ""},
          {"H5", {}, "fraction", small, "first=100", {"first=100|101&centre=1|0", "explained_first3"}},
          {"H6", {}, "fraction", small, "last=99", {"first=0|1&last=99|100&centre=1|0", "explained_first3"}},
          {"F11",
           153,
           "components",
           "",
           "source=sinusoidal&first=0&base=1000",
           {"base=1000|1024|10000&centre=1|0", "components_for_90", 0.5}}};
}

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "position_helix";
  schema.group = "Positions";
  schema.reads = Reads::positions;
  schema.text_run = "study=predictions&top=50";
  schema.text_tokens = "study=tokens";
  schema.presets = {{"default", ""},
                    {"all", "first=0"},
                    {"unfrayed", "first=100"},
                    {"start", "last=99"},
                    {"start_on_axes", "last=99&fit_first=100&fit_last=1023"},
                    {"averaged", "group=10"},
                    {"sinusoidal", "source=sinusoidal&first=0"},
                    {"sinusoidal_1000", "source=sinusoidal&first=0&base=1000"}};
  schema.claims = declared_claims();
  schema.without_model = {"", "source=sinusoidal"};
  schema.leads = {{"sinusoid", "source=sinusoidal&first=0"},
                  {"training", "study=position_emergence"},
                  {"previous", "study=head_taxonomy&from=text"},
                  {"without", "study=predictions&from=text&edit=zero_positions"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::position_helix
