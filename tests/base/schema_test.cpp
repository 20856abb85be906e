#include "base/schema.h"

#include "base/fields.h"
#include "base/words.h"
#include "tests/base/english.h"
#include "tests/support.h"

namespace schema_test {

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
  std::vector<double> blurs{0.5, 1};
  std::vector<std::string> models{"gpt2"};
  std::string find = "the";
  double blur = 0;

  static void fields(ParamVisitor& v, Params& p) {
    v(Field{"first", "position"}, p.first, Whole{-1, 200'000, Bound::last_position});
    v(Field{"base", "", "source=sinusoidal"}, p.base, Real{0.5, 1e6, true});
    v(Field{"centre"}, p.centre);
    v(Field{"plane"}, p.plane, Wholes{1, 8, 2});
    v(Field{"list"}, p.list, Wholes{0, 300'000});
    v(Field{"source"}, p.source, OneOf{{"learned", "sinusoidal"}});
    v(Field{"blurs"}, p.blurs, Reals{0, 100, 0, 3});
    v(Field{"models"}, p.models, Names{3, 20, Suggest::models});
    v(Field{"find"}, p.find, Text{10});
    v(Field{"blur"}, p.blur, Real{0, 100, true, 0.1});
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

TEST_CASE("a schema's texts are the words of its study, or those that studies share", "[base][fields]") {
  const English afterwards;
  REQUIRE(load_words(
      "# planted\n## title\nPlanted\n## setting.first\nFirst\n## setting.first.help\nThe first.\n"
      "## choice.source.sinusoidal\nby formula\n## choice.learned\nas learned\n## view.a\nA\n## view.a.note\nan a\n"
      "## next.a\nB\n## claim.T1\nIt is.\n## number.n\nhow many\n"
      "# studies\n## setting.planted_everywhere\nShared\n## setting.first\nNot this one"));
  StudySchema s = schema();
  s.params.push_back({});
  s.params.back().key = "planted_everywhere";
  s.presets = {{"a", ""}}, s.leads = {{"a", "study=planted"}}, s.claims = {{"T1", {}, "", "", ""}};
  s.outputs.emplace_back().name = "n";
  add_words(s);
  CHECK(s.title == "Planted");
  CHECK(s.question.empty());
  CHECK(spec(s, "first").label == "First");
  CHECK(spec(s, "first").help == "The first.");
  CHECK(spec(s, "planted_everywhere").label == "Shared");
  CHECK(spec(s, "source").choices[0].label == "as learned");
  CHECK(spec(s, "source").choices[1].label == "by formula");
  CHECK(s.presets[0].label == "A");
  CHECK(s.presets[0].note == "an a");
  CHECK(s.leads[0].label == "B");
  CHECK(s.claims[0].text == "It is.");
  CHECK(s.outputs[0].label == "how many");
}

TEST_CASE("the field list becomes a schema, with the defaults as canonical text", "[base][fields]") {
  const StudySchema s = schema();
  REQUIRE(s.params.size() == 10);
  CHECK(defaults(s) == ParamValues{{"first", "1"},
                                   {"base", "10000"},
                                   {"centre", "1"},
                                   {"plane", "1,2"},
                                   {"list", ""},
                                   {"source", "sinusoidal"},
                                   {"blurs", "0.5,1"},
                                   {"models", "gpt2"},
                                   {"find", "the"},
                                   {"blur", "0"}});
  const ParamSpec& first = spec(s, "first");
  CHECK(first.type == ParamType::integer);
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
  CHECK(spec(s, "source").choices[1].id == "sinusoidal");
  CHECK(spec(s, "list").count == 0);
  CHECK(spec(s, "list").most == 64);
  CHECK(spec(s, "blurs").type == ParamType::reals);
  CHECK(spec(s, "blurs").most == 3);
  CHECK(spec(s, "models").type == ParamType::names);
  CHECK(spec(s, "models").length == 20);
  CHECK(spec(s, "models").suggest == Suggest::models);
  CHECK(spec(s, "find").type == ParamType::text);
  CHECK(spec(s, "find").length == 10);
  CHECK(spec(s, "blur").smallest == 0.1);
  CHECK(s.find("nothing") == nullptr);
  std::string names;
  for (const ParamType t : {ParamType::boolean, ParamType::integer, ParamType::real, ParamType::choice,
                            ParamType::integers, ParamType::reals, ParamType::names, ParamType::text})
    names += std::string(type_name(t)) + " ";
  CHECK(names == "boolean integer real choice integers reals names text ");
  std::string bounds;
  for (const Bound b : {Bound::none, Bound::last_position, Bound::last_layer, Bound::last_head, Bound::last_moment,
                        Bound::last_dimension, Bound::last_token})
    bounds += std::string(bound_name(b)) + " ";
  CHECK(bounds == " last_position last_layer last_head last_moment last_dimension last_token ");
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
                                             {"source", "learned"},
                                             {"blurs", "1e-2,7"},
                                             {"models", "own folder,openai/gpt2-small"},
                                             {"find", " a,b &"},
                                             {"blur", "0.05"}})
    REQUIRE(set_value(s, values, key, text, true));
  expected.first = 100'000, expected.base = 1e6, expected.centre = false, expected.plane = {8, 3},
  expected.list = {7, 100'000, 0};
  expected.source = Source::learned;
  expected.blurs = {0.01, 7}, expected.models = {"own folder", "openai/gpt2-small"}, expected.find = " a,b &";
  expected.blur = 0.05;
  CHECK(read_params<Params>(values) == expected);
  CHECK(*find_value(values, "centre") == "0");
  CHECK(find_value(values, "nothing") == nullptr);
  for (std::size_t i = 0; i < values.size(); ++i)
    CHECK(values[i].first == s.params[i].key);  // the schema's order is kept
}

TEST_CASE("a list of any length may have no entries, and a text no letters", "[base][fields]") {
  const StudySchema s = schema();
  ParamValues values = defaults(s);
  for (const char* key : {"list", "blurs", "models", "find"}) REQUIRE(set_value(s, values, key, "", true));
  const auto params = read_params<Params>(values);
  CHECK(params.list.empty());
  CHECK(params.blurs.empty());
  CHECK(params.models.empty());
  CHECK(params.find.empty());
  CHECK(params.plane == Params().plane);
  CHECK(read_params<Params>({}) == Params());
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
  is("list", "", "");
  is("blurs", "0.10,+2", "0.1,2");
  is("models", " a , b c,", "a,b c");
  is("models", ",", "");
  is("find", " the\n", " the\n");
  is("blur", "1e-3", "0.001");
}

TEST_CASE("lists and texts that are too long are refused when strict, else cut", "[base][schema]") {
  const StudySchema s = schema();
  const auto cut = [&](const char* key, const char* given, const char* kept, const char* allowed) {
    CAPTURE(key, given);
    const auto refused = canonical(spec(s, key), given, true);
    REQUIRE(!refused);
    check_sentence(refused.error().sentence, allowed);
    const auto got = canonical(spec(s, key), given, false);
    REQUIRE(got);
    CHECK(*got == kept);
    CHECK(*canonical(spec(s, key), kept, true) == kept);
  };
  cut("blurs", "1,2,3,4", "1,2,3", "at most 3 numbers from 0 to 100");
  cut("models", "a,b,c,d", "a,b,c", "at most 3 different names");
  cut("models", "a,b,a", "a,b", "at most 3 different names");
  cut("find", "0123456789x", "0123456789", "text of at most 10 bytes");
  cut("find", "012345678\xC3\xA9", "012345678", "10 bytes");  // never half a character
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
  for (const char* text : {",", "1,", "1,x", "nan"}) refused("blurs", text, "at most 3 numbers");
  for (const char* text : {"a\nb", "\xFF", "a name that is longer than it may be"})
    refused("models", text, "at most 3 different names of at most 20 bytes each");
  refused("find", "\xFF", "text of at most 10 bytes");
  for (const char* text : {"", "Learned", "learned ", "0"}) refused("source", text, "one of learned, sinusoidal");
  ParamValues values = defaults(s);
  const auto unknown = set_value(s, values, "frist", "1", false);
  REQUIRE(!unknown);
  check_sentence(unknown.error().sentence, "frist");
  CHECK(unknown.error().sentence.find("planted") != std::string::npos);
  CHECK(!set_value(s, values, "first", "x", false));
  CHECK(values == defaults(s));
}

}  // namespace schema_test
