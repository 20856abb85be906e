// The reading of what is pointed at, made for every study from its field list. A study writes only what more it says of a
// place: a name that depends on the settings, what a number is compared with.
#pragma once

#include "base/schema.h"
#include "base/view.h"
#include "figure/figure.h"
#include "protocol/result.h"

namespace helix::studies {

/// The numbers at the focus: of all outputs along as many of its axes as there are, by their short names (OutputSpec::brief),
/// or by what is said of them where none has one; coordinates by the components that are shown. No title if there are none.
figure::Reading field_reading(const StudySchema& schema, const protocol::Result& result, const ViewState& view);

}  // namespace helix::studies
