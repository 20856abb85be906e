// The studies as the page and the SVG export draw them: a pure function from a result to a figure.
#pragma once

#include <string_view>
#include <vector>

#include "base/view.h"
#include "figure/figure.h"
#include "protocol/result.h"
#include "studies/change_view.h"
#include "studies/study.h"

namespace helix::studies {

struct ViewStudy {
  StudySchema schema;
  /// Draws any result: an empty one gives the figure's frame, NaN gives gaps, never a crash. `asked` has the values
  /// of the controls; they may be ahead of the result, and move grips only. The view is applied later, by the layout.
  figure::Figure (*draw)(const protocol::Result&, const ParamValues& asked) = nullptr;
  /// Where more is to be said of a focus than the field list gives: its reading, from the one that is `made`; without a title,
  /// that one stays.
  figure::Reading (*read)(const figure::Reading& made, const protocol::Result&, const ParamValues& asked,
                          const ViewState&) = nullptr;
  /// Where the figure that change_view makes for every study is not the best: what changed between two results, and its
  /// reading. `draw` is also asked for a change (Result::difference), of whose figure only matrices and curves are used.
  figure::Figure (*change)(const Sides&, const ParamValues& asked) = nullptr;
  figure::Reading (*change_reading)(const Sides&, const ParamValues& asked, const ViewState&) = nullptr;

  /// What is shown of a result: the figure that `draw` makes, and the tables of the field list that it lacks.
  figure::Figure view(const protocol::Result& result, const ParamValues& asked) const;
  /// What is said of the focus; an empty title: nothing.
  figure::Reading reading(const protocol::Result& result, const ParamValues& asked, const ViewState& view) const;
};

const std::vector<ViewStudy>& view_studies();
const ViewStudy* find_view_study(std::string_view id);
std::vector<StudySchema> schemas_of(const std::vector<ViewStudy>& studies);

}  // namespace helix::studies
