#include "studies/predictions/predictions.h"

#include "model/edits.h"

#include "base/edit_forms.h"
#include "base/text.h"
#include "studies/registry_view.h"
#include "tests/planted.h"

namespace predictions_test {

using namespace helix;
using namespace helix::testing;

namespace {

studies::Inputs with_prompt(const std::string& prompt, const std::vector<std::string>& edits = {}) {
  studies::Inputs inputs = planted_inputs();
  inputs.subject.prompt = prompt;
  for (const std::string& spec : edits) inputs.subject.edits.push_back({spec, true});
  return inputs;
}

}  // namespace

TEST_CASE("probabilities are of the whole vocabulary, in order, and true", "[predictions]") {
  const auto all = run_study("predictions", with_prompt("the cat"), {{"top", "100"}});
  REQUIRE(all);
  const auto& p = all->array("probability")->data;
  const auto& logit = all->array("logit")->data;
  REQUIRE(p.size() == 100);
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    sum += p[i];
    if (i > 0) CHECK(p[i] <= p[i - 1]);
    CHECK(std::abs(std::log(p[i] / p[0]) - (logit[i] - logit[0])) < 1e-9);  // one softmax, not one of the listed
  }
  CHECK(sum < 1);
  CHECK(std::abs(all->scalar("listed")->value - sum) < 1e-12);
  CHECK(std::abs(all->scalar("entropy_bits")->value * std::numbers::ln2 - all->scalar("entropy_nats")->value) < 1e-12);
  const auto few = run_study("predictions", with_prompt("the cat"));
  REQUIRE(few);
  CHECK(few->array("probability")->data == std::vector<double>(p.begin(), p.begin() + 10));
  CHECK(few->scalar("entropy_nats")->value == all->scalar("entropy_nats")->value);
  CHECK(few->words_of("text")->data.size() == 10);
}

TEST_CASE("a prediction within the text is that of the text cut there", "[predictions]") {
  const auto within = run_study("predictions", with_prompt("the cat"), {{"position", "1"}});
  const auto cut = run_study("predictions", with_prompt("the"));
  REQUIRE(within);
  REQUIRE(cut);
  CHECK(within->array("probability")->data == cut->array("probability")->data);
  CHECK(within->scalar("position")->value == 1);
  const auto beyond = run_study("predictions", with_prompt("the"), {{"position", "9"}});
  REQUIRE(beyond);
  CHECK(beyond->array("probability")->data == cut->array("probability")->data);
  REQUIRE(beyond->notes.size() == 1);
  CHECK(beyond->notes[0] == "The prompt ends at position 1, so the prediction is the one after that.");
}

TEST_CASE("edits change the prediction, and are named; switched off they do not", "[predictions]") {
  const auto usual = run_study("predictions", with_prompt("the cat"));
  for (const char* spec :
       {"ablate_head:0.1", "zero_positions", "zero_tokens", "no_mask", "group_positions:4", "permute_positions:3",
        "permute_positions:3:3", "shift_positions:5", "replace_positions:sinusoidal", "rank_positions:2",
        "group_residual:1:3", "mask_previous:0-2:2", "scale_attn:1:3", "average_extended:1:3", "swap_scores:0.1:3:1:2",
        "zero_mlp:1", "zero_bias:q:0", "replace_position:0:3", "ablate_head:0.1:mean"}) {
    CAPTURE(spec);
    studies::Inputs inputs = with_prompt("the cat", {spec});
    const auto edited = run_study("predictions", inputs);
    REQUIRE(edited);
    CHECK(edited->array("logit")->data != usual->array("logit")->data);
    CHECK(edited->provenance.convention == "4 tokens, no BOS, edits: " + std::string(spec));
    CHECK(edited->scalar("intact")->value == usual->array("probability")->data[0]);
    CHECK(edited->scalar("intact")->note == usual->words_of("text")->data[0]);
    inputs.subject.edits[0].on = false;
    const auto off = run_study("predictions", inputs);
    CHECK(off->array("logit")->data == usual->array("logit")->data);  // from the session that the edited run has used
    CHECK(off->provenance.convention == "4 tokens, no BOS");
  }
  for (const char* spec : {"group_positions:1", "scale_head:0.1:1", "scale_attn:1:1", "group_residual:2:1"})
    CHECK(run_study("predictions", with_prompt("the cat", {spec}))->array("logit")->data ==
          usual->array("logit")->data);
  CHECK(run_study("predictions", with_prompt("the cat", {"ablate_head:9.9"})).error().sentence ==
        "The edit “ablate_head:9.9” names layer 9, but the last one is 2.");
  studies::Inputs wrong = with_prompt("the", {"abl"});
  CHECK(!run_study("predictions", wrong));
  wrong.subject.edits[0].on = false;
  CHECK(run_study("predictions", wrong));
}

