// Links to what is on the screen, for others: with parts of the page left out, for a frame, for a projector.
#pragma once

#include <string>

#include "app/app.h"

namespace helix::app {

/// `options`: {"embed": true, "present": true, "hide": ["menu"], "theme": "dark"}; what is not named stays as it is.
/// {"link": …, "short": …}: the whole state, and a short form of a lesson's step (state::short_link).
std::string links_json(const App& app, std::string_view options);

/// The parts of the page that a link can leave out: ["menu", …].
std::string hide_names_json();

}  // namespace helix::app
