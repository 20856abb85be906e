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

/// What the visitor points at: a position, a cell of a matrix (query and key, and of which layer and head where the
/// study does not say), or an entry of a list. `locked` survives moving away, and is the only part a link carries.
struct Focus {
  int position = -1;  // -1: none, here and below
  bool locked = false;
  int layer = -1, head = -1;
  int query = -1, key = -1;
  int item = -1;
  bool operator==(const Focus&) const = default;

  bool is_cell() const { return query >= 0 && key >= 0; }
  bool is_head() const { return layer >= 0 && head >= 0; }
  bool nothing() const { return position < 0 && item < 0 && !is_cell() && !is_head(); }

  static Focus at_cell(int query, int key, bool locked = false) { return {-1, locked, -1, -1, query, key, -1}; }
  static Focus at_item(int item, bool locked = false) { return {-1, locked, -1, -1, -1, -1, item}; }
};

/// The part of a matrix that is shown, both ends included.
struct Region {
  int first_query = -1, last_query = -1, first_key = -1, last_key = -1;  // -1: all of it
  bool operator==(const Region&) const = default;
  bool whole() const { return first_query < 0; }
};

struct ViewState {
  Camera camera;
  std::array<int, 3> axes{1, 2, 3};  // which components, counted from 1
  ColourMap map = ColourMap::viridis;
  Focus focus;
  Region region;
  bool operator==(const ViewState&) const = default;
};

}  // namespace helix
