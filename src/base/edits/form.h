// What the forms of edits have in common: the groups of the list, and fields that several kinds have.
#pragma once

#include "base/edit_forms.h"

namespace helix::forms {

// The form of each kind.
#define EDIT(name) EditForm name();
#include "base/edits/edits.def"
#undef EDIT

inline constexpr std::string_view kHeads = "Heads", kScores = "Attention scores and mask", kPositions = "Positions",
                                  kStreams = "Embeddings and residual stream", kParts = "MLPs, biases and norms";

inline constexpr double kLargest = 1e30;

inline constexpr EditField kLayer{EditValue::layer, "layer", "Layer", "0"};
inline constexpr EditField kHead{
    .value = EditValue::head, .name = "head", .label = "Head", .start = "0", .before = '.'};
inline constexpr EditField kQuery{EditValue::token, "query", "Query position"};
inline constexpr EditField kFactor{
    .value = EditValue::real, .name = "factor", .label = "Factor", .start = "2", .min = -kLargest, .max = kLargest};
/// Rows first to last, without those that the table does not have.
inline std::vector<std::size_t> rows_between(std::size_t first, std::size_t last, std::size_t count) {
  std::vector<std::size_t> rows;
  for (std::size_t row = first; row <= last && row < count; ++row) rows.push_back(row);
  return rows;
}

inline constexpr EditField kGroup{.value = EditValue::whole,
                                  .name = "g",
                                  .label = "Rows in a group",
                                  .start = "10",
                                  .min = 1,
                                  .bound = Bound::last_position};

}  // namespace helix::forms
