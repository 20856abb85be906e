// Edits as the shell shows them, as JSON: the kinds of edit, and each edit with its label and its problem.
#pragma once

#include <string>
#include <string_view>

#include "app/app.h"
#include "protocol/json.h"

namespace helix::app {

/// The kinds of edits with their fields, from which the shell makes its form. Constant.
std::string edit_forms_json();

/// The state's edits: [{spec, on, label, problem}]. A problem is a sentence, empty if the edit can run.
protocol::Json edits_json(const App& app);

/// {label, problem} of an edit that has not been added yet.
std::string told_edit_json(const App& app, std::string_view spec);

}  // namespace helix::app
