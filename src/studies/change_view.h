// Two results of one study as one figure: what changed between them. Made for every study from its field list and its own
// figures; its words are functions of both sides' numbers, never a result's words with a difference in them.
#pragma once

#include <string>

#include "base/view.h"
#include "figure/figure.h"
#include "protocol/difference.h"

namespace helix::studies {

struct ViewStudy;

/// The two sides, what changed (protocol::difference), and what each side is called: "Without positions", "As it is".
struct Sides {
  const protocol::Result &now, &other, &change;
  std::string now_name, other_name;
};

/// What a study shows of a change: the panels of this side with the other one drawn into them, below each curve its
/// change; matrices as their change, diverging about zero; in words and tables both sides' numbers and the change. A study
/// with a `change` of its own draws that instead.
figure::Figure figure_of_change(const ViewStudy& study, const Sides& sides, const ParamValues& asked);

/// The reading under the pointer on both sides, and the change where it differs.
figure::Reading reading_of_change(const ViewStudy& study, const Sides& sides, const ParamValues& asked,
                                  const ViewState& view);

// ---- for studies that draw their change themselves

/// "+10.92 points", "−0.8891", "no change"; "–" where a side lacks the number.
std::string change_text(const OutputSpec& spec, double change);
/// The number that a change leads with: "Mean norm: 2.5010 → 3.3901 (+0.8891)"; "Nothing changes" where nothing does.
std::string change_title(const StudySchema& schema, const Sides& sides);
/// A side's name to be put in quotation marks; a text's has its own.
std::string unquoted(const std::string& name);
/// "From “As it is” to “Without positions”."
std::string change_subtitle(const Sides& sides);
/// Scalars, then the lists along each axis, with both sides and the change in columns; then the change of small matrices.
std::vector<figure::Table> change_tables(const StudySchema& schema, const Sides& sides);

}  // namespace helix::studies
