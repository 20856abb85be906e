// The sentences of the source text about previous-token heads, judged on the prompt that ran.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "studies/head_taxonomy/head_taxonomy.h"

namespace helix::studies::head_taxonomy {

/// `ran`: the prompt and its edits. `entries`: of the longest diagonal. A short prompt is shown but not judged.
std::vector<protocol::Claim> claims(const Output& output, const std::string& ran, std::size_t entries);

/// Spearman's rank correlation of two lists of one length, ties sharing their mean rank; NaN where one of them is constant.
double rank_correlation(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace helix::studies::head_taxonomy
