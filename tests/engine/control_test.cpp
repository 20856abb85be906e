// A control is a model of its own for the engine: the page serves its base's bytes under the control's name.
#include "tests/engine/fake_page.h"

namespace engine_control_test {

using namespace helix;
using namespace helix::testing;

TEST_CASE("a study runs on a control, whose tensors are not the base's", "[engine][control]") {
  FakePage page;
  const Bytes file = checkpoint_of(helix_rows(60, 12, 2, 0.01, 1), 100'000);
  page.files["m"] = page.files["control:walk:3@m"] = page.files["control:walk:4@m"] = file;
  const std::vector<std::string> names{"m", "control:walk:3@m", "control:walk:4@m"};
  std::vector<protocol::Result> results;
  for (std::uint32_t i = 0; i < names.size(); ++i) {
    page.open(names[i]);
    page.run(i + 1, {}, "main", names[i]);
    page.work();
    REQUIRE(!page.results(i + 1).empty());
    results.push_back(page.results(i + 1).back());
    CHECK(results.back().provenance.model == names[i]);
  }
  CHECK(results[0].scalar("turns")->value > 1.5);
  CHECK(results[1].scalar("turns")->value < 1.5);
  CHECK(results[1].fingerprint != results[2].fingerprint);
  CHECK(results[0].provenance.tensors[0].sha256 != results[1].provenance.tensors[0].sha256);
  CHECK(protocol::provenance_line(results[1].provenance)
            .find("a random walk with the steps of m, seed 3, PCG64 (control:walk:3@m)") != std::string::npos);
}

}  // namespace engine_control_test
