// The tables that every result has by its field list, on results made by hand.
#include <cmath>

#include "figure/table.h"
#include "studies/registry_view.h"
#include "studies/tables_view.h"
#include "tests/figure/drawings.h"
#include "tests/studies/by_hand.h"

namespace tables_view_test {

using namespace helix;
using namespace helix::testing;
using protocol::Array;
using protocol::Result;

namespace {

std::string csv(const figure::Table& table) { return figure::to_csv(table); }

}  // namespace

TEST_CASE("every number has a row with its unit and what is said of it", "[tables]") {
  const StudySchema schema =
      schema_of({of("share", {}, Role::quantity, "fraction"), of("loss", {}, Role::quantity, "nats"), of("tiny", {}),
                 of("none", {}), of("absent", {})});
  Result r;
  r.scalars = {{"share", 0.129, "fraction", "seed 1"},
               {"loss", 3.25, "nats", ""},
               {"tiny", 1e-7, "", ""},
               {"none", std::nan(""), "", "all rows are 0"},
               {"absent", std::nan(""), "", ""}};
  const figure::Table t = studies::numbers_table(schema, r);
  CHECK(csv(t) ==
        "number,value,remark\r\nthe share,0.129,seed 1\r\n\"the loss, nats\",3.25,\r\nthe tiny,1e-07,\r\n"
        "the none,undefined,all rows are 0\r\n");
  CHECK(figure::cell(t.columns[1], 0) == "12.90 %");
  CHECK(figure::cell(t.columns[1], 2) == "1.0·10⁻⁷");
  CHECK(studies::numbers_table(schema, Result()).columns.empty());
}

TEST_CASE("a name goes on from its unit where it has to, and whole and tiny numbers keep their digits", "[tables]") {
  StudySchema schema =
      schema_of({of("along", {}, Role::quantity, "correlation"), of("turns", {}, Role::quantity, "turns"),
                 of("error", {"layer"}), of("count", {"layer"})});
  schema.outputs[0].label = "of the third component with the position";
  Result r;
  r.scalars = {{"along", 0.5, "correlation", ""}, {"turns", 3, "turns", ""}};
  r.arrays = {{"error", {2}, {"layer"}, "", {1e-7, 2.5e-8}}, {"count", {3}, {"layer"}, "", {7, 8, 9}, 1}};
  CHECK(csv(studies::numbers_table(schema, r)) ==
        "number,value,remark\r\ncorrelation of the third component with the position,0.5,\r\nthe turns,3,\r\n");
  const figure::Table t = studies::table_over(schema, r, {"layer"});
  CHECK(figure::cell(t.columns[1], 1) == "2.5·10⁻⁸");
  CHECK(figure::cell(t.columns[2], 0) == "–");  // its first entry is of index 1
  CHECK(figure::cell(t.columns[2], 3) == "9");
  CHECK(figure::cell(t.columns[1], 3) == "–");
}

TEST_CASE("lists along an axis stand beside each other, after their index, names and tokens", "[tables]") {
  const StudySchema schema =
      schema_of({of("points", {"position", "component"}, Role::coordinate), of("residual", {"position"}),
                 of("id", {"rank"}, Role::key), of("text", {"rank"}, Role::label),
                 of("chance", {"rank"}, Role::quantity, "fraction")});
  Result r;
  r.arrays = {{"points", {2, 2}, {"position", "component"}, "", {1, 2, 3, 4}, 5},
              {"residual", {2}, {"position"}, "", {0.5, 0.25}, 5},
              {"id", {2}, {"rank"}, "", {42, 7}},
              {"chance", {2}, {"rank"}, "fraction", {0.75, 0.125}}};
  r.words = {{"text", "rank", {" a", " b"}}};
  CHECK(csv(studies::table_over(schema, r, {"position"})) ==
        "position,PC1,PC2,the residual\r\n5,1,2,0.5\r\n6,3,4,0.25\r\n");
  CHECK(csv(studies::table_over(schema, r, {"rank"})) ==
        "rank,the id,the text,the chance (fraction)\r\n1,42, a,0.75\r\n2,7, b,0.125\r\n");
  for (int i = 0; i < 7; ++i) r.tokens.push_back({i, i == 6 ? " six" : "x"});
  CHECK(csv(studies::table_over(schema, r, {"position"})).find("6, six,3,4,0.25") != std::string::npos);
}

TEST_CASE("one matrix is a matrix, several are the columns of one list, and large ones are left to the exports",
          "[tables]") {
  const StudySchema schema =
      schema_of({of("score", {"layer", "head"}), of("share", {"layer", "head"}), of("wide", {"bit", "position"})});
  Result r;
  r.arrays = {{"score", {2, 2}, {"layer", "head"}, "", {1, 2, 3, 4}}, {"wide", {2, 100}, {"bit", "position"}, "", {}}};
  for (int i = 0; i < 200; ++i) r.arrays[1].data.push_back(i);
  CHECK(csv(studies::table_over(schema, r, {"layer", "head"})) ==
        "layer,head 0,head 1\r\nlayer 0,1,2\r\nlayer 1,3,4\r\n");
  const figure::Table turned = studies::table_over(schema, r, {"bit", "position"});
  REQUIRE(turned.columns.size() == 3);
  CHECK(turned.columns[2].name == "bit 1");
  CHECK(turned.columns[2].values[99] == 199);
  CHECK(csv(studies::table_over(schema, r, {"layer", "head"}, true)) ==
        "head,the score\r\n0.0,1\r\n0.1,2\r\n1.0,3\r\n1.1,4\r\n");
  r.arrays.push_back({"share", {2, 2}, {"layer", "head"}, "", {5, 6, 7, 8}});
  CHECK(csv(studies::table_over(schema, r, {"layer", "head"})) ==
        "head,the score,the share\r\n0.0,1,5\r\n0.1,2,6\r\n1.0,3,7\r\n1.1,4,8\r\n");
  r.arrays[1] = {"wide", {100, 100}, {"bit", "position"}, "", std::vector<double>(10'000, 1)};
  CHECK(studies::table_over(schema, r, {"bit", "position"}).columns.empty());
}

TEST_CASE("a view's own table stands for the lists it is over, and its rows may lead on", "[tables]") {
  const StudySchema schema =
      schema_of({of("score", {"layer", "head"}), of("share", {"layer", "head"}), of("loss", {"size"})});
  Result r;
  r.arrays = {{"score", {2, 2}, {"layer", "head"}, "", {1, 2, 3, 4}},
              {"share", {2, 2}, {"layer", "head"}, "", {5, 6, 7, 8}},
              {"loss", {2}, {"size"}, "", {3, 4}}};
  figure::Figure f;
  f.tables = {{"Sizes", {{"size", "", 0, {1, 2}}}}};
  f.tables[0].over = {"size"};
  f.row_links = {{{"layer", "head"}, "layer={layer}&head={head}&n={share}", "Opens it.", true, "Heads"}};
  studies::add_field_tables(f, schema, r);
  REQUIRE(f.tables.size() == 2);
  CHECK(f.tables[1].title == "Heads");
  CHECK(f.tables[1].open);
  CHECK(f.tables[1].go == std::vector<std::string>{"layer=0&head=0&n=5", "layer=0&head=1&n=6", "layer=1&head=0&n=7",
                                                   "layer=1&head=1&n=8"});
}

}  // namespace tables_view_test
