// Claims whose rule is declared: a number of the study is the text's, to the digits that the text states.
#pragma once

#include <string>
#include <vector>

#include "base/schema.h"
#include "base/subject.h"
#include "protocol/result.h"

namespace helix::studies {

/// The scalars that a claim may be about: its declared number, or several where the text does not say which.
std::vector<std::string> numbers_of(const ClaimSpec& claim);

/// Whether a number is the text's, to the digits that are stated.
bool is_stated(const ClaimSpec& claim, double here);

/// A claim judged by that rule.
protocol::Claim compare_with_stated(const ClaimSpec& claim, double here, std::string convention);

/// Adds the claims that are declared in this way and that the study has not judged itself, where the result was computed
/// at the claim's setting, apart from the conventions that its text leaves open.
void judge_stated(const StudySchema& schema, const Subject& subject, protocol::Result& result);

}  // namespace helix::studies
