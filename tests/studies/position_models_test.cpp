#include <algorithm>

#include "base/text.h"
#include "figure/layout.h"
#include "figure/table.h"
#include "studies/registry_view.h"
#include "tests/planted.h"

namespace position_models_test {

using namespace helix;
using namespace helix::testing;
using Catch::Approx;
using protocol::Result;

namespace {

studies::ModelInputs model_of(const std::string& name, const Matrix<double>& rows) {
  studies::ModelInputs model;
  model.name = name, model.weights = weights_of(checkpoint_of(rows)), model.sha256 = "sha of " + name;
  return model;
}

studies::ModelInputs missing_model() {
  studies::ModelInputs model;
  model.name = "gone", model.why_not = "The hub has no model gone.";
  return model;
}

Matrix<double> curve_rows() { return helix_rows(100, 12, 2.5, 0.02); }

Expected<Result> run(std::vector<studies::ModelInputs> models, const ParamValues& values = {}) {
  studies::Inputs inputs;
  inputs.models = std::move(models);
  return run_study("position_models", inputs, values);
}

double at(const Result& r, const char* array, std::size_t i) {
  REQUIRE(r.array(array));
  REQUIRE(i < r.array(array)->data.size());
  return r.array(array)->data[i];
}

std::string word(const Result& r, const char* words, std::size_t i) {
  REQUIRE(r.words_of(words));
  REQUIRE(i < r.words_of(words)->data.size());
  return r.words_of(words)->data[i];
}

}  // namespace

TEST_CASE("what was done otherwise for several models is said once", "[study][position_models]") {
  const auto r =
      run({model_of("curve", curve_rows()), model_of("other", curve_rows()), model_of("noise", noise_rows(60, 20))});
  REQUIRE(r);
  REQUIRE(r->notes.size() == 2);
  check_sentence(r->notes[0], "curve and other: The range ends at 99");
  check_sentence(r->notes[1], "noise: The range ends at 59");
}

TEST_CASE("a helix is found in the model that has one, and not in noise", "[study][position_models]") {
  const auto r = run({model_of("curve", curve_rows()), model_of("noise", noise_rows(60, 20))});
  REQUIRE(r);
  CHECK(r->scalar("models_shown")->value == 2);
  CHECK(r->scalar("helices")->value == 1);
  CHECK(at(*r, "explained_first3", 0) > 0.95);
  CHECK(at(*r, "components_for_90", 0) == 3);
  CHECK(at(*r, "turns", 0) == Approx(2.5).margin(0.1));
  CHECK(at(*r, "explained_first3", 1) < 0.5);
  CHECK(at(*r, "components_for_90", 1) > 8);
  CHECK(at(*r, "positions", 1) == 60);
  CHECK(at(*r, "dimensions", 0) == 12);
  const auto& points = *r->array("points");
  CHECK(points.shape == std::vector<std::size_t>{2, 99, 3});
  CHECK(std::isfinite(points.data[(99 + 58) * 3]));
  CHECK(std::isnan(points.data[(99 + 59) * 3]));  // the second model has positions 1 to 59 only
  REQUIRE(r->notes.size() == 2);
  check_sentence(r->notes[1], "noise: The range ends at 59");
  CHECK(r->provenance.model == "curve");
  REQUIRE(r->provenance.others.size() == 1);
  CHECK(r->provenance.others[0].model == "noise");
  CHECK(r->provenance.others[0].tensors.size() == 1);
}

TEST_CASE("each model has random walks with its own steps, as the study of one makes them",
          "[study][position_models]") {
  studies::Inputs one;
  one.weights = weights_of(checkpoint_of(curve_rows()));
  const auto alone = run_study("position_helix", one, {{"last", "99"}});
  const auto r = run({model_of("noise", noise_rows(60, 20)), model_of("curve", curve_rows())}, {{"last", "99"}});
  REQUIRE(alone);
  REQUIRE(r);
  for (const char* name : {"walk_turns", "walk_explained_first3"}) {
    REQUIRE(r->array(name)->shape == std::vector<std::size_t>{2, 20});
    for (std::size_t seed = 0; seed < 20; ++seed) CHECK(at(*r, name, 20 + seed) == alone->array(name)->data[seed]);
  }
}

TEST_CASE("the title counts the models whose positions lie on a helix", "[study][position_models][view]") {
  const auto title = [](std::vector<studies::ModelInputs> models) {
    const auto r = run(std::move(models));
    REQUIRE(r);
    return studies::find_view_study("position_models")->view(*r, r->params).title;
  };
  const auto curve = [](const char* name) { return model_of(name, curve_rows()); };
  const auto noise = [](const char* name) { return model_of(name, noise_rows(60, 20)); };
  CHECK(title({curve("a")}) == "This model keeps its positions on a helix");
  CHECK(title({noise("a")}) == "This model's positions do not lie on a helix");
  CHECK(title({curve("a"), curve("b")}) == "Both models keep their positions on a helix");
  CHECK(title({curve("a"), noise("b")}) == "1 of the 2 models keeps its positions on a helix");
  CHECK(title({noise("a"), noise("b"), noise("c")}) == "None of the 3 models keeps its positions on a helix");
  CHECK(title({curve("a"), curve("b"), missing_model()}) == "Both models keep their positions on a helix");
  CHECK(title({missing_model()}) == "Positions of several models");
}

TEST_CASE("one model's numbers are those of the study of one", "[study][position_models]") {
  studies::Inputs one;
  one.weights = weights_of(checkpoint_of(curve_rows()));
  const auto alone = run_study("position_helix", one, {{"first", "5"}, {"last", "90"}});
  const auto r = run({model_of("curve", curve_rows())}, {{"first", "5"}, {"last", "90"}});
  REQUIRE(alone);
  REQUIRE(r);
  for (const char* name : {"explained_first3", "components_for_90", "turns", "turns_skipped"})
    CHECK(at(*r, name, 0) == alone->scalar(name)->value);
  const auto &points = r->array("points")->data, &theirs = alone->array("points")->data;
  for (std::size_t i = 0; i < 86; ++i)
    for (std::size_t c = 0; c < 3; ++c) CHECK(points[i * 3 + c] == theirs[i * 8 + c]);
  for (std::size_t c = 0; c < 8; ++c) CHECK(at(*r, "explained", c) == alone->array("explained")->data[c]);
}

TEST_CASE("a model that is not there has its sentence, the others their numbers", "[study][position_models]") {
  const studies::ModelInputs missing = missing_model();
  studies::ModelInputs other;
  other.name = "other";
  other.weights = weights_of(testing::file_of(std::vector<testing::Entry>{{"something.else", {4, 4}}}));
  const auto r = run({missing, model_of("curve", curve_rows()), other, model_of("short", noise_rows(5, 20))},
                     {{"first", "10"}, {"last", "90"}});
  REQUIRE(r);
  CHECK(r->scalar("models_shown")->value == 1);
  CHECK(word(*r, "why_not", 0) == "The hub has no model gone.");
  CHECK(word(*r, "why_not", 1).empty());
  check_sentence(word(*r, "why_not", 2), "wpe.weight");
  check_sentence(word(*r, "why_not", 3), "the last one is 4");
  CHECK(std::isnan(at(*r, "turns", 0)));
  CHECK(at(*r, "explained_first3", 1) > 0.95);
  CHECK(r->provenance.model == "curve");
  CHECK(r->provenance.others.empty());
  const auto nothing = run({missing});
  REQUIRE(nothing);
  CHECK(nothing->scalar("models_shown")->value == 0);
  CHECK(nothing->array("points")->shape == std::vector<std::size_t>{1, 0, 3});
}

TEST_CASE("the claim about nine models is judged on all nine, and on nothing else", "[study][position_models]") {
  const StudySchema& schema = studies::find_compute_study("position_models")->schema;
  const ClaimSpec& declared = *schema.claim("H4");
  const std::string value = declared.fragment.substr(declared.fragment.find('=') + 1);
  const auto with_helix = [&](auto&& has_one) {
    std::vector<studies::ModelInputs> models;
    for (const std::string& name : split(value, ','))
      models.push_back(model_of(name, has_one(name) ? curve_rows() : noise_rows(60, 20)));
    return models;
  };
  const auto judged = [&](std::vector<studies::ModelInputs> models) {
    const auto r = run(std::move(models), {{"models", value}});
    REQUIRE(r);
    REQUIRE(r->claims.size() == 1);
    CHECK(r->claims[0].id == "H4");
    return r->claims[0];
  };
  const auto is_xl = [](const std::string& name) { return name.ends_with("gpt2-xl"); };
  const auto as_stated = judged(with_helix([&](const std::string& name) { return !is_xl(name); }));
  CHECK(as_stated.here == declared.stated);
  CHECK(as_stated.holds == true);
  CHECK(as_stated.convention.find("none in openai-community/gpt2-xl (") != std::string::npos);
  const auto all_alike = judged(with_helix([](const std::string&) { return true; }));
  CHECK(all_alike.here == 9);
  CHECK(all_alike.holds == false);
  const auto another = judged(with_helix([](const std::string& name) { return !name.ends_with("gpt2-large"); }));
  CHECK(another.here == declared.stated);
  CHECK(another.holds == false);
  auto models = with_helix([](const std::string&) { return true; });
  models[2].weights = nullptr;
  const auto without = judged(models);
  CHECK(!without.holds);
  CHECK(!without.here);
  CHECK(without.needs == std::vector<std::string>{"openai-community/gpt2-large"});
  CHECK(run({model_of("curve", curve_rows())})->claims.empty());
  CHECK(run(models, {{"models", value}, {"first", "2"}})->claims.empty());
}

TEST_CASE("a range the wrong way round is refused", "[study][position_models]") {
  const auto r = run({model_of("curve", curve_rows())}, {{"first", "9"}, {"last", "3"}});
  REQUIRE(!r);
  check_sentence(r.error().sentence, "before it starts at 9");
}

TEST_CASE("a first picture comes before the exact numbers, and not again for the same rows",
          "[study][position_models]") {
  studies::Inputs inputs;
  inputs.models = {model_of("curve", curve_rows()), model_of("gone", curve_rows())};
  inputs.models[1].weights = nullptr, inputs.models[1].why_not = "It is gone.";
  std::vector<Result> pictures;
  inputs.on_first_picture = [&](Result first) { pictures.push_back(std::move(first)); };
  const auto r = run_study("position_models", inputs);
  REQUIRE(r);
  REQUIRE(pictures.size() == 1);
  CHECK(!pictures[0].complete);
  CHECK(r->complete);
  CHECK(at(pictures[0], "explained_first3", 0) == Approx(at(*r, "explained_first3", 0)));
  const auto again = run_study("position_models", inputs);
  REQUIRE(again);
  CHECK(pictures.size() == 1);
  CHECK(again->array("points")->data[0] == r->array("points")->data[0]);
}

TEST_CASE("without names the study reads the open model; all it reads is optional", "[study][position_models]") {
  const auto* study = studies::find_compute_study("position_models");
  REQUIRE(study);
  const studies::Known nothing{[](const std::string&) { return std::nullopt; }};
  const auto own = studies::all_needs(*study, defaults(study->schema), "open", nothing);
  REQUIRE(own.size() == 1);
  CHECK(own[0].model == "open");
  const auto named = studies::all_needs(*study, values_of(study->schema, {{"models", "a,owner/b"}}), "open", nothing);
  REQUIRE(named.size() == 2);
  CHECK(named[1].model == "owner/b");
  CHECK(std::ranges::all_of(named, [](const auto& needs) { return needs.optional; }));
}

TEST_CASE("each model has a space of its own, and one that is not there its sentence", "[study][position_models]") {
  const studies::ModelInputs missing = missing_model();
  const auto r = run({model_of("curve", curve_rows()), missing, model_of("noise", noise_rows(60, 20))});
  REQUIRE(r);
  const auto* study = studies::find_view_study("position_models");
  REQUIRE(study);
  const figure::Figure f = study->view(*r, r->params);
  std::vector<std::size_t> points;
  for (const figure::Panel& panel : f.panels)
    if (const auto* space = std::get_if<figure::Space>(&panel.content)) {
      const auto curve = figure::curve_of(*space, {});
      points.push_back(curve ? curve->points.size() : 0);
    }
  CHECK(points == std::vector<std::size_t>{99, 0, 59});
  std::string all;
  for (const figure::Note& note : f.notes) all += note.text + "\n";
  for (const figure::Table& table : f.tables) all += figure::to_csv(table);
  CHECK(all.find("The hub has no model gone.") != std::string::npos);
}

}  // namespace position_models_test
