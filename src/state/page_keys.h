// The keys of a link that are about the page and no study: model, comparison, theme, lesson, and what surrounds the figure.
#pragma once

#include "state/app_state.h"
#include "state/link_text.h"

namespace helix::state {

/// A name of `hide` that this version does not know is a problem.
KeyOutcome read_page_key(AppState& state, const std::string& key, const std::string& value);

/// Theme, lesson, seed, embed, present and hide, as far as they are not at their defaults.
void write_page(const AppState& state, const AddPair& add);

/// Hides the parts of "menu,settings" that this version knows, besides those that are hidden already.
void hide_known(Surroundings& page, std::string_view parts);

/// The parts of "menu,settings" that this version does not know, with commas.
std::string unknown_parts(std::string_view parts);

}  // namespace helix::state
