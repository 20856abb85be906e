// Acts: what a key, or an item of a menu, does to what is in focus, under the pointer or selected.
#include <algorithm>
#include <utility>

#include "app/canvas.h"
#include "base/filled.h"
#include "base/shared_words.h"

namespace helix::app {
namespace {

using figure::Gesture;
using AllNames = std::vector<std::pair<std::string, int>>;

int index_of(const std::vector<Place>& places, const std::string& axis) {
  const auto at = std::ranges::find(places, axis, &Place::axis);
  return at == places.end() ? -1 : at->index;
}

bool has_all(const Gesture& g, const std::vector<Place>& places) {
  return std::ranges::all_of(g.axes, [&](const std::string& axis) { return index_of(places, axis) >= 0; });
}

/// The edit that an act makes of one thing: {axis}, and with a reach {axis.first} and {axis.last} around it.
std::string edit_of(const Gesture& g, const std::vector<Place>& places) {
  AllNames names;
  for (const std::string& axis : g.axes) {
    const int at = index_of(places, axis);
    names.emplace_back(axis, at);
    names.emplace_back(axis + ".first", std::max(at - g.steps, std::max(g.first, 0)));
    names.emplace_back(axis + ".last", g.last < 0 ? at + g.steps : std::min(at + g.steps, g.last));
  }
  return filled(g.text, names);
}

bool is_on(const std::vector<Edit>& edits, const std::string& spec) {
  return std::ranges::any_of(edits, [&](const Edit& edit) { return edit.on && edit.spec == spec; });
}

std::string title_of(const Gesture& g, const std::vector<std::vector<Place>>& all) {
  if (all.size() > 1) return shared_words("figure.selected", {{"n", std::to_string(all.size())}});
  std::string title;
  for (const std::string& axis : g.axes)
    title += (title.empty() ? "" : ", ") + axis + " " + std::to_string(index_of(all.front(), axis));
  return title;
}

}  // namespace

/// Whether something that can be carried lies there: a position of the text on a curve.
bool Canvas::carried_here(const std::vector<Place>& places) const {
  return std::ranges::any_of(drawing_.hits,
                             [&](const figure::Hit& hit) { return hit.carried && hit.of(places).has_value(); });
}

/// The acts of a panel on these places. In a space they are on what can be carried alone.
Canvas::Acts Canvas::acts_on(const std::string& panel, const std::vector<Place>& places) {
  const bool in_space = std::ranges::find(drawing_.spaces, panel) != drawing_.spaces.end();
  Acts acts;
  for (const Gesture& g : gestures_of(panel)) {
    if (g.on != Gesture::On::act || !has_all(g, places)) continue;
    std::vector<Place> own;
    for (const std::string& axis : g.axes) own.push_back({axis, index_of(places, axis)});
    if (!in_space || carried_here(own)) acts.push_back(&g);
  }
  return acts;
}

/// The panel with acts, and the places that they are on: those in focus or, without a focus, those chosen by the controls.
std::optional<std::pair<std::string, std::vector<Place>>> Canvas::in_focus() {
  for (const figure::Panel& panel : app_.figure().panels) {
    const std::vector<Place>& held = app_.state().view.focus.places();
    if (!acts_on(panel.id, held).empty()) return std::pair{panel.id, held};
  }
  for (const figure::Panel& panel : app_.figure().panels)
    if (const figure::Plot* plot = plot_of(panel.id); plot && !acts_on(panel.id, plot->chosen).empty())
      return std::pair{panel.id, plot->chosen};
  return std::nullopt;
}

bool Canvas::act_key(std::string_view name) {
  const auto held = in_focus();
  if (!held) return false;
  const Acts acts = acts_on(held->first, held->second);
  const auto act = std::ranges::find(acts, name, &Gesture::key);
  if (act == acts.end() || name.empty()) return false;
  act_on(held->first, {held->second}, static_cast<std::size_t>(act - acts.begin()));
  return true;
}

/// Does it to all of them or, where it has been done to all, takes it back. Other acts on the same things are taken back.
void Canvas::act_on(const std::string& panel, const std::vector<std::vector<Place>>& all, std::size_t item) {
  std::vector<Edit> edits = app_.state().subject.edits;
  std::vector<std::string> wanted;
  for (const std::vector<Place>& places : all) {
    const Acts acts = acts_on(panel, places);
    if (item < acts.size()) wanted.push_back(edit_of(*acts[item], places));
  }
  const bool undo = std::ranges::all_of(wanted, [&](const std::string& spec) { return is_on(edits, spec); });
  bool before = false;
  for (const std::vector<Place>& places : all)
    for (const Gesture* g : acts_on(panel, places)) {
      std::erase_if(edits, [&](const Edit& edit) { return edit.spec == edit_of(*g, places); });
      before = before || g->before;
    }
  if (!undo)
    for (std::string& spec : wanted) edits.insert(before ? edits.begin() : edits.end(), Edit{std::move(spec), true});
  app_.set_edits(std::move(edits));
}

bool Canvas::open_menu(figure::Point at) {
  constexpr float kNear = 14;  // pixels from a point
  const auto picked = drawing_.pick(at, kNear);
  if (!picked || acts_on(picked->hit->panel, picked->places).empty()) return false;
  menu_ = Chosen{at, picked->hit->panel, {picked->places}};
  return true;
}

bool Canvas::open_menu() {
  const auto held = in_focus();
  if (!held) return false;
  const figure::Rect rect = drawing_.rect_of(held->second, held->first);
  menu_ = Chosen{{rect.x + rect.w / 2, rect.y + rect.h / 2}, held->first, {held->second}};
  return true;
}

/// Opens the menu for all that lies in the selected rectangle.
bool Canvas::open_for_selection() {
  if (!selected_ || selected_->from.empty() || selected_->to.empty()) return false;
  const std::string panel = selected_->panel;
  const Acts acts = acts_on(panel, selected_->from);
  if (acts.empty() || acts.front()->axes.size() != 2) return false;
  const std::string down = acts.front()->axes[0], across = acts.front()->axes[1];
  const auto [top, bottom] = std::minmax({index_of(selected_->from, down), index_of(selected_->to, down)});
  const auto [left, right] = std::minmax({index_of(selected_->from, across), index_of(selected_->to, across)});
  Chosen chosen{pointer_, panel, {}};
  const figure::Rect last = drawing_.rect_of(selected_->to, panel);
  chosen.at = {last.x + last.w / 2, last.y + last.h / 2};
  for (int i = top; i <= bottom; ++i)
    for (int j = left; j <= right; ++j) chosen.all.push_back({{down, i}, {across, j}});
  menu_ = std::move(chosen);
  return true;
}

std::optional<Canvas::Menu> Canvas::menu() {
  if (!menu_) return std::nullopt;
  const Acts acts = acts_on(menu_->panel, menu_->all.front());
  if (acts.empty()) return std::nullopt;
  Menu out{menu_->at, title_of(*acts.front(), menu_->all), {}};
  const std::vector<Edit>& edits = app_.state().subject.edits;
  for (const Gesture* g : acts)
    out.items.push_back({g->label, g->key, std::ranges::all_of(menu_->all, [&](const std::vector<Place>& places) {
                           return is_on(edits, edit_of(*g, places));
                         })});
  return out;
}

void Canvas::act(std::size_t item) {
  if (!menu_) return;
  const Chosen chosen = *std::exchange(menu_, std::nullopt);
  act_on(chosen.panel, chosen.all, item);
}

/// Something whose entries can be selected by dragging over them, to act on all of them.
const figure::Hit* Canvas::selectable_at(figure::Point at) {
  for (auto hit = drawing_.hits.rbegin(); hit != drawing_.hits.rend(); ++hit)
    if (hit->rect.contains(at) && !hit->spots && acts_on(hit->panel, hit->nearest(at)).size() > 0 && !hit->x.none() &&
        !hit->y.none())
      return &*hit;
  return nullptr;
}

}  // namespace helix::app
