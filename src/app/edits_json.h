// Edits as the shell shows them, as JSON: the kinds there are, and each edit with its label and what is wrong with it.
#pragma once

#include <string>
#include <string_view>

#include "app/app.h"
#include "protocol/json.h"

namespace helix::app {

/// The kinds of edits with their fields: what the shell makes its form from. Does not change.
std::string edit_forms_json();

/// Those of the state: [{spec, on, label, problem}]. A problem is a sentence, empty where the edit can run.
protocol::Json edits_json(const App& app);

/// {label, problem} of an edit that would be added.
std::string told_edit_json(const App& app, std::string_view spec);

}  // namespace helix::app
