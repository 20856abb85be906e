#include "studies/verification/verification.h"

#include "studies/registry_view.h"
#include "studies/verification/published.h"
#include "tests/planted.h"

using namespace helix;
using namespace helix::testing;

TEST_CASE("products and cache are exact on this machine", "[verification]") {
  const auto result = run_study("verification", planted_inputs());
  REQUIRE(result);
  CHECK(result->scalar("cache_difference")->value == 0);
  CHECK(result->scalar("worst_product")->value > 0);
  CHECK(result->scalar("worst_product")->value < 1e-5);
  REQUIRE(result->array("product_error")->shape == std::vector<std::size_t>{3, 4});
  CHECK(result->claims.size() == 8);  // norms, beside GPT-2 small's; logits are published for its tokens alone
  for (const protocol::Claim& claim : result->claims) CHECK(claim.here);
  for (const char* name : {"held", "differ", "untested"}) {  // never "0 of 0": there are no checks to count
    CHECK(std::isnan(result->scalar(name)->value));
    CHECK(result->scalar(name)->note == "the published numbers are for GPT-2 small");
  }
  REQUIRE(result->notes.size() == 1);
  CHECK(result->notes[0].find("GPT-2 small") != std::string::npos);
}

TEST_CASE("on another model than GPT-2 small the figure shows what was checked there", "[verification]") {
  const auto result = run_study("verification", planted_inputs());
  REQUIRE(result);
  const studies::ViewStudy* study = studies::find_view_study("verification");
  REQUIRE(study);
  const figure::Figure f = study->view(*result, result->params);
  CHECK(f.title.starts_with("Products are within "));
  CHECK(f.subtitle.find("for GPT-2 small") != std::string::npos);
  const auto& number = std::get<figure::Number>(f.find("number")->content);
  CHECK(number.number.find_first_of("123456789") == 0);
  CHECK(number.lines == std::vector<std::string>{"largest relative error of a product", "cache: |Δ| 0"});

  const auto& map = std::get<figure::Plot>(f.find("products")->content);
  const auto& cells = std::get<figure::Cells>(map.marks.at(0));
  const protocol::Array& errors = *result->array("product_error");
  REQUIRE(cells.numbers.size() == errors.data.size());
  const double unit = errors.data[1] / static_cast<double>(cells.numbers[1]);
  for (std::size_t i = 0; i < errors.data.size(); ++i)
    CHECK(static_cast<double>(cells.numbers[i]) * unit == Catch::Approx(errors.data[i]).epsilon(1e-6));
  const auto most = static_cast<double>(*std::ranges::max_element(cells.numbers));
  CHECK(most >= 1);
  CHECK(most < 10);
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
    CHECK(table.columns[3].values[i] == *result->claims[i].here);
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
  for (const auto& published : studies::verification::published_logits()) {
    CHECK(!published.tokens.empty());
    for (const std::int32_t id : published.tokens) CHECK((id >= 0 && id < 50257));
    CHECK(schema.claim(published.id));
    CHECK(published.shown < 50257);
    for (const auto& [id, logit] : published.others) CHECK((id >= 0 && id < 50257 && logit < 0));
  }
}
