// A claim about GPT-2 small is judged on GPT-2 small only; for any other model its number is shown, but not judged.
#include "studies/known_model_compute.h"

#include "studies/known_tensors.h"
#include "tests/planted.h"

namespace known_model_test {

using namespace helix;
using namespace helix::testing;
using protocol::Provenance;
using studies::which_model;

namespace {

const std::string kHash = "29c69587e2af826b7c159c38620a32e549a925e6d9a0dc37cb563f377f5be772";

/// A file that holds one tensor, whatever its numbers.
studies::Inputs file_with(const std::string& tensor) {
  studies::Inputs inputs;
  const Bytes file = testing::file_of(std::vector<testing::Entry>{{tensor, {768}}});
  const auto weights = std::make_shared<checkpoint::WeightFile>("gpt2", file.size());
  weights->want(std::vector<std::string>{tensor});
  REQUIRE(weights->feed(0, file));
  inputs.weights = weights;
  return inputs;
}

Provenance read_of(const std::string& name, const std::string& tensor = {}, const std::string& hash = {}) {
  Provenance used;
  used.model = name, used.precision = "F32";
  if (!tensor.empty()) used.tensors.push_back({tensor, hash});
  return used;
}

/// A whole hash that begins with these digits.
std::string hash_with(std::string_view digits) { return std::string(digits) + std::string(64 - digits.size(), '0'); }

Expected<protocol::Result> judged(const char* id, const ParamValues& changes = {}) {
  const auto* study = studies::find_compute_study(id);
  return run_to_end(studies::run_judged(*study, values_of(study->schema, changes), planted_inputs()));
}

}  // namespace

TEST_CASE("GPT-2 small is known by the hashes of what was read, never by a name", "[claims]") {
  const studies::Inputs none;
  CHECK(which_model(none, read_of("x", "wpe.weight", kHash)) == "gpt2-small");
  CHECK(which_model(none, read_of("x", "transformer.wpe.weight", kHash)) == "gpt2-small");
  CHECK(which_model(none, read_of("gpt2", "wpe.weight", std::string(64, '0'))).empty());
  CHECK(which_model(none, read_of("", "wpe.weight", kHash)).empty());  // no weights were used
  for (const char* name : {"gpt2", "gpt2-small", "openai-community/gpt2", "GPT-2.safetensors"})
    CHECK(which_model(none, read_of(name)).empty());
}

TEST_CASE("every known tensor counts, as 32-bit floats and rounded, and one that differs decides", "[claims]") {
  for (const studies::KnownTensor& known : studies::kGpt2SmallTensors) {
    const std::string name(known.name);
    CHECK(which_model({}, read_of("x", name, hash_with(known.f32))) == "gpt2-small");
    CHECK(which_model({}, read_of("x", name, hash_with(known.f16))) == "gpt2-small");
    CHECK(which_model({}, read_of("x", name, std::string(64, '1'))).empty());
  }
  Provenance both = read_of("x", "wpe.weight", kHash);
  both.tensors.push_back({"wte.weight", std::string(64, '1')});  // not in the list: it neither helps nor harms
  CHECK(which_model({}, both) == "gpt2-small");
  both.tensors.push_back({"h.5.attn.c_attn.weight", std::string(64, '1')});  // changed
  CHECK(which_model({}, both).empty());
}

TEST_CASE("where nothing known was read, a known tensor of the file decides", "[claims]") {
  CHECK(which_model(file_with("ln_f.weight"), read_of("gpt2", "wte.weight", kHash)).empty());
  CHECK(which_model(file_with("other.weight"), read_of("gpt2")).empty());
}

TEST_CASE("claims are not judged on controls, not even where they keep the tensors that were read", "[claims]") {
  CHECK(which_model({}, read_of("control:walk:3@gpt2", "wpe.weight", kHash)).empty());
}

TEST_CASE("a study whose tensors say nothing also reads one that does", "[claims]") {
  const auto tensors = [](const char* id, const ParamValues& changes) {
    const auto* study = studies::find_compute_study(id);
    const studies::Known known{[](const std::string&) { return std::nullopt; },
                               [] { return std::vector<std::int32_t>(); }};
    std::vector<std::string> all;
    for (const auto& needs : studies::all_needs(*study, values_of(study->schema, changes), "m", known))
      all.insert(all.end(), needs.tensors.begin(), needs.tensors.end());
    return all;
  };
  CHECK(std::ranges::count(tensors("tokens", {}), studies::kFingerprint) == 1);
  CHECK(std::ranges::count(tensors("position_helix", {}), studies::kFingerprint) == 0);
  CHECK(std::ranges::count(tensors("token_cloud", {}), studies::kFingerprint) == 0);  // it judges no claim
}

TEST_CASE("a claim about another model is shown and not judged, one about none is judged", "[claims]") {
  const auto learned = judged("position_helix");
  REQUIRE(learned);
  REQUIRE(!learned->claims.empty());
  for (const protocol::Claim& claim : learned->claims) {
    CHECK(claim.elsewhere);
    CHECK(!claim.holds);
    CHECK(claim.here);
    CHECK(verdict(claim) == "about another model");
  }
  const auto raw = run_study("position_helix", planted_inputs());
  REQUIRE(raw);
  CHECK(raw->claims[0].holds == true);  // it would hold if it were about these positions

  const auto fixed = judged("position_helix", {{"source", "sinusoidal"}, {"first", "0"}, {"base", "1000"}});
  REQUIRE(fixed);
  REQUIRE(fixed->claims.size() == 1);
  CHECK(fixed->claims[0].id == "F11");
  CHECK(!fixed->claims[0].elsewhere);
  CHECK(fixed->claims[0].holds.has_value());
}

TEST_CASE("first pictures are judged like the last", "[claims]") {
  const auto* study = studies::find_compute_study("verification");
  studies::Inputs inputs = planted_inputs();
  std::vector<protocol::Result> pictures;
  inputs.on_first_picture = [&](protocol::Result r) { pictures.push_back(std::move(r)); };
  REQUIRE(run_to_end(studies::run_judged(*study, defaults(study->schema), inputs)));
  REQUIRE(!pictures.empty());
  REQUIRE(!pictures[0].claims.empty());
  for (const protocol::Claim& claim : pictures[0].claims)
    CHECK(claim.elsewhere == !study->schema.claim(claim.id)->about.empty());
}

}  // namespace known_model_test
