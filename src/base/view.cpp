#include "base/view.h"

#include <algorithm>

namespace helix {

bool is_axis(std::string_view name) {
  return !name.empty() &&
         std::all_of(name.begin(), name.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
}

Focus::Focus(std::initializer_list<Place> places, bool locked_) : locked(locked_) {
  for (const Place& place : places) set(place.axis, place.index);
}

int Focus::at(std::string_view axis) const {
  for (const Place& place : places_)
    if (place.axis == axis) return place.index;
  return -1;
}

void Focus::set(std::string_view axis, int index) {
  const auto at = std::find_if(places_.begin(), places_.end(), [&](const Place& p) { return p.axis >= axis; });
  const bool there = at != places_.end() && at->axis == axis;
  if (index < 0) {
    if (there) places_.erase(at);
  } else if (there) {
    at->index = index;
  } else {
    places_.insert(at, {std::string(axis), index});
  }
}

std::vector<int> Focus::lit(std::string_view axis) const {
  std::vector<int> indices;
  const auto add = [&](std::string_view from) {
    const int index = at(from);
    if (index >= 0 && std::find(indices.begin(), indices.end(), index) == indices.end()) indices.push_back(index);
  };
  add(axis);
  if (axis == "position") add("query"), add("key");
  if (axis == "moment" && indices.empty()) add("item");  // its name in links of version 1
  if ((axis == "query" || axis == "key") && indices.empty()) add("position");
  return indices;
}

const Window* ViewState::window(std::string_view axis) const {
  for (const Window& w : windows)
    if (w.axis == axis) return &w;
  return nullptr;
}

void ViewState::show(const Window& window) {
  show_all(window.axis);
  const auto at = std::find_if(windows.begin(), windows.end(), [&](const Window& w) { return w.axis > window.axis; });
  windows.insert(at, window);
}

void ViewState::show_all(std::string_view axis) {
  std::erase_if(windows, [&](const Window& w) { return w.axis == axis; });
}

}  // namespace helix
