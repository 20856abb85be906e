// Every study's result on the planted inputs at its defaults, computed once for all tests of a program.
#pragma once

#include <map>
#include <string>

#include "tests/planted.h"

namespace helix::testing {

/// A run of its own.
inline protocol::Result run_anew(const studies::ComputeStudy& study) {
  auto result = run_to_end(study.run(defaults(study.schema), planted_inputs()));
  if (!result) FAIL(result.error().sentence);
  return std::move(*result);
}

inline const protocol::Result& golden(const studies::ComputeStudy& study) {
  static std::map<std::string, protocol::Result> known;
  const auto found = known.find(study.schema.id);
  return found != known.end() ? found->second : known.emplace(study.schema.id, run_anew(study)).first->second;
}

}  // namespace helix::testing
