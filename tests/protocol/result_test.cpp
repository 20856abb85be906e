#include "protocol/result.h"

#include <bit>
#include <limits>

#include "base/fields.h"
#include "protocol/json.h"
#include "protocol/outputs.h"
#include "tests/support.h"

namespace result_test {

using namespace helix;
using namespace helix::testing;
using namespace helix::protocol;

namespace {

enum class Kind { plain, odd };

struct Params {
  int first = 1;
  double base = 0.5;
  bool centre = true;
  std::vector<int> plane{1, 2};
  Kind kind = Kind::plain;
  std::vector<double> blurs{0.5};
  std::vector<std::string> models;
  std::string find;
  static void fields(ParamVisitor& v, Params& p) {
    v(Field{"first"}, p.first, Whole{0, 1'000'000});
    v(Field{"base"}, p.base, Real{0, 1e6});
    v(Field{"centre"}, p.centre);
    v(Field{"plane"}, p.plane, Wholes{1, 8, 2});
    v(Field{"kind"}, p.kind, OneOf{{"plain", "odd"}});
    v(Field{"blurs"}, p.blurs, Reals{0, 1});
    v(Field{"models"}, p.models, Names{});
    v(Field{"find"}, p.find, Text{});
  }
};

struct Output {
  Quantity share;
  Grid points, by_row;
  static void fields(OutputVisitor& v, Output& o) {
    v(Out{"share", "fraction"}, o.share);
    v(Out{"points", "", {"position", "component"}}, o.points);
    v(Out{"by_row", "nats", {"position"}}, o.by_row);
  }
};

struct Small {
  Grid cells;
  static void fields(OutputVisitor& v, Small& o) { v(Out{"cells", "", {"query"}}.f32(), o.cells); }
};

StudySchema schema() {
  StudySchema s;
  s.id = "planted", s.params = param_specs<Params>(), s.outputs = output_specs<Output>();
  s.claims = {
      {"H1", 0.9, "fraction", "gpt2-small", ""}, {"H2", std::nullopt, "", "", ""}, {"H3", std::nullopt, "", "", ""}};
  s.claims[0].text = "It holds.";
  return s;
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();

Result sample() {
  Result r;
  r.study = "planted";
  r.params = values_of(schema(), {{"first", "100000"},
                                  {"base", "0.1"},
                                  {"centre", "0"},
                                  {"plane", "3,1"},
                                  {"kind", "odd"},
                                  {"blurs", "0.25,1"},
                                  {"models", "a,007"},
                                  {"find", "\"é, "}});
  r.provenance = {"gpt2 “small”", "0123456789ab", "F32", "wasm", "0.1.0", {{"wpe.weight", "aabbcc"}}};
  r.scalars = {{"share", 0.1 + 0.2, "fraction", "rows 1..9"},
               {"none", kNan, "", ""},
               {"most", kInf, "", ""},
               {"least", -kInf, "", ""}};
  r.arrays = {{"points", {2, 3}, {"position", "component"}, "", {1, 2, kNan, kInf, -kInf, 1e-320}, 7},
              {"by_row", {2}, {"position"}, "nats", {-0.0, 5}, 7}};
  r.claims = {{"H1", 0.91, true, {}, "centred"},
              {"H2", kInf, false, {}, ""},
              {"H3", std::nullopt, std::nullopt, {"wte", "ln_f"}, "needs more"},
              {"H1", 0.7, std::nullopt, {}, "of another model", true}};
  r.notes = {"The range ends at 99.", "quotes \" and \\ and \n"};
  r.complete = false;
  r.fingerprint = "0011223344556677";
  return r;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (std::bit_cast<std::uint64_t>(a[i]) != std::bit_cast<std::uint64_t>(b[i])) return false;
  return true;
}

Expected<Result> decode_exactly(std::string_view header, std::span<const double> data) {
  // The memory ends where the data ends, so that the sanitizer detects reads beyond it.
  const testing::ExactBytes text(std::as_bytes(std::span(header)));
  const auto copy = std::make_unique<double[]>(data.size());
  std::copy(data.begin(), data.end(), copy.get());
  return decode(text.text(), copy.get(), data.size());
}

Json json_of(const std::string& text) {
  auto json = parse_json(text);
  REQUIRE(json);
  return *json;
}

}  // namespace

TEST_CASE("a result survives its journey, whatever numbers it holds", "[protocol][result]") {
  const Result sent = sample();
  const EncodedResult encoded = encode(sent, schema());
  CHECK(encoded.data.size() == 8);
  const auto got = decode_exactly(encoded.header, encoded.data);
  REQUIRE(got);
  CHECK(got->study == sent.study);
  CHECK(got->params == sent.params);
  CHECK(got->complete == sent.complete);
  CHECK(got->fingerprint == sent.fingerprint);
  CHECK(got->notes == sent.notes);
  CHECK(got->provenance.model == sent.provenance.model);
  CHECK(got->provenance.version == sent.provenance.version);
  REQUIRE(got->provenance.tensors.size() == 1);
  CHECK(got->provenance.tensors[0].sha256 == "aabbcc");
  CHECK(provenance_line(got->provenance) == provenance_line(sent.provenance));
  REQUIRE(got->scalars.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(got->scalars[i].name == sent.scalars[i].name);
    CHECK(same_bits({got->scalars[i].value}, {sent.scalars[i].value}));
    CHECK(got->scalars[i].unit == sent.scalars[i].unit);
    CHECK(got->scalars[i].note == sent.scalars[i].note);
  }
  REQUIRE(got->arrays.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(got->arrays[i].name == sent.arrays[i].name);
    CHECK(got->arrays[i].shape == sent.arrays[i].shape);
    CHECK(got->arrays[i].axes == sent.arrays[i].axes);
    CHECK(got->arrays[i].unit == sent.arrays[i].unit);
    CHECK(got->arrays[i].first == sent.arrays[i].first);
    CHECK(same_bits(got->arrays[i].data, sent.arrays[i].data));
  }
  REQUIRE(got->claims.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    const Claim &a = got->claims[i], &b = sent.claims[i];
    CHECK(a.id == b.id);
    CHECK(a.here == b.here);
    CHECK(a.holds == b.holds);
    CHECK(a.needs == b.needs);
    CHECK(a.convention == b.convention);
    CHECK(a.elsewhere == b.elsewhere);
  }
  CHECK(encode(*got, schema()).header == encoded.header);
  CHECK(got->array("points") == &got->arrays[0]);
  CHECK(got->scalar("most") == &got->scalars[2]);
  CHECK(got->array("share") == nullptr);
  CHECK(got->scalar("points") == nullptr);
}

TEST_CASE("a header that is cut off is no result", "[protocol][result]") {
  const EncodedResult encoded = encode(sample(), schema());
  for (std::size_t n = 0; n < encoded.header.size(); ++n) {
    const auto got = decode_exactly(encoded.header.substr(0, n), encoded.data);
    REQUIRE(!got);
  }
  check_sentence(decode("", nullptr, 0).error().sentence);
}

TEST_CASE("arrays that lie outside the data are refused", "[protocol][result]") {
  const EncodedResult encoded = encode(sample(), schema());
  for (std::size_t n = 0; n < encoded.data.size(); ++n) {
    const auto got = decode_exactly(encoded.header, std::span(encoded.data).first(n));
    REQUIRE(!got);
    check_sentence(got.error().sentence);
  }
  const auto with = [&](const char* change) {
    Json json = json_of(encoded.header);
    json["arrays"]["points"].merge_patch(json_of(change));
    return decode_exactly(dump(json), encoded.data);
  };
  CHECK(with(R"({"shape":[2,3],"offset":2})").ok());
  for (const char* change :
       {R"({"offset":3})", R"({"offset":-1})", R"({"offset":18446744073709551615})", R"({"offset":1.5})",
        R"({"offset":"0"})", R"({"offset":null})", R"({"shape":[9]})", R"({"shape":[3,3]})", R"({"shape":[-2,3]})",
        R"({"shape":[2.5]})", R"({"shape":"2,3"})", R"({"shape":null})", R"({"shape":[4294967296,4294967296]})",
        R"({"shape":[18446744073709551615]})", R"({"shape":[2,3,9223372036854775808]})", R"({"shape":[[2],3]})"}) {
    CAPTURE(change);
    const auto got = with(change);
    REQUIRE(!got);
    check_sentence(got.error().sentence, "points");
  }
  CHECK(with(R"({"shape":[0,1000000000]})").ok());
  CHECK(with(R"({"shape":[0,1000000000]})")->arrays[0].data.empty());
}

TEST_CASE("numbers of 32 bits travel in half the space", "[protocol][result]") {
  const auto f32 = NumberType::f32;
  Result sent = sample();
  sent.arrays = {{"a", {3}, {"position"}, "", {0.1, kNan, -kInf}, 0, f32},
                 {"b", {2}, {"position"}, "", {1, 0.1}, 0},
                 {"c", {0}, {"position"}, "", {}, 0, f32},
                 {"d", {2, 2}, {"query", "key"}, "", {1e-40, -0.0, 16777217, 3e38}, 0, f32}};
  for (Array& a : sent.arrays)
    if (a.type == f32) round_to_f32(a.data);
  const EncodedResult encoded = encode(sent, schema());
  CHECK(encoded.data.size() == 2 + 2 + 0 + 2);
  const auto got = decode_exactly(encoded.header, encoded.data);
  REQUIRE(got);
  REQUIRE(got->arrays.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(got->arrays[i].type == sent.arrays[i].type);
    CHECK(same_bits(got->arrays[i].data, sent.arrays[i].data));
  }
  CHECK(got->arrays[0].data[0] == double(0.1f));
  CHECK(got->arrays[3].data[2] == 16777216);
  for (std::size_t n = 0; n < encoded.data.size(); ++n)
    CHECK(!decode_exactly(encoded.header, std::span(encoded.data).first(n)));
  const auto with = [&](const char* change) {
    Json json = json_of(encoded.header);
    json["arrays"]["d"].merge_patch(json_of(change));
    return decode_exactly(dump(json), encoded.data);
  };
  CHECK(with(R"({"shape":[12],"offset":0})").ok());
  for (const char* change : {R"({"shape":[13],"offset":0})", R"({"shape":[5]})", R"({"dtype":"f64"})",
                             R"({"dtype":"f16"})", R"({"shape":[4294967295,4294967295]})"})
    CHECK(!with(change));
  const Json json = json_of(to_json(sent, schema()));
  CHECK(dump(json["arrays"]["a"]["data"]) == R"([0.1,"nan","-inf"])");  // not 0.10000000149011612
}

TEST_CASE("an output that says so is rounded to 32 bits before anybody sees it", "[protocol][outputs]") {
  Small out;
  out.cells = {{1}, {0.1}};
  Result result;
  write_outputs(out, result);
  CHECK(result.arrays[0].type == NumberType::f32);
  CHECK(result.arrays[0].data[0] == double(0.1f));
  CHECK(output_specs<Small>()[0].type == NumberType::f32);
}

TEST_CASE("fields of the wrong type are as if they were not there", "[protocol][result]") {
  for (const char* header : {"null", "[]", "3", "\"text\"", "{}", R"({"study":3})", R"({"study":""})"})
    CHECK(!decode(header, nullptr, 0));
  const auto got = decode(
      R"({"study":"s","params":[1],"provenance":7,"scalars":[1],"arrays":"no","claims":{"a":1},"notes":4,"complete":"yes"})",
      nullptr, 0);
  REQUIRE(got);
  CHECK(got->arrays.empty());
  CHECK(got->scalars.empty());
  CHECK(got->claims.empty());
  CHECK(got->complete);
  const auto odd = decode(
      R"({"study":"s","scalars":{"a":1,"b":{"value":"what"},"c":{"value":[2]}},"claims":[1,null,{"id":5,"holds":"yes","here":"inf"}]})",
      nullptr, 0);
  REQUIRE(odd);
  REQUIRE(odd->scalars.size() == 3);
  for (const Scalar& s : odd->scalars) CHECK(std::isnan(s.value));
  REQUIRE(odd->claims.size() == 3);
  CHECK(odd->claims[2].holds == std::nullopt);
  CHECK(odd->claims[2].here == kInf);
}

TEST_CASE("headers of any content are read or refused", "[protocol][result][fuzz]") {
  const EncodedResult encoded = encode(sample(), schema());
  Dice dice(3);
  Fuzzing fuzzing(500);
  int read = 0;
  while (fuzzing.more()) {
    const auto got = decode_exactly(mutated(encoded.header, dice), std::span(encoded.data).first(dice.below(9)));
    if (!got) continue;
    ++read;
    for (const Array& a : got->arrays) {
      std::size_t size = 1;
      for (const std::size_t extent : a.shape) size *= extent;
      REQUIRE(a.data.size() == size);
    }
  }
  CHECK(read > 0);
}

TEST_CASE("a result as JSON: every parameter with its type, no number lost", "[protocol][result]") {
  const Json json = json_of(to_json(sample(), schema()));
  CHECK(json["study"] == "planted");
  CHECK(dump(json["params"]) == R"({"first":100000,"base":0.1,"centre":false,"plane":[3,1],"kind":"odd",)"
                                R"("blurs":[0.25,1.0],"models":["a","007"],"find":"\"é, "})");
  CHECK(json["params"]["first"].is_number_integer());
  CHECK(json["provenance"]["model"] == "gpt2 “small”");
  for (const char* key : {"sha256", "precision", "kernels", "version"}) CHECK(json["provenance"].contains(key));
  CHECK(json["scalars"]["share"]["value"] == 0.1 + 0.2);
  CHECK(json["scalars"]["share"]["unit"] == "fraction");
  CHECK(json["scalars"]["share"]["note"] == "rows 1..9");
  CHECK(json["scalars"]["none"]["value"] == "nan");
  CHECK(json["scalars"]["most"]["value"] == "inf");
  CHECK(json["scalars"]["least"]["value"] == "-inf");
  CHECK(dump(json["arrays"]["points"]["data"]) == R"([1.0,2.0,"nan","inf","-inf",1e-320])");
  CHECK(dump(json["arrays"]["points"]["shape"]) == "[2,3]");
  CHECK(dump(json["arrays"]["points"]["axes"]) == R"(["position","component"])");
  CHECK(json["arrays"]["points"]["first"] == 7);
  CHECK(json["claims"][0]["text"] == "It holds.");
  CHECK(json["claims"][0]["stated"] == 0.9);
  CHECK(json["claims"][0]["unit"] == "fraction");
  CHECK(json["claims"][0]["about"] == "gpt2-small");
  CHECK(json["claims"][0]["verdict"] == "holds");
  CHECK(json["claims"][1]["verdict"] == "does not hold");
  CHECK(json["claims"][2]["verdict"] == "not tested");
  CHECK(json["claims"][3]["verdict"] == "about another model");
  CHECK(json["claims"][3]["here"] == 0.7);
  CHECK(json["claims"][0]["holds"] == true);
  CHECK(json["claims"][1]["holds"] == false);
  CHECK(json["claims"][1]["stated"].is_null());
  CHECK(json["claims"][1]["here"] == "inf");
  CHECK(json["claims"][2]["holds"].is_null());
  CHECK(dump(json["claims"][2]["needs"]) == R"(["wte","ln_f"])");
  CHECK(!json["claims"][0].contains("needs"));
  CHECK(!json_of(to_json(sample(), schema(), false))["arrays"]["points"].contains("data"));
}

TEST_CASE("where a result comes from is one line", "[protocol][result]") {
  CHECK(provenance_line(sample().provenance) ==
        "gpt2 “small”, sha256 0123456789ab…, wpe.weight aabbcc…, F32, float64 on wasm, helixscope 0.1.0");
  CHECK(provenance_line({}).starts_with("no weights"));
  Provenance taken = sample().provenance;
  taken.convention = "rows 1..9, centred";
  CHECK(provenance_line(taken) == "rows 1..9, centred; " + provenance_line(sample().provenance));
}

TEST_CASE("every model that was read is in the line and survives its journey", "[protocol][result]") {
  Result r = sample();
  r.provenance.others = {{"minihelix", "77aa", "f16", {{"wpe.weight", "ddee"}}}, {"third", "", "", {}}};
  const std::string line =
      "gpt2 “small”, sha256 0123456789ab…, wpe.weight aabbcc…, F32; minihelix, sha256 77aa…, wpe.weight ddee…, f16; "
      "third; float64 on wasm, helixscope 0.1.0";
  CHECK(provenance_line(r.provenance) == line);
  const EncodedResult encoded = encode(r, schema());
  const auto got = decode(encoded.header, encoded.data.data(), encoded.data.size());
  REQUIRE(got);
  CHECK(provenance_line(got->provenance) == line);
  CHECK(json_of(to_json(r, schema()))["provenance"]["others"][0]["tensors"]["wpe.weight"] == "ddee");
  CHECK(!json_of(to_json(sample(), schema()))["provenance"].contains("others"));
  r.provenance.model.clear(), r.provenance.sha256.clear(), r.provenance.tensors.clear();
  CHECK(provenance_line(r.provenance).starts_with("minihelix, "));
}

TEST_CASE("outputs are written and read through one field list", "[protocol][outputs]") {
  const auto specs = output_specs<Output>();
  REQUIRE(specs.size() == 3);
  CHECK(specs[0].name == "share");
  CHECK(specs[0].axes.empty());
  CHECK(specs[1].axes == std::vector<std::string>{"position", "component"});
  CHECK(specs[2].unit == "nats");
  Output out;
  out.share = {0.25, "why"};
  out.points = {{2, 2}, {1, 2, 3, 4}, 5};
  Result result;
  write_outputs(out, result);
  const auto back = read_outputs<Output>(result);
  CHECK(back.share.value == 0.25);
  CHECK(back.share.note == "why");
  CHECK(back.points.first == 5);
  CHECK(back.points(1, 0) == 3);
  CHECK(back.points.rows() == 2);
  CHECK(back.by_row.rows() == 0);
  result.arrays[0].shape = {4};  // an array of another rank is ignored
  CHECK(read_outputs<Output>(result).points.rows() == 0);
  CHECK(std::isnan(read_outputs<Output>(Result()).share.value));
}

}  // namespace result_test
