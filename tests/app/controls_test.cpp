// Controls in the page's state: a name without a base takes the model that the page would choose for the study.
#include "tests/app/stage.h"

namespace controls_test {

using namespace helix;
using namespace helix::app;
using namespace helix::app::testing;
using protocol::Open;
using protocol::Run;
using state::Compare;

TEST_CASE("a link to a control opens it on the model that the study needs", "[app][controls]") {
  Desk desk;
  desk.settle();
  desk.app.open_link("#v=1&model=control:walk:3&study=position_helix");
  CHECK(desk.app.state().model == "control:walk:3@gpt2");
  REQUIRE(!desk.all<Open>().empty());
  CHECK(desk.all<Open>().back().model == "control:walk:3@gpt2");
  CHECK(desk.all<Open>().back().sha256 == "sha of gpt2");
  CHECK(desk.runs().back().model == "control:walk:3@gpt2");
  CHECK(desk.app.status().notices.empty());
  desk.app.open_link("#v=1&model=control:rows:1%40other&study=position_helix");
  CHECK(desk.app.state().model == "control:rows:1@other");
  CHECK(!desk.app.unsuited_model());
}

TEST_CASE("a control that cannot be made is a notice", "[app][controls]") {
  Desk desk;
  desk.settle();
  for (const char* model : {"control:stroll:3", "control:walk:3%40nothing"}) {
    desk.app.dismiss_notices();
    desk.app.open_link("#v=1&study=position_helix&model=" + std::string(model));
    CHECK(desk.app.state().model == "gpt2");
    CHECK(desk.app.status().notices.size() == 1);
  }
}

TEST_CASE("any figure is compared with a control of the open model", "[app][controls]") {
  Desk desk;
  desk.settle();
  desk.app.choose_model("other");
  REQUIRE(desk.app.set_compare(Compare::beside, "model=control:walk:1"));
  CHECK(desk.app.other_run().problem().empty());
  REQUIRE(desk.app.other_run().asked());
  CHECK(desk.app.other_run().asked()->model == "control:walk:1@other");
  CHECK(desk.all<Open>().back().model == "control:walk:1@other");
}

}  // namespace controls_test
