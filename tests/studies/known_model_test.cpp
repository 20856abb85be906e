// A claim about GPT-2 small is judged on GPT-2 small only; for any other model its number is shown, but not judged.
#include "studies/known_model_compute.h"

#include "tests/planted.h"

using namespace helix;
using namespace helix::testing;
using protocol::Provenance;
using studies::which_model;

namespace {

const std::string kHash = "29c69587e2af826b7c159c38620a32e549a925e6d9a0dc37cb563f377f5be772";

/// A checkpoint with GPT-2 small's sizes, or with other `layers`, whose header has arrived.
studies::Inputs checkpoint_like_gpt2(const std::string& name, std::size_t layers = 12) {
  using testing::Entry;
  const std::vector<Entry> entries{{"wpe.weight", {1024, 768}},
                                   {"wte.weight", {50257, 768}},
                                   {"h." + std::to_string(layers - 1) + ".ln_1.weight", {768}}};
  const auto header = testing::file_of(testing::header_json(entries));
  std::uint64_t bytes = header.size();
  for (const Entry& entry : entries) bytes += entry_bytes(entry);
  const auto weights = std::make_shared<checkpoint::WeightFile>(name, bytes);
  REQUIRE(weights->feed(0, header));
  studies::Inputs inputs;
  inputs.weights = weights;
  inputs.provenance.model = name;
  return inputs;
}

Provenance read_of(const std::string& name, const std::string& hash = {}, const std::string& precision = "F32") {
  Provenance used;
  used.model = name, used.precision = precision;
  if (!hash.empty()) used.tensors.push_back({"wpe.weight", hash});
  return used;
}

Expected<protocol::Result> judged(const char* id, const ParamValues& changes = {}) {
  const auto* study = studies::find_compute_study(id);
  return run_to_end(studies::run_judged(*study, values_of(study->schema, changes), planted_inputs()));
}

}  // namespace

TEST_CASE("GPT-2 small is known by its positions, else by sizes and name together", "[claims]") {
  const studies::Inputs small = checkpoint_like_gpt2("gpt2");
  CHECK(which_model(small, read_of("x", kHash)) == "gpt2-small");  // whatever its name
  CHECK(which_model(small, read_of("gpt2", std::string(64, '0'))).empty());
  CHECK(which_model(small, read_of("gpt2", std::string(64, '0'), "F16")) == "gpt2-small");  // rounded, but the same
  for (const char* name : {"gpt2", "gpt2-small", "openai-community/gpt2", "GPT-2.safetensors"})
    CHECK(which_model(small, read_of(name)) == "gpt2-small");
  for (const char* name : {"alias-gpt2-small-x21", "model", "gpt/neo"})
    CHECK(which_model(small, read_of(name)).empty());
  CHECK(which_model(checkpoint_like_gpt2("gpt2", 24), read_of("gpt2")).empty());
  CHECK(which_model(small, read_of("")).empty());  // no weights were used
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
  for (const protocol::Claim& claim : pictures[0].claims) CHECK(claim.elsewhere);
}
