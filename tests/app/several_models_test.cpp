// Models that a run reads besides the open one, on the page's side.
#include "app/snapshot.h"
#include "protocol/json.h"
#include "tests/app/stage.h"

namespace app_several_models_test {

using namespace helix;
using namespace helix::app;
using helix::app::testing::Desk;
using helix::testing::check_sentence;
using protocol::NeedModel;
using protocol::Open;
using protocol::SourceFailed;

TEST_CASE("a model of the list is opened for a run that reads it, the open one stays", "[app][models]") {
  Desk desk;
  desk.settle();
  desk.app.receive(NeedModel{"other"});
  REQUIRE(desk.all<Open>().size() == 1);
  CHECK(desk.all<Open>()[0].model == "other");
  CHECK(desk.all<Open>()[0].sha256 == "sha of other");
  CHECK(desk.app.state().model == "gpt2");
  CHECK(desk.runs().empty());
}

TEST_CASE("a model that is not in the list is a sentence, until it is found", "[app][models]") {
  Desk desk;
  desk.settle();
  desk.app.receive(NeedModel{"owner/name"});
  REQUIRE(desk.all<SourceFailed>().size() == 1);
  CHECK(desk.all<SourceFailed>()[0].model == "owner/name");
  check_sentence(desk.all<SourceFailed>()[0].sentence, "owner/name");
  CHECK(!desk.app.status().failure);

  REQUIRE(dispatch(desk.app, R"({"do":"add_model","model":{"name":"owner/name","bytes":7,"config":"{}"}})"));
  REQUIRE(desk.all<Open>().size() == 1);
  CHECK(desk.all<Open>()[0].model == "owner/name");
  CHECK(desk.all<Open>()[0].bytes == 7);
  CHECK(desk.app.models().list().size() == 3);
  CHECK(desk.app.state().model == "gpt2");
  REQUIRE(dispatch(desk.app, R"({"do":"refuse_model","name":"owner/other","sentence":"The hub has none."})"));
  CHECK(desk.all<SourceFailed>().back().sentence == "The hub has none.");
  CHECK(!dispatch(desk.app, R"({"do":"add_model"})"));
}

TEST_CASE("a place that names its model leads there, whatever was chosen before", "[app][models]") {
  Desk desk;
  desk.settle();
  REQUIRE(desk.app.go_to("model=other&study=predictions"));
  CHECK(desk.app.state().model == "other");
  desk.app.undo();
  CHECK(desk.app.state().model == "gpt2");
  REQUIRE(desk.app.go_to("model=gpt2&study=predictions"));
  CHECK(desk.app.state().model == "gpt2");
}

TEST_CASE("how much of each model has come is told apart", "[app][models]") {
  Desk desk;
  desk.settle();
  desk.app.receive(protocol::Need{"gpt2", {}, 1, 2});
  desk.app.receive(protocol::Need{"other", {}, 3, 9});
  desk.app.receive(protocol::Need{"third", {}, 0, 4});
  desk.app.receive(protocol::Need{"other", {}, 5, 9});
  CHECK(desk.app.status().have == 1);
  CHECK(desk.app.status().want == 2);
  const auto json = protocol::parse_json(snapshot_json(desk.app, {}));
  REQUIRE(json);
  CHECK(protocol::dump((*json)["status"]["others"]) ==
        R"([{"model":"other","have":5,"want":9},{"model":"third","have":0,"want":4}])");
  desk.app.engine_restarted();
  CHECK(desk.app.status().others.empty());
}

}  // namespace app_several_models_test
