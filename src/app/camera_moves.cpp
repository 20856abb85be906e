#include "app/camera_moves.h"

#include <algorithm>
#include <cmath>

namespace helix::app {

Camera turned(Camera c, double degrees_right, double degrees_up) {
  c.azimuth = std::fmod(c.azimuth + degrees_right + 720, 360.0);
  c.elevation = std::clamp(c.elevation + degrees_up, -90.0, 90.0);
  return c;
}

Camera zoomed(Camera c, double factor) {
  c.zoom = std::clamp(c.zoom * factor, 0.1, 20.0);
  return c;
}

Camera shifted(Camera c, double x, double y) {
  c.x = std::clamp(c.x + x, -5.0, 5.0);
  c.y = std::clamp(c.y + y, -5.0, 5.0);
  return c;
}

}  // namespace helix::app
