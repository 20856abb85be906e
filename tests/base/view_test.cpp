#include "base/view.h"

#include "tests/support.h"

namespace view_test {

using namespace helix;

TEST_CASE("a focus holds an index along each of some axes, in one order", "[base][view]") {
  Focus f{{"query", 7}, {"key", 3}};
  CHECK(f == Focus{{"key", 3}, {"query", 7}});
  CHECK(f.at("query") == 7);
  CHECK(f.at("position") == -1);
  CHECK((f.has("key") && !f.has("layer")));
  f.set("layer", 4), f.set("key", 5);
  CHECK(f.places() == std::vector<Place>{{"key", 5}, {"layer", 4}, {"query", 7}});
  f.set("key", -1), f.set("head", -1);
  CHECK(f.places() == std::vector<Place>{{"layer", 4}, {"query", 7}});
  CHECK(!f.nothing());
  f.set("layer", -1), f.set("query", -1);
  CHECK(f.nothing());
  CHECK(f == Focus());
  CHECK(Focus{{"item", -3}}.nothing());
  const Focus held{{{"item", 3}}, true};
  CHECK(held != Focus{{"item", 3}});
  CHECK(held.same_places({{"item", 3}}));
}

TEST_CASE("queries and keys are positions, and each lights up the other", "[base][view]") {
  using Indices = std::vector<int>;
  const Focus cell{{"query", 7}, {"key", 3}}, position{{"position", 5}};
  CHECK(cell.lit("position") == Indices{7, 3});
  CHECK(cell.lit("query") == Indices{7});
  CHECK(cell.lit("key") == Indices{3});
  CHECK(position.lit("query") == Indices{5});
  CHECK(position.lit("key") == Indices{5});
  CHECK(Focus{{"query", 7}, {"key", 7}}.lit("position") == Indices{7});
  CHECK(Focus{{"query", 7}, {"position", 5}}.lit("query") == Indices{7});
  CHECK(cell.lit("layer").empty());
  CHECK(Focus{{"item", 2}}.lit("moment") == Indices{2});  // links of version 1 say item
  CHECK(Focus{{"item", 2}, {"moment", 4}}.lit("moment") == Indices{4});
}

TEST_CASE("a window is of one axis, the last one counts", "[base][view]") {
  ViewState view;
  CHECK(view.window("query") == nullptr);
  view.show({"query", 3, 10}), view.show({"key", 0, 5}), view.show({"query", 4, 6});
  CHECK(view.windows == std::vector<Window>{{"key", 0, 5}, {"query", 4, 6}});
  REQUIRE(view.window("query"));
  CHECK(*view.window("query") == Window{"query", 4, 6});
  view.show_all("key"), view.show_all("layer");
  CHECK(view.windows == std::vector<Window>{{"query", 4, 6}});
}

}  // namespace view_test
