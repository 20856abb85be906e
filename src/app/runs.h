// The page's four runs: what each is asked, and when its question is sent.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "app/models.h"
#include "app/run_slot.h"

namespace helix::app {

inline constexpr const char* kMainSlot = "main";
inline constexpr const char* kAgainstSlot = "against";
inline constexpr const char* kTextSlot = "text";
inline constexpr const char* kTextBeforeSlot = "text-before";

class Runs {
 public:
  using Send = std::function<void(const protocol::Request&)>;
  Runs(const std::vector<StudySchema>& schemas, Models& models, Send send, std::function<double()> now)
      : schemas_(schemas), models_(models), send_(std::move(send)), now_(std::move(now)) {}

  RunSlot main{kMainSlot};          // the shown run
  RunSlot other{kAgainstSlot};      // the other side of a comparison
  RunSlot text{kTextSlot};          // of the prompt, beside a study
  RunSlot before{kTextBeforeSlot};  // the same without the edits

  /// Sets a slot's question; nothing empties it. `again`: also if the same was asked before.
  void ask(RunSlot& slot, std::optional<state::AppState> question, bool again = false);
  /// Sends the questions that are due, at once or when the runs under way allow it. Both sides of a comparison start
  /// together; the text waits until the figure's run has ended.
  void launch(bool at_once);
  void clear(RunSlot& slot);
  void stop(RunSlot& slot);
  /// The engine is gone, with all its jobs.
  void lose_engine();

  bool busy() const;
  /// Whether the shown result of a slot answers its question.
  bool fresh(const RunSlot& slot) const;
  RunSlot* named(std::string_view name);
  /// The slot whose newest job this is; null: that job no longer matters.
  RunSlot* of(std::uint32_t job);

 private:
  std::array<RunSlot*, 4> all() { return {&main, &other, &text, &before}; }
  void start(RunSlot& slot);

  const std::vector<StudySchema>& schemas_;
  Models& models_;
  Send send_;
  std::function<double()> now_;
  std::uint32_t jobs_ = 0;
};

}  // namespace helix::app
