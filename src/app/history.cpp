#include "app/history.h"

namespace helix::app {

void History::commit(const std::string& link, bool view_only) {
  if (!links_.empty() && links_[at_] == link) return;
  links_.resize(links_.empty() ? 0 : at_ + 1);  // a new step after undo drops what was undone
  if (view_only && last_was_view_ && !links_.empty())
    links_.back() = link;
  else
    links_.push_back(link);
  if (links_.size() > kSteps) links_.erase(links_.begin()), ++forgotten_;
  at_ = links_.size() - 1;
  last_was_view_ = view_only && links_.size() > 1;
}

}  // namespace helix::app
