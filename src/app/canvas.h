// The canvas: lays the app's figure out, paints it, and turns what the pointer and the keys do into actions. It knows
// hits, grips and gestures, not what a panel shows.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/app.h"
#include "figure/layout.h"
#include "ui/figure_surface.h"

namespace helix::app {

class Canvas {
 public:
  explicit Canvas(App& app) : app_(app) {}

  float width = 800, height = 520;  // CSS pixels
  figure::Theme theme;
  ui::Fonts fonts;
  ui::Painters painters;
  bool may_sway = false;  // the figure may move by itself

  /// Call between ImGui::NewFrame and ImGui::Render.
  void frame();
  /// Two fingers: scales about their midpoint and shifts; `ended` only commits. True if handled.
  bool pinch(float x, float y, float scale, float dx, float dy, bool ended);
  /// Two fingers went down: whether they hold two positions of a text on a curve, which they can pull together.
  bool holds_two(figure::Point a, figure::Point b);
  /// They moved: closer to each other, all positions from one to the other are averaged, and as far apart as they began
  /// they are not. False once they zoom or shift instead.
  bool pull(figure::Point a, figure::Point b);
  /// One of them was lifted: what they have pulled together stays.
  void end_pull();
  /// Whether one finger here turns or drags something, and whether two zoom it; elsewhere the page scrolls or zooms.
  bool takes_touch(figure::Point at) const;
  bool takes_pinch(figure::Point at) const;
  /// Cancels the current press: it ends without a click; what it has moved stays, what was pulled together does not.
  void cancel_press();
  /// On a space: resets the camera; on a panel with windows: shows all of it.
  void double_click(figure::Point at);
  /// A key by its KeyboardEvent.key, while the canvas has the focus. True if it was handled.
  bool key(std::string_view name, bool shift, bool alt = false);
  /// Whether a finger here holds something that follows it in every direction: a grip, or what lies on a curve.
  bool holds(figure::Point at) const;

  /// What can be done to what is under a point, or in focus: acts, which a menu offers.
  struct Menu {
    figure::Point at;
    std::string title;
    struct Item {
      std::string label, key;
      bool on = false;  // done to all of them; choosing it takes it back
    };
    std::vector<Item> items;
  };
  /// Opens the menu; false if nothing can be done there.
  bool open_menu(figure::Point at);
  bool open_menu();
  void close_menu() { menu_.reset(); }
  /// The open menu; nothing if none is open, or what it was about is gone.
  std::optional<Menu> menu();
  /// Performs an item of the open menu and closes it.
  void act(std::size_t item);
  /// Whether the pointer is over the figure. Once it has left, nothing is pointed at, and its last moves, which may still
  /// wait for a frame, are not read.
  void pointer_came() { away_ = false; }
  void pointer_left();
  /// Whether a space swings there and back: it does so once, until it is touched, to show that it is three-dimensional.
  bool swaying();

  /// "figure", "figure.<panel>", "<panel>.<axis>.<index>[.<axis>.<index>]", "grip.<panel>.first|last|whole|mark"; older
  /// names: "row.<position>", "item.<index>", "moment.<index>", "cell.<query>.<key>", "head.<layer>.<head>". An empty
  /// rect if nothing has this id now.
  figure::Rect rect(std::string_view id) const;
  const figure::Drawing& drawing() const { return drawing_; }
  /// The figure as a document, in this theme; with its title above and `provenance` below where there is one, and the
  /// line `above` that. A height of 0: the figure's own.
  std::string svg(const figure::Theme& with, float w, float h, const std::string& provenance,
                  const std::string& above = {});

 private:
  void lay_out();
  Camera swayed() const;
  void end_sway();
  void apply(const ui::FigureEvents& events);
  void turn(const ui::FigureEvents& events);
  void point_at(const Focus& next);
  void camera(const Camera& next, Commit commit);

  // Keys, in canvas_keys.cpp.
  bool walk_key(std::string_view name, bool shift);
  bool camera_key(std::string_view name);
  bool window_key(std::string_view name);
  bool choose_key(std::string_view name);
  bool carry_key(std::string_view name, bool shift);
  void walk(int down, int across);
  std::pair<int, int> walked_range(const figure::Walk& walk) const;

