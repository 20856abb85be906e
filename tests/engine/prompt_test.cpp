// Texts through the engine: the files it requests besides the weights, the network it keeps, and the error sentence if
// one of them is missing.
#include <set>

#include "tests/checkpoint/quantised_checkpoint.h"
#include "tests/engine/fake_page.h"
#include "tests/planted.h"

namespace prompt_test {

using namespace helix;
using namespace helix::testing;
using protocol::File;
using protocol::NeedFiles;

namespace {

const testing::Files& vocabulary() {
  static const auto files = testing::files_of({{" ", "t"}, {"h", "e"}, {" t", "he"}});
  return files;
}

TinySizes sizes() { return {2, 24, 2, 40, 260}; }

class TextPage : public FakePage {
 public:
  TextPage() { files["m"] = tiny_checkpoint(sizes()); }

  void open_model() { say(protocol::Open{"m", "0123", "{\"n_head\": 2}", files["m"].size()}); }
  void ask(std::uint32_t job, const char* study, const Subject& subject = {}, ParamValues params = {}) {
    say(Run{job, "main", study, "m", std::move(params), subject});
  }
  void give_files() {
    say(File{"m", "vocab.json", ""}, bytes_of(vocabulary().vocab_json));
    say(File{"m", "merges.txt", ""}, bytes_of(vocabulary().merges_txt));
  }
  std::string sentence() const {
    const auto failures = all<Failure>();
    return failures.empty() ? "" : failures.back().sentence;
  }
};

Subject text(const std::string& prompt) {
  Subject subject;
  subject.prompt = prompt;
  return subject;
}

}  // namespace

TEST_CASE("the tokenizer's files are asked for once, and only when a text is to be read", "[engine][prompt]") {
  TextPage page;
  page.open_model();
  page.say(Run{1, "main", "position_helix", "m", {{"last", "30"}}, {}});
  page.work();
  CHECK(page.all<NeedFiles>().empty());
  page.ask(2, "tokens", text("the he"));
  REQUIRE(page.all<NeedFiles>().size() == 1);
  CHECK(page.all<NeedFiles>()[0].names == std::vector<std::string>{"merges.txt", "vocab.json"});
  page.work();
  CHECK(page.results(2).empty());  // it waits
  page.give_files();
  page.work();
  REQUIRE(page.results(2).size() == 1);
  CHECK(page.results(2)[0].words_of("text")->data == std::vector<std::string>{"t", "he", " ", "he"});
  page.ask(3, "tokens", text("he"));
  page.work();
  CHECK(page.results(3).size() == 1);
  CHECK(page.all<NeedFiles>().size() == 1);
}

TEST_CASE("a prediction reads all tensors once, whatever is asked after it", "[engine][prompt]") {
  TextPage page;
  page.open_model();
  page.give_files();
  page.ask(1, "predictions", text("the"));
  page.work();
  REQUIRE(page.results(1).size() == 1);
  const auto first = page.results(1)[0];
  const auto ranges = [&] {
    std::uint64_t bytes = 0;
    for (const Need& need : page.all<Need>())
      for (const ByteRange& range : need.ranges) bytes += range.size();
    return bytes;
  };
  const std::uint64_t read = ranges();
  CHECK(read <= page.files["m"].size() + checkpoint::WeightFile::kFirstBytes);
  page.ask(2, "attention", text("the"), {{"layer", "1"}});
  page.work();
  page.ask(3, "predictions", text("the"));
  page.work();
  REQUIRE(page.results(2).size() == 1);
  REQUIRE(page.results(3).size() == 1);
  CHECK(page.results(3)[0].array("logit")->data == first.array("logit")->data);
  CHECK(ranges() == read);
  // The positions are still loaded for studies of weights.
  page.say(Run{4, "main", "position_helix", "m", {{"last", "30"}}, {}});
  page.work();
  CHECK(page.results(4).size() == 2);
  CHECK(ranges() == read);
}

TEST_CASE("patterns need the layers and a row a token, not all word embeddings", "[engine][prompt]") {
  TextPage page;
  page.files["m"] = tiny_checkpoint({2, 24, 2, 40, 4000});
  page.open_model();
  const auto read = [&] {
    std::uint64_t bytes = 0;
    for (const Need& need : page.all<Need>())
      for (const ByteRange& range : need.ranges) bytes += range.size();
    return bytes;
  };
  Subject few, other;
  few.tokens = {7, 3900, 2000, 7}, other.tokens = {7, 1000};
  page.give_files();
  page.ask(1, "attention", few, {{"layer", "1"}});
  page.work();
  REQUIRE(page.results(1).size() == 1);
  const std::uint64_t table = 4000 * 24 * sizeof(float), first = read();
  CHECK(first < page.files["m"].size() - table / 2);
  page.ask(2, "attention", other);
  page.work();
  REQUIRE(page.results(2).size() == 1);
  CHECK(read() - first <= 24 * sizeof(float));  // only the one missing row; it may lie in the bytes that came first
  page.ask(3, "predictions", few);
  page.work();
  REQUIRE(page.results(3).size() == 1);
  page.ask(4, "attention", few, {{"layer", "1"}});
  page.work();
  CHECK(page.results(4).back().array("pattern")->data == page.results(1).back().array("pattern")->data);

  // In 8 bits, rows are rounded as in the whole table; floats that were released are requested again.
  few.precision = Precision::q8;
  TextPage fresh;
  fresh.files = page.files;
  fresh.open_model();
  fresh.give_files();
  fresh.ask(1, "attention", other);
  fresh.work();
  fresh.ask(2, "attention", few);
  fresh.work();
  const std::uint64_t before = read();
  page.ask(5, "attention", few);
  page.work();
  CHECK(read() == before);  // made from the loaded floats
  REQUIRE(fresh.results(2).size() == 1);
  REQUIRE(page.results(5).size() == 1);
  CHECK(fresh.results(2)[0].array("pattern")->data == page.results(5)[0].array("pattern")->data);
}

TEST_CASE("the embeddings that an edit's own run needs are read too", "[engine][prompt]") {
  TextPage page;
  page.files["m"] = tiny_checkpoint({2, 24, 2, 40, 4000});
  page.open_model();
  page.give_files();
  Subject edited;
  edited.tokens = {7, 3900, 2000, 7}, edited.edits = {{"average_extended:1:3:1234"}};
  page.ask(1, "attention", edited, {{"layer", "1"}});
  page.work();
  CHECK(page.sentence() == "");
  REQUIRE(page.results(1).size() == 1);
  edited.edits.clear();
  page.ask(2, "attention", edited, {{"layer", "1"}});
  page.work();
  REQUIRE(page.results(2).size() == 1);
  CHECK(page.results(1)[0].array("pattern")->data != page.results(2)[0].array("pattern")->data);
}

TEST_CASE("8 bits are made from floats that are there in part, and only the rest is read", "[engine][prompt]") {
  TextPage page;
  page.files["m"] = tiny_checkpoint({2, 24, 2, 40, 4000});
  page.open_model();
  page.give_files();
  Subject few;
  few.tokens = {7, 3900};
  page.ask(1, "attention", few);
  page.work();
  few.precision = Precision::q8;
  page.ask(2, "attention", few);
  page.work();
  REQUIRE(page.results(2).size() == 1);
  std::uint64_t read = 0;
  for (const Need& need : page.all<Need>())
    for (const ByteRange& range : need.ranges) read += range.size();
  CHECK(read <= page.files["m"].size() + checkpoint::WeightFile::kFirstBytes);

  TextPage whole;  // from a file, not from loaded floats
  whole.files = page.files;
  whole.open_model();
  whole.give_files();
  whole.ask(1, "attention", few);
  whole.work();
  CHECK(whole.results(1).back().array("pattern")->data == page.results(2).back().array("pattern")->data);
}

TEST_CASE("rows are asked for when the text is known, whichever comes first", "[engine][prompt]") {
  for (const bool files_first : {false, true}) {
    TextPage page;
    page.files["m"] = tiny_checkpoint({2, 24, 2, 40, 260});
    page.open_model();
    if (files_first) page.give_files();
    page.ask(1, "attention", text("the he"));
    page.work();
    if (!files_first) page.give_files();
    page.work();
    CHECK(page.results(1).size() == 1);
  }
}

TEST_CASE("a file of 8-bit integers runs as it is, whatever precision is asked for", "[engine][prompt]") {
  TextPage page;
  page.open_model();
  page.give_files();
  Subject floats = text("the"), eight = text("the");
  eight.precision = Precision::q8;
  page.ask(1, "predictions", eight);
  page.work();
  REQUIRE(page.results(1).size() == 1);
  CHECK(page.all<protocol::Opened>().back().precision == "F32");

  TextPage other;
  other.files["m"] = quantised_checkpoint(page.files["m"]);
  CHECK(other.files["m"].size() < page.files["m"].size());
  other.open_model();
  other.give_files();
  other.say(Run{1, "main", "position_helix", "m", {{"last", "30"}}, {}});
  other.work();
  CHECK(other.all<protocol::Opened>().back().precision == "q8");
  CHECK(other.results(1).back().provenance.precision == "F32");
  // Here patterns take single rows of 8-bit integers, there the whole table.
  page.ask(2, "attention", eight);
  page.work();
  other.ask(2, "attention", eight);
  other.work();
  REQUIRE(page.results(2).size() == 1);
  REQUIRE(other.results(2).size() == 1);
  CHECK(other.results(2)[0].array("pattern")->data == page.results(2)[0].array("pattern")->data);
  std::uint32_t job = 2;
  for (const Subject& subject : {floats, eight}) {
    other.ask(++job, "predictions", subject);
    other.work();
    REQUIRE(other.results(job).size() == 1);
    CHECK(other.results(job)[0].array("logit")->data == page.results(1)[0].array("logit")->data);
    CHECK(other.results(job)[0].provenance.precision == "q8");
  }
  std::uint64_t read = 0;  // once, not once per precision
  for (const Need& need : other.all<Need>())
    for (const ByteRange& range : need.ranges) read += range.size();
  CHECK(read <= other.files["m"].size() + checkpoint::WeightFile::kFirstBytes);
  const std::size_t told = other.all<protocol::Opened>().size();
  other.open_model();  // as a page does that returns to it
  REQUIRE(other.all<protocol::Opened>().size() == told + 1);
  CHECK(other.all<protocol::Opened>().back().precision == "q8");
}

TEST_CASE("results of different prompts, edits or BOS have different subjects", "[engine][prompt]") {
  TextPage page;
  page.open_model();
  page.give_files();
  Subject bos = text("the"), edited = text("the"), off = text("the"), last = text("the"), ids;
  bos.bos = true, last.keep_last = true, edited.edits = {{"no_mask", true}}, off.edits = {{"no_mask", false}},
  ids.tokens = {4, 5};
  std::set<std::string> subjects;
  std::uint32_t job = 0;
  for (const Subject& subject : {text("the"), text("he"), bos, edited, off, last, ids}) {
    page.ask(++job, "tokens", subject);
    page.work();
    REQUIRE(page.results(job).size() == 1);
    subjects.insert(page.results(job)[0].fingerprint);
  }
  CHECK(subjects.size() == 7);
}

TEST_CASE("what reads no prompt runs beside one that is too long", "[engine][prompt]") {
  TextPage page;
  page.open_model();
  page.give_files();
  Subject subject;
  subject.tokens.assign(5000, 1);
  page.ask(1, "tokens", text("the"));  // so that the vocabulary is loaded
  page.work();
  page.ask(2, "bench", subject, {{"prefill", "2"}, {"decode", "1"}, {"repeats", "1"}});
  page.work();
  CHECK(page.sentence() == "");
  CHECK(page.results(2).size() == 1);
}

TEST_CASE("of a prompt that is too long nothing is loaded; chosen, its last tokens run", "[engine][prompt]") {
  TextPage page;
  page.open_model();
  page.give_files();
  page.work();
  Subject subject;
  subject.tokens.assign(5000, 1);
  const auto wanted = [&] { return page.all<Need>().empty() ? 0 : page.all<Need>().back().want; };
  const std::uint64_t before = wanted();
  page.ask(1, "predictions", subject);
  page.work();
  REQUIRE(page.all<Failure>().size() == 1);
  CHECK(page.all<Failure>()[0].remedy == Remedy::keep_last);
  CHECK(wanted() == before);
  subject.keep_last = true;
  page.ask(2, "predictions", subject);
  page.work();
  REQUIRE(page.results(2).size() == 1);
  CHECK(page.results(2)[0].tokens.size() < 5000);
  CHECK(wanted() > before);
}

TEST_CASE("a study that reads a long text in windows is loaded for it and runs", "[engine][prompt]") {
  TextPage page;
  page.open_model();
  page.give_files();
  page.work();
  Subject subject;
  for (std::int32_t i = 0; i < 500; ++i) subject.tokens.push_back(i % 7);
  std::uint32_t job = 0;
  for (const auto& [study, params] : {std::pair<const char*, ParamValues>{"head_taxonomy", {}},
                                      {"position_share", {{"text", "prompt"}, {"windows", "4"}, {"window", "20"}}}}) {
    CAPTURE(study);
    page.ask(++job, study, subject, params);
    page.work();
    CHECK(page.sentence() == "");
    REQUIRE(!page.results(job).empty());
    CHECK(page.results(job).back().tokens.size() == 500);
    CHECK(page.results(job).back().scalar("windows")->value > 1);
  }
}

TEST_CASE("without a vocabulary ids still run, and a text is told why not", "[engine][prompt]") {
  TextPage page;
  page.open_model();
  page.ask(1, "predictions", text("the"));
  page.say(File{"m", "vocab.json", "The model m has no vocab.json beside its weights."});
  page.say(File{"m", "merges.txt", ""}, bytes_of(vocabulary().merges_txt));
  page.work();
  CHECK(page.sentence() == "The model m has no vocab.json beside its weights.");
  CHECK(page.all<Failure>().back().retry);
  Subject ids;
  ids.tokens = {1, 2, 3};
  page.ask(2, "predictions", ids);
  page.work();
  REQUIRE(page.results(2).size() == 1);
  CHECK(page.results(2)[0].words_of("text")->data[0].starts_with("token "));
  // A retry requests what could not be loaded before.
  page.open_model();
  page.ask(3, "predictions", text("the"));
  CHECK(page.all<NeedFiles>().back().names == std::vector<std::string>{"vocab.json"});
  page.give_files();
  page.work();
  CHECK(page.results(3).size() == 1);
}

TEST_CASE("a broken vocabulary is told, and a better one taken", "[engine][prompt]") {
  TextPage page;
  page.open_model();
  const std::string cut = vocabulary().vocab_json.substr(0, 500);
  page.say(File{"m", "vocab.json", ""}, bytes_of(cut));
  page.say(File{"m", "merges.txt", ""}, bytes_of(vocabulary().merges_txt));
  page.ask(1, "tokens", text("the"));
  page.work();
  check_sentence(page.sentence(), "vocab");
  page.give_files();
  page.ask(2, "tokens", text("the"));
  page.work();
  CHECK(page.results(2).size() == 1);
}

TEST_CASE("a checkpoint in part says what the rest needs", "[engine][prompt]") {
  TextPage page;
  page.files["m"] = checkpoint_of(helix_rows(40, 12, 2, 0.01));
  page.open_model();
  page.give_files();
  page.ask(1, "predictions", text("the"));
  page.work();
  check_sentence(page.sentence(), "word embeddings (wte.weight)");
  page.ask(2, "tokens", text("the"));
  page.work();
  CHECK(page.results(2).size() == 1);
}

TEST_CASE("a model without a known number of heads asks for its config.json", "[engine][prompt]") {
  TextPage page;
  page.say(protocol::Open{"m", "0123", "", page.files["m"].size()});
  page.give_files();
  page.ask(1, "predictions", text("the"));
  page.work();
  check_sentence(page.sentence(), "config.json");
}

TEST_CASE("a cut download fails a prediction once, and another try brings it", "[engine][prompt]") {
  TextPage page;
  page.open_model();
  page.give_files();
  page.ask(1, "predictions", text("the"));
  page.say(protocol::SourceFailed{"m", "The weights of m could not be read: the connection broke."});
  CHECK(page.all<Failure>().size() == 1);
  page.open_model();
  page.ask(2, "predictions", text("the"));
  page.work();
  CHECK(page.results(2).size() == 1);
}

TEST_CASE("a prediction that is dropped while the weights are prepared is none the worse", "[engine][prompt]") {
  TextPage page;
  page.open_model();
  page.give_files();
  page.tick = 50;  // every read of the clock ends the step
  page.ask(1, "predictions", text("the"));
  page.serve();
  for (int i = 0; i < 5; ++i) page.engine.step(10);
  page.ask(2, "predictions", text("the he"));  // a newer run of the same panel
  page.serve();
  for (int i = 0; i < 12; ++i) page.engine.step(10);
  page.ask(3, "predictions", text("the"));
  page.work();
  CHECK(page.results(1).empty());
  CHECK(page.results(2).empty());
  TextPage other;
  other.open_model();
  other.give_files();
  other.ask(1, "predictions", text("the"));
  other.work();
  REQUIRE(page.results(3).size() == 1);
  CHECK(page.results(3)[0].array("logit")->data == other.results(1)[0].array("logit")->data);
}

TEST_CASE("a config.json that comes late is taken over", "[engine][prompt]") {
  TextPage page;
  page.say(protocol::Open{"m", "0123", "", page.files["m"].size()});
  page.give_files();
  page.ask(1, "predictions", text("the"));
  page.work();
  check_sentence(page.sentence(), "config.json");
  page.open_model();  // this time with config.json
  page.ask(2, "predictions", text("the"));
  page.work();
  REQUIRE(page.results(2).size() == 1);
  CHECK(page.all<Opened>().back().n_head == 2);
}

TEST_CASE("the precision is another model of the same weights", "[engine][prompt]") {
  TextPage page;
  page.open_model();
  page.give_files();
  Subject eight = text("the");
  eight.precision = Precision::q8;
  page.ask(1, "predictions", text("the"));
  page.work();
  const std::size_t asked = page.all<Need>().size();
  page.ask(2, "predictions", eight);
  page.work();
  REQUIRE(page.results(2).size() == 1);
  std::uint64_t bytes = 0;
  const std::vector<Need> needs = page.all<Need>();
  for (std::size_t i = asked; i < needs.size(); ++i)
    for (const ByteRange& range : needs[i].ranges) bytes += range.size();
  CHECK(bytes == 0);  // made from the loaded floats
  CHECK(page.results(2)[0].provenance.precision == "F32 as 8-bit integers");
  CHECK(page.results(2)[0].fingerprint != page.results(1)[0].fingerprint);
  CHECK(page.results(2)[0].array("logit")->data != page.results(1)[0].array("logit")->data);
  TextPage other;
  other.open_model();
  other.give_files();
  other.ask(1, "predictions", eight);  // from the file
  other.work();
  REQUIRE(other.results(1).size() == 1);
  CHECK(other.results(1)[0].array("logit")->data == page.results(2)[0].array("logit")->data);
}

TEST_CASE("the engine is measured like a study that nobody lists", "[engine][bench]") {
  TextPage page;
  page.open_model();
  page.say(Run{3, "bench", "bench", "m", {{"prefill", "1,4,4000"}, {"decode", "2"}, {"repeats", "1"}}, {}});
  page.work();
  REQUIRE(page.results(3).size() == 1);
  const auto result = page.results(3)[0];
  CHECK(result.words_of("work")->data == std::vector<std::string>{"prefill 1", "prefill 4", "decode 2"});
  for (const char* name : {"milliseconds", "limit"})
    for (const double x : result.array(name)->data) CHECK(x > 0);
  CHECK(studies::find_compute_study("bench") == nullptr);
}

TEST_CASE("a study that runs prompts of its own is given the vocabulary", "[engine][prompt]") {
  TextPage page;
  page.open_model();
  page.ask(1, "extended_positions", {}, {{"prompts", "2"}});
  REQUIRE(page.all<NeedFiles>().size() == 1);
  CHECK(page.all<NeedFiles>()[0].names == std::vector<std::string>{"merges.txt", "vocab.json"});
  page.work();
  CHECK(page.results(1).empty());  // it waits
  page.give_files();
  page.work();
  REQUIRE(!page.results(1).empty());
  CHECK(page.results(1).back().complete);
  CHECK(page.results(1).back().words_of("text")->data.front() == "he");
}

TEST_CASE("the record of a training is asked for once, read whole, and its absence said", "[engine][emergence]") {
  TextPage page;
  page.open_model();
  page.ask(1, "position_emergence");
  REQUIRE(page.all<NeedFiles>().size() == 1);
  CHECK(page.all<NeedFiles>()[0].names == std::vector<std::string>{"emergence.safetensors"});
  page.work();
  CHECK(page.results(1).empty());  // it waits
  SECTION("it comes") {
    page.say(File{"m", "emergence.safetensors", ""}, bytes_of(testing::planted_emergence().bytes()));
    page.work();
    REQUIRE(page.results(1).size() == 1);
    CHECK(page.results(1)[0].provenance.model == "m");
    page.ask(2, "position_emergence", {}, {{"step", "2"}});
    page.work();
    REQUIRE(page.results(2).size() == 1);
    CHECK(page.results(2)[0].array("points")->data == page.results(1)[0].array("points")->data);
    CHECK(page.all<NeedFiles>().size() == 1);
    page.give_files();  // the arrival of another file discards nothing
    page.ask(3, "position_emergence");
    page.work();
    CHECK(page.results(3).size() == 1);
  }
  SECTION("there is none, then there is") {
    page.say(File{"m", "emergence.safetensors", "The model m has no emergence.safetensors beside its weights."});
    page.work();
    CHECK(page.sentence() == "The model m has no emergence.safetensors beside its weights.");
    CHECK(page.all<Failure>().back().retry);
    page.open_model();  // a retry
    page.ask(2, "position_emergence");
    CHECK(page.all<NeedFiles>().size() == 2);
    page.say(File{"m", "emergence.safetensors", ""}, bytes_of(testing::planted_emergence().bytes()));
    page.work();
    CHECK(page.results(2).size() == 1);
  }
  SECTION("what comes is none") {
    page.say(File{"m", "emergence.safetensors", ""}, bytes_of("<!doctype html>"));
    page.work();
    check_sentence(page.sentence(), "emergence.safetensors");
  }
}

}  // namespace prompt_test
