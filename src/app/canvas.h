// The canvas: lays the app's figure out, paints it, and turns what the pointer and the keys do into actions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

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
  ui::CapsulePainter painter;
  ui::ImageTexture images;

  /// Between ImGui::NewFrame and ImGui::Render.
  void frame();
  /// Two fingers: scale about the middle between them, and shift; `ended` only keeps what was done. True when it counted.
  bool pinch(float x, float y, float scale, float dx, float dy, bool ended);
  /// Whether a finger put down here turns or drags something, and whether two of them zoom it; elsewhere the page scrolls or zooms.
  bool takes_touch(figure::Point at) const;
  bool takes_pinch(figure::Point at) const;
  /// The press under way was not meant: it ends without a click, what it has moved stays.
  void cancel_press();
  /// On the path: back to the first camera; on a matrix: all of it.
  void double_click(figure::Point at);
  /// A key by its KeyboardEvent.key, while the canvas has the focus. True when it meant something.
  bool key(std::string_view name, bool shift);
  void pointer_left();

  /// "figure", "figure.<panel>", "row.<index>", "item.<index>", "moment.<index>", "cell.<query>.<key>" or "head.<layer>.<head>"; an empty
  /// rect when there is no such thing now.
  figure::Rect rect(std::string_view id) const;
  const figure::Drawing& drawing() const { return drawing_; }
  /// The figure as a document of its own, in this theme.
  std::string svg(const figure::Theme& with, float w, float h, const std::string& caption);

 private:
  void lay_out();
  void apply(const ui::FigureEvents& events);
  void drag_handle(const ui::FigureEvents& events);
  void drag_moment(figure::Point from, figure::Point to, Commit commit);
  int index_under(const ui::FigureEvents& events) const;
  Focus focus_under(const ui::FigureEvents& events) const;
  void point_at(const Focus& next);
  void focus(int index, bool locked);
  bool walk_key(std::string_view name, bool shift);
  void walk(int steps);
  void camera(const Camera& next, Commit commit);

  // Matrices, in canvas_cells.cpp.
  bool drag_region(const ui::FigureEvents& events);
  bool choose_head(figure::Point at);
  bool cell_key(std::string_view name, bool shift);
  void walk_cells(int down, int right);
  void step_head(int layers, int heads);
  /// The part of a matrix that is shown, in cells and parts of them, so that small steps add up.
  struct CellWindow {
    double row = 0, rows = 0, col = 0, cols = 0;
  };
  static Region zoomed_region(const CellWindow& window, int rows, int cols);
  void show_region(const Region& region, Commit commit = Commit::committed);
  /// What was under `at - moved` comes under `at`, `factor` times as large.
  void zoom_cells(figure::Point at, figure::Point moved, double factor, Commit commit);
  void zoom_held(double factor);
  void draw_selection();

  App& app_;
  ui::FigureSurface surface_;
  figure::Drawing drawing_;
  int grabbed_at_ = 0, grabbed_first_ = 0, grabbed_last_ = 0;  // a whole range being moved
  bool grabbed_ = false;
  std::optional<CellWindow> window_;
  std::optional<Region> selected_;  // while a part of a matrix is being drawn around
};

}  // namespace helix::app
