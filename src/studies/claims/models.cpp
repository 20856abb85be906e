#include "studies/claims/models.h"

#include <algorithm>

#include "studies/helix_compute.h"

namespace helix::studies::claims {
namespace {

enum class Tensors { required, all };

/// Tensors that a visit reads of the model it runs on.
std::vector<std::string> tensors_of(const Visit& visit, const Known& known, Tensors which) {
  std::vector<std::string> all;
  for (const ModelNeeds& needs : visit.study->needs(visit.params, known))
    if (needs.model.empty() && !(needs.optional && which == Tensors::required)) {
      all.insert(all.end(), needs.tensors.begin(), needs.tensors.end());
      for (const TensorRows& rows : needs.rows) all.push_back(rows.tensor);
    }
  return all;
}

/// Whether a study that can run a model, and has more to say than what comes of that, has claims about the open model at
/// this setting: a part of that model tells more about them than another model that is whole.
bool is_partly_judged(const Visit& visit, const std::string& open) {
  return runs_model(visit.study->schema.reads) &&
         std::ranges::any_of(visit.study->schema.claims, [&](const ClaimSpec& claim) {
           return !open.empty() && claim.about == open && claim.fragment == visit.fragment;
         });
}

}  // namespace

bool is_whole(const std::optional<ModelSize>& size) { return size && size->n_layer > 0 && size->n_vocab > 0; }

ModelNeeds needs_of_model(const std::string& name, const std::vector<Visit>& visits, const Known& known) {
  const auto size = known.size(name);
  const auto reads_text = [](const Visit& visit) { return reads_prompt(visit.study->schema.reads); };
  const Reads partly = std::ranges::any_of(visits, reads_text) ? Reads::tokens : Reads::weights;
  ModelNeeds all{name, {}, {}, is_whole(size) ? Reads::forward : partly, true};
  const Known own{[&](const std::string&) { return size; }};
  for (const Visit& visit : visits)
    for (const std::string& tensor : tensors_of(visit, own, Tensors::all)) {
      const bool there = size && (tensor.starts_with("h.") ? size->n_layer > 0
                                  : tensor == "wte.weight" ? size->n_vocab > 0
                                                           : true);
      if (there && std::ranges::find(all.tensors, tensor) == all.tensors.end()) all.tensors.push_back(tensor);
    }
  return all;
}

std::vector<std::string> named_models(const Visit& visit) {
  std::vector<std::string> names;
  for (const ModelNeeds& needs :
       visit.study->needs(visit.params, Known{[](const std::string&) { return std::nullopt; }}))
    if (!needs.model.empty()) names.push_back(needs.model);
  if (names.size() > 2) return {"the " + std::to_string(names.size()) + " models that its link names"};
  return names;
}

std::vector<std::string> missing_for(const Visit& visit, const ModelInputs& model) {
  const Known known{[](const std::string&) { return std::nullopt; }};
  const Reads reads = visit.study->schema.reads;
  std::vector<std::string> missing;
  for (const std::string& tensor : tensors_of(visit, known, Tensors::required))
    if (!model.weights || !model.weights->header() || !model.weights->header()->find(tensor)) missing.push_back(tensor);
  if (missing.empty() && runs_model(reads) && !model.network) missing.push_back(kWhole);
  if (missing.empty() && reads == Reads::tokens && !model.tokenizer) missing.emplace_back("vocab.json");
  return missing;
}

const ModelInputs* model_for(const Visit& visit, const std::vector<ModelInputs>& models, const std::string& open) {
  const ModelInputs& own = models.front();
  const bool partly = visit.study->schema.judges_parts && own.weights && own.weights->header() &&
                      (own.weights->header()->find("h.0.ln_1.weight") || own.weights->header()->find(kPositionTable)) &&
                      missing_for(visit, own) == std::vector<std::string>{kWhole};
  if (partly && is_partly_judged(visit, open)) return &own;
  for (const ModelInputs& model : models)
    if (missing_for(visit, model).empty()) return &model;
  return partly ? &own : nullptr;
}

}  // namespace helix::studies::claims