TEST_CASE("an edited prediction is told beside the one without the edits", "[predictions][view]") {
  const auto said = [](const std::vector<std::string>& edits) {
    const auto result = run_study("predictions", with_prompt("the cat", edits));
    REQUIRE(result);
    return studies::find_view_study("predictions")->view(*result, result->params).subtitle;
  };
  const auto usual = run_study("predictions", with_prompt("the cat"));
  REQUIRE(usual);
  const std::string intact = "“" + usual->words_of("text")->data[0] + "” (";
  CHECK(said({"zero_positions"}).find(", with 1 edit. Without it: " + intact) != std::string::npos);
  CHECK(said({"zero_positions", "no_mask"}).find(", with 2 edits. Without them: " + intact) != std::string::npos);
  CHECK(said({}).find("ithout") == std::string::npos);
}

TEST_CASE("a shift gives each token a later row of the table, as far as there are rows", "[predictions]") {
  const studies::Inputs inputs = with_prompt("the cat");
  const MatrixView<const float> rows = inputs.network->positions();
  const auto edit = parse_edit("shift_positions:7");
  REQUIRE(edit);
  auto task = model::edited_positions(inputs.network, {{"shift_positions:7", *edit}});
  const auto table = run_to_end(std::move(task));
  REQUIRE(table->rows == rows.rows - 7);
  for (const std::size_t i : {std::size_t(0), std::size_t(3), rows.rows - 8})
    CHECK(std::ranges::equal(table->row(i), rows.row(i + 7)));

  const auto logits = [&](const char* spec) { return run_study("predictions", with_prompt("the cat", {spec})); };
  CHECK(logits("shift_positions:0")->array("logit")->data == run_study("predictions", inputs)->array("logit")->data);
  CHECK(logits("shift_positions:96"));  // four tokens, 100 positions
  CHECK(logits("shift_positions:97").error().sentence ==
        "The edit “shift_positions:97” puts the last token at position 100, but this model's last position is 99.");
  CHECK(!run_study("predictions", with_prompt("the cat", {"shift_positions:50", "shift_positions:47"})));
}

TEST_CASE("a prompt that is too long is said, with the offer to keep its last tokens", "[predictions]") {
  studies::Inputs inputs = planted_inputs();
  inputs.subject.tokens.assign(120, 7);
  const auto refused = run_study("predictions", inputs);
  REQUIRE(!refused);
  CHECK(refused.error().sentence == "The prompt has 120 tokens and this model reads at most 100.");
  CHECK(refused.error().remedy == Remedy::keep_last);
  inputs.subject.tokens.resize(100);
  CHECK(run_study("predictions", inputs));
  inputs.subject.bos = true;  // one more
  CHECK(run_study("predictions", inputs).error().remedy == Remedy::keep_last);
}

TEST_CASE("kept are the last tokens, and BOS, and that is said", "[predictions]") {
  studies::Inputs inputs = planted_inputs();
  inputs.subject.keep_last = true;
  inputs.subject.tokens.assign(120, 7);
  inputs.subject.tokens[21] = 9;
  inputs.subject.bos = true;
  const auto result = run_study("predictions", inputs);
  REQUIRE(result);
  REQUIRE(result->tokens.size() == 100);
  CHECK(result->tokens[0].id == *inputs.tokenizer->end_of_text());
  CHECK(result->tokens[1].id == 9);
  REQUIRE(result->notes.size() == 1);
  CHECK(result->notes[0] == "The prompt has 121 tokens and this model reads at most 100: its first 21 are left out.");
}

TEST_CASE("a model that cannot run says why", "[predictions]") {
  studies::Inputs inputs = planted_inputs();
  inputs.network = nullptr, inputs.no_network = "Text cannot be run through “x”: the MLP matrices are missing.";
  CHECK(run_study("predictions", inputs).error().sentence == inputs.no_network);
}

TEST_CASE("a temperature divides the logits, and is named", "[predictions]") {
  const auto usual = run_study("predictions", with_prompt("the cat"));
  for (const double t : {0.5, 2.0}) {
    const auto other = run_study("predictions", with_prompt("the cat"), {{"temperature", std::to_string(t)}});
    REQUIRE(other);
    CHECK(other->array("logit")->data == usual->array("logit")->data);
    CHECK(other->array("token")->data == usual->array("token")->data);
    const auto &p = other->array("probability")->data, &logit = other->array("logit")->data;
    for (std::size_t i = 1; i < p.size(); ++i)
      CHECK(std::abs(std::log(p[i] / p[0]) - (logit[i] - logit[0]) / t) < 1e-9);
    CHECK((other->scalar("entropy_nats")->value > usual->scalar("entropy_nats")->value) == (t > 1));
    CHECK(other->provenance.convention.find("temperature") != std::string::npos);
  }
  CHECK(usual->provenance.convention.find("temperature") == std::string::npos);
}

TEST_CASE("each of the likeliest tokens is told with its bytes", "[predictions]") {
  const studies::Inputs inputs = with_prompt("the cat");
  const auto all = run_study("predictions", inputs);
  REQUIRE(all);
  for (std::size_t i = 0; i < 10; ++i)
    CHECK(all->words_of("bytes")->data[i] ==
          to_hex(inputs.tokenizer->bytes(static_cast<std::int32_t>(all->array("token")->data[i]))));
}

}  // namespace predictions_test
