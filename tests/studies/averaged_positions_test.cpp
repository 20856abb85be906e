#include "studies/averaged_positions/averaged_positions.h"

#include <cmath>

#include "studies/registry_view.h"
#include "tests/planted.h"

namespace averaged_positions_test {

using namespace helix;
using namespace helix::testing;
using Catch::Approx;

namespace {

constexpr std::size_t kPositions = 24, kWidth = 48;

/// A network with these tensors.
std::shared_ptr<model::Network> network_of(const TinySizes& sizes, const Tensors& tensors) {
  const auto entries = tiny_gpt2(sizes.n_layer, sizes.d_model, sizes.n_ctx, sizes.n_vocab);
  Bytes file = tiny_checkpoint(sizes);
  std::size_t at = file.size();
  for (const auto& entry : entries) at -= static_cast<std::size_t>(entry_bytes(entry));
  for (const auto& entry : entries) {
    std::memcpy(&file[at], tensors.at(entry.name).data(), static_cast<std::size_t>(entry_bytes(entry)));
    at += static_cast<std::size_t>(entry_bytes(entry));
  }
  auto weights = std::make_shared<checkpoint::WeightFile>("planted", file.size());
  REQUIRE(weights->feed(0, file));
  auto network = model::Network::make(weights, tiny_config(sizes, *weights->header()), "planted");
  REQUIRE(network);
  weights->want((*network)->unread());
  REQUIRE(weights->feed(0, file));
  return *network;
}

/// One layer above an idle one, each of a single head. In layer 1 the query of position p is the code of p − 1, and the
/// keys are the codes of the positions: the head finds the previous token by its position alone.
studies::Inputs position_head(bool positions) {
  const TinySizes sizes{2, kWidth, 1, kPositions, 257};
  Tensors t;
  static_cast<void>(tiny_checkpoint(sizes, 0.3, 7, &t));
  for (auto& [name, numbers] : t) {
    const bool attention = name.find("attn") != std::string::npos, gain = name.find("ln_") != std::string::npos;
    if (attention || name.find("mlp.c_proj") != std::string::npos) std::ranges::fill(numbers, 0.0f);
    if (gain) std::ranges::fill(numbers, name.ends_with("weight") ? 1.0f : 0.0f);
  }
  // Words stand in the other half, with a mean of zero, so that ln_1 keeps the halves apart.
  auto& wte = t.at("wte.weight");
  for (std::size_t i = 0; i < wte.size(); ++i) wte[i] = i % kWidth < kPositions ? 0 : i % 2 == 0 ? wte[i] : -wte[i - 1];
  auto& wpe = t.at("wpe.weight");
  std::ranges::fill(wpe, 0.0f);
  for (std::size_t p = 0; positions && p < kPositions; ++p) wpe[p * kWidth + p] = 10;
  auto& weight = t.at("h.1.attn.c_attn.weight");
  for (std::size_t p = 0; p < kPositions; ++p) {
    if (p > 0) weight[p * 3 * kWidth + p - 1] = 2;
    weight[p * 3 * kWidth + kWidth + p] = 2;
  }
  studies::Inputs inputs = planted_inputs();
  inputs.network = network_of(sizes, t), inputs.session = std::make_shared<model::Sessions>();
  for (int i = 0; i < 24; ++i) inputs.subject.tokens.push_back((i * 37 + 3) % 257);
  return inputs;
}

const Given kPrompt{{"text", "prompt"}, {"groups", "1,2,5,10"}, {"group", "5"}};

protocol::Result run(const studies::Inputs& inputs, Given values = kPrompt) {
  auto result = run_study("averaged_positions", inputs, values);
  REQUIRE(result);
  return *result;
}

double scalar(const protocol::Result& result, const char* name) { return result.scalar(name)->value; }

const std::vector<double>& array(const protocol::Result& result, const char* name) { return result.array(name)->data; }

std::string title_of(const protocol::Result& result) {
  return studies::find_view_study("averaged_positions")->view(result, result.params).title;
}

studies::Inputs random_model() {
  studies::Inputs inputs = planted_inputs();
  for (int i = 0; i < 40; ++i) inputs.subject.tokens.push_back((i * 53 + 7) % 200);
  return inputs;
}

}  // namespace

TEST_CASE("a head that finds the previous token by its position loses it where positions are averaged",
          "[averaged_positions]") {
  const auto result = run(position_head(true));
  CHECK(scalar(result, "layer") == 1);
  CHECK(scalar(result, "own_previous") > 0.95);
  CHECK(scalar(result, "none_previous") == Approx(scalar(result, "even_previous")).epsilon(1e-3));
  CHECK(array(result, "size") == std::vector<double>{1, 2, 5, 10});
  const auto& left = array(result, "head_kept");
  CHECK(left[0] == Approx(1));
  for (std::size_t i = 1; i < 4; ++i) CHECK(left[i] < left[i - 1]);
  CHECK(left[2] < 0.5);
  CHECK(scalar(result, "head_left") == left[2]);
  CHECK(scalar(result, "holds_to") == 1);
  CHECK(title_of(result) == "Even groups of 2 tokens lose much of what positions do");
}

TEST_CASE("without positions none are lost", "[averaged_positions]") {
  const auto result = run(position_head(false));
  for (const double share : array(result, "head_previous"))
    CHECK(share == Approx(scalar(result, "even_previous")).epsilon(1e-3));
  for (const char* name : {"head_left", "loss_left", "holds_to", "breaks_at"}) {
    CHECK(std::isnan(scalar(result, name)));
    CHECK(!result.scalar(name)->note.empty());
  }
  CHECK(title_of(result) == "Positions make no difference here");
}

TEST_CASE("hiding the previous token in an idle layer does not disturb a head that goes by position",
          "[averaged_positions]") {
  const auto result = run(position_head(true));
  const auto &masked = array(result, "masked"), &others = array(result, "others");
  REQUIRE(masked.size() == 2);  // nowhere, and in layer 0
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(masked[i] == Approx(masked[0]).epsilon(1e-4));
    CHECK(others[i] == Approx(others[0]).epsilon(1e-4));
  }
  CHECK(array(result, "masked_pattern")[1 * 24] > 0.95);  // query 1, key 0
}

