#include "studies/model_card/model_card.h"

#include <numeric>

#include "state/fragment.h"
#include "studies/registry_view.h"
#include "tests/planted.h"

namespace model_card_test {

using namespace helix;
using namespace helix::testing;
using protocol::Result;

namespace {

/// A file of these tensors; their values do not matter.
studies::Inputs inputs_of(const std::vector<testing::Entry>& entries, std::size_t heads = 0) {
  const Bytes file = testing::file_of(entries);
  const auto weights = std::make_shared<checkpoint::WeightFile>("planted", file.size());
  REQUIRE(weights->feed(0, file));
  studies::Inputs inputs;
  inputs.weights = weights;
  if (heads) inputs.size = studies::ModelSize{.n_head = heads};
  inputs.provenance.model = "planted";
  return inputs;
}

Result run_on(const studies::Inputs& inputs) {
  auto result = run_study("model_card", inputs);
  REQUIRE(result);
  return *result;
}

double value(const Result& result, const char* name) { return result.scalar(name)->value; }

/// A small GPT-2, or one that lacks a tensor.
std::vector<testing::Entry> small_but(std::uint64_t layers, std::uint64_t d, const std::string& without = {}) {
  auto entries = testing::tiny_gpt2(layers, d, 16, 40);
  std::erase_if(entries, [&](const auto& entry) { return entry.name == without; });
  return entries;
}

}  // namespace

TEST_CASE("every parameter counts once, in its part", "[model_card]") {
  // d = 8, two layers, 16 positions, 40 tokens.
  const Result r = run_on(inputs_of(small_but(2, 8), 2));
  const auto& parts = r.array("part_parameters")->data;
  REQUIRE(parts.size() == studies::model_card::kParts.size());
  CHECK(parts[0] == 40 * 8);
  CHECK(parts[1] == 16 * 8);
  CHECK(parts[2] == 2 * (8 * 24 + 24));
  CHECK(parts[3] == 2 * (8 * 8 + 8));
  CHECK(parts[4] == 2 * (8 * 32 + 32));
  CHECK(parts[5] == 2 * (32 * 8 + 8));
  CHECK(parts[6] == 2 * 4 * 8 + 2 * 8);
  CHECK(parts[7] == 0);
  CHECK(parts[8] == 0);
  CHECK(value(r, "parameters") == std::accumulate(parts.begin(), parts.end(), 0.0));
  CHECK(value(r, "whole") == value(r, "parameters"));
  CHECK(value(r, "masks") == 2 * 16 * 16);
  CHECK(value(r, "embeddings") + value(r, "attention") + value(r, "mlp") + value(r, "norms") + value(r, "other") ==
        value(r, "parameters"));
  CHECK(value(r, "bytes") == 4 * (value(r, "parameters") + value(r, "masks")));
  CHECK(value(r, "n_layer") == 2);
  CHECK(value(r, "n_head") == 2);
  CHECK(value(r, "d_mlp") == 32);
  CHECK(r.notes.empty());
}

TEST_CASE("every tensor is listed with its shape", "[model_card]") {
  const auto entries = small_but(1, 8);
  const Result r = run_on(inputs_of(entries));
  REQUIRE(r.words_of("name")->data.size() == entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    CHECK(r.words_of("name")->data[i] == entries[i].name);
    CHECK(r.words_of("stored")->data[i] == "F32");
    for (std::size_t j = 0; j < 4; ++j) {
      const double here = r.array("shapes")->data[i * 4 + j];
      if (j < entries[i].shape.size())
        CHECK(here == static_cast<double>(entries[i].shape[j]));
      else
        CHECK(std::isnan(here));
    }
  }
}

TEST_CASE("a partial file says how much of the model it holds", "[model_card]") {
  const Result r = run_on(inputs_of(small_but(2, 8, "h.1.mlp.c_fc.weight")));
  CHECK(value(r, "whole") - value(r, "parameters") == 8 * 32);
  REQUIRE(r.notes.size() == 1);
  CHECK(r.notes[0].find("of the parameters of a whole model") != std::string::npos);
  const Result alone = run_on(inputs_of({{"wpe.weight", {16, 8}}}));
  CHECK(value(alone, "parameters") == 128);
  CHECK(std::isnan(value(alone, "whole")));
  const Result strange = run_on(inputs_of({{"wte.weight", {5, 4}}, {"lm_head.weight", {5, 4}}, {"new.weight", {3}}}));
  CHECK(value(strange, "other") == 23);
  CHECK(value(strange, "parameters") == 43);
  check_sentence(run_study("model_card", studies::Inputs()).error().sentence, "No model is open");
}

TEST_CASE("F2 compares the shapes with those of the slides", "[model_card]") {
  // Only the header is read, so a file may declare more bytes than have arrived.
  const auto slides = [](std::size_t layers, std::uint64_t fc) {
    auto entries = testing::tiny_gpt2(layers, 768, 1024, 50257);
    for (auto& entry : entries)
      if (entry.name == "h.0.mlp.c_fc.weight") entry.shape[1] = fc;
    const std::string json = testing::header_json(entries);
    Bytes head = testing::length_bytes(json.size());
    for (const std::byte b : testing::bytes_of(json)) head.push_back(b);
    const auto weights = std::make_shared<checkpoint::WeightFile>("slides");
    REQUIRE(weights->feed(0, head));
    studies::Inputs inputs;
    inputs.weights = weights;
    inputs.provenance.model = "slides";
    return run_on(inputs);
  };
  const Result small = slides(12, 3072);
  REQUIRE(small.claims.size() == 1);
  CHECK(small.claims[0].id == "F2");
  CHECK(small.claims[0].here == 13);
  CHECK(small.claims[0].holds == true);
  CHECK(value(small, "parameters") == 124439808);
  CHECK(value(small, "whole") == 124439808);
  CHECK(slides(11, 3072).claims[0].holds == false);
  CHECK(run_on(inputs_of(testing::tiny_gpt2(1, 8, 16, 40))).claims[0].holds == false);
  const Result positions = run_on(inputs_of({{"wpe.weight", {1024, 768}}}));
  CHECK(!positions.claims[0].holds);
  CHECK(!positions.claims[0].here);
  CHECK(positions.claims[0].needs == std::vector<std::string>{"the whole checkpoint"});
  CHECK(run_on(inputs_of({{"wpe.weight", {1024, 760}}})).claims[0].holds == false);
}

TEST_CASE("the view names the largest part, and each part leads to a study", "[model_card][view]") {
  const auto& s = *studies::find_view_study("model_card");
  const Result r = run_on(inputs_of(small_but(2, 8), 2));
  const figure::Figure f = s.view(r, r.params);
  CHECK(f.title.ends_with("are in the MLPs"));
  const auto schemas = studies::schemas_of(studies::view_studies());
  REQUIRE(f.tables[0].go.size() == studies::model_card::kParts.size());
  for (const std::string& go : f.tables[0].go) {
    CAPTURE(go);
    const auto there = state::apply_fragment(state::default_state(schemas), go, schemas);
    REQUIRE(there);
    CHECK(there->notices.empty());
    CHECK(go.starts_with("study=" + there->state.study));
  }
  ViewState view;
  view.focus = {{"part", 4}};
  CHECK(s.reading(r, r.params, view).title == "MLP input");
  view.focus = {{"stage", 1}};
  CHECK(s.reading(r, r.params, view).title == "wte");
  view.focus = {{"stage", 12}};
  CHECK(s.reading(r, r.params, view).title.empty());
  CHECK(s.view(Result(), {}).title == "The model's parts");
}

}  // namespace model_card_test
