#include "studies/needs_compute.h"

#include <algorithm>

#include "studies/registry_compute.h"

namespace helix::studies {

std::vector<ModelNeeds> all_needs(const ComputeStudy& study, const ParamValues& params, const std::string& own,
                                  const Known& known) {
  const Known by_name{[&](const std::string& name) { return known.size(name.empty() ? own : name); }, known.tokens};
  std::vector<ModelNeeds> all = study.needs(params, by_name);
  for (ModelNeeds& needs : all)
    if (needs.model.empty()) needs.model = own;
  if (study.schema.reads <= Reads::weights) return all;
  const auto mine = std::ranges::find(all, own, &ModelNeeds::model);
  if (mine == all.end())
    all.push_back({own, {}, {}, study.schema.reads});
  else
    mine->reads = study.schema.reads;
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
