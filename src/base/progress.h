// How far a job has come, and the parts of its bar.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace helix {

/// `done` of `total` in units of `phase`.
struct Progress {
  double done = 0;
  double total = 0;
  std::string_view phase;
};

/// A part of a job's bar: the work inside it moves the bar from `first` to `first + count` of `total`, under this phase.
struct ProgressPart {
  double first = 0, count = 1, total = 1;
  std::string phase;
};

/// Opens a part of the bar until the returned scope ends, so that passes inside it do not take the bar for their own:
///
///   const auto part = co_await progress_part(i, 1, texts.size(), "text 12 of 100");
///
/// Also a place where the job may pause.
inline ProgressPart progress_part(double first, double count, double total, std::string phase) {
  return {first, count, total, std::move(phase)};
}

/// Progress made inside open parts, innermost last, as the bar shows it: that of the outermost.
inline Progress within(const std::vector<ProgressPart>& parts, Progress inner) {
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    const double share = inner.total > 0 ? inner.done / inner.total : 0;
    inner = {part->first + part->count * share, part->total, part->phase};
  }
  return inner;
}

}  // namespace helix
