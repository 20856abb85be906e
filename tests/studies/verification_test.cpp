#include "studies/verification/verification.h"

#include "state/fragment.h"
#include "studies/registry_view.h"
#include "studies/verification/published.h"
#include "tests/planted.h"

namespace verification_test {

using namespace helix;
using namespace helix::testing;

namespace {

const protocol::Claim& claim_of(const protocol::Result& result, const std::string& id) {
  const auto found = std::ranges::find(result.claims, id, &protocol::Claim::id);
  REQUIRE(found != result.claims.end());
  return *found;
}

/// A planted model whose vocabulary has some words whole, and whose heads are many enough for head 0.8.
studies::Inputs with_names() {
  testing::MergeList merges;
  const auto word = [&](const std::string& text) {
    for (std::size_t n = 1; n < text.size(); ++n)
      if (std::pair merge(text.substr(0, n), text.substr(n, 1)); std::ranges::find(merges, merge) == merges.end())
        merges.push_back(std::move(merge));
  };
  for (const char* name : {" John", " Mary", " Tom", " James", " Dan", " Sid", " Martin", " Amy"}) word(name);
  const auto files = testing::files_of(merges);
  auto tokenizer = tokenizer::Tokenizer::read(files.vocab_json, files.merges_txt, "names");
  REQUIRE(tokenizer);
  studies::Inputs inputs = planted_inputs();
  inputs.network = tiny_network({2, 36, 9, 256, tokenizer->size()});
  inputs.tokenizer = std::make_shared<const tokenizer::Tokenizer>(std::move(*tokenizer));
  return inputs;
}

}  // namespace

TEST_CASE("products and cache are exact on this machine", "[verification]") {
  const auto result = run_study("verification", planted_inputs());
  REQUIRE(result);
  CHECK(result->scalar("cache_difference")->value == 0);
  CHECK(result->scalar("worst_product")->value > 0);
  CHECK(result->scalar("worst_product")->value < 1e-5);
  REQUIRE(result->array("product_error")->shape == std::vector<std::size_t>{3, 4});
  CHECK(result->claims.size() == 14);  // norms, texts and F3; logits are published for GPT-2 small's tokens alone
  for (const protocol::Claim& claim : result->claims)
    if (claim.id.starts_with("F")) CHECK(claim.here);
  for (const char* name : {"held", "differ", "untested"}) {  // never "0 of 0": there are no checks to count
    CHECK(std::isnan(result->scalar(name)->value));
    CHECK(result->scalar(name)->note == "the published numbers are for GPT-2 small");
  }
  REQUIRE(result->notes.size() == 1);
  CHECK(result->notes[0].find("GPT-2 small") != std::string::npos);
}

TEST_CASE("losses are those of the study of losses, with its texts, BOS and edit", "[verification]") {
  const studies::Inputs inputs = with_names();
  const auto result = run_study("verification", inputs);
  REQUIRE(result);
  for (const char* id : {"TL-hello", "TL-tasks", "TL-tasks-0.8"}) {
    CAPTURE(id);
    state::AppState start;
    start.study = "verification";
    const auto link = state::apply_fragment(start, studies::verification::shown_by(id),
                                            studies::schemas_of(studies::compute_studies()));
    REQUIRE(link);
    CHECK(link->state.study == "surprise");
    studies::Inputs there = inputs;
    there.subject = link->state.subject;
    const auto shown = run_study("surprise", there);
    REQUIRE(shown);
    REQUIRE(claim_of(*result, id).here);
    CHECK(*claim_of(*result, id).here == shown->scalar("mean_nats")->value);
    CHECK(claim_of(*result, id).holds == false);
  }
  CHECK(*claim_of(*result, "TL-tasks").here != *claim_of(*result, "TL-tasks-0.8").here);
  CHECK(claim_of(*result, "TL-tasks-0.8").convention.find("5.453") != std::string::npos);
  CHECK(!claim_of(*run_study("verification", planted_inputs()), "TL-tasks-0.8").here);  // it has two heads
}

TEST_CASE("what follows “The dog” is what the study of generation gives", "[verification]") {
  studies::Inputs inputs = with_names();
  const auto result = run_study("verification", inputs);
  REQUIRE(result);
  inputs.subject.prompt = studies::verification::kDog;
  const auto generated = run_study("continuation", inputs, {{"count", "18"}});
  REQUIRE(generated);
  CHECK(result->array("greedy")->data == generated->array("token")->data);
  CHECK(!claim_of(*result, "HF-greedy").here);  // these ids mean other tokens
}

TEST_CASE("of two names the difference of logits is that of the prediction", "[verification]") {
  studies::Inputs inputs = with_names();
  const auto result = run_study("verification", inputs);
  REQUIRE(result);
  const auto& prompts = result->words_of("name_prompt")->data;
  const auto& differences = result->array("name_difference")->data;
  REQUIRE(prompts.size() == 8);
  REQUIRE(differences.size() == 8);
  CHECK(prompts[0] == "When John and Mary went to the shops, John gave the bag to");
  CHECK(prompts[1] == "When John and Mary went to the shops, Mary gave the bag to");
  CHECK(prompts[7] == "After Martin and Amy went to the park, Martin gave a drink to");
  double sum = 0;
  for (const double difference : differences) sum += difference;
  CHECK(std::abs(*claim_of(*result, "TL-names").here - sum / 8) < 1e-12);

  inputs.subject.prompt = prompts[0], inputs.subject.bos = true;
  const auto next = run_study("predictions", inputs, {{"top", "100"}});
  REQUIRE(next);
  const auto logit = [&](const char* name) {
    const auto& texts = next->words_of("text")->data;
    const auto at = std::ranges::find(texts, name);
    return at == texts.end() ? std::nan("") : next->array("logit")->data[static_cast<std::size_t>(at - texts.begin())];
  };
  if (std::isfinite(logit(" Mary")) && std::isfinite(logit(" John")))
    CHECK(std::abs(differences[0] - (logit(" Mary") - logit(" John"))) < 1e-6);
  const auto none = run_study("verification", planted_inputs());  // no name is one token there
  REQUIRE(none);
  CHECK(!claim_of(*none, "TL-names").here);
  CHECK(claim_of(*none, "TL-names").convention ==
        "in 8 of the 8 prompts a name is not one token here, or its logit is no number");
}

TEST_CASE("logits are the products of the embeddings, and a wrong one shows", "[verification]") {
  studies::Inputs inputs = planted_inputs();
  const auto right = run_study("verification", inputs);
  REQUIRE(right);
  CHECK(claim_of(*right, "F3").holds == true);
  CHECK(std::abs(*claim_of(*right, "F3").here - 1) < 1e-12);
  CHECK(right->scalar("head_error")->value < 1e-5);
  auto wrong = inputs.network->kernels();
  const auto usual = wrong;
  static auto keep = wrong.matmul;
  wrong.matmul = [](const float* x, std::size_t ldx, std::size_t rows, const kernels::PackedView& w, std::size_t first,
                    std::size_t end, const float* bias, float* y, std::size_t ldy) {
    keep(x, ldx, rows, w, first, end, bias, y, ldy);
    if (w.out == planted_tokenizer()->size() && first == 0) y[3] += 0.1f;  // the output head alone
  };
  const_cast<kernels::Table&>(inputs.network->kernels()) = wrong;
  inputs.store = std::make_shared<Store>();  // what was computed of this network is kept
  const auto broken = run_study("verification", inputs);
  const_cast<kernels::Table&>(inputs.network->kernels()) = usual;
  REQUIRE(broken);
  CHECK(claim_of(*broken, "F3").holds == false);
  CHECK(broken->scalar("head_error")->value > 1e-3);

  const TinySizes sizes = planted_sizes();
  inputs.network = tiny_network({sizes.n_layer, sizes.d_model, sizes.n_head, sizes.n_ctx, sizes.n_vocab, false});
  const auto untied = run_study("verification", inputs);  // another matrix than E makes its logits
  REQUIRE(untied);
  CHECK(!claim_of(*untied, "F3").holds);
  CHECK(!untied->scalar("head_error")->note.empty());
}

TEST_CASE("each published number leads to a study that shows it", "[verification][view]") {
  const auto schemas = studies::schemas_of(studies::compute_studies());
  for (const ClaimSpec& claim : studies::verification::describe().claims) {
    CAPTURE(claim.id);
    state::AppState start;
    start.study = "verification";
    const auto link = state::apply_fragment(start, studies::verification::shown_by(claim.id), schemas);
    REQUIRE(link);
    CHECK(link->state.study != "verification");
    CHECK(link->notices.empty());
  }
}

TEST_CASE("on another model than GPT-2 small the figure shows what was checked there", "[verification]") {
  const auto result = run_study("verification", planted_inputs());
  REQUIRE(result);
  const studies::ViewStudy* study = studies::find_view_study("verification");
  REQUIRE(study);
  const figure::Figure f = study->view(*result, result->params);
  CHECK(f.title.starts_with("Products are within "));
  CHECK(f.subtitle.find("for GPT-2 small") != std::string::npos);
  CHECK(f.subtitle.ends_with(" Dashed: one step of a 32-bit float."));
  protocol::Result changed = *result;
  changed.difference = true;  // a map without dashed lines
  CHECK(study->view(changed, changed.params).subtitle.find("Dashed") == std::string::npos);
  CHECK(f.lead.number.find_first_of("123456789") == 0);
  CHECK(f.lead.lines == std::vector<std::string>{"largest relative error of a product", "cache: |Δ| 0"});
  CHECK(!f.find("published"));

  const protocol::Array& errors = *result->array("product_error");
  const std::size_t layers = errors.shape[0], matrices = errors.shape[1];
  for (std::size_t m = 0; m < matrices; ++m) {
    const figure::Panel* panel = f.find("product_" + std::to_string(m));
    REQUIRE(panel);
    const auto& plot = std::get<figure::Plot>(panel->content);
    CHECK(plot.x.id == "error");  // all matrices share the axis
    const auto& dots = std::get<figure::Points>(plot.marks.back());
    REQUIRE(dots.at->size() == layers);
    for (std::size_t i = 0; i < layers; ++i) {
      const double error = errors.data[i * matrices + m];
      if (error > 0) CHECK((*dots.at)(i, 0) == error);
      CHECK((*dots.at)(i, 1) == static_cast<double>(i));
    }
  }
  ViewState view;
  view.focus.set("layer", 0), view.focus.set("matrix", 3);
  const figure::Reading reading = study->reading(*result, result->params, view);
  CHECK(reading.title == "layer 0, mlp.c_proj");
  REQUIRE(reading.lines.size() == 1);
}

TEST_CASE("a product that is wrong shows", "[verification]") {
  studies::Inputs inputs = planted_inputs();
  auto wrong = inputs.network->kernels();
  const auto right = wrong.matmul;
  static auto keep = right;
  wrong.matmul = [](const float* x, std::size_t ldx, std::size_t rows, const kernels::PackedView& w, std::size_t first,
                    std::size_t end, const float* bias, float* y, std::size_t ldy) {
    keep(x, ldx, rows, w, first, end, bias, y, ldy);
    if (w.out > 3) y[3] += 0.01f;
  };
  const_cast<kernels::Table&>(inputs.network->kernels()) = wrong;
  const auto result = run_study("verification", inputs);
  wrong.matmul = right;
  const_cast<kernels::Table&>(inputs.network->kernels()) = wrong;
  REQUIRE(result);
  CHECK(result->scalar("worst_product")->value > 1e-4);
}

TEST_CASE("in 8 bits the products' rounding is told as what it is", "[verification]") {
  studies::Inputs inputs = planted_inputs();
  inputs.network = model::Network::quantised(inputs.network);
  const auto result = run_study("verification", inputs);
  REQUIRE(result);
  CHECK(result->scalar("worst_product")->value < 0.02);  // digits of 7 bits
  CHECK(!claim_of(*result, "F3").holds);
  CHECK(result->scalar("cache_difference")->value == 0);
  CHECK(result->scalar("worst_product")->note.find("rounding") != std::string::npos);
}

TEST_CASE("a model that cannot run is told why, and nothing of it is measured", "[verification]") {
  studies::Inputs inputs = planted_inputs();
  inputs.network = nullptr, inputs.no_network = "Text cannot be run through “x”: the MLP matrices are missing.";
  const auto result = run_study("verification", inputs);
  REQUIRE(result);
  CHECK(result->notes.back() == inputs.no_network);
  CHECK(result->array("product_error")->data.empty());
  for (const char* name : {"worst_logit", "worst_product", "cache_difference"}) {
    CHECK(std::isnan(result->scalar(name)->value));
    CHECK(!result->scalar(name)->note.empty());
  }
  const auto encoded = protocol::encode(*result, studies::find_compute_study("verification")->schema);
  CHECK(
      protocol::decode(encoded.header, encoded.data.data(), encoded.data.size()));  // empty arrays survive encoding too
}

TEST_CASE("every published number has a row with the number here and its verdict", "[verification][view]") {
  const auto result = run_study("verification", planted_inputs());
  REQUIRE(result);
  const studies::ViewStudy* study = studies::find_view_study("verification");
  const figure::Figure f = study->view(*result, result->params);
  const figure::Table& table = f.tables[0];
  CHECK(table.title == "Published numbers");
  CHECK(table.open);
  REQUIRE(table.columns[0].texts.size() == result->claims.size());
  for (std::size_t i = 0; i < result->claims.size(); ++i) {
    CHECK(table.columns[0].texts[i] == result->claims[i].id);
    const auto& here = result->claims[i].here;
    CHECK((here ? table.columns[3].values[i] == *here : std::isnan(table.columns[3].values[i])));
    CHECK(table.go[i] == studies::verification::shown_by(result->claims[i].id));
    CHECK(table.columns[4].texts[i] == protocol::verdict(result->claims[i]));
  }
}

TEST_CASE("the title counts one check as one", "[verification][view]") {
  const studies::ViewStudy* study = studies::find_view_study("verification");
  auto result = run_study("verification", planted_inputs());
  REQUIRE(result);
  const auto title = [&](double held, double differ, double untested) {
    for (protocol::Scalar& s : result->scalars) {
      if (s.name == "held") s.value = held;
      if (s.name == "differ") s.value = differ;
      if (s.name == "untested") s.value = untested;
    }
    return study->view(*result, result->params).title;
  };
  CHECK(title(12, 1, 0) == "1 published check fails here");
  CHECK(title(4, 9, 0) == "9 published checks fail here");
  CHECK(title(1, 0, 12) == "The one published check that can be made holds");
  CHECK(title(4, 0, 9) == "All 4 published checks that can be made hold");
  CHECK(title(0, 0, 1) == "1 published check needs tensors that are not loaded");
}

TEST_CASE("published numbers are of ids that exist", "[verification]") {
  const StudySchema schema = studies::verification::describe();
  for (const auto& loss : studies::verification::published_losses()) {
    CHECK(schema.claim(loss.id));
    CHECK(loss.within > 0);
  }
  CHECK(studies::verification::published_greedy().size() == studies::verification::kGreedy);
  for (const auto& published : studies::verification::published_logits()) {
    CHECK(!published.tokens.empty());
    for (const std::int32_t id : published.tokens) CHECK((id >= 0 && id < 50257));
    CHECK(schema.claim(published.id));
    CHECK(published.shown < 50257);
    for (const auto& [id, logit] : published.others) CHECK((id >= 0 && id < 50257 && logit < 0));
  }
}

}  // namespace verification_test
