// Field lists made by hand, for tests of what is made from field lists.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/schema.h"

namespace helix::testing {

using Axes = std::vector<std::string>;

inline OutputSpec of(const char* name, Axes axes, Role role = Role::quantity, const char* unit = "") {
  OutputSpec spec;
  spec.name = name, spec.label = std::string("the ") + name, spec.unit = unit, spec.role = role;
  spec.axes = std::move(axes), spec.digits = 2;
  return spec;
}

inline StudySchema schema_of(std::vector<OutputSpec> outputs) {
  StudySchema schema;
  schema.outputs = std::move(outputs);
  return schema;
}

}  // namespace helix::testing
