#include "studies/registry_compute.h"

namespace helix::studies {

#define STUDY(id)               \
  namespace id {                \
  ComputeStudy compute_study(); \
  }
#include "studies/studies.def"
#undef STUDY

const std::vector<ComputeStudy>& compute_studies() {
  static const std::vector<ComputeStudy> all{
#define STUDY(id) id::compute_study(),
#include "studies/studies.def"
#undef STUDY
  };
  return all;
}

const ComputeStudy* find_compute_study(std::string_view id) {
  for (const ComputeStudy& study : compute_studies())
    if (study.schema.id == id) return &study;
  return nullptr;
}

std::vector<StudySchema> schemas_of(const std::vector<ComputeStudy>& studies) {
  std::vector<StudySchema> schemas;
  for (const ComputeStudy& study : studies) schemas.push_back(study.schema);
  return schemas;
}

}  // namespace helix::studies
