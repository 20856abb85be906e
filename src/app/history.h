// Undo and redo as a list of links: everything a step changes is in its link.
#pragma once

#include <string>
#include <vector>

namespace helix::app {

class History {
 public:
  static constexpr std::size_t kSteps = 200;

  /// A step was committed. Consecutive steps that only change the view (`view_only`) are one step.
  void commit(const std::string& link, bool view_only);
  /// Counts committed steps from the first; after undo it is that of the step gone back to.
  std::size_t step() const { return forgotten_ + at_; }
  /// The link of the present step; empty before the first.
  std::string link() const { return links_.empty() ? std::string() : links_[at_]; }
  bool can_undo() const { return at_ > 0; }
  bool can_redo() const { return at_ + 1 < links_.size(); }
  /// The link to go to; call only if can_undo() or can_redo().
  const std::string& undo() { return last_was_view_ = false, links_[--at_]; }
  const std::string& redo() { return last_was_view_ = false, links_[++at_]; }

 private:
  std::vector<std::string> links_;
  std::size_t at_ = 0;
  std::size_t forgotten_ = 0;  // steps before links_.front()
  bool last_was_view_ = false;
};

}  // namespace helix::app
