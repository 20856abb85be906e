#include "protocol/messages.h"

#include "protocol/json.h"
#include "tests/support.h"

namespace messages_test {

using namespace helix;
using helix::testing::check_sentence;
using namespace helix::protocol;

namespace {

template <class Message>
Message there_and_back(const Message& message) {
  if constexpr (std::is_constructible_v<Request, Message>) {
    const auto got = parse_request(to_text(Request(message)));
    REQUIRE(got);
    REQUIRE(std::holds_alternative<Message>(*got));
    return std::get<Message>(*got);
  } else {
    const auto got = parse_reply(to_text(Reply(message)));
    REQUIRE(got);
    REQUIRE(std::holds_alternative<Message>(*got));
    return std::get<Message>(*got);
  }
}

const std::string kOdd = "q\"uo\\te\n é 🧬";
constexpr std::uint64_t kLarge = 5'000'000'000;

}  // namespace

TEST_CASE("what the page says arrives as it was said", "[protocol][messages]") {
  const Open open = there_and_back(Open{kOdd, "aa", R"({"n_head":12})", kLarge});
  CHECK(open.model == kOdd);
  CHECK(open.sha256 == "aa");
  CHECK(open.config_json == R"({"n_head":12})");
  CHECK(open.bytes == kLarge);
  const Bytes bytes = there_and_back(Bytes{"m", kLarge});
  CHECK(bytes.model == "m");
  CHECK(bytes.offset == kLarge);
  const SourceSize size = there_and_back(SourceSize{"m", kLarge, true});
  CHECK(size.total == kLarge);
  CHECK(size.ended);
  CHECK(!there_and_back(SourceSize{"m", 1, false}).ended);
  CHECK(there_and_back(SourceFailed{"m", kOdd}).sentence == kOdd);
  CHECK(there_and_back(Close{"m"}).model == "m");
  CHECK(there_and_back(Cancel{4'000'000'000u}).job == 4'000'000'000u);
  Subject subject;
  subject.prompt = "caf\xC3\xA9 \xFF\n\"\x01", subject.tokens = {0, 50256}, subject.bos = true;
  subject.keep_last = true;
  subject.edits = {{"scale_head:4.11:2", true}, {kOdd, false}};
  subject.other = {subject};
  subject.other[0].prompt = "elsewhere";
  const Run run = there_and_back(Run{9, "main", "s", "m", {{"b", "2"}, {"a", kOdd}}, subject});
  CHECK(run.subject == subject);
  CHECK(there_and_back(Run{1, "p", "s", "m", {}, {}}).subject == Subject());
  const File file = there_and_back(File{"m", "vocab.json", kOdd});
  CHECK((file.model == "m" && file.name == "vocab.json" && file.sentence == kOdd));
  CHECK(run.job == 9);
  CHECK(run.slot == "main");
  CHECK(run.study == "s");
  CHECK(run.model == "m");
  CHECK(run.params == ParamValues{{"b", "2"}, {"a", kOdd}});  // in order
}

TEST_CASE("what the engine says arrives as it was said", "[protocol][messages]") {
  const Hello hello = there_and_back(Hello{"1.2", "wasm", "ffee"});
  CHECK(hello.version == "1.2");
  CHECK(hello.kernels == "wasm");
  CHECK(hello.schema_hash == "ffee");
  const NeedFiles files = there_and_back(NeedFiles{"m", {"vocab.json", kOdd}});
  CHECK((files.model == "m" && files.names == std::vector<std::string>{"vocab.json", kOdd}));
  CHECK(there_and_back(NeedModel{kOdd}).model == kOdd);
  const Need need = there_and_back(Need{"m", {{0, 5}, {kLarge, kLarge + 1}}, 3, kLarge, true});
  CHECK(need.ranges == std::vector<ByteRange>{{0, 5}, {kLarge, kLarge + 1}});
  CHECK(need.have == 3);
  CHECK(need.want == kLarge);
  CHECK(need.afresh);
  const Opened opened = there_and_back(Opened{"m", "F16", kLarge, 12, 13, 768, 1024, 50257, true, {"wte", kOdd}});
  CHECK(opened.precision == "F16");
  CHECK(opened.file_bytes == kLarge);
  CHECK(opened.n_layer == 12);
  CHECK(opened.n_head == 13);
  CHECK(opened.d_model == 768);
  CHECK(opened.n_ctx == 1024);
  CHECK(opened.n_vocab == 50257);
  CHECK(opened.has_positions);
  CHECK(opened.missing == std::vector<std::string>{"wte", kOdd});
  const Working working = there_and_back(Working{3, 0.5, 10, "phase", "rows"});
  CHECK(working.job == 3);
  CHECK(working.done == 0.5);
  CHECK(working.total == 10);
  CHECK(working.phase == "phase");
  CHECK(working.unit == "rows");
  const Failure failure = there_and_back(Failure{4, "m", kOdd, true});
  CHECK(failure.remedy == Remedy::none);
  CHECK(there_and_back(Failure{4, "m", kOdd, false, Remedy::keep_last}).remedy == Remedy::keep_last);
  CHECK(there_and_back(Failure{4, "m", kOdd, false, Remedy::whole_model}).remedy == Remedy::whole_model);
  CHECK(failure.job == 4);
  CHECK(failure.where == "m");
  CHECK(failure.sentence == kOdd);
  CHECK(failure.retry);

  const std::vector<double> data{1, std::nan(""), 3};
  const auto finished =
      parse_reply(to_text(Reply(Finished{6, "main", {R"({"study":"s"})", {}}})), data.data(), data.size());
  REQUIRE(finished);
  const auto& result = std::get<Finished>(*finished);
  CHECK(result.job == 6);
  CHECK(result.slot == "main");
  CHECK(result.result.header == R"({"study":"s"})");
  REQUIRE(result.result.data.size() == 3);
  CHECK(result.result.data[2] == 3);
}

TEST_CASE("what is no message is refused in one sentence", "[protocol][messages]") {
  for (const char* text : {"", " ", "{", "[]", "null", "7", R"({"type":7})", R"({"type":""})", R"({"kind":"open"})",
                           R"({"type":"dance"})"}) {
    const auto request = parse_request(text);
    const auto reply = parse_reply(text);
    REQUIRE(!request);
    REQUIRE(!reply);
    check_sentence(request.error().sentence);
    check_sentence(reply.error().sentence);
  }
  CHECK(!parse_request(R"({"type":"hello"})"));
  CHECK(!parse_reply(R"({"type":"open"})"));
  CHECK(parse_request(R"({"type":"dance"})").error().sentence.find("dance") != std::string::npos);
  CHECK(!parse_request(std::string(100'000, '[')));
}

TEST_CASE("a document that is nested without end is none", "[protocol][messages]") {
  const std::size_t depth = 200'000;
  CHECK_FALSE(parse_json(std::string(depth, '[') + std::string(depth, ']')));
  CHECK(parse_json(std::string(50, '[') + std::string(50, ']')));
}

TEST_CASE("fields of the wrong type read as nothing", "[protocol][messages]") {
  const auto open = parse_request(R"({"type":"open","model":3,"bytes":-5,"sha256":null})");
  REQUIRE(open);
  CHECK(std::get<Open>(*open).model.empty());
  CHECK(std::get<Open>(*open).bytes == 0);
  const auto run = parse_request(R"({"type":"run","job":"x","params":{"a":1,"b":"2"}})");
  REQUIRE(run);
  CHECK(std::get<Run>(*run).job == 0);
  CHECK(std::get<Run>(*run).params == ParamValues{{"b", "2"}});
  const auto need = parse_reply(R"({"type":"need","ranges":[[1,2],[1],"x",[-1,2],[3,4,5],[5,6]]})");
  REQUIRE(need);
  CHECK(std::get<Need>(*need).ranges == std::vector<ByteRange>{{1, 2}, {5, 6}});
}

TEST_CASE("every beginning of a message is refused", "[protocol][messages]") {
  const std::string text = to_text(Request(Run{9, "main", "s", "m", {{"b", "2"}}}));
  for (std::size_t n = 0; n < text.size(); ++n)
    REQUIRE(!parse_request(testing::ExactBytes(std::as_bytes(std::span(text.data(), n))).text()));
  CHECK(text.find('\n') == std::string::npos);
}

TEST_CASE("numbers that JSON has no word for go as words", "[protocol][json]") {
  for (const double x : {0.0, 0.1, -1e300, HUGE_VAL, -HUGE_VAL}) CHECK(to_number(number(x)) == x);
  CHECK(std::isnan(to_number(number(std::nan("")))));
  CHECK(number(HUGE_VAL) == "inf");
  CHECK(number(0.5).is_number());
  CHECK(std::isnan(to_number(Json("infinite"))));
  CHECK(dump(Json("a\xff"
                  "b"))
            .size() > 3);  // never aborts
}

TEST_CASE("a short hash tells texts apart", "[protocol]") {
  CHECK(short_hash("").size() == 16);
  CHECK(short_hash("") == "cbf29ce484222325");  // FNV-1a's starting value
  CHECK(short_hash("a") == "af63dc4c8601ec8c");
  CHECK(short_hash("ab") != short_hash("ba"));
}

}  // namespace messages_test
