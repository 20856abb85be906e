#include "studies/needs_compute.h"

#include <algorithm>

#include "studies/known_tensors.h"
#include "studies/registry_compute.h"

namespace helix::studies {

namespace {

/// Whether the results of these tensors would be about a model that cannot be recognised by them.
bool needs_fingerprint(const ComputeStudy& study, const ModelNeeds& needs) {
  const bool judged = std::ranges::any_of(study.schema.claims, [](const ClaimSpec& c) { return !c.about.empty(); });
  const bool reads = !needs.tensors.empty() || !needs.rows.empty() || needs.reads == Reads::tokens;
  return judged && reads && std::ranges::none_of(needs.tensors, [](const std::string& tensor) {
           return std::ranges::find(kGpt2SmallTensors, tensor, &KnownTensor::name) != kGpt2SmallTensors.end();
         });
}

}  // namespace

std::vector<ModelNeeds> all_needs(const ComputeStudy& study, const ParamValues& params, const std::string& own,
                                  const Known& known) {
  const Known by_name{[&](const std::string& name) { return known.size(name.empty() ? own : name); }, known.tokens};
  std::vector<ModelNeeds> all = study.needs(params, by_name);
  for (ModelNeeds& needs : all)
    if (needs.model.empty()) needs.model = own;
  auto mine = std::ranges::find(all, own, &ModelNeeds::model);
  if (study.schema.reads > Reads::weights) {
    if (mine == all.end()) mine = all.insert(all.end(), {own, {}, {}, study.schema.reads});
    mine->reads = study.schema.reads;
  }
  if (mine != all.end() && needs_fingerprint(study, *mine)) mine->tensors.emplace_back(kFingerprint);
  return all;
}

std::vector<std::string> tensors_of(const ModelNeeds& needs) {
  std::vector<std::string> names = needs.tensors;
  for (const TensorRows& some : needs.rows) names.push_back(some.tensor);
  return names;
}

void set_models(protocol::Provenance& provenance, const std::vector<protocol::UsedModel>& models) {
  const protocol::UsedModel none;
  const protocol::UsedModel& first = models.empty() ? none : models.front();
  provenance.model = first.model, provenance.sha256 = first.sha256, provenance.precision = first.precision;
  provenance.tensors = first.tensors;
  provenance.others.assign(models.begin() + (models.empty() ? 0 : 1), models.end());
}

}  // namespace helix::studies
