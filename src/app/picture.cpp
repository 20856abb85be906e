#include "app/picture.h"

#include <utility>
#include <variant>

#include "figure/layout.h"

namespace helix::app {

const figure::Figure& Picture::figure(const std::string& study, const ParamValues& params, std::size_t shift,
                                      double now, const std::function<figure::Figure()>& make) {
  if (figure_ && !in_motion_ && !stale_) return *figure_;
  in_motion_ = steady.moving(now);  // one more frame is drawn after its end
  stale_ = false;
  MadeOf made_of{study, numbers_, params, shift};
  if (!figure_ || made_of != made_of_) {
    made_of_ = std::move(made_of);
    figure_ = make();
  }
  for (figure::Panel& panel : figure_->panels)
    if (auto* space = std::get_if<figure::Space>(&panel.content); space && !space->fit_to.size())
      space->frame = steady.frame(now);
  return *figure_;
}

void Picture::follow(const figure::Figure& figure, const ViewState& view) {
  const auto* space = figure::first_space(figure);
  if (!space || space->fit_to.size()) return;
  if (const auto curve = figure::curve_of(*space, view)) steady.follow(*curve), stale_ = true;
}

}  // namespace helix::app
