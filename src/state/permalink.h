// A view as a link: readable keys, fixed order, defaults left out, versioned. Old links stay valid: keys are added,
// never renamed, and defaults are frozen per version.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "state/app_state.h"
#include "state/link_text.h"  // percent-encoding, for callers that make links

namespace helix::state {

inline constexpr int kLinkVersion = 1;

/// "#v=1&model=…&study=position_helix&position_helix.first=100". Only the open study's parameters are written.
std::string encode(const AppState& state, const std::vector<StudySchema>& schemas);

/// A link to the step of the lesson that is open, whose view the page finds in the lesson: "#v=1&lesson=helix/3". Empty
/// where no lesson is open.
std::string short_link(const AppState& state);

struct Decoded {
  AppState state;
  std::vector<std::string> notices;  // sentences for the visitor; empty when all was understood
  bool bad = false;                  // true: nothing of the link was used, `state` is the default
};

/// Reads a link, with or without "#". Never fails: a bad link gives the default state and says why; numbers out of
/// range are moved into it; unknown keys are kept and reported.
Decoded decode(std::string_view hash, const std::vector<StudySchema>& schemas);

}  // namespace helix::state
