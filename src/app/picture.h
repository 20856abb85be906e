// The figure of the newest result: when it is rebuilt, how it is kept still while its axes are refitted, and how it moves there
// from the figure before.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "app/steady.h"
#include "base/schema.h"
#include "figure/figure.h"

namespace helix::app {

class Picture {
 public:
  Steady steady;

  /// The numbers have changed: the figure is made anew.
  void renew() { ++numbers_, stale_ = true; }
  /// Something else has changed: a parameter, the view.
  void touch() { stale_ = true; }
  /// The figure at this time; `make` is called only if the numbers, the study, its parameters or the text's place are
  /// not those it was made of. Another figure of the same study comes from where the old one was, unless it is to be there `at_once`.
  const figure::Figure& figure(const std::string& study, const ParamValues& params, std::size_t shift, double now,
                               bool at_once, const std::function<figure::Figure()>& make);
  /// What is drawn at this time: `figure`, which figure() has returned, or a moment on the way to it.
  const figure::Figure& drawn(const figure::Figure& figure, const ViewState& view, double now);
  /// Rotates a new picture to match the old one.
  void follow(const figure::Figure& figure, const ViewState& view);
  bool moving(double now) const { return in_motion_ || before_ || steady.moving(now); }
  /// A picture is on its way from the one before.
  bool on_the_way(double now) const { return before_ && now < set_out_ + kWay; }

 private:
  /// The figure is rebuilt when any of this changes; only the layout depends on the view.
  struct MadeOf {
    std::string study;
    int numbers = 0;
    ParamValues params;
    std::size_t shift = 0;  // of the text on the curve
    bool operator==(const MadeOf&) const = default;
  };
  std::optional<figure::Figure> figure_;
  MadeOf made_of_;
  int numbers_ = 0;
  bool stale_ = true;
  bool in_motion_ = false;                // `figure_` shows a moment of an animated rotation
  static constexpr double kWay = 250;     // milliseconds
  std::optional<figure::Figure> before_;  // what was drawn when the newest figure came; nothing: it has arrived
  std::optional<figure::Figure> moment_;  // drawn last, on the way
  double set_out_ = 0;
};

}  // namespace helix::app
