// What the shell renders, as JSON: the state, the texts of the figure, numbers, claims, provenance, status.
#pragma once

#include <string>

#include "app/app.h"
#include "figure/drawing.h"

namespace helix::app {

/// The studies with their parameters: what the shell makes its menu and its controls from. Does not change.
std::string schemas_json(const std::vector<StudySchema>& schemas);

/// `drawing`: where the focused point is on the canvas.
std::string snapshot_json(App& app, const figure::Drawing& drawing);

/// What ran, as [{id, text, bytes}]: readable text, and bytes as hexadecimal digits. Long: asked for once a result.
std::string tokens_json(const protocol::Result& result);

/// The figure's tables: headings, and the rows as text. Long: made only when somebody looks.
std::string tables_json(const figure::Figure& figure);

/// Reads {"do": …} and calls the app. An error names what is wrong with the action.
Expected<void> dispatch(App& app, std::string_view action);

}  // namespace helix::app
