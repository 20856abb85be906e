// The other side of a comparison: the state that stands there, its run, and what came of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "protocol/result.h"
#include "state/app_state.h"

namespace helix::app {

/// The run slots. The engine lets a newer run end an older one of the same slot, and of no other.
inline constexpr const char* kMainSlot = "main";
inline constexpr const char* kAgainstSlot = "against";

struct Against {
  std::optional<state::AppState> asked;  // what stands there; nothing: no comparison, or one that cannot be read
  std::uint32_t job = 0, answered = 0, settled = 0, stopped = 0;
  bool pending = false;                     // `asked` has changed since `job`
  std::optional<protocol::Result> arrived;  // newer than what is shown, until both sides belong together
  std::optional<protocol::Result> shown;
  state::Compare shown_as = state::Compare::none;
  std::string problem;  // why there is nothing to show; a sentence beside the main side
  std::string phase;    // what the engine does for it
  double done = 0, total = 0;

  bool busy() const { return pending || settled != job; }
  bool idle() const { return answered == job; }
};

}  // namespace helix::app
