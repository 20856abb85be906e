#include "base/control_name.h"

#include <catch_amalgamated.hpp>

namespace control_name_test {

using namespace helix;

TEST_CASE("names of controls are read and written", "[base][control]") {
  for (const char* name : {"control:walk:3", "control:rows:0", "control:noise:4294967295@minihelix",
                           "control:weights:12@openai-community/gpt2@main"}) {
    REQUIRE(is_control(name));
    const auto control = parse_control(name);
    REQUIRE(control);
    CHECK(to_text(*control) == name);
  }
  const auto control = parse_control("control:noise:7@a:b");
  REQUIRE(control);
  CHECK(*control == ControlName{ControlKind::noise, 7, "a:b"});
  CHECK(parse_control("control:walk:003")->seed == 3);
}

TEST_CASE("what is no control's name is refused with the form", "[base][control]") {
  for (const char* name :
       {"minihelix", "control:", "control:walk", "control:walk:", "control:walk:-1", "control:walk:4294967296",
        "control:walk:99999999999", "control:walk:1.5", "control:stroll:1", "control:walk@3:1", "controls:walk:1",
        "control:walk:1@control:rows:2"}) {
    const auto control = parse_control(name);
    REQUIRE(!control);
    CHECK(control.error().sentence.find("control:walk:3") != std::string::npos);
  }
}

TEST_CASE("models in a sentence", "[base][control]") {
  CHECK(spoken_model("gpt2-positions") == "GPT-2");
  CHECK(spoken_model("openai-community/gpt2") == "GPT-2");
  CHECK(spoken_model("openai-community/gpt2-medium") == "GPT-2 medium");
  CHECK(spoken_model("gpt2-xl-f16") == "GPT-2 XL");
  CHECK(spoken_model("distilgpt2") == "distilgpt2");
  CHECK(spoken_model("stanford-crfm/alias-gpt2-small-x21") == "stanford-crfm/alias-gpt2-small-x21");
  CHECK(spoken_model("minihelix") == "minihelix");
  CHECK(spoken_model("control:walk:3@minihelix") == "a random walk with the steps of minihelix");
  CHECK(spoken_model("control:rows:3@gpt2") == "the positions of GPT-2 in random order");
  CHECK(spoken_model("control:noise:3@x") == "random positions with the norms of x");
  CHECK(spoken_model("control:weights:3") == "the model with random weights");
}

}  // namespace control_name_test
