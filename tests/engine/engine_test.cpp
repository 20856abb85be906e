#include "engine/engine.h"
#include "base/text.h"

#include <algorithm>

#include "studies/registry_compute.h"
#include "tests/engine/fake_page.h"

namespace engine_test {

using namespace helix;
using namespace helix::testing;

namespace {

Bytes small_helix(unsigned seed = 1) { return checkpoint_of(helix_rows(64, 12, 2, 0.01, seed), 100'000); }

const ParamValues kRange{{"first", "1"}, {"last", "63"}};

/// A study that only counts its pause points, so that every step of a job can be observed.
int pauses_offered = 0;
Task<Expected<protocol::Result>> count(ParamValues, studies::Inputs inputs) {
  for (int i = 0; i < 1000; ++i) {
    ++pauses_offered;
    co_await pause_point(i, 1000, "counting");
  }
  protocol::Result result;
  result.study = "counting";
  result.provenance = inputs.provenance;
  co_return result;
}

const std::vector<studies::ComputeStudy>& counting() {
  static const std::vector<studies::ComputeStudy> list = [] {
    studies::ComputeStudy study;
    study.schema.id = "counting";
    study.needs = [](const ParamValues&, const studies::Known&) { return std::vector<studies::ModelNeeds>(); };
    study.run = count;
    return std::vector{study};
  }();
  return list;
}

}  // namespace

TEST_CASE("the engine says hello first, and which field lists it was built with", "[engine]") {
  FakePage page;
  REQUIRE(page.replies.size() == 1);
  const auto* hello = std::get_if<protocol::Hello>(&page.replies[0]);
  REQUIRE(hello);
  CHECK(hello->schema_hash == protocol::schema_hash(studies::schemas_of(studies::compute_studies())));
  CHECK(!hello->kernels.empty());
  CHECK(!hello->version.empty());
}

TEST_CASE("the engine asks for the header, then for the positions alone, then answers twice", "[engine]") {
  FakePage page;
  page.files["m"] = small_helix();
  page.open("m");
  REQUIRE(page.all<Need>().size() == 1);
  CHECK(page.all<Need>()[0].ranges == std::vector<ByteRange>{{0, checkpoint::WeightFile::kFirstBytes}});
  CHECK(page.all<Opened>().empty());

  page.serve();
  REQUIRE(page.all<Opened>().size() == 1);
  const Opened opened = page.all<Opened>()[0];
  CHECK(opened.n_ctx == 64);
  CHECK(opened.d_model == 12);
  CHECK(opened.has_positions);
  CHECK(!opened.missing.empty());
  CHECK(opened.file_bytes == page.files["m"].size());

  page.run(7, kRange);
  const std::vector<Need> needs = page.all<Need>();
  REQUIRE(needs.size() >= 2);
  REQUIRE(needs.back().ranges.size() == 1);
  const std::size_t size = page.files["m"].size();
  CHECK(needs.back().ranges[0] == ByteRange{size - 64 * 12 * 4, size});
  CHECK(needs.back().want > needs.back().have);

  page.work();
  const auto results = page.results(7);
  REQUIRE(results.size() == 2);
  CHECK(!results[0].complete);
  CHECK(results.back().complete);
  CHECK(results.back().scalar("explained_first3")->value > 0.99);
  CHECK(results.back().provenance.model == "m");
  CHECK(results.back().provenance.sha256 == "0123456789ab");
  CHECK(results[0].fingerprint == results.back().fingerprint);
  for (const Finished& m : page.all<Finished>()) CHECK(m.slot == "main");
  CHECK(page.all<Failure>().empty());
}

TEST_CASE("bytes in chunks of any size give the same result", "[engine]") {
  std::vector<double> whole;
  for (const std::size_t chunk : {std::size_t{1} << 20, std::size_t{4096}, std::size_t{1009}, std::size_t{67}}) {
    FakePage page;
    page.files["m"] = small_helix();
    page.chunk = chunk;
    page.open("m");
    page.run(1, kRange);
    page.work();
    REQUIRE(page.results(1).size() == 2);
    const std::vector<double> points = page.results(1).back().array("points")->data;
    REQUIRE(points.size() == 63 * 8);
    if (whole.empty()) whole = points;
    CHECK(points == whole);
  }
}

TEST_CASE("a server without ranges streams the file from its start", "[engine]") {
  for (const bool size_known : {false, true}) {
    FakePage page;
    page.files["m"] = small_helix();
    page.chunk = 5000;
    page.open("m", size_known);
    page.run(1, kRange);
    page.stream("m", page.files["m"].size());
    page.work();
    REQUIRE(page.results(1).size() == 2);
    CHECK(page.all<Opened>().size() == 1);
    CHECK(page.all<Failure>().empty());
  }
}

TEST_CASE("a stream that ends early fails once, and another try succeeds", "[engine]") {
  for (const bool size_known : {false, true})
    for (const std::size_t part : {std::size_t{3}, std::size_t{70}, std::size_t{50'000}, std::size_t{102'000}}) {
      CAPTURE(size_known, part);
      FakePage page;
      page.files["m"] = small_helix();
      page.open("m", size_known);
      page.run(1, kRange);
      page.stream("m", part);
      page.work();
      const auto failures = page.all<Failure>();
      REQUIRE(failures.size() == 1);
      check_sentence(failures[0].sentence);
      CHECK(failures[0].job == 1);
      CHECK(failures[0].retry);

      page.open("m", size_known);
      page.run(2, kRange);
      page.stream("m", page.files["m"].size());
      page.work();
      CHECK(page.results(2).size() == 2);
      CHECK(page.all<Failure>().size() == 1);
    }
}

TEST_CASE("another try keeps what has arrived and asks for the rest", "[engine]") {
  FakePage page;
  page.files["m"] = small_helix();
  page.open("m");
  page.serve();  // the header has arrived
  page.run(1, kRange);
  page.say(protocol::SourceFailed{"m", "The server did not answer."});
  REQUIRE(page.all<Failure>().size() == 1);
  CHECK(page.all<Failure>()[0].job == 1);
  CHECK(page.all<Failure>()[0].sentence == "The server did not answer.");
  CHECK(page.all<Failure>()[0].retry);

  const std::size_t before = page.all<Need>().size();
  page.open("m");
  page.run(2, kRange);
  const std::vector<Need> needs = page.all<Need>();
  REQUIRE(needs.size() > before);
  for (std::size_t i = before; i < needs.size(); ++i)
    for (const ByteRange& r : needs[i].ranges) CHECK(r.begin >= checkpoint::WeightFile::kFirstBytes);
  page.work();
  CHECK(page.results(2).size() == 2);
}

TEST_CASE("the end of a stream is answered with what it did not bring, and only that", "[engine]") {
  FakePage page;
  page.files["m"] = small_helix();
  const Bytes& file = page.files["m"];
  page.open("m");
  // No run has requested the positions when their bytes pass by: only the header is kept.
  page.say(protocol::Bytes{"m", 0}, file);
  page.run(1, kRange);
  const std::size_t before = page.all<Need>().size();
  page.say(protocol::SourceSize{"m", file.size(), true});
  REQUIRE(page.all<Need>().size() == before + 1);
  const Need missing = page.all<Need>().back();
  CHECK(missing.afresh);
  REQUIRE(missing.ranges.size() == 1);
  CHECK(missing.ranges[0] == ByteRange{file.size() - 64 * 12 * 4, file.size()});

  page.say(protocol::Bytes{"m", 0}, file);
  page.say(protocol::SourceSize{"m", file.size(), true});
  CHECK(page.all<Need>().back().afresh);
  CHECK(page.all<Need>().back().ranges.empty());
  page.work();
  CHECK(page.results(1).size() == 2);
}

TEST_CASE("a file that failed is not downloaded to its end", "[engine]") {
  FakePage page;
  page.open("m", false);
  page.say(protocol::Bytes{"m", 0}, std::as_bytes(std::span("<!doctype html><title>Sign in</title>")));
  const Need last = page.all<Need>().back();
  CHECK(page.all<Failure>().size() == 1);
  CHECK(last.afresh);
  CHECK(last.ranges.empty());
  CHECK(last.want == 0);
}

TEST_CASE("a result too large for the page is a sentence", "[engine]") {
  static std::size_t size = 0;
  studies::ComputeStudy study = counting().front();
  study.run = [](ParamValues, studies::Inputs) -> Task<Expected<protocol::Result>> {
    protocol::Result result;
    result.study = "counting";
    result.arrays.push_back({"all", {size}, {"row"}, "", std::vector<double>(size)});
    co_await pause_point();
    co_return result;
  };
  const std::vector<studies::ComputeStudy> list{study};
  FakePage page(list);
  std::uint32_t job = 0;
  for (const std::size_t n : {engine::Engine::kMostNumbers, engine::Engine::kMostNumbers + 1}) {
    size = n;
    page.say(Run{++job, "main", "counting", "", {}});
    page.work();
  }
  CHECK(page.all<Finished>().size() == 1);
  REQUIRE(page.all<Failure>().size() == 1);
  check_sentence(page.all<Failure>()[0].sentence, "10,000,001 numbers");
}

TEST_CASE("a newer run of a panel cancels the older, and only of that panel", "[engine]") {
  FakePage page(counting());
  page.tick = 1;
  const auto ask = [&](std::uint32_t job, const std::string& panel) { page.say(Run{job, panel, "counting", "", {}}); };
  ask(1, "left");
  page.engine.step(10);
  ask(2, "right");
  ask(3, "left");
  page.work();
  std::vector<std::uint32_t> answered;
  for (const Finished& m : page.all<Finished>()) answered.push_back(m.job);
  CHECK(answered == std::vector<std::uint32_t>{2, 3});
  CHECK(page.all<Failure>().empty());
}

TEST_CASE("no result of an older run arrives after a newer one was asked for", "[engine]") {
  FakePage page;
  page.tick = 5;  // a step reads the clock two or three times
  page.files["m"] = small_helix();
  page.open("m");
  page.serve();
  for (std::uint32_t job = 1; job <= 12; ++job) {
    page.run(job, {{"first", std::to_string(job)}, {"last", "63"}});
    page.serve();
    for (std::uint32_t step = 0; step < job; ++step) page.engine.step(1);
    page.collect();
    const std::size_t before = page.replies.size();
    page.run(job + 100, {{"first", "2"}, {"last", "40"}});
    page.work();
    for (std::size_t i = before; i < page.replies.size(); ++i)
      if (const auto* m = std::get_if<Finished>(&page.replies[i]); m && m->job == job)
        FAIL_CHECK("job " << job << " answered after it was cancelled");
    CHECK(page.results(job + 100).back().complete);
  }
}

TEST_CASE("cancel stops a running and a waiting job", "[engine]") {
  FakePage page(counting());
  page.tick = 1;
  page.say(Run{1, "a", "counting", "", {}});
  page.say(Run{2, "b", "counting", "", {}});
  page.say(Run{3, "c", "counting", "", {}});
  CHECK(page.engine.step(10));
  const int passed = pauses_offered;
  page.say(protocol::Cancel{1});
  page.say(protocol::Cancel{2});
  page.say(protocol::Cancel{99});
  CHECK(pauses_offered == passed);
  page.work();
  REQUIRE(page.all<Finished>().size() == 1);
  CHECK(page.all<Finished>()[0].job == 3);
}

TEST_CASE("a study that reads no weights runs without a model, and beside a broken one", "[engine]") {
  const ParamValues sinusoid{{"source", "sinusoidal"}, {"first", "0"}, {"last", "7"}};
  FakePage page;
  page.run(1, sinusoid, "main", "");
  page.work();
  REQUIRE(!page.results(1).empty());
  CHECK(page.results(1).back().provenance.model.empty());
  CHECK(page.results(1).back().scalar("positions")->value == 1024);

  page.files["m"] = small_helix();
  page.open("m");
  page.say(protocol::SourceFailed{"m", "The file is gone."});
  page.run(2, sinusoid);
  page.work();
  REQUIRE(!page.results(2).empty());
  CHECK(page.results(2).back().complete);
}

TEST_CASE("the sinusoid waits for no model, and its sizes are its own", "[engine]") {
  FakePage page;
  page.files["m"] = small_helix();
  page.open("m");
  page.run(1, {{"source", "sinusoidal"}, {"first", "0"}, {"positions", "64"}, {"dimensions", "12"}, {"last", "63"}});
  page.engine.step(10);  // it begins before the header has arrived
  page.work();
  REQUIRE(!page.results(1).empty());
  CHECK(page.results(1).back().scalar("positions")->value == 64);
  // The same rows with another width are another encoding: no cached result of the first may be used.
  page.run(2, {{"source", "sinusoidal"}, {"first", "0"}, {"last", "63"}}, "main", "");
  page.work();
  REQUIRE(!page.results(2).empty());
  CHECK(page.results(2).back().scalar("components_for_90")->value !=
        page.results(1).back().scalar("components_for_90")->value);
}

TEST_CASE("what cannot be run is refused with a sentence", "[engine]") {
  FakePage page;
  const auto refused = [&](const Run& run, const std::string& part) {
    const std::size_t before = page.all<Failure>().size();
    page.say(run);
    page.work();
    REQUIRE(page.all<Failure>().size() == before + 1);
    const Failure failure = page.all<Failure>().back();
    check_sentence(failure.sentence, part);
    CHECK(failure.job == run.job);
    CHECK(!failure.retry);
  };
  refused({1, "main", "no_such_study", "", {}}, "no_such_study");
  refused({2, "main", "position_helix", "", {{"frist", "1"}}}, "frist");
  refused({3, "main", "position_helix", "", {{"first", "-1"}}}, "0 to 65535");
  refused({4, "main", "position_helix", "", {{"source", "guessed"}}}, "learned, sinusoidal");
  refused({5, "main", "position_helix", "nowhere", {}}, "nowhere");
  refused({6, "main", "position_helix", "", {{"source", "sinusoidal"}, {"first", "2000"}, {"last", "3000"}}}, "2000");

  page.files["m"] = testing::file_of(std::vector<testing::Entry>{{"something.else", {4, 4}}});
  page.open("m");
  page.serve();
  refused({7, "main", "position_helix", "m", {}}, "wpe.weight");
}

TEST_CASE("what is no message is answered with a failure", "[engine]") {
  FakePage page;
  for (const char* text : {"", "{", "null", "[]", "42", R"("open")", R"({"type":42})", R"({"type":"hello"})",
                           R"({"type":"dance"})", "\xff\xfe", R"({"type":"run")"}) {
    const std::size_t before = page.all<Failure>().size();
    page.engine.receive(text);
    page.work();
    REQUIRE(page.all<Failure>().size() == before + 1);
    check_sentence(page.all<Failure>().back().sentence);
  }
  // Bytes of a source that was never opened, or that was closed, are ignored without an error.
  const std::size_t before = page.replies.size();
  const Bytes stray(100);
  page.say(protocol::Bytes{"nobody", 0}, stray);
  page.say(protocol::Close{"nobody"});
  page.say(protocol::SourceSize{"nobody", 5, true});
  CHECK(page.replies.size() == before);
}

TEST_CASE("a step ends soon after its time is over", "[engine]") {
  FakePage page(counting());
  page.tick = 1;
  page.say(Run{1, "main", "counting", "", {}});
  pauses_offered = 0;
  CHECK(page.engine.step(10));
  CHECK(pauses_offered >= 3);   // it used its time
  CHECK(pauses_offered <= 11);  // and not more: each pause point reads the clock
  const int one_step = pauses_offered;
  CHECK(page.engine.step(20));
  CHECK(pauses_offered - one_step <= 21);
}

TEST_CASE("a real study looks at the clock often, and stops when its time is over", "[engine]") {
  FakePage page;
  page.files["m"] = small_helix();
  page.open("m");
  page.run(1, kRange);
  page.serve();
  page.tick = 1;
  int steps = 0;
  for (bool more = true; more; ++steps) {
    const int before = page.clock_reads;
    more = page.engine.step(2);
    CHECK(page.clock_reads - before <= 2 + 4);  // the deadline, the last pause point, and two for the progress report
  }
  CHECK(steps > 3);
}

TEST_CASE("progress is told with its job, and not more often than anyone reads", "[engine]") {
  FakePage page(counting());
  page.tick = 1;
  page.say(Run{5, "main", "counting", "", {}});
  page.work();
  const auto told = page.all<protocol::Working>();
  REQUIRE(told.size() >= 5);
  CHECK(told.size() <= 40);  // 1,000 pause points of two to three milliseconds each
  for (const auto& m : told) {
    CHECK(m.job == 5);
    CHECK(m.phase == "counting");
    CHECK(m.total == 1000);
  }
}

TEST_CASE("a file that was closed is forgotten, even when another of its name follows", "[engine]") {
  FakePage page;
  const auto share = [&](std::uint32_t job) {
    page.open("m", true, "");  // a dropped file: its hash is unknown
    page.run(job, kRange);
    page.work();
    REQUIRE(!page.results(job).empty());
    return page.results(job).back().scalar("explained_first3")->value;
  };
  page.files["m"] = small_helix();
  CHECK(share(1) > 0.99);
  page.say(protocol::Close{"m"});
  page.files["m"] = checkpoint_of(noise_rows(64, 12), 100'000);
  CHECK(share(2) < 0.6);
  page.say(protocol::Close{"m"});
  page.files["m"] = checkpoint_of(noise_rows(64, 20), 100'000);  // with other dimensions, too
  CHECK(share(3) < 0.5);
  CHECK(page.all<Failure>().empty());  // no run was waiting for it

  page.say(protocol::Close{"m"});
  page.open("m", true, "");
  page.run(4, kRange);
  page.say(protocol::Close{"m"});
  REQUIRE(page.all<Failure>().size() == 1);
  CHECK(page.all<Failure>()[0].job == 4);
  CHECK(page.all<Failure>()[0].sentence.find("closed while") != std::string::npos);
}

TEST_CASE("a subject names model, study and parameters", "[engine]") {
  const Run run{1, "main", "position_helix", "m", {{"first", "1"}}};
  Run other = run;
  CHECK(engine::fingerprint_of(run, "aa") == engine::fingerprint_of(other, "aa"));
  other.job = 2, other.slot = "side";
  CHECK(engine::fingerprint_of(run, "aa") == engine::fingerprint_of(other, "aa"));
  CHECK(engine::fingerprint_of(run, "aa") != engine::fingerprint_of(run, "bb"));
  other.params[0].second = "2";
  CHECK(engine::fingerprint_of(run, "aa") != engine::fingerprint_of(other, "aa"));
}

TEST_CASE("messages and bytes of any content never break the engine", "[engine][fuzz]") {
  Dice dice(20240611);
  Fuzzing fuzzing(50);
  const Bytes file = checkpoint_of(helix_rows(16, 6, 1, 0.01));
  const std::vector<protocol::Request> messages{
      protocol::Open{"m", "aa", R"({"n_head":2})", file.size()},
      protocol::Open{"m", "", "", 0},
      protocol::Bytes{"m", 0},
      protocol::Bytes{"m", 100},
      protocol::SourceSize{"m", file.size(), true},
      protocol::SourceSize{"m", 10, false},
      protocol::SourceFailed{"m", "No."},
      protocol::Close{"m"},
      Run{1, "main", "position_helix", "m", {{"first", "1"}, {"last", "15"}}},
      Run{2, "side", "position_helix", "", {{"source", "sinusoidal"}, {"first", "0"}, {"last", "3"}}},
      protocol::Cancel{1}};
  int answers = 0;
  while (fuzzing.more()) {
    FakePage page;
    for (int i = 0; i < 20; ++i) {
      const protocol::Request& message = dice.one_of(messages);
      std::string text = protocol::to_text(message);
      if (dice.below(3) == 0) text = mutated(text, dice);
      Bytes payload(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(dice.below(file.size() + 1)));
      if (!payload.empty() && dice.below(4) == 0)
        payload[dice.below(payload.size())] = static_cast<std::byte>(dice.below(256));
      page.engine.receive(text, payload);
      if (dice.below(2)) page.engine.step(10);
    }
    page.work();
    answers += static_cast<int>(page.all<Finished>().size() + page.all<Failure>().size());
  }
  CHECK(answers > 0);
}

}  // namespace engine_test
