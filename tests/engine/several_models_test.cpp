// Runs that read more than one model, as seen by the page.
#include <algorithm>

#include "base/fields.h"
#include "base/text.h"
#include "tests/engine/fake_page.h"

namespace engine_several_models_test {

using namespace helix;
using namespace helix::testing;
using protocol::NeedModel;

namespace {

Bytes positions(unsigned rows, unsigned seed = 1) {
  return checkpoint_of(helix_rows(rows, 12, 2, 0.01, seed), 100'000);
}

/// The result of the study below: a line for each of its models.
std::vector<std::string> lines(const studies::Inputs& inputs) {
  std::vector<std::string> out;
  for (const studies::ModelInputs& m : inputs.models) {
    const auto tensor = m.weights ? m.weights->tensor("wpe.weight") : Error{"no weights"};
    const std::string rows = tensor ? std::to_string(tensor->info->shape[0]) + " rows" : "";
    const auto row = m.weights ? m.weights->row("wpe.weight", 2) : Error{"no weights"};
    out.push_back(m.name + ": " +
                  (m.why_not.empty() ? (rows.empty() && row ? "row 2" : rows) + " " + m.sha256 : m.why_not));
  }
  return out;
}

Task<Expected<protocol::Result>> list_models(ParamValues params, studies::Inputs inputs) {
  co_await pause_point();
  protocol::Result result;
  result.study = "several", result.params = std::move(params);
  result.words = {{"models", "model", lines(inputs)}};
  co_return result;
}

/// "models=a,b!": reads the positions of both; with ! the model is required. "models=c?": only the last row of a
/// model's positions, whose index only its header gives. No models: its own.
std::vector<studies::ModelNeeds> needs(const ParamValues& params, const studies::Known& known) {
  std::vector<studies::ModelNeeds> all;
  for (std::string name : split(*find_value(params, "models"), ',')) {
    const char how = name.empty() ? ' ' : name.back();
    if (how == '!' || how == '?') name.pop_back();
    studies::ModelNeeds one{name, {"wpe.weight"}, {}, Reads::weights, how != '!'};
    if (how == '?') {
      one.tensors.clear();
      if (const auto size = known.size(name)) one.rows = {{"wpe.weight", {2, size->n_ctx - 1}}};
    }
    all.push_back(std::move(one));
  }
  return all;
}

struct Params {
  std::vector<std::string> models;
  static void fields(ParamVisitor& v, Params& p) { v(Field{"models"}, p.models, Names{8, 40, Suggest::models}); }
};

const std::vector<studies::ComputeStudy>& studies_here() {
  static const std::vector<studies::ComputeStudy> list = [] {
    studies::ComputeStudy study;
    study.schema.id = "several", study.schema.params = param_specs<Params>();
    study.needs = needs, study.run = list_models;
    return std::vector{study};
  }();
  return list;
}

struct SeveralPage : FakePage {
  SeveralPage() : FakePage(studies_here()) {
    for (const auto& [name, rows] : std::map<std::string, unsigned>{{"m", 64}, {"b", 32}, {"c", 16}})
      files[name] = positions(rows);
  }
  void ask(std::uint32_t job, const std::string& models, const std::string& own = "m") {
    say(Run{job, "main", "several", own, {{"models", models}}});
  }
  std::vector<std::string> asked_for() const {
    std::vector<std::string> names;
    for (const NeedModel& m : all<NeedModel>()) names.push_back(m.model);
    return names;
  }
  std::vector<std::string> answer(std::uint32_t job) {
    work();
    REQUIRE(results(job).size() == 1);
    return results(job)[0].words[0].data;
  }
  std::uint64_t bytes_asked(const std::string& model) const {
    std::uint64_t sum = 0;
    for (const Need& need : all<Need>())
      for (const ByteRange& r : need.ranges) sum += need.model == model ? r.size() : 0;
    return sum;
  }
};

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("a run of several models asks the page for those that are not open, once", "[engine][models]") {
  SeveralPage page;
  page.open("m");
  page.ask(1, "m,b,c");
  CHECK(page.asked_for() == Lines{"b", "c"});
  page.open("c", true, "cccc");
  page.serve();
  CHECK(!page.engine.step(10));  // b is still missing
  CHECK(page.all<Finished>().empty());
  page.open("b", true, "bbbb");
  CHECK(page.answer(1) == Lines{"m: 64 rows 0123456789ab", "b: 32 rows bbbb", "c: 16 rows cccc"});
  CHECK(page.asked_for() == Lines{"b", "c"});
  CHECK(page.all<Failure>().empty());
  CHECK(page.all<Opened>().size() == 3);
  const auto told = page.all<Need>();
  CHECK(std::ranges::any_of(told, [](const Need& n) { return n.model == "b" && n.have > 0 && n.have == n.want; }));
  page.ask(2, "b,c");
  CHECK(page.answer(2) == Lines{"b: 32 rows bbbb", "c: 16 rows cccc"});
}

TEST_CASE("no name is the run's own model", "[engine][models]") {
  SeveralPage page;
  page.open("m");
  page.ask(1, "");
  CHECK(page.answer(1) == Lines{"m: 64 rows 0123456789ab"});
  page.ask(2, "", "");
  CHECK(page.answer(2) == Lines{": No model is open."});
  page.ask(3, "", "nowhere");
  CHECK(page.answer(3) == Lines{"nowhere: No model “nowhere” is open."});
  CHECK(page.asked_for().empty());
}

TEST_CASE("a model that cannot be had is a sentence in its place", "[engine][models]") {
  SeveralPage page;
  page.open("m");
  page.ask(1, "m,b,c");
  page.say(protocol::SourceFailed{"b", "The hub has no model b."});
  page.open("c");
  page.serve();
  CHECK(page.answer(1) == Lines{"m: 64 rows 0123456789ab", "b: The hub has no model b.", "c: 16 rows 0123456789ab"});
  CHECK(page.all<Failure>().empty());
  page.ask(2, "m,b");
  CHECK(page.answer(2)[1] == "b: The hub has no model b.");
  CHECK(page.asked_for() == Lines{"b", "c"});  // the page is not asked repeatedly
  page.open("m");                              // a retry, or another list
  page.ask(3, "m,b");
  CHECK(page.asked_for() == Lines{"b", "c", "b"});
  page.open("b");
  CHECK(page.answer(3)[1] == "b: 32 rows 0123456789ab");
}

TEST_CASE("a download that ends half way is a sentence in its place too", "[engine][models]") {
  SeveralPage page;
  page.open("m");
  page.ask(1, "m,b");
  page.open("b", false);
  page.say(protocol::Bytes{"b", 0}, std::span(page.files["b"]).first(70'000));
  page.say(protocol::SourceFailed{"b", "The server did not answer."});
  CHECK(page.answer(1) == Lines{"m: 64 rows 0123456789ab", "b: The server did not answer."});
  CHECK(page.all<Failure>().empty());
  page.open("b");
  page.ask(2, "m,b");
  CHECK(page.answer(2)[1] == "b: 32 rows 0123456789ab");
}

TEST_CASE("a study that cannot do without a model fails with the sentence", "[engine][models]") {
  SeveralPage page;
  page.open("m");
  page.ask(1, "m,b!");
  page.say(protocol::SourceFailed{"b", "The hub has no model b."});
  page.work();
  REQUIRE(page.all<Failure>().size() == 1);
  CHECK(page.all<Failure>()[0].job == 1);
  CHECK(page.all<Failure>()[0].sentence == "The hub has no model b.");
  CHECK(page.all<Failure>()[0].retry);
  page.ask(2, "m,b!");
  CHECK(page.all<Failure>().size() == 2);
}

TEST_CASE("what a study needs may follow from a model's header, down to single rows", "[engine][models]") {
  SeveralPage page;
  page.open("m");
  page.ask(1, "b?");
  page.open("b");
  page.serve();
  REQUIRE(!page.all<Opened>().empty());
  const std::uint64_t header = checkpoint::WeightFile::kFirstBytes;
  CHECK(page.bytes_asked("b") > header);
  CHECK(page.bytes_asked("b") < header + 32 * 12 * 4);  // two rows and the bytes between them, not the table
  CHECK(page.answer(1) == Lines{"b: row 2 0123456789ab"});
}

TEST_CASE("a model that is closed while a run waits for it is asked for again", "[engine][models]") {
  SeveralPage page;
  page.open("m");
  page.ask(1, "m,b");
  page.open("b");
  page.say(protocol::Close{"b"});
  page.engine.step(10);
  page.collect();
  CHECK(page.asked_for() == Lines{"b", "b"});
  page.open("b");
  page.serve();
  CHECK(page.answer(1)[1] == "b: 32 rows 0123456789ab");
}

TEST_CASE("a subject knows the files of all its models", "[engine][models]") {
  std::vector<std::string> subjects;
  for (const char* sha256 : {"aa", "bb"}) {
    SeveralPage page;
    page.open("m");
    page.ask(1, "m,b");
    page.open("b", true, sha256);
    page.work();
    REQUIRE(page.results(1).size() == 1);
    subjects.push_back(page.results(1)[0].fingerprint);
  }
  CHECK(subjects[0] != subjects[1]);
}

}  // namespace engine_several_models_test
