// Claims whose rule is declared: a number of the study is the text's, to the digits that the text states.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/schema.h"
#include "base/subject.h"
#include "protocol/result.h"

namespace helix::studies {

/// The numbers that a claim may be about: the declared one, or several where the text does not say which.
std::vector<std::string> numbers_of(const ClaimSpec& claim);

/// What a declared number names: a scalar, "entropy_bits", or an entry of an array, "previous[4,11]", its indices as
/// the array counts them.
struct NumberName {
  std::string output;
  std::vector<long long> at;  // empty: a scalar
};
std::optional<NumberName> number_name(std::string_view text);

/// That number of a result; nothing where the result has no such entry or it is undefined.
std::optional<double> number_in(const protocol::Result& result, std::string_view text);

/// Whether a number is the text's, to the digits that are stated.
bool is_stated(const ClaimSpec& claim, double here);

/// A claim judged by that rule.
protocol::Claim compare_with_stated(const ClaimSpec& claim, double here, std::string convention);

/// Adds the claims that are declared in this way and that the study has not judged itself, where the result was
/// computed at the claim's setting, with its text and its edits, apart from the conventions that its text leaves open.
void judge_stated(const StudySchema& schema, const Subject& subject, protocol::Result& result);

}  // namespace helix::studies
