#include "studies/registry_view.h"

#include "studies/reading_view.h"
#include "studies/tables_view.h"

namespace helix::studies {

#define STUDY(id)         \
  namespace id {          \
  ViewStudy view_study(); \
  }
#include "studies/studies.def"
#undef STUDY

figure::Figure ViewStudy::view(const protocol::Result& result, const ParamValues& asked) const {
  figure::Figure made = draw(result, asked);
  if (!result.difference) add_field_tables(made, schema, result);
  return made;
}

figure::Reading ViewStudy::reading(const protocol::Result& result, const ParamValues& asked,
                                   const ViewState& view) const {
  figure::Reading made = field_reading(schema, result, view);
  if (!read) return made;
  figure::Reading own = read(made, result, asked, view);
  return own.title.empty() ? made : own;
}

const std::vector<ViewStudy>& view_studies() {
  static const std::vector<ViewStudy> all{
#define STUDY(id) id::view_study(),
#include "studies/studies.def"
#undef STUDY
  };
  return all;
}

const ViewStudy* find_view_study(std::string_view id) {
  for (const ViewStudy& study : view_studies())
    if (study.schema.id == id) return &study;
  return nullptr;
}

std::vector<StudySchema> schemas_of(const std::vector<ViewStudy>& studies) {
  std::vector<StudySchema> schemas;
  for (const ViewStudy& study : studies) schemas.push_back(study.schema);
  return schemas;
}

}  // namespace helix::studies
