#include "state/permalink.h"
#include "base/text.h"

#include <algorithm>
#include <fstream>

#include "base/fields.h"
#include "state/fragment.h"
#include "studies/registry_view.h"
#include "tests/support.h"

namespace permalink_test {

using namespace helix;
using namespace helix::testing;
using state::AppState;
using state::decode;
using state::Decoded;
using state::encode;
using state::percent_decode;
using state::percent_encode;

namespace {

enum class Kind { plain, odd };

/// One parameter of every type.
struct Params {
  int count = 3;
  double ratio = 0.5;
  bool on = true;
  std::vector<int> list{1, 2};
  Kind kind = Kind::plain;
  static void fields(ParamVisitor& v, Params& p) {
    v(Field{"count"}, p.count, Whole{-5, 1'000'000});
    v(Field{"ratio"}, p.ratio, Real{-2, 2});
    v(Field{"on"}, p.on);
    v(Field{"list"}, p.list, Wholes{0, 9, 2});
    v(Field{"kind"}, p.kind, OneOf{{"plain", "odd"}});
  }
};

std::vector<StudySchema> schemas() {
  StudySchema one, two;
  one.id = "one", two.id = "two";
  one.params = two.params = param_specs<Params>();
  two.params[0].default_text = "4";
  return {one, two};
}

const std::string kDefault = "#v=1&model=&study=one";

AppState random_state(Dice& dice) {
  AppState app;
  const auto all = schemas();
  const StudySchema& study = all[dice.below(2)];
  app.study = study.id;
  app.params = defaults(study);
  const auto set = [&](const char* key, const std::string& text) {
    if (dice.below(2)) REQUIRE(set_value(study, app.params, key, text, true));
  };
  set("count", std::to_string(static_cast<int>(dice.below(1'000'006)) - 5));
  set("ratio", to_text(dice.between(-2, 2)));
  set("on", dice.below(2) ? "1" : "0");
  set("list", std::to_string(dice.below(10)) + "," + std::to_string(dice.below(10)));
  set("kind", dice.below(2) ? "plain" : "odd");
  for (std::size_t i = 0, n = dice.below(4); i < n; ++i)
    app.model += dice.one_of<std::string>({"gpt2", "&=", "%41", "é", "#", " ", "+"});
  if (dice.below(2))
    app.view.camera = {dice.between(0, 360), dice.between(-90, 90), dice.between(0.1, 20), dice.between(-5, 5),
                       dice.between(-5, 5)};
  if (dice.below(8) == 0) app.view.camera.azimuth = 360 - dice.unit() * 0.1;
  if (dice.below(2)) app.view.axes = {1 + static_cast<int>(dice.below(2)), 3, 4 + static_cast<int>(dice.below(5))};
  app.view.map = static_cast<ColourMap>(dice.below(3));
  const std::vector<std::string> axes{"position", "dimension", "layer", "head", "query", "key", "item", "lag"};
  if (dice.below(2)) {
    for (std::size_t i = 0, n = 1 + dice.below(4); i < n; ++i)
      app.view.focus.set(dice.one_of(axes), static_cast<int>(dice.below(2000)));
    app.view.focus.locked = true;
  }
  for (std::size_t i = 0, n = dice.below(3); i < n; ++i) {
    const int first = static_cast<int>(dice.below(2000));
    app.view.show({dice.one_of(axes), first, first + static_cast<int>(dice.below(2000))});
  }
  app.theme = static_cast<state::Theme>(dice.below(3));
  app.predict = dice.below(3) == 0;
  app.page.embed = dice.below(4) == 0, app.page.present = dice.below(4) == 0;
  for (const std::string_view name : state::kHideNames)
    if (dice.below(9) == 0) app.page.hide.emplace_back(name);
  if (dice.below(3) == 0) app.unknown = {{"later", "ünknown &"}, {"other.key", ""}, {"later", "again"}};
  return app;
}

}  // namespace

TEST_CASE("a link read and written again is the same link", "[state][link]") {
  Dice dice(7);
  const auto all = schemas();
  for (int i = 0; i < 5000; ++i) {
    const AppState app = random_state(dice);
    const std::string link = encode(app, all);
    const Decoded back = decode(link, all);
    CAPTURE(link);
    REQUIRE(!back.bad);
    REQUIRE(encode(back.state, all) == link);
    CHECK(back.state.params == app.params);
    CHECK(back.state.model == app.model);
    CHECK(back.state.theme == app.theme);
    CHECK(back.state.predict == app.predict);
    CHECK(back.state.page == app.page);
    CHECK(back.state.unknown == app.unknown);
    CHECK(back.state.view.axes == app.view.axes);
    CHECK(back.state.view.focus == app.view.focus);
    CHECK(back.state.view.windows == app.view.windows);
    const double turn = std::abs(back.state.view.camera.azimuth - app.view.camera.azimuth);
    CHECK(std::min(turn, 360 - turn) <= 0.0501);
    CHECK(std::abs(back.state.view.camera.zoom - app.view.camera.zoom) <= 0.000501);
    CHECK(back.notices.size() == (app.unknown.empty() ? 0 : 1));
  }
}

TEST_CASE("what is at its default is left out, the rest has a fixed order", "[state][link]") {
  const auto all = schemas();
  AppState app = state::default_state(all);
  CHECK(encode(app, all) == kDefault);
  app.view.focus = {{"position", 12}};  // links contain only a locked focus
  CHECK(encode(app, all) == kDefault);
  app.theme = state::Theme::light;
  app.view.focus = {{{"position", 12}}, true};
  app.view.show({"query", 3, 10}), app.view.show({"key", 0, 5});
  app.view.map = ColourMap::cividis;
  app.view.axes = {3, 1, 2};
  app.view.camera.zoom = 2;
  app.unknown = {{"later", "1"}};
  REQUIRE(set_value(all[0], app.params, "kind", "odd", true));
  REQUIRE(set_value(all[0], app.params, "count", "7", true));
  app.model = "m";
  CHECK(encode(app, all) ==
        "#v=1&model=m&study=one&one.count=7&one.kind=odd&view.camera=45,20,2,0,0&view.axes=3,1,2&view.map=cividis"
        "&view.window=key:0:5,query:3:10&focus=position:12&theme=light&later=1");
}

TEST_CASE("only the open study's parameters are read; others are kept as they came", "[state][link]") {
  const auto all = schemas();
  const Decoded got = decode("#v=1&model=&study=two&one.count=7&two.count=9&two.nothing=1", all);
  REQUIRE(!got.bad);
  CHECK(got.state.study == "two");
  CHECK(*find_value(got.state.params, "count") == "9");
  REQUIRE(got.state.unknown.size() == 2);
  CHECK(got.notices.size() == 1);
  for (const std::string& notice : got.notices) check_sentence(notice);
  CHECK(encode(got.state, all) == "#v=1&model=&study=two&two.count=9&one.count=7&two.nothing=1");
}

TEST_CASE("what is kept of a prompt that is too long is in the link", "[state][link]") {
  const auto all = schemas();
  const Decoded kept = decode("#v=1&model=&study=one&keep=last", all);
  CHECK(kept.notices.empty());
  CHECK(kept.state.subject.keep_last);
  CHECK(encode(kept.state, all).ends_with("&keep=last"));
  const Decoded other = decode("#v=1&model=&study=one&keep=first", all);
  CHECK(!other.state.subject.keep_last);
  REQUIRE(!other.notices.empty());
  CHECK(other.notices[0].find("keep needs last") != std::string::npos);
}

TEST_CASE("numbers out of range move to its edge, and the page says so", "[state][link]") {
  const auto all = schemas();
  for (const auto& [given, taken] : std::vector<std::pair<std::string, std::string>>{
           {"count=-6", "-5"}, {"count=1000001", "1000000"}, {"ratio=2.5", "2"}, {"list=10,0", "9,0"}}) {
    const std::string key = given.substr(0, given.find('='));
    const Decoded got = decode("#v=1&model=&study=one&one." + given, all);
    CHECK(!got.bad);
    CHECK(*find_value(got.state.params, key) == taken);
    REQUIRE(got.notices.size() == 1);
    check_sentence(got.notices[0], "one." + key);
    CHECK(got.notices[0].find(taken) != std::string::npos);
  }
  CHECK(decode("#v=1&study=one&one.count=007", all).notices.empty());
  CHECK(decode("#v=1&study=one&one.count=1000000", all).notices.empty());
}

TEST_CASE("a link with more parts than anybody writes is refused in one sentence", "[state][link]") {
  const auto all = schemas();
  const auto link_of = [](const std::string& part, std::size_t count) {
    std::string link = "#v=1&study=one";
    for (std::size_t i = 0; i < count; ++i) link += "&" + part + (part.ends_with('=') ? std::to_string(i) : "");
    return link;
  };
  for (const char* part : {"edit=zero_tokens", "edit=", "later=", "x=1", "one.count=7", "one.count=", "", "="})
    for (const std::size_t count : {2'000u, 100'000u}) {
      const Decoded got = decode(link_of(part, count), all);
      CHECK(got.bad);
      REQUIRE(got.notices.size() == 1);
      check_sentence(got.notices[0], "at most 2,000");
    }
  for (const char* part : {"edit=x", "later="}) {
    const Decoded got = decode(link_of(part, 1'500), all);
    REQUIRE(got.notices.size() == 1);
    check_sentence(got.notices[0], "at most 1,000");
    const Decoded most = decode(link_of(part, 1'000), all);
    CHECK(!most.bad);
    CHECK(!decode(encode(most.state, all), all).bad);  // a link that the page writes can be read
  }
}

TEST_CASE("what is said of a link's parts is few sentences, with a count", "[state][link]") {
  const auto all = schemas();
  std::string unknown = "#v=1&study=one", beyond = unknown;
  for (int i = 0; i < 900; ++i)
    unknown += "&later" + std::to_string(i) + "=1", beyond += "&one.count=-" + std::to_string(i + 1);
  const Decoded strange = decode(unknown, all);
  REQUIRE(strange.notices.size() == 1);
  CHECK(strange.state.unknown.size() == 900);
  check_sentence(strange.notices[0], "“later0”, “later1”, “later2” and 897 more");
  const Decoded outside = decode(beyond, all);
  REQUIRE(outside.notices.size() == 5);
  check_sentence(outside.notices.back(), "more parts of the link have such problems");
  CHECK(decode("#v=1&study=one&a=1", all).notices[0] ==
        "This page does not know “a” and has left it in the link unused.");
  CHECK(decode("#v=1&study=one&a=1&b=2", all).notices[0] ==
        "This page does not know “a” and “b” and has left them in the link unused.");
}

TEST_CASE("a malformed link opens the default page with a notice", "[state][link]") {
  const auto all = schemas();
  const std::vector<std::string> malformed{"#garbage",
                                           "#=1",
                                           "#study=one",
                                           "#v=0&study=one",
                                           "#v=x",
                                           "#v=2&study=one&one.count=7",
                                           "#v=1&study=three",
                                           "#v=1&study=one&one.count=seven",
                                           "#v=1&study=one&one.on=maybe",
                                           "#v=1&study=one&one.list=1,2,3",
                                           "#v=1&study=one&one.kind=strange",
                                           "#v=1&study=one&one.ratio=0x10",
                                           "#v=1&model=%zz",
                                           "#v=1&model=%4",
                                           "#v=1&model=%FF%FE",
                                           "#v=1&view.camera=1,2,3",
                                           "#v=1&view.axes=1,1,2",
                                           "#v=1&view.axes=0,1,2",
                                           "#v=1&view.map=rainbow",
                                           "#v=1&theme=pink",
                                           "#v=1&focus=313",
                                           "#v=1&focus=position:-3",
                                           "#v=1&focus=",
                                           "#v=1&focus=:3",
                                           "#v=1&focus=position",
                                           "#v=1&focus=position:3:4",
                                           "#v=1&focus=position:3,",
                                           "#v=1&focus=Position:3",
                                           "#v=1&focus=cell:7",
                                           "#v=1&focus=cell:7:3:1",
                                           "#v=1&focus=cell:4:7:3",
                                           "#v=1&focus=cell:4.11",
                                           "#v=1&focus=cell:4.x:7:3",
                                           "#v=1&view.window=query",
                                           "#v=1&view.window=query:3",
                                           "#v=1&view.window=query:10:3",
                                           "#v=1&view.window=query:-1:3",
                                           "#v=1&view.window=:1:3",
                                           "#v=1&view.window=",
                                           "#v=1&view.region=3,10,0",
                                           "#v=1&view.region=10,3,0,5"};
  for (const std::string& link : malformed) {
    CAPTURE(link);
    const Decoded got = decode(link, all);
    CHECK(got.bad);
    CHECK(got.state == state::default_state(all));
    REQUIRE(got.notices.size() == 1);
    check_sentence(got.notices[0], "could not be read");
  }
  const Decoded newer = decode("#v=2&study=one", all);
  CHECK(newer.notices[0].find("newer version") != std::string::npos);
  for (const char* empty : {"", "#"}) {
    CHECK(!decode(empty, all).bad);
    CHECK(decode(empty, all).notices.empty());
    CHECK(encode(decode(empty, all).state, all) == kDefault);
  }
}

TEST_CASE("a focus and a window are of named axes, and the first links' names still do", "[state][link]") {
  const auto all = schemas();
  const auto view = [&](const std::string& keys) {
    const Decoded got = decode("#v=1&model=&study=one&" + keys, all);
    INFO(keys);
    CHECK(!got.bad);
    CHECK(got.notices.empty());
    return got.state.view;
  };
  const auto written = [&](const Focus& focus) {
    AppState app = state::default_state(all);
    app.view.focus = focus, app.view.focus.locked = true;
    return encode(app, all).substr(kDefault.size());
  };
  const std::vector<std::pair<std::string, Focus>> forms{
      {"position:313", {{"position", 313}}},
      {"item:2", {{"item", 2}}},
      {"dimension:138,layer:4", {{"layer", 4}, {"dimension", 138}}},
      {"cell:7:3", {{"query", 7}, {"key", 3}}},
      {"cell:4.11:7:3", {{"layer", 4}, {"head", 11}, {"query", 7}, {"key", 3}}},
      {"head:11,layer:4", {{"layer", 4}, {"head", 11}}},
      {"query:7", {{"query", 7}}},
      {"key:3,position:5,query:7", {{"query", 7}, {"key", 3}, {"position", 5}}}};
  for (const auto& [text, focus] : forms) {
    CHECK(view("focus=" + text).focus.places() == focus.places());
    CHECK(view("focus=" + text).focus.locked);
    CHECK(written(focus) == "&focus=" + text);
  }
  CHECK(view("focus=query:7,key:3").focus == view("focus=cell:7:3").focus);
  CHECK(view("view.region=3,10,0,5").windows == view("view.window=query:3:10,key:0:5").windows);
  CHECK(view("view.window=key:0:5").windows == std::vector<Window>{{"key", 0, 5}});
  CHECK(view("view.window=key:0:5,key:2:2").windows == std::vector<Window>{{"key", 2, 2}});
}

TEST_CASE("percent coding carries every text and leaves readable ones alone", "[state][link]") {
  CHECK(percent_encode("gpt2-small_1.0~a,b:c/d!*") == "gpt2-small_1.0~a,b:c/d!*");
  CHECK(percent_encode("a b&c=d#e%f+") == "a%20b%26c%3Dd%23e%25f%2B");
  for (int byte = 0; byte < 128; ++byte) {
    const std::string text(1, static_cast<char>(byte));
    const std::string coded = percent_encode(text);
    CHECK(coded.find_first_of("&=#+ ") == std::string::npos);
    REQUIRE(percent_decode(coded));
    CHECK(*percent_decode(coded) == text);
  }
  for (int byte = 128; byte < 256; ++byte) {
    const std::string text(1, static_cast<char>(byte));
    CHECK(percent_encode(text).size() == 3);
    CHECK(!percent_decode(percent_encode(text)));  // half a character
  }
  for (const char* text : {"é", "漢字", "🧬", "\u07ff", "\u0800", "\uffff"})
    CHECK(*percent_decode(percent_encode(text)) == text);
  CHECK(*percent_decode("%c3%A9") == "é");
}

TEST_CASE("broken escapes and bytes that are no UTF-8 are refused", "[state][link]") {
  for (const char* text :
       {"%",         "%4",           "%4g",          "%g4",          "a%",     "%%41",      "%-1",       "% 1",
        "%C3",       "%C3%28",       "%A9",          "%C0%80",       "%C1%BF", "%E0%80%80", "%E0%9F%BF", "%ED%A0%80",
        "%ED%BF%BF", "%F0%80%80%80", "%F4%90%80%80", "%F5%80%80%80", "%FF",    "%E2%82"}) {
    CAPTURE(text);
    const auto got = percent_decode(text);
    REQUIRE(!got);
    CHECK(!got.error().sentence.empty());
  }
  for (const char* text : {"%ED%9F%BF", "%EE%80%80", "%F4%8F%BF%BF", "%F0%90%80%80", "%C2%80"})
    CHECK(percent_decode(text));
}

TEST_CASE("links of version 1 open as they always did", "[state][link][golden]") {
  const auto all = studies::schemas_of(studies::view_studies());
  std::ifstream file(in_repository("tests/golden/links_v1.txt"));
  REQUIRE(file);
  int links = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.starts_with("# ")) continue;
    const std::size_t tab = line.find('\t');
    REQUIRE(tab != std::string::npos);
    const std::string link = line.substr(0, tab), canonical = line.substr(tab + 1);
    CAPTURE(link);
    const Decoded got = decode(link, all);
    CHECK(!got.bad);
    CHECK(encode(got.state, all) == canonical);
    CHECK(encode(decode(canonical, all).state, all) == canonical);
    ++links;
  }
  CHECK(links >= 32);
}

TEST_CASE("what a link hides is a closed list; a later version's names are kept and reported", "[state][link]") {
  const auto all = schemas();
  const Decoded got = decode("#v=1&hide=theme,cellar,menu&embed=1&hide=prompt", all);
  CHECK(!got.bad);
  CHECK(got.state.page.embed);
  CHECK(!got.state.page.present);
  CHECK(got.state.page.hide == std::vector<std::string>{"menu", "prompt", "theme"});
  REQUIRE(got.notices.size() == 1);
  CHECK(got.notices[0].find("hide=cellar") != std::string::npos);
  CHECK(encode(got.state, all) == kDefault + "&embed=1&hide=menu,prompt,theme&hide=cellar");
  CHECK(decode("#v=1&embed=yes", all).bad);
  const auto fragment = state::apply_fragment(got.state, "hide=settings&present=1", all);
  REQUIRE(fragment);
  CHECK(fragment->state.page.hide == std::vector<std::string>{"settings"});
  CHECK(fragment->state.page.present);
  CHECK(!state::apply_fragment(got.state, "hide=cellar", all));
  CHECK(state::apply_fragment(got.state, "study=two", all, state::From::start)->state.page == got.state.page);
}

TEST_CASE("the language of a link is the page's own: no state, and no notice", "[state][link]") {
  const Decoded got = decode("#v=1&theme=light&lang=it", schemas());
  CHECK(got.notices.empty());
  CHECK(encode(got.state, schemas()) == kDefault + "&theme=light");
}

TEST_CASE("a step of a lesson has a short link", "[state][link]") {
  AppState app = state::default_state(schemas());
  CHECK(state::short_link(app).empty());
  app.lesson = "conventions/9", app.theme = state::Theme::light;
  app.page = {true, true, {}};
  for (const std::string_view name : state::kHideNames) app.page.hide.emplace_back(name);
  const std::string link = state::short_link(app);
  CHECK(link.starts_with("#v=1&theme=light&lesson=conventions/9&embed=1&present=1&hide=menu,"));
  app.page.hide.resize(4);
  CHECK(state::short_link(app).size() <= 121);
  CHECK(decode(state::short_link(app), schemas()).state == app);
  app.seed = state::kLargestSeed;
  CHECK(state::short_link(app).find("&lesson=conventions/9&seed=9999&embed=1") != std::string::npos);
  CHECK(state::short_link(app).size() <= 121);
  CHECK(decode(state::short_link(app), schemas()).state == app);
  for (const char* wrong : {"10000", "-1", "own", "1.5", ""})
    CHECK(decode("#v=1&lesson=helix/1&seed=" + std::string(wrong), schemas()).bad);
}

TEST_CASE("every beginning of a link opens", "[state][link]") {
  const auto all = schemas();
  Dice dice(11);
  for (int i = 0; i < 30; ++i) {
    const std::string link = encode(random_state(dice), all);
    for (std::size_t n = 0; n <= link.size(); ++n) {
      const Decoded got = decode(testing::ExactBytes(std::as_bytes(std::span(link.data(), n))).text(), all);
      REQUIRE((!got.bad || got.notices.size() == 1));
      REQUIRE(!decode(encode(got.state, all), all).bad);
    }
  }
}

TEST_CASE("links of any content open, and settle at once", "[state][link][fuzz]") {
  const auto all = schemas();
  Dice dice(13);
  Fuzzing fuzzing(2000);
  int opened = 0;
  while (fuzzing.more()) {
    std::string link = mutated(encode(random_state(dice), all), dice);
    if (dice.below(500) == 0) {  // repeats a part many times
      const std::string part = "&" + link.substr(dice.below(link.size()), 1 + dice.below(12));
      for (std::size_t i = 0, n = dice.below(dice.below(4) ? 3'000 : 100'000); i < n; ++i) link += part;
    }
    const Decoded got = decode(link, all);
    opened += !got.bad;
    const std::string canonical = encode(got.state, all);
    const Decoded again = decode(canonical, all);
    if (again.bad || encode(again.state, all) != canonical) {
      CAPTURE(link, canonical);
      FAIL("not settled");
    }
    for (const auto& [key, value] : got.state.params) {
      const ParamSpec* spec =
          std::find_if(all.begin(), all.end(), [&](const auto& s) { return s.id == got.state.study; })->find(key);
      if (!canonical.empty() && *helix::canonical(*spec, value, true) != value) FAIL(key << "=" << value);
    }
  }
  CHECK(opened > 100);
}

}  // namespace permalink_test
