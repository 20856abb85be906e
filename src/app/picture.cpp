#include "app/picture.h"

#include <utility>
#include <variant>

#include "figure/between.h"
#include "figure/layout.h"

namespace helix::app {

const figure::Figure& Picture::figure(const std::string& study, const ParamValues& params, std::size_t shift,
                                      double now, bool at_once, const std::function<figure::Figure()>& make) {
  if (figure_ && !in_motion_ && !stale_) return *figure_;
  in_motion_ = steady.moving(now);  // one more frame is drawn after its end
  stale_ = false;
  MadeOf made_of{study, numbers_, params, shift};
  if (!figure_ || made_of != made_of_) {
    const bool same = figure_ && made_of.study == made_of_.study;
    const bool sets_out = same && !at_once && !steady.reduced_motion;
    if (sets_out)
      before_ = moment_ ? std::move(moment_) : std::move(figure_), set_out_ = now;
    else if (!same || at_once)
      before_.reset();
    moment_.reset();
    made_of_ = std::move(made_of);
    figure_ = make();
  }
  for (figure::Panel& panel : figure_->panels)
    if (auto* space = std::get_if<figure::Space>(&panel.content); space && !space->fit_to.size())
      space->frame = steady.frame(now);
  return *figure_;
}

const figure::Figure& Picture::drawn(const figure::Figure& figure, const ViewState& view, double now) {
  const double part = (now - set_out_) / kWay;
  if (part >= 1) before_.reset(), moment_.reset();
  if (!before_) return figure;
  moment_ = figure::between(*before_, figure, part * part * (3 - 2 * part), view);
  return *moment_;
}

void Picture::follow(const figure::Figure& figure, const ViewState& view) {
  const auto* space = figure::first_space(figure);
  if (!space || space->fit_to.size()) return;
  if (const auto curve = figure::curve_of(*space, view)) steady.follow(*curve), stale_ = true;
}

}  // namespace helix::app
