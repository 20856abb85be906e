#include "app/history.h"

namespace helix::app {

void History::commit(const Step& step, bool view_only) {
  if (!steps_.empty() && steps_[at_].link == step.link) {
    steps_[at_].preferred_model = step.preferred_model;
    return;
  }
  if (view_only && can_redo()) {
    steps_[at_] = step;
    return;
  }
  steps_.resize(steps_.empty() ? 0 : at_ + 1);  // a new step after undo drops what was undone
  if (view_only && last_was_view_ && !steps_.empty())
    steps_.back() = step;
  else
    steps_.push_back(step);
  if (steps_.size() > kSteps) steps_.erase(steps_.begin()), ++forgotten_;
  at_ = steps_.size() - 1;
  last_was_view_ = view_only && steps_.size() > 1;
}

}  // namespace helix::app
