// What the pointer and the keys do to a matrix: read a cell, draw around a part of it, choose another head.
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/canvas.h"

namespace helix::app {
namespace {

constexpr int kFar = 1 << 20;
constexpr int kFewestCells = 2;  // a part of a matrix is no smaller, each way

/// A stretch of `size` cells made smaller by `factor` and moved, so that what was under `at - by` comes under `at`: both in
/// parts of the stretch.
void resize(double& first, double& shown, int size, double at, double by, double factor) {
  const double held = first + shown * (at - by);
  shown = std::clamp(shown / factor, static_cast<double>(std::min(kFewestCells, size)), static_cast<double>(size));
  first = std::clamp(held - shown * at, 0.0, size - shown);
}

/// The whole cells of a stretch: {first, last}.
std::pair<int, int> whole_cells(double first, double shown, int size) {
  const int count = static_cast<int>(std::lround(shown));
  const int from = std::clamp(static_cast<int>(std::lround(first)), 0, size - count);
  return {from, from + count - 1};
}

}  // namespace

void Canvas::show_region(const Region& region, Commit commit) {
  ViewState view = app_.state().view;
  if (view.region == region && commit == Commit::dragging) return;
  view.region = region;
  app_.set_view(view, commit);
}

/// A mouse that drags over the matrix draws around what it wants to see. True while it does.
bool Canvas::drag_region(const ui::FigureEvents& events) {
  const figure::CellScale& cells = drawing_.cells;
  if (selected_ && events.released) {
    const Region region = *std::exchange(selected_, std::nullopt);
    const auto enough = [](int first, int last) { return last - first + 1 >= kFewestCells; };
    if (enough(region.first_query, region.last_query) && enough(region.first_key, region.last_key)) show_region(region);
    return true;
  }
  if (!events.selecting || !cells.at(events.pressed)) {
    selected_.reset();
    return false;
  }
  const auto from = cells.nearest(events.pressed), to = cells.nearest(events.pointer);
  selected_ = Region{std::min(from.row, to.row), std::max(from.row, to.row), std::min(from.col, to.col),
                     std::max(from.col, to.col)};
  return true;
}

void Canvas::draw_selection() {
  if (!selected_) return;
  const figure::Rect a = drawing_.cells.of(selected_->first_query, selected_->first_key),
                     b = drawing_.cells.of(selected_->last_query, selected_->last_key);
  if (a.w <= 0 || b.w <= 0) return;
  for (figure::Block& block : drawing_.blocks) {
    if (block.images.empty() || !block.rect.contains({a.x, a.y})) continue;
    const float w = 2 * drawing_.unit;
    block.boxes.push_back({{a.x, a.y, b.right() - a.x, w}, theme.text, 0});
    block.boxes.push_back({{a.x, b.bottom() - w, b.right() - a.x, w}, theme.text, 0});
    block.boxes.push_back({{a.x, a.y, w, b.bottom() - a.y}, theme.text, 0});
    block.boxes.push_back({{b.right() - w, a.y, w, b.bottom() - a.y}, theme.text, 0});
  }
}

bool Canvas::choose_head(figure::Point at) {
  const auto tile = drawing_.tiles.at(at);
  const auto* grid = figure::content_of<figure::HeadGrid>(app_.figure());
  if (!tile || !grid) return false;
  const std::string layer_key = grid->layer_key, head_key = grid->head_key;
  app_.set_params({{layer_key, std::to_string(tile->layer)}, {head_key, std::to_string(tile->head)}},
                  Commit::committed);
  return true;
}

void Canvas::step_head(int layers, int heads) {
  const auto* grid = figure::content_of<figure::HeadGrid>(app_.figure());
  if (!grid || !grid->layers()) return;
  // From what the controls say: a key held down need not wait for the picture.
  const auto& params = app_.state().params;
  const auto stepped = [&](const std::string& key, int by, std::size_t count) {
    const std::string* now = find_value(params, key);
    return std::to_string(std::clamp((now ? std::atoi(now->c_str()) : 0) + by, 0, static_cast<int>(count) - 1));
  };
  app_.set_params({{grid->layer_key, stepped(grid->layer_key, layers, grid->layers())},
                   {grid->head_key, stepped(grid->head_key, heads, grid->heads())}},
                  Commit::committed);
}

void Canvas::walk_cells(int down, int right) {
  const auto* map = figure::content_of<figure::Heatmap>(app_.figure());
  if (!map || !map->rows() || !map->cols()) return;
  const figure::CellScale& cells = drawing_.cells;
  const Focus held = app_.state().view.focus;
  const int first_row = cells.first_row, last_row = first_row + cells.rows - 1;
  const int first_col = cells.first_col, last_col = first_col + cells.cols - 1;
  Focus next = Focus::at_cell(last_row, first_col, held.locked);  // the last token asks
  if (held.is_cell())
    next = Focus::at_cell(held.query + down, held.key + right, held.locked);
  else if (held.position >= 0)
    next = Focus::at_cell(held.position + down, held.position + right, held.locked);
  next.query = std::clamp(next.query, first_row, last_row), next.key = std::clamp(next.key, first_col, last_col);
  point_at(next);
}

Region Canvas::zoomed_region(const CellWindow& window, int rows, int cols) {
  const auto [q0, q1] = whole_cells(window.row, window.rows, rows);
  const auto [k0, k1] = whole_cells(window.col, window.cols, cols);
  const bool whole = q1 - q0 + 1 == rows && k1 - k0 + 1 == cols;
  return whole ? Region() : Region{q0, q1, k0, k1};
}

void Canvas::zoom_cells(figure::Point at, figure::Point moved, double factor, Commit commit) {
  const auto* map = figure::content_of<figure::Heatmap>(app_.figure());
  const figure::CellScale& c = drawing_.cells;
  if (!map || c.rows < 1 || c.cols < 1) return;
  const int rows = static_cast<int>(map->rows()), cols = static_cast<int>(map->cols());
  // Another hand may have been here since: a button, a link, a drag, a text of fewer tokens.
  if (!window_ || window_->rows > rows || window_->cols > cols ||
      zoomed_region(*window_, rows, cols) != app_.state().view.region)
    window_ = CellWindow{static_cast<double>(c.first_row), static_cast<double>(c.rows),
                         static_cast<double>(c.first_col), static_cast<double>(c.cols)};
  const figure::Rect& r = c.rect;
  resize(window_->row, window_->rows, rows, (at.y - r.y) / r.h, moved.y / r.h, factor);
  resize(window_->col, window_->cols, cols, (at.x - r.x) / r.w, moved.x / r.w, factor);
  show_region(zoomed_region(*window_, rows, cols), commit);
}

void Canvas::zoom_held(double factor) {
  const figure::CellScale& c = drawing_.cells;
  const Focus held = app_.state().view.focus;
  const figure::Rect cell = held.is_cell() ? c.of(held.query, held.key) : figure::Rect();
  const figure::Rect& about = cell.w > 0 ? cell : c.rect;
  zoom_cells({about.x + about.w / 2, about.y + about.h / 2}, {}, factor, Commit::committed);
}

bool Canvas::cell_key(std::string_view name, bool shift) {
  Focus held = app_.state().view.focus;
  const int far = shift ? 10 : 1;
  if (name == "ArrowRight")
    walk_cells(0, far);
  else if (name == "ArrowLeft")
    walk_cells(0, -far);
  else if (name == "ArrowDown")
    walk_cells(far, 0);
  else if (name == "ArrowUp")
    walk_cells(-far, 0);
  else if (name == "PageDown")
    walk_cells(100, 0);
  else if (name == "PageUp")
    walk_cells(-100, 0);
  else if (name == "Home")
    walk_cells(0, -kFar);
  else if (name == "End")
    walk_cells(0, kFar);
  else if (name == "Enter" || name == " ")
    held.locked = !held.locked && !held.nothing(), point_at(held);
  else if (name == "Escape")
    held.nothing() ? show_region(Region()) : point_at(Focus());
  else if (name == "w" || name == "W")
    step_head(-1, 0);
  else if (name == "s" || name == "S")
    step_head(1, 0);
  else if (name == "a" || name == "A")
    step_head(0, -1);
  else if (name == "d" || name == "D")
    step_head(0, 1);
  else if (name == "+" || name == "=")
    zoom_held(2);
  else if (name == "-")
    zoom_held(0.5);
  else if (name == "0")
    show_region(Region());
  else
    return false;
  return true;
}

}  // namespace helix::app
