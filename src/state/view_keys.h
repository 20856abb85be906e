// The keys of a link that say how a figure is viewed: view.* and focus. None of them changes a number.
#pragma once

#include <string>

#include "base/view.h"
#include "state/link_text.h"

namespace helix::state {

KeyOutcome read_view_key(ViewState& view, const std::string& key, const std::string& value);

/// What differs from the default, in the order of a link.
void write_view(const ViewState& view, const AddPair& add);

}  // namespace helix::state
