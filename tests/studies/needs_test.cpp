#include "studies/needs_compute.h"

#include "studies/registry_compute.h"
#include "tests/support.h"

namespace needs_test {

using namespace helix;
using studies::ModelNeeds;
using studies::ModelSize;

namespace {

/// A study that reads the run's own model and another one, and from that as many rows as it has layers.
studies::ComputeStudy study_of(Reads reads, bool own) {
  studies::ComputeStudy study;
  study.schema.reads = reads;
  study.needs = own ? +[](const ParamValues&, const studies::Known& known) {
    ModelNeeds other{"other", {}, {{"wte.weight", {}}}};
    if (const auto size = known.size("other")) other.rows[0].rows.resize(size->n_layer);
    return std::vector<ModelNeeds>{{"", {"wpe.weight"}}, other};
  } : +[](const ParamValues&, const studies::Known&) { return std::vector<ModelNeeds>(); };
  return study;
}

const studies::Known kNothing{[](const std::string&) { return std::nullopt; }};

}  // namespace

TEST_CASE("the run's own model is needed by its name, with what the schema says is read of it", "[studies][needs]") {
  const auto all = studies::all_needs(study_of(Reads::forward, true), {}, "open", kNothing);
  REQUIRE(all.size() == 2);
  CHECK(all[0].model == "open");
  CHECK(all[0].tensors == std::vector<std::string>{"wpe.weight"});
  CHECK(all[0].reads == Reads::forward);
  CHECK(all[1].model == "other");
  CHECK(all[1].reads == Reads::weights);

  const auto only = studies::all_needs(study_of(Reads::tokens, false), {}, "open", kNothing);
  REQUIRE(only.size() == 1);
  CHECK(only[0].model == "open");
  CHECK(only[0].reads == Reads::tokens);
  CHECK(!only[0].optional);

  CHECK(studies::all_needs(study_of(Reads::weights, false), {}, "open", kNothing).empty());
}

TEST_CASE("a study is told what is known of a model, its own by no name or by its own", "[studies][needs]") {
  const studies::Known known{[](const std::string& name) -> std::optional<ModelSize> {
                               if (name == "other") return ModelSize{3};
                               return std::nullopt;
                             },
                             [] { return std::vector<std::int32_t>{7}; }};
  CHECK(studies::all_needs(study_of(Reads::weights, true), {}, "open", known)[1].rows[0].rows.size() == 3);
  studies::ComputeStudy study;
  study.needs = [](const ParamValues&, const studies::Known& ask) {
    return std::vector<ModelNeeds>(ask.size("") && ask.size("other") ? ask.tokens().size() : 0);
  };
  CHECK(studies::all_needs(study, {}, "other", known).size() == 1);
  CHECK(studies::all_needs(study, {}, "open", known).empty());
}

TEST_CASE("a provenance names the models that were read, the first as its own", "[studies][needs]") {
  protocol::Provenance provenance;
  provenance.model = "open", provenance.sha256 = "00", provenance.tensors = {{"wte.weight", "11"}};
  studies::set_models(provenance, {{"a", "aa", "F32", {{"wpe.weight", "22"}}}, {"b", "bb", "F16", {}}});
  CHECK(provenance.model == "a");
  CHECK(provenance.sha256 == "aa");
  CHECK(provenance.tensors[0].sha256 == "22");
  REQUIRE(provenance.others.size() == 1);
  CHECK(provenance.others[0].model == "b");
  studies::set_models(provenance, {});
  CHECK(provenance.model.empty());
  CHECK(provenance.tensors.empty());
  CHECK(provenance.others.empty());
}

}  // namespace needs_test
