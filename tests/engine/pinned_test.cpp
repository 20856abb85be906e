// Studies that read tensors and run the model: the network releases what it has packed, but not what the study reads.
#include "tests/engine/fake_page.h"
#include "tests/planted.h"
#include "tests/probe_study.h"

namespace pinned_test {

using namespace helix;
using namespace helix::testing;

namespace {

const std::vector<studies::ComputeStudy>& both() {
  static const std::vector<studies::ComputeStudy> list{probe::study(), *studies::find_compute_study("position_norms")};
  return list;
}

}  // namespace

TEST_CASE("a study that reads tensors and runs the model works the first time", "[engine][pinned]") {
  FakePage page(both());
  page.files["m"] = tiny_checkpoint({2, 24, 2, 40, 300});
  page.say(protocol::Open{"m", "0123", "{\"n_head\": 2}", page.files["m"].size()});
  Subject subject;
  subject.tokens = {7, 290, 12, 7};
  std::vector<double> norms;
  for (std::uint32_t job = 1; job <= 3; ++job) {
    subject.precision = job == 2 ? Precision::q8 : Precision::f32;
    page.say(Run{job, "main", "probe", "m", {{"run_first", job == 3 ? "0" : "1"}}, subject});
    if (job == 1) {
      page.say(protocol::File{"m", "vocab.json", ""}, bytes_of("{}"));
      page.say(protocol::File{"m", "merges.txt", ""}, bytes_of("{}"));
    }
    page.work();
    for (const Failure& failure : page.all<Failure>()) FAIL_CHECK(failure.sentence);
    REQUIRE(page.results(job).size() == 1);
    const auto result = page.results(job)[0];
    norms.push_back(result.scalar("norm")->value);
    CHECK(std::isfinite(result.scalar("loss")->value));
    CHECK(result.provenance.tensors.size() == 7);
    CHECK(result.provenance.arithmetic == (job == 2 ? "int8 products, float32 sums" : "float32"));
  }
  CHECK(norms[0] == norms[1]);
  CHECK(norms[0] == norms[2]);
}

TEST_CASE("a release waits for the last of those that hold a tensor", "[checkpoint][pinned]") {
  const Bytes bytes = tiny_checkpoint({1, 8, 2, 12, 20});
  const auto file = std::make_shared<checkpoint::WeightFile>("m", bytes.size());
  const std::vector<std::string> names{"wte.weight", "wpe.weight"};
  file->want(names);
  REQUIRE(file->feed(0, bytes));
  {
    const checkpoint::Pinned one(file, {"wte.weight"});
    {
      const checkpoint::Pinned two(file, {"transformer.wte.weight", "no.such"});
      file->release("wte.weight");
      file->release("wpe.weight");
      CHECK(file->has("wte.weight"));
      CHECK(!file->has("wpe.weight"));
    }
    CHECK(file->has("wte.weight"));
  }
  CHECK(!file->has("wte.weight"));
  file->want(names);
  REQUIRE(file->feed(0, bytes));
  {
    const checkpoint::Pinned one(file, {"wte.weight"});
  }
  CHECK(file->has("wte.weight"));  // nobody released it
}

TEST_CASE("closing a model frees its weights, whatever studies have kept of it", "[engine][store]") {
  FakePage page;
  page.files["m"] = tiny_checkpoint({2, 24, 2, 40, 300});
  const auto ask = [&](std::uint32_t job, const char* study, ParamValues params) {
    page.say(Run{job, "main", study, "m", std::move(params), {}});
    page.work();
    for (const protocol::NeedFiles& need : page.all<protocol::NeedFiles>())
      for (const std::string& name : need.names) page.say(protocol::File{"m", name, "There is no " + name + "."});
    page.work();
    REQUIRE(!page.results(job).empty());
    return page.results(job).back();
  };
  std::vector<std::string> hashes;
  for (const unsigned seed : {1u, 2u}) {
    page.files["m"] = tiny_checkpoint({2, 24, 2, 40, 300}, 0.3, seed);
    page.say(protocol::Open{"m", "0123", "{\"n_head\": 2}", page.files["m"].size()});
    hashes.push_back(ask(10 * seed, "position_norms", {{"of", "wte"}}).provenance.tensors.front().sha256);
    const auto cloud = ask(10 * seed + 1, "token_cloud", {});
    CHECK(cloud.provenance.tensors.front().sha256 == hashes.back());
    ask(10 * seed + 2, "subspace_overlap", {});
    page.say(protocol::Close{"m"});
  }
  CHECK(hashes[0] != hashes[1]);
}

}  // namespace pinned_test
