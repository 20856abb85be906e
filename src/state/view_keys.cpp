#include "state/view_keys.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace helix::state {
namespace {

double rounded(double value, double steps) { return std::round(value * steps) / steps; }

// Angles to a tenth of a degree, zoom and shift to a thousandth: finer than a hand can place them.
std::string camera_text(const Camera& c) {
  return to_text(std::fmod(rounded(c.azimuth, 10), 360)) + "," + to_text(rounded(c.elevation, 10)) + "," +
         to_text(rounded(c.zoom, 1000)) + "," + to_text(rounded(c.x, 1000)) + "," + to_text(rounded(c.y, 1000));
}

std::optional<Camera> read_camera(std::string_view text) {
  const auto parts = split(text, ',');
  if (parts.size() != 5) return std::nullopt;
  double v[5];
  for (std::size_t i = 0; i < 5; ++i) {
    const auto number = parse_real(parts[i]);
    if (!number) return std::nullopt;
    v[i] = *number;
  }
  Camera c{std::fmod(v[0], 360.0), std::clamp(v[1], -90.0, 90.0), std::clamp(v[2], 0.1, 20.0),
           std::clamp(v[3], -5.0, 5.0), std::clamp(v[4], -5.0, 5.0)};
  if (c.azimuth < 0) c.azimuth += 360;
  return c;
}

std::optional<std::array<int, 3>> read_axes(std::string_view text) {
  const auto parts = split(text, ',');
  if (parts.size() != 3) return std::nullopt;
  std::array<int, 3> axes{};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto n = parse_int(parts[i]);
    if (!n || *n < 1 || *n > 8) return std::nullopt;
    axes[i] = *n;
  }
  if (axes[0] == axes[1] || axes[0] == axes[2] || axes[1] == axes[2]) return std::nullopt;
  return axes;
}

/// "QUERY:KEY" or "LAYER.HEAD:QUERY:KEY", the form of a cell in links of version 1.
std::optional<Focus> read_cell(std::string_view rest) {
  Focus focus;
  if (const std::size_t end = rest.find(':'); rest.substr(0, end).find('.') != std::string_view::npos) {
    const auto which = read_counts(rest.substr(0, end), '.', 2);
    if (!which || end == std::string_view::npos) return std::nullopt;
    focus.set("layer", which->front()), focus.set("head", which->back());
    rest.remove_prefix(end + 1);
  }
  const auto cell = read_counts(rest, ':', 2);
  if (!cell) return std::nullopt;
  focus.set("query", cell->front()), focus.set("key", cell->back());
  return focus;
}

// "position:313", "layer:4,head:11": an index along each of some axes; "cell:7:3" is query 7, key 3.
std::optional<Focus> read_focus(std::string_view text) {
  std::optional<Focus> focus = Focus();
  if (text.starts_with("cell:")) {
    focus = read_cell(text.substr(5));
  } else {
    for (const std::string& part : split(text, ',')) {
      const std::size_t colon = part.find(':');
      if (colon == std::string::npos || !is_axis(std::string_view(part).substr(0, colon))) return std::nullopt;
      const auto index = read_counts(std::string_view(part).substr(colon + 1), ':', 1);
      if (!index) return std::nullopt;
      focus->set(part.substr(0, colon), index->front());
    }
  }
  if (focus) focus->locked = true;
  return focus;
}

std::string focus_text(const Focus& f) {
  const std::size_t heads = f.has("layer") && f.has("head") ? 2 : 0;
  if (f.has("query") && f.has("key") && f.places().size() == 2 + heads)
    return "cell:" + (heads ? std::to_string(f.at("layer")) + "." + std::to_string(f.at("head")) + ":" : "") +
           std::to_string(f.at("query")) + ":" + std::to_string(f.at("key"));
  std::vector<std::string> parts;
  for (const Place& p : f.places()) parts.push_back(p.axis + ":" + std::to_string(p.index));
  return join(parts, ",");
}

// "query:3:10,key:0:5": the part of each axis that is shown.
std::optional<std::vector<Window>> read_windows(std::string_view text) {
  ViewState view;
  for (const std::string& part : split(text, ',')) {
    const std::size_t colon = part.find(':');
    if (colon == std::string::npos || !is_axis(std::string_view(part).substr(0, colon))) return std::nullopt;
    const auto ends = read_counts(std::string_view(part).substr(colon + 1), ':', 2);
    if (!ends || (*ends)[0] > (*ends)[1]) return std::nullopt;
    view.show({part.substr(0, colon), (*ends)[0], (*ends)[1]});
  }
  return view.windows;
}

/// The form of a matrix' part in links of version 1: first and last query, first and last key.
std::optional<std::vector<Window>> read_region(std::string_view text) {
  const auto n = read_counts(text, ',', 4);
  if (!n || (*n)[0] > (*n)[1] || (*n)[2] > (*n)[3]) return std::nullopt;
  return std::vector<Window>{{"key", (*n)[2], (*n)[3]}, {"query", (*n)[0], (*n)[1]}};
}

std::string windows_text(const std::vector<Window>& windows) {
  std::vector<std::string> parts;
  for (const Window& w : windows)
    parts.push_back(w.axis + ":" + std::to_string(w.first) + ":" + std::to_string(w.last));
  return join(parts, ",");
}

}  // namespace

KeyOutcome read_view_key(ViewState& view, const std::string& key, const std::string& value) {
  const auto take = [](auto& into, const auto& parsed, std::string problem) {
    if (!parsed) return KeyOutcome{true, std::move(problem)};
    into = *parsed;
    return KeyOutcome{};
  };
  if (key == "view.camera")
    return take(view.camera, read_camera(value), "view.camera needs five numbers, not " + in_quotes(value));
  if (key == "view.axes")
    return take(view.axes, read_axes(value),
                "view.axes needs three different components from 1 to 8, not " + in_quotes(value));
  if (key == "focus")
    return take(view.focus, read_focus(value),
                "focus needs the form axis:N or axis:N,axis:N, or cell:QUERY:KEY, not " + in_quotes(value));
  if (key == "view.window")
    return take(view.windows, read_windows(value),
                "view.window needs the form axis:FIRST:LAST, not " + in_quotes(value));
  if (key == "view.region")
    return take(view.windows, read_region(value),
                "view.region needs first and last query, first and last key, not " + in_quotes(value));
  if (key == "view.map") {
    const int i = index_of(kMapNames, value);
    if (i < 0) return {true, key + " does not know " + in_quotes(value)};
    view.map = static_cast<ColourMap>(i);
    return {};
  }
  return {false, ""};
}

void write_view(const ViewState& view, const AddPair& add) {
  const ViewState fresh;
  if (camera_text(view.camera) != camera_text(fresh.camera)) add("view.camera", camera_text(view.camera));
  if (const auto& a = view.axes; a != fresh.axes)
    add("view.axes", std::to_string(a[0]) + "," + std::to_string(a[1]) + "," + std::to_string(a[2]));
  if (view.map != fresh.map) add("view.map", kMapNames[static_cast<std::size_t>(view.map)]);
  if (!view.windows.empty()) add("view.window", windows_text(view.windows));
  if (view.focus.locked) add("focus", focus_text(view.focus));
}

}  // namespace helix::state
