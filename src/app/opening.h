// What a study shows when it is chosen by its name: in the menu, in the palette, by a key.
#pragma once

#include <vector>

#include "state/app_state.h"

namespace helix::app {

/// The state with another study open: on its first preset, which shows what the study is about. What the visitor has
/// made stays: a head that was chosen in a study of single heads, a text of their own, edits, a comparison. The text of a
/// preset is not theirs, and gives way. The study
/// that is open already opens on its defaults.
state::AppState opened(const state::AppState& from, const StudySchema& study, const std::vector<StudySchema>& schemas);

}  // namespace helix::app
