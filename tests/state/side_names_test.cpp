#include "state/side_names.h"

#include "state/fragment.h"
#include "studies/registry_view.h"
#include "tests/support.h"

namespace side_names_test {

using namespace helix;
using namespace helix::state;

namespace {

const std::vector<StudySchema>& schemas() {
  static const std::vector<StudySchema> all = studies::schemas_of(studies::view_studies());
  return all;
}

AppState planted() {
  AppState state = default_state(schemas());
  state.model = "minihelix";
  return state;
}

SideNames names(const AppState& now, const AppState& other) { return side_names(now, other, schemas()); }

}  // namespace

TEST_CASE("a side of a comparison is called by what it has and the other has not", "[state][compare]") {
  AppState now = planted(), other = planted();
  now.subject.edits = {{"ablate_head:4.2", true}};
  CHECK(names(now, other).now == "Head 4.2 off");
  CHECK(names(now, other).other == "As it is");
  CHECK(names(other, now).now == "As it is");
  now.subject.edits[0].on = false;
  CHECK(names(now, other).now != names(now, other).other);
  now = planted(), other.model = "gpt2";
  CHECK(names(now, other).now == "minihelix");  // a name keeps its spelling
  CHECK(names(now, other).other == "gpt2");
  other = planted(), other.subject.prompt = "A dog";
  CHECK(names(now, other).other == "“A dog”");
  other = planted();
  REQUIRE(set_value(*find_study(schemas(), now.study), other.params, "first", "100", true));
  CHECK(names(now, other).other.ends_with(" 100"));
  CHECK(names(now, planted()).now != names(now, planted()).other);
  AppState last = default_state(schemas()), before = last;
  for (AppState* state : {&last, &before})
    state->study = "position_emergence", state->params = defaults(*find_study(schemas(), state->study));
  REQUIRE(set_value(*find_study(schemas(), last.study), before.params, "step", "42", true));
  CHECK(names(last, before).now == "Checkpoint: the last one");  // 9999, of a model with fewer
  CHECK(names(last, before).other == "Checkpoint 42");
}

TEST_CASE("a control is called by its kind", "[state][compare]") {
  AppState now = planted(), other = planted();
  other.model = "control:weights:1@minihelix";
  CHECK(names(now, other).now == "minihelix");
  CHECK(names(now, other).other == "Random weights");
  other.model = "control:walk:1";  // made from the open model
  CHECK(names(now, other).other == "A random walk");
  CHECK(names(other, now).now == "A random walk");
  other.model = "control:rows:1@gpt2";  // of another one
  CHECK(names(now, other).other == "The positions of GPT-2 in random order");
  now.model = "control:noise:1@minihelix", other.model = "control:noise:2@minihelix";
  CHECK(names(now, other).now == "Random positions, seed 1");
  CHECK(names(now, other).other == "Random positions, seed 2");
  other.model = "control:nothing:1";  // a broken link's: as it is written
  CHECK(names(now, other).other == "control:nothing:1");
}

TEST_CASE("long texts and many edits stay short", "[state][compare]") {
  AppState now = planted(), other = planted();
  now.subject.prompt = std::string(500, 'a');
  for (int head = 0; head < 6; ++head) now.subject.edits.push_back({"ablate_head:0." + std::to_string(head), true});
  const std::string name = names(now, other).now;
  CHECK(name.size() < 80);
  CHECK(name.starts_with("6 edits"));
}

}  // namespace side_names_test
