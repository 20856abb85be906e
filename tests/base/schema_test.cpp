#include "base/schema.h"

#include "base/fields.h"
#include "tests/support.h"

using namespace helix;
using namespace helix::testing;

namespace {

enum class Source { learned, sinusoidal };

struct Params {
  int first = 1;
  double base = 10000;
  bool centre = true;
  std::vector<int> plane{1, 2}, list;
  Source source = Source::sinusoidal;

  template <class V, class Self>
  static void fields(V&& v, Self& p) {
    v(Field{"first", "First", "The first.", "position"}, p.first, Whole{-1, 200'000, Bound::last_position});
    v(Field{"base", "Base", "The base.", "", "source=sinusoidal"}, p.base, Real{0.5, 1e6, true});
    v(Field{"centre", "Centred", "Whether."}, p.centre);
    v(Field{"plane", "Plane", "Which two."}, p.plane, Wholes{1, 8, 2});
    v(Field{"list", "List", "Any."}, p.list, Wholes{0, 300'000});
    v(Field{"source", "Source", "Which."}, p.source, OneOf{{{"learned", "as learned"}, {"sinusoidal", "by formula"}}});
  }
  bool operator==(const Params&) const = default;
};

StudySchema schema() {
  StudySchema s;
  s.id = "planted";
  s.params = param_specs<Params>();
  return s;
}

const ParamSpec& spec(const StudySchema& s, const char* key) {
  REQUIRE(s.find(key));
  return *s.find(key);
}

}  // namespace

TEST_CASE("the field list becomes a schema, with the defaults as canonical text", "[base][fields]") {
  const StudySchema s = schema();
  REQUIRE(s.params.size() == 6);
  CHECK(defaults(s) == ParamValues{{"first", "1"},
                                   {"base", "10000"},
                                   {"centre", "1"},
                                   {"plane", "1,2"},
                                   {"list", ""},
                                   {"source", "sinusoidal"}});
  const ParamSpec& first = spec(s, "first");
  CHECK(first.type == ParamType::integer);
  CHECK(first.label == "First");
  CHECK(first.help == "The first.");
  CHECK(first.unit == "position");
  CHECK(first.min == -1);
  CHECK(first.max == 200'000);
  CHECK(first.bound == Bound::last_position);
  CHECK(spec(s, "base").type == ParamType::real);
  CHECK(spec(s, "base").logarithmic);
  CHECK(spec(s, "base").shown_when == "source=sinusoidal");
  CHECK(spec(s, "centre").type == ParamType::boolean);
  CHECK(spec(s, "plane").type == ParamType::integers);
  CHECK(spec(s, "plane").count == 2);
  CHECK(spec(s, "source").type == ParamType::choice);
  CHECK(spec(s, "source").choices[1].label == "by formula");
  CHECK(s.find("nothing") == nullptr);
  std::string names;
  for (const ParamType t :
       {ParamType::boolean, ParamType::integer, ParamType::real, ParamType::choice, ParamType::integers})
    names += std::string(type_name(t)) + " ";
  CHECK(names == "boolean integer real choice integers ");
}

TEST_CASE("what is set as text is read as values, for every type", "[base][fields]") {
  const StudySchema s = schema();
  ParamValues values = defaults(s);
  Params expected;
  expected.list.clear();
  for (const auto& [key, text] : ParamValues{{"first", "100000"},
                                             {"base", "1e6"},
                                             {"centre", "off"},
                                             {"plane", "8,3"},
                                             {"list", "7,100000,0"},
                                             {"source", "learned"}})
    REQUIRE(set_value(s, values, key, text, true));
  expected.first = 100'000, expected.base = 1e6, expected.centre = false, expected.plane = {8, 3},
  expected.list = {7, 100'000, 0};
  expected.source = Source::learned;
  CHECK(read_params<Params>(values) == expected);
  CHECK(*find_value(values, "centre") == "0");
  CHECK(find_value(values, "nothing") == nullptr);
  for (std::size_t i = 0; i < values.size(); ++i)
    CHECK(values[i].first == s.params[i].key);  // the schema's order stays
}

TEST_CASE("canonical text is a fixed point, and in range", "[base][schema]") {
  const StudySchema s = schema();
  const auto is = [&](const char* key, const char* given, const char* canonical_text) {
    CAPTURE(key, given);
    const auto got = canonical(spec(s, key), given, true);
    REQUIRE(got);
    CHECK(*got == canonical_text);
    CHECK(*canonical(spec(s, key), *got, true) == *got);
  };
  is("first", "007", "7");
  is("first", "-1", "-1");
  is("first", "200000", "200000");
  is("base", "1e3", "1000");
  is("base", "+0.50", "0.5");
  is("base", "1e6", "1000000");
  is("centre", "on", "1");
  is("centre", "false", "0");
  is("plane", "02,3", "2,3");
  is("list", "1", "1");
  is("source", "learned", "learned");
}

TEST_CASE("out of range is refused when strict, else moved to the edge", "[base][schema]") {
  const StudySchema s = schema();
  for (const auto& [key, given, edge] : std::vector<std::array<const char*, 3>>{{"first", "-2", "-1"},
                                                                                {"first", "200001", "200000"},
                                                                                {"base", "0.1", "0.5"},
                                                                                {"base", "1e7", "1000000"},
                                                                                {"plane", "0,9", "1,8"},
                                                                                {"list", "5,300001", "5,300000"}}) {
    CAPTURE(key, given);
    const auto refused = canonical(spec(s, key), given, true);
    REQUIRE(!refused);
    check_sentence(refused.error().sentence, key);
    CHECK(refused.error().sentence.find(given) != std::string::npos);
    REQUIRE(canonical(spec(s, key), given, false));
    CHECK(*canonical(spec(s, key), given, false) == edge);
  }
}

TEST_CASE("text that is no value is refused either way; the sentence says what is allowed", "[base][schema]") {
  const StudySchema s = schema();
  const auto refused = [&](const char* key, const char* given, const char* allowed) {
    for (const bool strict : {false, true}) {
      CAPTURE(key, given);
      const auto got = canonical(spec(s, key), given, strict);
      REQUIRE(!got);
      check_sentence(got.error().sentence, allowed);
      CHECK(got.error().sentence.starts_with(key));
    }
  };
  for (const char* text : {"", "x", "1.5", "1e2", " 1", "0x1", "99999999999"})
    refused("first", text, "a whole number from -1 to 200000");
  for (const char* text : {"", "x", "nan", "inf", "0x10", "1,5"}) refused("base", text, "a number from 0.5 to 1000000");
  for (const char* text : {"", "2", "yes"}) refused("centre", text, "0 or 1");
  for (const char* text : {"", "1", "1,2,3", "1;2", "1,x", ",", "1,2,"})
    refused("plane", text, "2 whole numbers from 1 to 8, separated by commas");
  for (const char* text : {"", "Learned", "learned ", "0"}) refused("source", text, "one of learned, sinusoidal");
  ParamValues values = defaults(s);
  const auto unknown = set_value(s, values, "frist", "1", false);
  REQUIRE(!unknown);
  check_sentence(unknown.error().sentence, "frist");
  CHECK(unknown.error().sentence.find("planted") != std::string::npos);
  CHECK(!set_value(s, values, "first", "x", false));
  CHECK(values == defaults(s));
}
