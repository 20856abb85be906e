// How a figure is looked at. None of this changes a number, so none of it is sent to the engine.
#pragma once

#include <array>
#include <string_view>

namespace helix {

/// Orbit camera in degrees; the default is that of the text's plots (matplotlib's elev 20, azim 45).
struct Camera {
  double azimuth = 45, elevation = 20, zoom = 1, x = 0, y = 0;  // x, y: shift in parts of the figure's smaller side
  bool operator==(const Camera&) const = default;
};

enum class ColourMap { viridis, cividis, jet };
inline constexpr std::array<std::string_view, 3> kMapNames{"viridis", "cividis", "jet"};

/// What the visitor points at; `locked` survives moving away, and is the only part a link carries.
struct Focus {
  int position = -1;  // -1: nothing
  bool locked = false;
  bool operator==(const Focus&) const = default;
};

struct ViewState {
  Camera camera;
  std::array<int, 3> axes{1, 2, 3};  // which components, counted from 1
  ColourMap map = ColourMap::viridis;
  Focus focus;
  bool operator==(const ViewState&) const = default;
};

}  // namespace helix
