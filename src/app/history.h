// Undo and redo as a list of steps. Everything a step changes is in its link, but for the model that the visitor
// prefers: it may differ from the one that is open, which has what the study reads.
#pragma once

#include <string>
#include <vector>

namespace helix::app {

class History {
 public:
  static constexpr std::size_t kSteps = 200;

  struct Step {
    std::string link, preferred_model{};
  };

  /// A step was committed. Consecutive steps that only change the view (`view_only`) are one step; after undo, looking
  /// around is none, so that what was undone can still be done again.
  void commit(const Step& step, bool view_only);
  /// Counts committed steps from the first; after undo it is that of the step gone back to.
  std::size_t step() const { return forgotten_ + at_; }
  /// The link of the present step; empty before the first.
  std::string link() const { return steps_.empty() ? std::string() : steps_[at_].link; }
  bool can_undo() const { return at_ > 0; }
  bool can_redo() const { return at_ + 1 < steps_.size(); }
  /// The step to go to; call only if can_undo() or can_redo().
  const Step& undo() { return last_was_view_ = false, steps_[--at_]; }
  const Step& redo() { return last_was_view_ = false, steps_[++at_]; }

 private:
  std::vector<Step> steps_;
  std::size_t at_ = 0;
  std::size_t forgotten_ = 0;  // steps before steps_.front()
  bool last_was_view_ = false;
};

}  // namespace helix::app
