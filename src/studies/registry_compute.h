// The studies as the engine and the command line run them: types are erased here, once.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/store.h"
#include "base/subject.h"
#include "base/task.h"
#include "checkpoint/emergence.h"
#include "protocol/result.h"
#include "studies/needs_compute.h"
#include "studies/study.h"

namespace helix::studies {

/// What a study may read. By value into the coroutine; everything in it outlives the job.
struct Inputs {
  std::shared_ptr<const checkpoint::WeightFile> weights;  // null: no model is open
  std::optional<ModelSize> size;                          // of its model, if its files give them
  protocol::Provenance provenance;                        // the study adds the tensors it reads
  Subject subject;                                        // for studies that read tokens or run the model
  std::shared_ptr<const tokenizer::Tokenizer> tokenizer;
  std::string no_tokenizer;  // why there is no tokenizer, as a sentence
  std::shared_ptr<model::Network> network;
  std::string no_network;
  std::shared_ptr<model::Sessions> session;               // of this network; null only if the network is
  std::shared_ptr<const checkpoint::Emergence> training;  // for studies that read it
  std::string no_training;
  std::vector<ModelInputs> models;                           // one for each of the run's needs, in their order
  std::vector<Subject> more{};                               // the other texts of a batch, for studies that take many
  std::shared_ptr<Store> store = std::make_shared<Store>();  // what any study may keep from run to run
  std::function<void(protocol::Result)> on_first_picture = [](protocol::Result) {};
  std::shared_ptr<std::shared_ptr<void>> memory =
      std::make_shared<std::shared_ptr<void>>();  // the study's own cache, from run to run
};

/// What a study keeps from run to run, made when it is first asked for. A study asks for one type only.
template <class Memory>
std::shared_ptr<Memory> shared_memory_of(const Inputs& inputs) {
  if (!*inputs.memory) *inputs.memory = std::make_shared<Memory>();
  return std::static_pointer_cast<Memory>(*inputs.memory);
}
template <class Memory>
Memory& memory_of(const Inputs& inputs) {
  return *shared_memory_of<Memory>(inputs);
}

struct ComputeStudy {
  StudySchema schema;
  /// What must be loaded before `run` with these parameters: one entry per model. Asked again as more becomes known.
  /// What the schema says the study reads is added to the entry of the run's own model.
  std::vector<ModelNeeds> (*needs)(const ParamValues&, const Known&) = nullptr;
  Task<Expected<protocol::Result>> (*run)(ParamValues, Inputs) = nullptr;
};

/// Everything that a run needs, with models by name; `own` is the run's model.
std::vector<ModelNeeds> all_needs(const ComputeStudy& study, const ParamValues& params, const std::string& own,
                                  const Known& known);

/// In the order of studies.def.
const std::vector<ComputeStudy>& compute_studies();
const ComputeStudy* find_compute_study(std::string_view id);
std::vector<StudySchema> schemas_of(const std::vector<ComputeStudy>& studies);

/// The typed Output with its parameters and provenance, as a Result.
template <class Output>
protocol::Result to_result(const StudySchema& schema, const ParamValues& params, const protocol::Provenance& provenance,
                           const Output& output) {
  protocol::Result result;
  result.study = schema.id;
  result.params = params;
  result.provenance = provenance;
  result.provenance.convention = output.convention;
  result.claims = output.claims;
  result.notes = output.notes;
  result.tokens = output.tokens;
  result.edits = output.edits;
  result.complete = output.complete;
  protocol::write_outputs(output, result);
  return result;
}

}  // namespace helix::studies
