// Two results of one study, compared: what their outputs are (Role) says which numbers may be subtracted, and which entries of
// the two belong together.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "protocol/result.h"

namespace helix::protocol {

/// The entries along one axis that two results have between them, those of `now` first. An axis with keys is matched by
/// them; any other by its index, in ascending order.
struct Entries {
  static constexpr std::ptrdiff_t kNone = -1;  // this side lacks the entry
  std::vector<std::ptrdiff_t> now, other;      // for each entry: where it stands on that side
  long long first = 0;                         // the index of the first entry
  bool by_key = false;

  std::size_t size() const { return now.size(); }
  /// The same entries in the same order on both sides.
  bool same() const;
};
Entries entries_along(const StudySchema& schema, const Result& now, const Result& other, std::string_view axis);

/// The numbers of one side at these entries; NaN where it lacks one.
std::vector<double> at_entries(const Array& array, const std::vector<std::ptrdiff_t>& at);
std::vector<std::string> at_entries(const Words& words, const std::vector<std::ptrdiff_t>& at);

/// What changed from `other` to `now`. Quantities: `now` less `other`, 0 where both are equal (infinities too), NaN where
/// one side lacks the number; a list of them has the entries of both sides. Keys and labels are those of these entries,
/// settings and coordinates those of `now`. Claims are about one result and are left out. An error is one sentence: the
/// results are of two studies, of one that says why its results are not subtracted, or of matrices of two shapes.
Expected<Result> difference(const StudySchema& schema, const Result& now, const Result& other);

/// Both results in one, for exports: the names of the other side begin with "against_", and what changed, if `change` is
/// given, with "change_".
Result together(const StudySchema& schema, const Result& now, const Result& other, const Result* change = nullptr);

}  // namespace helix::protocol
