#include "studies/extended_positions/extended_positions.h"

#include <cmath>
#include <set>

#include "studies/claims/visits.h"
#include "studies/extended_positions/fits.h"
#include "studies/extended_positions/means.h"
#include "studies/registry_view.h"
#include "tests/planted.h"

namespace extended_positions_test {

using namespace helix;
using namespace helix::testing;
namespace ext = studies::extended_positions;
using Catch::Approx;

namespace {

std::string bos_id() { return std::to_string(*planted_tokenizer()->end_of_text()); }

studies::Inputs inputs_on(std::shared_ptr<model::Network> network) {
  studies::Inputs inputs = planted_inputs();
  inputs.network = std::move(network), inputs.session = std::make_shared<model::Sessions>();
  return inputs;
}

/// Positions on a helix, in a network that hands on what it reads.
studies::Inputs idle_inputs() {
  const TinySizes sizes = planted_sizes();
  const Matrix<double> helix = helix_rows(sizes.n_ctx, sizes.d_model, 4, 0.02);
  return inputs_on(network_with([&](const std::string& name, std::span<float> numbers) {
    if (name.find("c_proj") != std::string::npos) std::ranges::fill(numbers, 0.0f);
    for (std::size_t i = 0; name == "wpe.weight" && i < numbers.size(); ++i)
      numbers[i] = static_cast<float>(helix.data[i]);
  }));
}

double scalar(const protocol::Result& r, const char* name) { return r.scalar(name)->value; }

/// The phases of the bar that a run goes through.
std::set<std::string> phases_of(const studies::Inputs& inputs, const Given& values) {
  const studies::ComputeStudy* study = studies::find_compute_study("extended_positions");
  ParamValues params = defaults(study->schema);
  for (const auto& [key, text] : values) REQUIRE(set_value(study->schema, params, key, text, true));
  std::set<std::string> phases;
  Job<Expected<protocol::Result>> job(study->run(params, inputs));
  job.context().on_progress = [&](Progress p) { phases.emplace(p.phase); };
  while (!job.step()) {
  }
  REQUIRE(job.take());
  return phases;
}

}  // namespace

TEST_CASE("before layer 0, extended positions are the positions less their mean", "[extended_positions]") {
  const studies::Inputs inputs = planted_inputs();
  const auto r = run_study("extended_positions", inputs, {{"layer", "0"}, {"token", bos_id()}, {"first", "0"}});
  REQUIRE(r);
  const MatrixView<const float> table = inputs.network->positions();
  const protocol::Array& found = *r->array("matrix");
  REQUIRE(found.shape == std::vector<std::size_t>{table.rows, table.cols});
  for (std::size_t j = 0; j < table.cols; ++j) {
    double mean = 0;
    for (std::size_t i = 0; i < table.rows; ++i)
      mean += static_cast<double>(table(i, j)) / static_cast<double>(table.rows);
    for (std::size_t i = 0; i < table.rows; ++i)
      CHECK(found.data[i * table.cols + j] == Approx(static_cast<double>(table(i, j)) - mean).margin(1e-6));
  }
  CHECK(scalar(*r, "angle_3") < 1e-3);
  // With another token only row 0 differs, apart from a constant, because it holds <|endoftext|>.
  const auto other = run_study("extended_positions", inputs, {{"layer", "0"}});
  REQUIRE(other);
  CHECK(other->array("matrix")->first == 1);
  const auto& rows = other->array("matrix")->data;
  for (std::size_t j = 0; j < table.cols; ++j) {
    const double constant = rows[j] - static_cast<double>(table(1, j));
    for (std::size_t i = 1; i < table.rows; ++i)
      CHECK(rows[(i - 1) * table.cols + j] == Approx(static_cast<double>(table(i, j)) + constant).margin(1e-6));
  }
}

TEST_CASE("in layers that add nothing, a helix stays the same helix", "[extended_positions]") {
  const auto r = run_study("extended_positions", idle_inputs(), {{"prompts", "3"}});
  REQUIRE(r);
  for (const double angle : r->array("angles_by_layer")->data) CHECK(angle < 0.05);
  for (const double cosine : r->array("agreement_by_layer")->data) CHECK(cosine == Approx(1).margin(1e-5));
  CHECK(scalar(*r, "shared") == Approx(scalar(*r, "explained_first3")).margin(1e-5));
  CHECK(scalar(*r, "turns") == Approx(4).margin(0.1));
  CHECK(scalar(*r, "times_fewer") == Approx(1));
  CHECK(scalar(*r, "effective") == Approx(scalar(*r, "effective_positions")).epsilon(1e-3));
  const figure::Figure f = studies::find_view_study("extended_positions")->view(*r, r->params);
  CHECK(f.title == "Before layer 2, all three directions of planted's positions are still the embedding's");
  // Each space says how much of the extended positions it holds; of a difference none does.
  auto made = *r;
  std::ranges::find(made.scalars, "shared", &protocol::Scalar::name)->value = 0.019;
  const auto titled = [&](const char* id) {
    return studies::find_view_study("extended_positions")->view(made, made.params).find(id)->title;
  };
  CHECK(titled("positions") == "in the embedding's three directions: 1.9 %");
  CHECK(titled("both") == "components of both");
  made.difference = true;
  CHECK(titled("positions") == "components of the positions");
  REQUIRE(r->claims.size() >= 2);
  CHECK(r->claims[0].id == "T7");
  CHECK(r->claims[0].holds == true);
  CHECK(r->claims[1].id == "T9");
  INFO(r->claims[1].convention);
  CHECK(r->claims[1].holds == true);
}

TEST_CASE("a layer that turns positions elsewhere is noticed, and layer 0 is not blamed for it",
          "[extended_positions]") {
  // The MLP of layer 0 moves what it reads by six dimensions; its output is much longer than the positions.
  const TinySizes sizes = planted_sizes();
  const std::size_t d = sizes.d_model;
  const Matrix<double> helix = helix_rows(sizes.n_ctx, 3, 2, 0);
  const auto network = network_with([&](const std::string& name, std::span<float> numbers) {
    if (name.find("c_proj") != std::string::npos || name.find("c_fc") != std::string::npos)
      std::ranges::fill(numbers, 0.0f);
    for (std::size_t i = 0; name == "wpe.weight" && i < numbers.size(); ++i)
      numbers[i] = i % d < 3 ? static_cast<float>(helix(i / d, i % d)) : 0;
    for (std::size_t j = 0; j < 3; ++j) {
      if (name == "h.0.mlp.c_fc.weight") numbers[j * 4 * d + j] = 1;      // neuron j reads dimension j
      if (name == "h.0.mlp.c_proj.weight") numbers[j * d + j + 6] = 100;  // and writes to dimension j + 6
    }
  });
  const auto r = run_study("extended_positions", inputs_on(network), {{"layer", "1"}});
  REQUIRE(r);
  CHECK(scalar(*r, "shared") < 0.01);
  CHECK(scalar(*r, "angle_1") > 80);
  const auto& by_layer = r->array("angles_by_layer")->data;
  for (std::size_t k = 0; k < 3; ++k) CHECK(by_layer[k] < 0.05);
  CHECK(studies::find_view_study("extended_positions")
            ->view(*r, r->params)
            .title.starts_with("Before layer 1, planted's positions have left the embedding's three directions"));
}

TEST_CASE("the mean over tokens is that of plain passes, also after ln_1 with its gain", "[extended_positions]") {
  const TinySizes sizes = planted_sizes();
  Tensors tensors;
  const auto network = tiny_network(sizes, 0.3, 1, &tensors);
  const studies::Inputs inputs = inputs_on(network);
  const auto r = run_study("extended_positions", inputs, {{"layer", "1"}, {"prompts", "2"}, {"hook", "ln1"}});
  REQUIRE(r);
  const auto& tokens = r->array("token")->data;
  REQUIRE(tokens.size() == 2);
  const std::size_t n = sizes.n_ctx, d = sizes.d_model;
  Matrix<double> expected(n, d);
  for (const double token : tokens) {
    std::vector<std::int32_t> ids(n, static_cast<std::int32_t>(token));
    ids[0] = *inputs.tokenizer->end_of_text();
    Plain plain = PlainGpt2(sizes, tensors).run(ids);
    const Rows& rows = plain.hooks.at("blocks.1.ln1.hook_normalized");
    const auto &gain = tensors.at("h.1.ln_1.weight"), &shift = tensors.at("h.1.ln_1.bias");
    for (std::size_t j = 0; j < d; ++j) {
      double mean = 0;
      const auto at = [&](std::size_t i) {
        return rows[i][j] * static_cast<double>(gain[j]) + static_cast<double>(shift[j]);
      };
      for (std::size_t i = 0; i < n; ++i) mean += at(i) / static_cast<double>(n);
      for (std::size_t i = 0; i < n; ++i) expected(i, j) += (at(i) - mean) / 2;
    }
  }
  const auto& found = r->array("matrix")->data;
  for (std::size_t i = 1; i < n; ++i)
    for (std::size_t j = 0; j < d; ++j) CHECK(found[(i - 1) * d + j] == Approx(expected(i, j)).margin(2e-4));
}

TEST_CASE("another layer, hook, side or centring costs no second pass", "[extended_positions]") {
  const studies::Inputs inputs = planted_inputs();
  CHECK(phases_of(inputs, {{"prompts", "2"}}).contains("prompt 2 of 2"));
  for (const Given& other : {Given{{"layer", "0"}}, Given{{"hook", "ln1"}}, Given{{"hook", "ln1_normalized"}},
                             Given{{"side", "left"}}, Given{{"centre", "0"}}, Given{{"first", "0"}}}) {
    Given all{{"prompts", "2"}};
    all.insert(all.end(), other.begin(), other.end());
    CHECK(!phases_of(inputs, all).contains("prompt 1 of 2"));
  }
  CHECK(phases_of(inputs, {{"prompts", "3"}}).contains("prompt 1 of 3"));
}

TEST_CASE("random tokens are whole texts, each drawn once", "[extended_positions]") {
  const studies::Inputs inputs = planted_inputs();
  ext::Params params;
  params.prompts = 101;
  const auto chosen = ext::choose_tokens(params, inputs);
  REQUIRE(chosen);
  REQUIRE(chosen->ids.size() == 101);
  CHECK(std::set(chosen->ids.begin(), chosen->ids.end()).size() == 101);
  for (const std::int32_t id : chosen->ids) {
    CHECK(id != chosen->bos);
    CHECK(inputs.tokenizer->encode(inputs.tokenizer->bytes(id)) == std::vector{id});
  }
  REQUIRE(chosen->notes.size() == 1);  // "hello" is not one token here
  params.word.clear();
  CHECK(!ext::choose_tokens(params, inputs));
  params.token = 99'999;
  CHECK(!ext::choose_tokens(params, inputs));
}

TEST_CASE("canonical angles are those of the planes, and of random ones near a right angle", "[extended_positions]") {
  const auto rows_in = [](double tilt) {  // a cloud along the axes 0, 1 and 2 turned from axis 2 to 3 by the tilt
    auto out = std::make_shared<Matrix<double>>(60, 5);
    for (std::size_t i = 0; i < 60; ++i) {
      const double t = 0.1 * static_cast<double>(i);
      (*out)(i, 0) = 3 * std::cos(t), (*out)(i, 1) = 2 * std::sin(t);
      (*out)(i, 2) = std::cos(3 * t) * std::cos(tilt), (*out)(i, 3) = std::cos(3 * t) * std::sin(tilt);
    }
    return out;
  };
  const ext::Fit flat = run_to_end(ext::fit_of(rows_in(0), true)), tilted = run_to_end(ext::fit_of(rows_in(0.5), true));
  const ext::Angles right = run_to_end(ext::angles_between(&flat, &tilted, ext::Side::right));
  CHECK(right[0] < 1e-5);
  CHECK(right[1] < 1e-5);
  CHECK(right[2] == Approx(0.5 * 180 / std::numbers::pi).epsilon(1e-6));
  for (const double angle : run_to_end(ext::angles_between(&flat, &tilted, ext::Side::left))) CHECK(angle < 1e-4);
  const auto line = std::make_shared<Matrix<double>>(60, 5);
  for (std::size_t i = 0; i < 60; ++i) (*line)(i, 1) = static_cast<double>(i);
  const ext::Fit thin = run_to_end(ext::fit_of(line, true));
  CHECK(std::isnan(run_to_end(ext::angles_between(&flat, &thin, ext::Side::right))[0]));
  for (const double angle : run_to_end(ext::random_angles(2000))) CHECK(angle > 80);
  CHECK(ext::effective_dimensions(Matrix<double>(3, 3)) != ext::effective_dimensions(Matrix<double>(3, 3)));
  Matrix<double> even(2, 4);
  std::ranges::fill(even.data, 1e-9);
  CHECK(ext::effective_dimensions(even) == Approx(4));
}

TEST_CASE("the claim of the angles has a row for each convention", "[extended_positions][claims]") {
  studies::claims::Params params;
  params.conventions = "T10";
  const auto visits = studies::claims::visits_of(params);
  REQUIRE(visits);
  CHECK(visits->size() == 24);
}

TEST_CASE("a model without a vocabulary, or with no network, is refused in a sentence", "[extended_positions]") {
  studies::Inputs inputs = planted_inputs();
  inputs.tokenizer = nullptr, inputs.no_tokenizer = "There is no vocabulary.";
  auto r = run_study("extended_positions", inputs);
  REQUIRE(!r);
  CHECK(r.error().sentence == "There is no vocabulary.");
  inputs = planted_inputs();
  inputs.network = nullptr, inputs.no_network = "There is no network.";
  r = run_study("extended_positions", inputs);
  REQUIRE(!r);
  CHECK(r.error().sentence == "There is no network.");
}

}  // namespace extended_positions_test
