// What is said of a place by the field list, on results made by hand.
#include "studies/reading_view.h"

#include <cmath>

#include "tests/figure/drawings.h"
#include "tests/studies/by_hand.h"

namespace reading_view_test {

using namespace helix;
using namespace helix::testing;
using protocol::Result;
using Lines = std::vector<std::string>;

namespace {

OutputSpec named(OutputSpec spec, const char* brief) {
  spec.brief = brief;
  return spec;
}

}  // namespace

TEST_CASE("a reading has the numbers of the place, by their short names, with their units", "[reading]") {
  const StudySchema schema = schema_of({named(of("loss", {"layer"}, Role::quantity, "nats"), "loss"),
                                        named(of("share", {"layer"}, Role::quantity, "fraction"), "held"),
                                        named(of("turned", {"layer"}, Role::quantity, "degrees"), "turned by"),
                                        named(of("turns", {"layer"}, Role::quantity, "turns"), "turns so far"),
                                        of("unnamed", {"layer"}), named(of("gap", {"layer"}), "gap")});
  Result r;
  r.arrays = {{"loss", {2}, {"layer"}, "nats", {3.25, 3}},      {"share", {2}, {"layer"}, "fraction", {0.129, 0.5}},
              {"turned", {2}, {"layer"}, "degrees", {71.2, 0}}, {"turns", {2}, {"layer"}, "turns", {3.02, 1}},
              {"unnamed", {2}, {"layer"}, "", {1, 2}},          {"gap", {2}, {"layer"}, "", {std::nan(""), 7}}};
  const figure::Reading first = studies::field_reading(schema, r, focused({{"layer", 0}}));
  CHECK(first.title == "layer 0");
  CHECK(first.lines == Lines{"loss  3.25 nats", "held  12.90 %", "turned by  71.20°", "turns so far  3.02"});
  CHECK(studies::field_reading(schema, r, focused({{"layer", 1}})).lines.back() == "gap  7.00");
  for (const ViewState& nowhere : {focused({}), focused({{"layer", 2}}), focused({{"head", 0}})})
    CHECK(studies::field_reading(schema, r, nowhere).title.empty());
  CHECK(studies::field_reading(schema, Result(), focused({{"layer", 0}})).title.empty());
  r.difference = true;  // of percentages in points, with its sign
  CHECK(studies::field_reading(schema, r, focused({{"layer", 0}})).lines ==
        Lines{"loss  +3.25 nats", "held  +12.90 points", "turned by  +71.20°", "turns so far  +3.02"});
}

TEST_CASE("numbers without a short name are read by what is said of them, settings and keys not at all", "[reading]") {
  StudySchema schema =
      schema_of({of("size", {"seed"}, Role::key), of("walk", {"seed"}, Role::quantity, "turns"),
                 of("seconds", {"seed"}, Role::setting), of("along", {"seed"}, Role::quantity, "cosine")});
  schema.outputs[3].label = "with the position";
  Result r;
  r.arrays = {{"size", {2}, {"seed"}, "", {4, 5}},
              {"walk", {2}, {"seed"}, "turns", {0.66, 0.5}},
              {"seconds", {2}, {"seed"}, "", {1, 1}},
              {"along", {2}, {"seed"}, "cosine", {0.5, 0.25}}};
  const figure::Reading reading = studies::field_reading(schema, r, focused({{"seed", 2}}));  // counted from one
  CHECK(reading.title == "seed 2");
  CHECK(reading.lines == Lines{"the walk  0.5000 turns", "cosine with the position  0.2500"});
}

TEST_CASE("a focus along two axes reads the matrix, along one of them the list", "[reading]") {
  const StudySchema schema = schema_of({of("previous", {"layer", "head"}), of("mean", {"layer"}),
                                        of("angles", {"layer", "layer"}), of("cell", {"query", "key"})});
  Result r;
  r.arrays = {{"previous", {2, 2}, {"layer", "head"}, "", {1, 2, 3, 4}},
              {"mean", {2}, {"layer"}, "", {1.5, 3.5}},
              {"angles", {2, 2}, {"layer", "layer"}, "", {0, 90, 90, 0}},  // of which of the two would the layer be?
              {"cell", {2, 2}, {"query", "key"}, "", {1, 2, 3, 4}, 5}};
  const auto at = [&](Focus focus) { return studies::field_reading(schema, r, focused(std::move(focus))); };
  CHECK(at({{"layer", 1}, {"head", 0}}).title == "head 1.0");
  CHECK(at({{"layer", 1}, {"head", 0}}).lines == Lines{"the previous  3.00"});
  CHECK(at({{"layer", 1}}).lines == Lines{"the mean  3.50"});
  CHECK(at({{"layer", 1}, {"head", 2}}).lines == Lines{"the mean  3.50"});  // there is no such head
  CHECK(at({{"head", 1}}).title.empty());
  r.tokens = {{0, "a"}, {1, " b"}};
  CHECK(at({{"query", 6}, {"key", 1}}).title == "query 6 → key 1 “ b”");
  CHECK(at({{"query", 6}, {"key", 1}}).lines == Lines{"the cell  4.00"});  // its rows begin at 5
  CHECK(at({{"query", 0}, {"key", 1}}).title.empty());
}

TEST_CASE("coordinates are read by the components that are shown, entries by the study's names for them", "[reading]") {
  const StudySchema schema =
      schema_of({of("points", {"model", "component"}, Role::coordinate), of("name", {"model"}, Role::key),
                 of("chance", {"rank"}, Role::quantity, "fraction"), of("text", {"rank"}, Role::label)});
  Result r;
  r.arrays = {{"points", {2, 4}, {"model", "component"}, "", {1, 2, 3, 4, 5, 6, 7, 8}},
              {"chance", {2}, {"rank"}, "fraction", {0.75, 0.125}}};
  r.words = {{"name", "model", {"one", "other"}}, {"text", "rank", {" a", " b"}}};
  ViewState view = focused({{"model", 1}});
  view.axes = {4, 1, 9};
  CHECK(studies::field_reading(schema, r, view).title == "other");
  CHECK(studies::field_reading(schema, r, view).lines == Lines{"PC4  8.00", "PC1  5.00"});
  CHECK(studies::field_reading(schema, r, focused({{"rank", 1}})).title == "rank 1 “ a”");
}

}  // namespace reading_view_test
