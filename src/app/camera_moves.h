// How far a pointer or a key rotates, shifts and zooms an orbit camera.
#pragma once

#include "base/view.h"

namespace helix::app {

inline constexpr double kTurnPerPixel = 0.4;  // degrees
inline constexpr double kTurnPerKey = 5, kZoomPerStep = 1.12, kPanPerKey = 0.04;

Camera turned(Camera c, double degrees_right, double degrees_up);
Camera zoomed(Camera c, double factor);
Camera shifted(Camera c, double x, double y);

}  // namespace helix::app
