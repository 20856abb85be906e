// The other side of a comparison: its state, its run and its result.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "protocol/result.h"
#include "state/app_state.h"

namespace helix::app {

/// The run slots. In the engine a newer run replaces an older one of the same slot, and of no other slot.
inline constexpr const char* kMainSlot = "main";
inline constexpr const char* kAgainstSlot = "against";

struct Against {
  std::optional<state::AppState> asked;  // the other side's state; nothing: no comparison, or an unreadable link
  std::uint32_t job = 0, answered = 0, settled = 0, stopped = 0;
  bool pending = false;                     // `asked` has changed since `job`
  std::optional<protocol::Result> arrived;  // newer than `shown`; held until both sides belong together
  std::optional<protocol::Result> shown;
  state::Compare shown_as = state::Compare::none;
  std::string problem;  // why nothing is shown: a sentence beside the main side
  std::string phase;    // what the engine is doing for it
  double done = 0, total = 0;

  bool busy() const { return pending || settled != job; }
  bool idle() const { return answered == job; }
};

}  // namespace helix::app
