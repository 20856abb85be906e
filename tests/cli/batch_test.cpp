// Several texts on the command line, and a study of tests run as the program runs one.
#include "cli/opened.h"
#include "tests/cli/tiny_folder.h"
#include "tests/probe_study.h"

namespace batch_test {

using namespace helix;
using namespace helix::cli;
using namespace helix::cli::testing;

namespace {

Options options_of(const std::vector<std::string>& words) {
  const auto options = parse_options(words, 0, kSubjectOptions, {"bos", "keep-last"});
  REQUIRE(options);
  return *options;
}

}  // namespace

TEST_CASE("repeated texts are a batch, in their order", "[cli][batch]") {
  const auto all =
      subjects_from(options_of({"--prompt", "a", "--tokens", "1,2", "--prompt", "b", "--edit", "no_mask"}));
  REQUIRE(all);
  REQUIRE(all->size() == 3);
  CHECK((*all)[0].prompt == "a");
  CHECK((*all)[1].tokens == std::vector<std::int32_t>{1, 2});
  CHECK((*all)[2].prompt == "b");
  CHECK((*all)[2].tokens.empty());
  for (const Subject& one : *all) CHECK(one.edits.size() == 1);
  CHECK(subjects_from(options_of({}))->size() == 1);
  const auto bad = subjects_from(options_of({"--tokens", "1", "--tokens", "x"}));
  REQUIRE(!bad);
  check_sentence(bad.error().sentence, "--tokens takes token ids");
}

TEST_CASE("a study and a verb of one text refuse two", "[cli][batch]") {
  const TinyFolder folder;
  check_refused(run({"run", "predictions", "--model", folder.path(), "--tokens", "1,2", "--tokens", "3,4"}), 2,
                "takes one text");
  check_refused(run({"logits", "--model", folder.path(), "--tokens", "1,2", "--tokens", "3,4"}), 1, "Give one text");
}

TEST_CASE("natively, too, a study reads tensors and runs several texts", "[cli][batch][pinned]") {
  const TinyFolder folder;
  const helix::studies::ComputeStudy probe = helix::testing::probe::study();
  for (const char* run_first : {"1", "0"}) {
    ParamValues params = defaults(probe.schema);
    REQUIRE(set_value(probe.schema, params, "run_first", run_first, true));
    const auto subjects = subjects_from(options_of({"--tokens", "1,2,3", "--tokens", "4,5,6,7", "--tokens", "9,9"}));
    REQUIRE(subjects);
    std::vector<Opened> models;
    auto opened = open_model(folder.path(), subjects->front(), Reads::forward);
    REQUIRE(opened);
    models.push_back(std::move(*opened));
    auto inputs = inputs_for(probe, params, models);
    REQUIRE(inputs);
    inputs->more.assign(subjects->begin() + 1, subjects->end());
    const auto result = run_to_end(probe.run(params, std::move(*inputs)));
    if (!result) FAIL(result.error().sentence);
    CHECK(result->scalar("texts")->value == 3);
    CHECK(result->scalar("norm")->value > 0);
  }
}

}  // namespace batch_test
