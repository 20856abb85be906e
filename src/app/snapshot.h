// What the shell renders, as JSON: the state, the texts of the figure, numbers, claims, provenance, status.
#pragma once

#include <string>

#include "app/app.h"
#include "figure/drawing.h"

namespace helix::app {

/// The studies with their parameters, from which the shell makes its menu and its controls. Constant.
std::string schemas_json(const std::vector<StudySchema>& schemas);

/// `drawing`: to find the focused point on the canvas.
std::string snapshot_json(App& app, const figure::Drawing& drawing);

/// The tokens that ran, as [{id, text, bytes}]: readable text, and bytes in hexadecimal. Long: requested once a result.
std::string tokens_json(const protocol::Result& result);

/// The figure's tables: headings, and the rows as text. Long: made only when a table is opened.
std::string tables_json(const figure::Figure& figure);

/// Parses {"do": …} and calls the app. An error says what is wrong with the action.
Expected<void> dispatch(App& app, std::string_view action);

}  // namespace helix::app
