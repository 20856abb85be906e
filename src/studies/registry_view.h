// The studies as the page and the SVG export draw them: a pure function from a result to a figure.
#pragma once

#include <string_view>
#include <vector>

#include "base/view.h"
#include "figure/figure.h"
#include "protocol/result.h"
#include "studies/study.h"

namespace helix::studies {

struct ViewStudy {
  StudySchema schema;
  /// Draws what is there: an empty result gives the figure's frame, NaN gives gaps, never a crash. `asked` is what the
  /// controls say now; it may be ahead of the result, and moves grips only. How the figure is looked at is the layout's.
  figure::Figure (*view)(const protocol::Result&, const ParamValues& asked) = nullptr;
  /// What there is to say of the focus; an empty title: nothing. Without it, never anything.
  figure::Reading (*reading)(const protocol::Result&, const ParamValues& asked, const ViewState&) = nullptr;
};

const std::vector<ViewStudy>& view_studies();
const ViewStudy* find_view_study(std::string_view id);
std::vector<StudySchema> schemas_of(const std::vector<ViewStudy>& studies);

}  // namespace helix::studies
