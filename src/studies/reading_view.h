// The reading of what is pointed at, made for every study from its field list. A study writes only what more it says of a
// place: a name that depends on the settings, what a number is compared with.
#pragma once

#include <string>

#include "base/schema.h"
#include "base/view.h"
#include "figure/figure.h"
#include "protocol/result.h"

namespace helix::studies {

/// The numbers at the focus: of all outputs along as many of its axes as there are, by their short names (OutputSpec::brief),
/// or by what is said of them where none has one; coordinates by the components that are shown. No title if there are none.
figure::Reading field_reading(const StudySchema& schema, const protocol::Result& result, const ViewState& view);

/// A share in a study's own reading, "12.9 %"; where the result is a difference, the change: "+1.2 points", "no change".
std::string share_or_change(bool difference, double share, int digits);

}  // namespace helix::studies