  // Gestures, in canvas_gestures.cpp.
  using Names = std::vector<std::pair<std::string, int>>;
  const figure::Plot* plot_of(const std::string& panel);
  const std::vector<figure::Gesture>& gestures_of(const std::string& panel);
  void drag(const ui::FigureEvents& events);
  bool carry(const ui::FigureEvents& events);
  std::optional<figure::Drawing::Picked> grasped(const ui::FigureEvents& events) const;
  std::optional<figure::Point> carried_at(const figure::Drawing::Picked& picked) const;
  int followed(const std::string& panel, const std::string& axis, int from, figure::Point to) const;
  bool click(const figure::Drawing::Picked& picked);
  void carry_to(const figure::Gesture& gesture, const Focus& of, int to, Commit commit);
  int carried_now(const figure::Gesture& gesture, const Focus& of) const;
  const figure::Gesture* carry_of(const std::string& panel, const Focus& of, bool shift);

  // Acts, in canvas_acts.cpp.
  using Acts = std::vector<const figure::Gesture*>;
  Acts acts_on(const std::string& panel, const std::vector<Place>& places);
  std::optional<std::pair<std::string, std::vector<Place>>> in_focus();
  bool act_key(std::string_view name);
  void act_on(const std::string& panel, const std::vector<std::vector<Place>>& all, std::size_t item);
  bool carried_here(const std::vector<Place>& places) const;
  const figure::Hit* selectable_at(figure::Point at);
  bool open_for_selection();
  void perform(const figure::Gesture& gesture, const Names& names, Commit commit);

  // Windows, in canvas_windows.cpp.
  /// The hit at a point whose panel has zoomable axes; nullptr: none.
  const figure::Hit* windowed_at(figure::Point at);
  const figure::Hit* first_windowed();
  bool brush(const ui::FigureEvents& events);
  void draw_selection();
  /// Moves what was under `at - moved` to `at`, `factor` times as large.
  void zoom(const figure::Hit& hit, figure::Point at, figure::Point moved, double factor, Commit commit);
  void show(const std::vector<Window>& windows, Commit commit);
  void show_all();

  App& app_;
  ui::FigureSurface surface_;
  figure::Drawing drawing_;
  struct Grabbed {
    int at = 0, first = 0, last = 0;  // where a range was grabbed, and its ends then
  };
  std::optional<Grabbed> grabbed_;
  figure::Point pointer_;                // in the last frame
  bool away_ = false;                    // it has left since: moves from before that wait for a frame, and read nothing
  std::optional<figure::Point> rested_;  // where it was when the keys took over: it is ignored until it moves
  struct Carried {
    std::string panel;
    figure::Gesture gesture;
    Focus of{};             // what is carried alone
    int from = 0, now = 0;  // entries: where it was grabbed, and where it is now
    float dx = 0, dy = 0;   // from the hand to the entry that it holds: a word is held at some distance from its point
  };
  double swayed_for_ = 0;           // seconds
  std::optional<Carried> carried_;  // what is dragged along a curve
  bool pinching_ = false;           // two fingers are zooming
  struct Pulled {
    figure::Point a, b;             // where the fingers began
    std::vector<Edit> apart, mean;  // the edits then, and with the range averaged
    bool begun = false;             // they have come closer: this is no zoom
  };
  std::optional<Pulled> pulled_;  // what two fingers hold
  /// The part of an axis that is shown, in fractional entries, so that small steps add up.
  struct Stretch {
    std::string axis;
    double first = 0, count = 0;
    Window shown;
  };
  std::vector<Stretch> stretches_;
  struct Selection {
    std::string panel;
    std::vector<Place> from, to;
  };
  std::optional<Selection> selected_;  // while a part is being selected
  struct Chosen {
    figure::Point at;
    std::string panel;
    std::vector<std::vector<Place>> all;
  };
  std::optional<Chosen> menu_;  // what the open menu is about
};

}  // namespace helix::app
