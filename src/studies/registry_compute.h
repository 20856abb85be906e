// The studies as the engine and the command line run them: types are erased here, once.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/subject.h"
#include "base/task.h"
#include "model/emergence.h"
#include "model/network.h"
#include "model/session.h"
#include "model/tokenizer.h"
#include "model/weights.h"
#include "protocol/result.h"
#include "studies/study.h"

namespace helix::studies {

/// What a study may read. By value into the coroutine; everything in it outlives the job.
struct Inputs {
  std::shared_ptr<const model::WeightFile> weights;  // null: no model is open
  protocol::Provenance provenance;                   // the study adds the tensors it read
  Subject subject;                                   // of studies that read tokens or run the model
  std::shared_ptr<const model::Tokenizer> tokenizer;
  std::string no_tokenizer;  // why there is none: a sentence
  std::shared_ptr<model::Network> network;
  std::string no_network;
  std::shared_ptr<model::Session> session;           // of this network; never null where that is not
  std::shared_ptr<const model::Emergence> training;  // of studies that read it
  std::string no_training;
  std::function<void(protocol::Result)> on_first_picture = [](protocol::Result) {};
  std::shared_ptr<std::shared_ptr<void>> memory =
      std::make_shared<std::shared_ptr<void>>();  // the study's own, from run to run
};

struct ComputeStudy {
  StudySchema schema;
  /// Tensors that must be there before `run`, for these parameters.
  std::vector<std::string> (*needs)(const ParamValues&) = nullptr;
  Task<Expected<protocol::Result>> (*run)(ParamValues, Inputs) = nullptr;
};

/// In the order of studies.def.
const std::vector<ComputeStudy>& compute_studies();
const ComputeStudy* find_compute_study(std::string_view id);
std::vector<StudySchema> schemas_of(const std::vector<ComputeStudy>& studies);

/// The typed Output, its parameters and where it came from, as a Result.
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
  result.complete = output.complete;
  protocol::write_outputs(output, result);
  return result;
}

}  // namespace helix::studies