TEST_CASE("groups of one are the model, and others are the edit", "[averaged_positions]") {
  studies::Inputs inputs = random_model();
  const auto result = run(inputs);
  const auto plain = run_study("surprise", inputs);
  REQUIRE(plain);
  CHECK(array(result, "loss")[0] == Approx(plain->scalar("mean_nats")->value));
  inputs.subject.edits = {{"group_positions:5", true}};
  const auto edited = run_study("surprise", inputs), heads = run_study("head_taxonomy", inputs);
  REQUIRE(edited);
  CHECK(array(result, "loss")[2] == Approx(edited->scalar("mean_nats")->value));
  const auto& previous = heads->array("previous")->data;
  for (std::size_t i = 0; i < previous.size(); ++i)
    CHECK(array(result, "previous")[2 * previous.size() + i] == Approx(previous[i]).epsilon(1e-5));
  inputs.subject.edits = {{"zero_positions", true}};
  const auto none = run_study("surprise", inputs);
  CHECK(scalar(result, "loss_none") == Approx(none->scalar("mean_nats")->value));
}

TEST_CASE("before a layer, positions are averaged there alone", "[averaged_positions]") {
  studies::Inputs inputs = random_model();
  Given values = kPrompt;
  values.push_back({"averaged", "extended"}), values.push_back({"before", "1"});
  const auto token = std::to_string(inputs.tokenizer->encode("hello").front());
  if (!inputs.tokenizer->end_of_text()) {
    CHECK(!run_study("averaged_positions", inputs, values));
    return;
  }
  const auto result = run(inputs, values);
  const auto& by_layer = array(result, "layer_previous");
  const std::size_t layers = result.array("layer_previous")->shape[1];
  for (std::size_t i = 0; i < 4; ++i) CHECK(by_layer[i * layers] == by_layer[0]);  // layer 0 comes before
  CHECK(by_layer[2 * layers + 1] != by_layer[1]);
  CHECK(scalar(result, "layer") >= 1);
  inputs.subject.edits = {{"average_extended:1:5:" + token, true}};
  const auto edited = run_study("surprise", inputs);
  REQUIRE(edited);
  CHECK(array(result, "loss")[2] == Approx(edited->scalar("mean_nats")->value));
}

TEST_CASE("another head is read from what has run", "[averaged_positions]") {
  const studies::Inputs inputs = random_model();
  const auto first = run(inputs);
  Given values = kPrompt;
  values.push_back({"layer", "0"}), values.push_back({"head", "1"});
  const auto other = run(inputs, values);
  CHECK(array(other, "previous") == array(first, "previous"));
  CHECK(scalar(other, "own_previous") == array(first, "previous")[1]);
  CHECK(array(other, "depth").size() == 1);  // no layer before it
  values[values.size() - 2].second = "9";
  const auto beyond = run(inputs, values);
  REQUIRE(beyond.notes.size() == 1);
  CHECK(beyond.notes[0].starts_with("This model has no head 9.1"));
}

TEST_CASE("windows: each begins at position 0, and the loss is their mean", "[averaged_positions]") {
  const studies::Inputs inputs = random_model();
  Given values = kPrompt;
  values.push_back({"window", "20"}), values.push_back({"windows", "2"});
  const auto both = run(inputs, values);
  studies::Inputs half = inputs;
  double sum = 0;
  for (const std::size_t from : {0u, 20u}) {
    half.subject.tokens.assign(inputs.subject.tokens.begin() + static_cast<std::ptrdiff_t>(from),
                               inputs.subject.tokens.begin() + static_cast<std::ptrdiff_t>(from + 20));
    const auto plain = run_study("surprise", half);
    REQUIRE(plain);
    sum += plain->scalar("mean_nats")->value / 2;
  }
  CHECK(scalar(both, "loss_own") == Approx(sum));
  CHECK(both.array("loss_by_window")->shape == std::vector<std::size_t>{2, 4});
}

TEST_CASE("claims need the heads that they name", "[averaged_positions][claims]") {
  Given values = kPrompt;
  values.push_back({"layer", "4"}), values.push_back({"head", "11"});
  const auto result = run(random_model(), values);
  bool seen = false;
  for (const protocol::Claim& claim : result.claims) {
    CHECK(!claim.holds);
    seen = seen || claim.id == "T4";
    CHECK((claim.id != "T4" || claim.convention.ends_with("this model has no head 4.11")));
  }
  CHECK(seen);
}

TEST_CASE("titles are functions of their numbers", "[averaged_positions]") {
  auto result = run(random_model());
  const auto titled = [&](double holds_to) {
    for (auto& s : result.scalars)
      if (s.name == "holds_to") s.value = holds_to;
    return title_of(result);
  };
  CHECK(titled(10) == "10 tokens can share one position at little cost");
  CHECK(titled(1) == "Even groups of 2 tokens lose much of what positions do");
  CHECK(titled(std::nan("")) == "Positions make no difference here");
  result.difference = true;
  CHECK(title_of(result) == "How much averaged positions keep: what changes");
}

}  // namespace averaged_positions_test
