// What the two sides of a comparison are called: what each has and the other has not.
#pragma once

#include <string>
#include <vector>

#include "state/app_state.h"

namespace helix::state {

struct SideNames {
  std::string now, other;  // "Without positions", "As it is"
};

/// Two different names, each a few words long, that begin with a capital letter.
SideNames side_names(const AppState& now, const AppState& other, const std::vector<StudySchema>& schemas);

}  // namespace helix::state
