// Exported figures: as SVG, and their tables as text and CSV.
#include "base/decimal.h"
#include "base/text.h"
#include "figure/svg.h"
#include "figure/table.h"
#include "tests/figure/drawings.h"
#include "tests/figure/samples.h"
#include "tests/figure/xml_check.h"

namespace document_test {

using namespace helix;
using namespace helix::figure;
using namespace helix::testing;

namespace {

Drawing page_of(const Figure& f, bool with_text) {
  Page page;
  page.width = 960, page.height = 640, page.with_text = with_text;
  return layout(f, {}, page);
}

}  // namespace

TEST_CASE("the SVG is well-formed, whatever the texts say", "[figure][svg]") {
  const std::string hostile = "<script>alert(\"1\")</script> & ]]> ' \x01\x1f\xEF\xBF\xBE\xEF\xBF\xBF\n\t é 🧬";
  Figure f = sample();
  f.title = f.subtitle = hostile;
  for (auto& axis : content<Space>(f, 0).axes) axis.title = hostile;
  content<Plot>(f, 1).y.names = {hostile, "2", "3", "4"};
  f.panels[1].title = hostile;
  content<Number>(f, 2).number = hostile;
  for (const bool with_text : {false, true}) {
    const std::string svg = to_svg(page_of(f, with_text), hostile, hostile, {{"link", hostile}, {"provenance", ""}});
    CHECK(xml_problem(svg) == "");
    CHECK(svg.find("<script>") == std::string::npos);
    CHECK(svg.find("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; ]]&gt;") != std::string::npos);
    CHECK(svg.find("🧬") != std::string::npos);
  }
  CHECK(xml_problem(to_svg({}, "", "")) == "");
  const std::string cut = to_svg({}, "a model named \xC3\x28\xFF", "");
  CHECK(cut.find("named \xEF\xBF\xBD(\xEF\xBF\xBD<") != std::string::npos);
  // The checker detects errors:
  for (const char* wrong :
       {"", "<a>", "<a></b>", "<a b=c/>", "<a b=\"<\"/>", "<a>&</a>", "<a/><b/>", "<a b=\"1\" b=\"2\"/>", "x<a/>"})
    CHECK(xml_problem(wrong) != "");
}

TEST_CASE("the SVG shows what the drawing holds", "[figure][svg]") {
  const Drawing d = drawn(sample(), 960, 640, focused({{"position", 7}}));
  const std::string svg = to_svg(d, "A title", "What it shows", {{"link", "#v=1&x=2"}});
  const auto count = [&](std::string_view what) {
    std::size_t n = 0;
    for (std::size_t at = svg.find(what); at != std::string::npos; at = svg.find(what, at + 1)) ++n;
    return n;
  };
  std::size_t discs = 0, lines = 0, filled = 0, labels = 0, round = 0;
  for (const Block& b : d.blocks) {
    filled += boxes(b).size(), labels += b.labels.size(), round += rings(b).size();
    for (const Capsule& c : capsules(b)) (c.a.x == c.b.x && c.a.y == c.b.y ? discs : lines) += 1;
  }
  CHECK(count("<circle") == discs + round);
  CHECK(count("<path") == lines);
  CHECK(count("<rect") == filled + d.blocks.size());  // plus one clip per block
  CHECK(count("<text") == labels);
  CHECK(svg.find("viewBox=\"0 0 960 640\"") != std::string::npos);
  CHECK(svg.find("<title>A title</title>") != std::string::npos);
  CHECK(svg.find("<desc>What it shows</desc>") != std::string::npos);
  CHECK(svg.find("#v=1&amp;x=2") != std::string::npos);
  CHECK(svg.find("id=\"helix\"") != std::string::npos);
}

TEST_CASE("a text in an SVG keeps its width where the page's font is missing", "[figure][svg]") {
  Drawing d;
  d.width = 300, d.height = 100;
  Block block{"", {0, 0, 300, 100}};
  const auto label = [](Point at, const char* text, bool turned) {
    return Label{at, text, 12, {}, Anchor::start, Weight::regular, turned};
  };
  const Label across = label({10, 20}, "share of the variance", false), up = label({10, 90}, "component", true),
              digit = label({50, 50}, "7", false);
  block.labels = {across, up, digit};
  d.blocks.push_back(block);
  const std::string svg = to_svg(d, "T", "S.");
  const auto width = [](const Label& l) { return "textLength=\"" + to_fixed(text_width(l.text, l.size), 2); };
  CHECK(svg.find(width(across)) != std::string::npos);
  CHECK(svg.find(width(up)) != std::string::npos);
  CHECK(svg.find("font-size=\"12\" fill=\"#000000\">7<") != std::string::npos);
}

TEST_CASE("tables as text and as CSV", "[figure][table]") {
  const Table table{
      "T", {{"position", "", 0, {1, 2}}, {"share, of \"all\"", "fraction", 2, {0.123456, std::nan(""), -0.001}}}};
  CHECK(row_count(table) == 3);
  CHECK(heading(table.columns[0]) == "position");
  CHECK(heading(table.columns[1]) == "share, of \"all\" (fraction)");
  CHECK(cell(table.columns[0], 1) == "2");
  CHECK(cell(table.columns[0], 2) == "");
  CHECK(cell(table.columns[1], 0) == "0.12");
  CHECK(cell(table.columns[1], 1) == "–");
  CHECK(cell(table.columns[1], 2) == "0.00");
  CHECK(to_csv(table) == "position,\"share, of \"\"all\"\" (fraction)\"\r\n1,0.123456\r\n2,nan\r\n,-0.001\r\n");
  const Table said{"T", {{"share", "fraction", 0, {0.125, std::nan("")}, {"12.5 %", "not listed"}}}};
  CHECK(cell(said.columns[0], 0) == "12.5 %");
  CHECK(to_csv(said) == "share (fraction)\r\n0.125\r\nnot listed\r\n");
  CHECK(row_count({}) == 0);
  const Table::Column mixed{"here", "", -1, {153, 0.91058, 6.2e-138, -12.5, 0}};
  CHECK(cell(mixed, 0) == "153");
  CHECK(cell(mixed, 1) == "0.9106");
  CHECK(cell(mixed, 2) == "6.2·10⁻¹³⁸");
  CHECK(cell(mixed, 3) == "−12.5000");
  CHECK(cell(mixed, 4) == "0");
}

TEST_CASE("a text that a spreadsheet would run is marked as a text", "[figure][table]") {
  const Table t{
      "T", {{"=name", "", 0, {-1, 2}}, {"token", "", 0, {}, {"=1+1", "+x", "-2", "@a, b", "−0.1", " =1", "\t=1"}}}};
  CHECK(to_csv(t) == "'=name,token\r\n-1,'=1+1\r\n2,'+x\r\n,-2\r\n,\"'@a, b\"\r\n,−0.1\r\n, =1\r\n,'\t=1\r\n");
}

TEST_CASE("tables hold words as well as numbers", "[figure][table]") {
  Table t{"T", {{"rank", "", 0, {1, 2}}, {"token", "", 0, {}, {" a,b", "\"q\""}}, {"p", "fraction", 3, {0.5}}}};
  CHECK(row_count(t) == 2);
  CHECK(cell(t.columns[1], 1) == "\"q\"");
  CHECK(cell(t.columns[1], 2).empty());
  CHECK(to_csv(t) == "rank,token,p (fraction)\r\n1,\" a,b\",0.5\r\n2,\"\"\"q\"\"\",\r\n");
  t.columns[1].texts = {"a|b", "c\\d\n"};
  CHECK(to_markdown(t).starts_with("| rank | token | p (fraction) |\n|---:|---|---:|\n| "));
  CHECK(to_markdown(t).find(" a\\|b |") != std::string::npos);
  CHECK(to_markdown(t).find(" c\\\\d  |") != std::string::npos);
}

TEST_CASE("the numbers of a table have a point where sentences have a comma", "[figure][table]") {
  Table t;
  t.columns.resize(5);
  t.columns[0].values = {0.25};
  t.columns[1].texts = {"−0,5 %"};
  t.columns[2].texts = {"10\u202f234"};
  t.columns[3].texts = {","};
  t.columns[4].texts = {"Kopf 1,5"};
  set_decimal_mark(',');
  const std::string number = cell(t.columns[0], 0), csv = to_csv(t);
  set_decimal_mark('.');
  CHECK(number == "0.2500");
  CHECK(csv.ends_with("0.25,−0.5 %,\"10,234\",\",\",\"Kopf 1,5\"\r\n"));
}

}  // namespace document_test
