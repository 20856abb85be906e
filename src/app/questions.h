// What the page asks the engine: the questions of its runs, derived from its state.
#pragma once

#include <optional>
#include <vector>

#include "app/models.h"
#include "base/schema.h"
#include "state/app_state.h"

namespace helix::app {

/// Whether two states give the same result: the study does not depend on what differs.
bool same_run(const state::AppState& a, const state::AppState& b, const std::vector<StudySchema>& schemas);

/// Whether two subjects are the same text.
bool same_text(const Subject& a, const Subject& b);

/// The state that this one is compared with. An error is a sentence: there is no such state.
Expected<state::AppState> other_question(const state::AppState& state, const Models& models,
                                         const std::vector<StudySchema>& schemas);

/// The question with the other side of its comparison, where an edit that is on takes values from there. Only a run of
/// the same model has such values.
state::AppState with_other(state::AppState question, const Expected<state::AppState>& other);

/// Whether the prompt or its edits are the visitor's own: what follows is then predicted without being asked for.
bool predicts_by_itself(const Subject& subject);

/// The run of the prompt beside the open study: what it predicts or, for a study that runs no text and was not asked
/// for a prediction, only its tokens. Beside a study that runs the prompt itself, only the effect of edits is shown.
std::optional<state::AppState> text_question(const state::AppState& state, const Models& models,
                                             const std::vector<StudySchema>& schemas);

/// The same run without its edits; nothing if none is on.
std::optional<state::AppState> without_edits(const std::optional<state::AppState>& question);

}  // namespace helix::app
