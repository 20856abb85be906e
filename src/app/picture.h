// The figure of the newest result: when it is rebuilt, and how it is kept still while its axes are refitted.
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
  /// not those it was made of.
  const figure::Figure& figure(const std::string& study, const ParamValues& params, std::size_t shift, double now,
                               const std::function<figure::Figure()>& make);
  /// Rotates a new picture to match the old one.
  void follow(const figure::Figure& figure, const ViewState& view);
  bool moving(double now) const { return in_motion_ || steady.moving(now); }

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
  bool in_motion_ = false;  // `figure_` shows a moment of an animated rotation
};

}  // namespace helix::app
