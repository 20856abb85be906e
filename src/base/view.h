// How a figure is viewed. None of this changes a number, so none of it is sent to the engine.
#pragma once

#include <array>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace helix {

/// Orbit camera in degrees; the default is that of the text's plots (matplotlib's elev 20, azim 45).
struct Camera {
  double azimuth = 45, elevation = 20, zoom = 1, x = 0, y = 0;  // x, y: shift in shares of the figure's smaller side
  bool operator==(const Camera&) const = default;
};

enum class ColourMap { viridis, cividis, jet };
inline constexpr std::array<std::string_view, 3> kMapNames{"viridis", "cividis", "jet"};

/// An index along a named axis. The names are those of the results' axes: position, dimension, direction, layer, head,
/// query, key, lag, token, component, moment, model, item (an entry of a ranking).
struct Place {
  std::string axis;
  int index = 0;
  bool operator==(const Place&) const = default;
};

/// Whether this can name an axis: lower-case letters and underscores, which a link carries unescaped.
bool is_axis(std::string_view name);

/// What the visitor points at: an index along each of some axes. A locked focus stays when the pointer moves away; only
/// a locked focus is part of a link.
class Focus {
 public:
  bool locked = false;

  Focus() = default;
  Focus(std::initializer_list<Place> places, bool locked_ = false);

  /// The index along this axis; -1: none.
  int at(std::string_view axis) const;
  bool has(std::string_view axis) const { return at(axis) >= 0; }
  /// A negative index takes the axis out.
  void set(std::string_view axis, int index);
  bool nothing() const { return places_.empty(); }
  /// Sorted by axis.
  const std::vector<Place>& places() const { return places_; }
  /// The indices of this axis that light up. Queries and keys are positions: each lights up the other.
  std::vector<int> lit(std::string_view axis) const;
  /// The same places, locked or not.
  bool same_places(const Focus& other) const { return places_ == other.places_; }
  bool operator==(const Focus&) const = default;

 private:
  std::vector<Place> places_;
};

/// The part of an axis that is shown, both ends included. Every panel that runs over the axis shows this part of it.
struct Window {
  std::string axis;
  int first = 0, last = 0;
  bool operator==(const Window&) const = default;
};

struct ViewState {
  Camera camera;
  std::array<int, 3> axes{1, 2, 3};  // which components, counted from 1
  ColourMap map = ColourMap::viridis;
  Focus focus;
  std::vector<Window> windows;  // sorted by axis, one each
  bool operator==(const ViewState&) const = default;

  /// nullptr: all of the axis is shown.
  const Window* window(std::string_view axis) const;
  void show(const Window& window);
  void show_all(std::string_view axis);
};

}  // namespace helix
