// Where claims are judged: which study, at which setting.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "studies/claims/claims.h"
#include "studies/registry_compute.h"

namespace helix::studies::claims {

/// One run of one study.
struct Visit {
  const ComputeStudy* study = nullptr;
  std::string fragment;  // applied to the study's defaults
  ParamValues params;
  Subject subject;
  std::string problem;  // why the fragment cannot be applied, as a sentence
};

/// The settings at which claims are judged, in the order of the studies. An error if `conventions` names no claim,
/// or a claim that leaves no convention open.
Expected<std::vector<Visit>> visits_of(const Params& params);

/// Whether a claim is among those that the parameter `only` names.
bool is_asked_for(std::string_view id, const std::string& only);

/// "a=1|2&b=x|y" on top of "b=z&c=3" gives "b=x&c=3&a=1", "b=y&c=3&a=1", …: all combinations.
std::vector<std::string> combinations(const std::string& fragment, const std::string& settings);

/// Each of a study's fragments in words: only the parts that differ between them.
std::vector<std::string> settings_text(const StudySchema& schema, const std::vector<std::string>& fragments);

}  // namespace helix::studies::claims
