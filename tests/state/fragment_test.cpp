#include "state/fragment.h"

#include "base/fields.h"
#include "state/permalink.h"
#include "tests/support.h"

namespace fragment_test {

using namespace helix;
using namespace helix::testing;
using state::apply_fragment;
using state::AppState;

namespace {

struct Params {
  int layer = 0, head = 0;
  bool compare = false;  // links have a key of the same name
  static void fields(ParamVisitor& v, Params& p) {
    v(Field{"layer"}, p.layer, Whole{0, 11});
    v(Field{"head"}, p.head, Whole{0, 11});
    v(Field{"precision"}, p.compare);
  }
};

std::vector<StudySchema> schemas() {
  StudySchema one, two;
  one.id = "one", two.id = "two";
  one.params = two.params = param_specs<Params>();
  return {one, two};
}

/// A state in use: everything that a fragment may leave unchanged differs from its default.
AppState somewhere() {
  const auto opened = state::decode(
      "#v=1&model=m&study=one&one.layer=3&one.head=7&edit=no_mask&edit=!zero_tokens&tokens=1,2&prompt=Hello&bos=1"
      "&precision=q8&view.axes=3,2,1&theme=dark&later=1",
      schemas());
  REQUIRE(!opened.bad);
  return opened.state;
}

AppState after(std::string_view fragment, const AppState& from = somewhere()) {
  auto applied = apply_fragment(from, fragment, schemas());
  INFO((applied ? "" : applied.error().sentence));
  REQUIRE(applied);
  return applied->state;
}

std::string value(const AppState& app, const char* key) { return *find_value(app.params, key); }

}  // namespace

TEST_CASE("a fragment changes what it names and nothing else", "[state][fragment]") {
  CHECK(after("") == somewhere());
  AppState expected = somewhere();
  expected.params = {{"layer", "4"}, {"head", "7"}, {"precision", "0"}};
  CHECK(after("one.layer=4") == expected);
  CHECK(after("layer=4") == expected);
  CHECK(after("study=one&layer=4") == expected);
  CHECK(after("#v=1&one.layer=4") == expected);
  expected = somewhere();
  expected.theme = state::Theme::light;
  CHECK(after("theme=light") == expected);
  expected = somewhere();
  expected.model = "other";
  CHECK(after("model=other") == expected);
  CHECK(after("bos=0").subject.bos == false);
  CHECK(after("keep=all", after("keep=last")) == somewhere());
}

TEST_CASE("another study starts with its own defaults, with the same prompt and edits", "[state][fragment]") {
  const AppState app = after("study=two&head=5");
  CHECK(app.study == "two");
  CHECK(value(app, "layer") == "0");
  CHECK(value(app, "head") == "5");
  CHECK(app.view == ViewState());
  CHECK(app.subject == somewhere().subject);
  CHECK(app.model == "m");
  CHECK(after("view.axes=1,2,4&study=two").view.axes[2] == 4);  // in any order
}

TEST_CASE("edits take the place of edits, a prompt that of ids", "[state][fragment]") {
  CHECK(after("edit=zero_positions").subject.edits == std::vector<Edit>{{"zero_positions", true}});
  CHECK(after("edit=!no_mask&edit=zero_tokens").subject.edits ==
        std::vector<Edit>{{"no_mask", false}, {"zero_tokens"}});
  CHECK(after("edit=").subject.edits.empty());
  CHECK(after("prompt=Hi").subject.tokens.empty());
  CHECK(after("prompt=Hi").subject.prompt == "Hi");
  CHECK(after("prompt=Hi&tokens=5").subject.tokens == std::vector<std::int32_t>{5});
  CHECK(after("tokens=5").subject.prompt == "Hello");
}

TEST_CASE("a fragment starts from what it says, or from what its origin means", "[state][fragment]") {
  AppState used = after("compare=beside&against=bos%3D0&precision=q8");
  const auto from = [&](std::string_view fragment, state::From start) {
    auto applied = apply_fragment(used, fragment, schemas(), start);
    REQUIRE(applied);
    return applied->state;
  };
  CHECK(from("", state::From::here) == used);
  CHECK(from("from=here", state::From::start) == used);
  AppState clean = used;
  clean.params = defaults(schemas()[0]);
  clean.subject = {}, clean.subject.precision = Precision::q8;
  clean.compare = state::Compare::none, clean.against.clear();
  CHECK(from("", state::From::start) == clean);
  CHECK(from("from=start", state::From::here) == clean);
  AppState text = clean;
  text.subject = used.subject, text.subject.edits.clear();
  CHECK(from("", state::From::text) == text);
  text.subject.edits = {{"no_mask", true}};
  CHECK(from("edit=no_mask&from=text", state::From::start) == text);  // in any order
  CHECK(from("layer=2", state::From::start).params[0].second == "2");
  CHECK(from("layer=2", state::From::start).params[1].second == "0");
}

TEST_CASE("a key of links is that key, whatever a study calls its parameters", "[state][fragment]") {
  CHECK(after("precision=f32").subject.precision == Precision::f32);
  CHECK(value(after("precision=f32"), "precision") == "0");
  CHECK(value(after("one.precision=1"), "precision") == "1");
}

TEST_CASE("a fragment that cannot be read says why in a sentence", "[state][fragment]") {
  for (const auto& [fragment, part] :
       std::vector<std::pair<std::string, std::string>>{{"study=three", "three"},
                                                        {"nonsense=1", "nonsense"},
                                                        {"two.layer=1", "two.layer"},  // of a study that is not open
                                                        {"layer=many", "layer"},
                                                        {"layer", "key=value"},
                                                        {"edit=%zz", "%zz"},
                                                        {"view.axes=1", "view.axes"},
                                                        {"keep=some", "keep"},
                                                        {"from=there", "from"},
                                                        {"v=99&layer=1", "newer"}}) {
    const auto applied = apply_fragment(somewhere(), fragment, schemas());
    CAPTURE(fragment);
    REQUIRE(!applied);
    check_sentence(applied.error().sentence, part);
  }
  const auto clamped = apply_fragment(somewhere(), "layer=50", schemas());
  REQUIRE(clamped);
  CHECK(value(clamped->state, "layer") == "11");
  REQUIRE(clamped->notices.size() == 1);
  check_sentence(clamped->notices[0], "one.layer");
}

TEST_CASE("a number of the other side that is moved into its range is told as well, once", "[state][fragment]") {
  const auto compared = apply_fragment(somewhere(), "compare=beside&against=layer%3D50", schemas());
  REQUIRE(compared);
  REQUIRE(compared->notices.size() == 1);
  check_sentence(compared->notices[0], "The other side: one.layer was “50”");
  CHECK(apply_fragment(compared->state, "head=2", schemas())->notices.empty());
  CHECK(apply_fragment(somewhere(), "compare=beside&against=layer%3D5", schemas())->notices.empty());
}

TEST_CASE("a whole link is a fragment of the default state", "[state][fragment]") {
  AppState known = somewhere();
  known.unknown.clear();
  const std::string link = state::encode(known, schemas());
  CHECK(state::encode(after(link, state::default_state(schemas())), schemas()) == link);
}

TEST_CASE("fragments of garbage neither crash nor tell no reason", "[state][fragment][fuzz]") {
  Dice dice(3);
  Fuzzing fuzzing(3000);
  const AppState from = somewhere();
  while (fuzzing.more()) {
    const std::string fragment =
        mutated("study=two&layer=4&edit=no_mask&prompt=a%20b&tokens=1,2&view.axes=1,2,3", dice);
    if (const auto applied = apply_fragment(from, fragment, schemas())) {
      CHECK(!state::decode(state::encode(applied->state, schemas()), schemas()).bad);
    } else {
      CHECK(applied.error().sentence.ends_with('.'));
    }
  }
}

TEST_CASE("what a fragment named goes back to its default", "[state][fragment]") {
  const AppState app = after("layer=4&one.head=5");
  CHECK(state::without(app.params, "one.layer=9&head=9", schemas()[0]) == defaults(schemas()[0]));
  const ParamValues rest = state::without(app.params, "layer=9", schemas()[0]);
  CHECK(*find_value(rest, "layer") == "0");
  CHECK(*find_value(rest, "head") == "5");
}

}  // namespace fragment_test
