// What a study's folder must define, and how its typed fields become the plain schema that everything else reads.
//
//   <id>/<id>.h       struct Params, struct Output (with fields()), and describe(): no model, no geometry, no figure
//   <id>/compute.cpp  numbers from weights:  ComputeStudy compute_study()
//   <id>/view.cpp     a figure from numbers: ViewStudy view_study()
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/fields.h"
#include "base/words.h"
#include "protocol/outputs.h"

namespace helix::studies {

/// What every study's Output has besides its own fields.
struct OutputBase {
  std::vector<protocol::Claim> claims;
  std::vector<std::string> notes;
  std::vector<protocol::Token> tokens;  // the tokens that ran; empty for studies of weights
  std::vector<std::string> edits;       // the active edits of the run
  std::string convention;               // how the numbers were computed, for the line under every result
  bool complete = true;                 // false: a first picture, the exact one follows
};

/// Fills in parameters and outputs, which follow from the types, and all texts, which are the study's words.
template <class Params, class Output>
StudySchema with_fields(StudySchema schema) {
  schema.params = param_specs<Params>();
  schema.outputs = protocol::output_specs<Output>();
  add_words(schema);
  return schema;
}

}  // namespace helix::studies
