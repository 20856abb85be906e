// A matrix with names along two sides.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "figure/matrix.h"

namespace helix::figure {
namespace {

constexpr float kBold = 1.05f;       // how much wider strong letters are: the name in focus
constexpr float kNarrowest = 0.36f;  // of the height: a matrix's width
constexpr float kLegend = 34;        // the colour bar below
constexpr float kLine = kMatrixLine;
constexpr float kLongest = 84;      // widest name beside the matrix, in pixels
constexpr float kLargest = 96;      // largest height of a cell, in pixels, and width unless it may be stretched
constexpr float kBeside = 7;        // between a name and its cells
constexpr float kLeastWord = 2.2f;  // width of a cell that has a word, in letters' heights
constexpr float kLeastCorner = 12;  // of a cell that shows in its corner what it was
constexpr float kNumberGap = 4;     // around a number in its cell, both sides together

float widest(const Scale& scale, const Side& side, int step, float size) {
  float most = 0;
  for (int i = side.first; i < side.first + side.count; i += step)
    most = std::max(most, text_width(name_at(scale, i, step > 1), size));
  return std::min(most, kLongest);
}

/// Written as on axes: with a minus sign, but none before a zero.
std::string number_label(double number, int digits) {
  const std::string text = to_fixed(std::abs(number), digits);
  return number < 0 && text.find_first_not_of("0.,") != std::string::npos ? "−" + text : text;
}

Point middle_of(const Rect& r) { return {r.x + r.w / 2, r.y + r.h / 2}; }

/// The layout of a matrix.
struct Sheet {
  Side rows, cols;
  Rect area;
  float row_room = 0;
  float size = 11;  // of the names
  bool turned = true;
  int row_step = 1, col_step = 1;
  float head = kMatrixTitle;  // above the names: the title and the arcs
  float arcs = 0;
  float legend = kLegend;

  Rect cell(int row, int col) const {
    if (row < rows.first || row >= rows.first + rows.count || col < cols.first || col >= cols.first + cols.count)
      return {};
    const float w = area.w / static_cast<float>(cols.count), h = area.h / static_cast<float>(rows.count);
    return {area.x + w * static_cast<float>(col - cols.first), area.y + h * static_cast<float>(row - rows.first), w, h};
  }
};

Sheet plan(const Plot& plot, float stretch, const PanelContext& context) {
  const Rect& r = context.block.rect;
  Sheet s;
  s.rows = entries_of(plot.y, context.view), s.cols = entries_of(plot.x, context.view);
  s.size = context.theme.font - 1;
  s.legend = shows_bar(plot, context.shared) ? kLegend : 4;
  if (!s.rows.count || !s.cols.count) return s;
  const float n_rows = static_cast<float>(s.rows.count), n_cols = static_cast<float>(s.cols.count);
  float col_room = 0;
  // How many names fit depends on the cells, and the cells on the room the names take: two passes settle it.
  float cell_w = std::max(r.w * 0.8f, 1.0f) / n_cols, cell_h = std::max(r.h * 0.8f, 1.0f) / n_rows;
  for (int pass = 0; pass < 2; ++pass) {
    s.row_step = label_step(cell_h), s.col_step = label_step(cell_w);
    const float across = plot.x.quiet ? 0 : widest(plot.x, s.cols, s.col_step, s.size);
    s.turned = !plot.x.names.empty() && (s.col_step > 1 || cell_w < across + 8);
    if (!s.turned)
      while (cell_w * static_cast<float>(s.col_step) < across + 6 && s.col_step < s.cols.count) s.col_step *= 2;
    s.row_room = plot.y.quiet ? 0 : std::min(widest(plot.y, s.rows, s.row_step, s.size) * kBold, r.w * 0.28f) + kBeside;
    col_room = plot.x.quiet ? 0 : (s.turned ? std::min(across, r.h * 0.24f) : s.size + 3) + kBeside;
    s.arcs = arcs_height(plot, cell_w), s.head = matrix_head_height(plot, context) + s.arcs;
    const float w = std::max(r.w - s.row_room - 3, 1.0f), h = std::max(r.h - s.head - col_room - s.legend - 1, 1.0f);
    const float lopsided = std::clamp(n_cols / n_rows, kNarrowest, 2.0f);
    float area_w = std::min({w, h * lopsided * stretch, kLargest * std::max(stretch, 1.0f) * n_cols}),
          area_h = std::min({area_w / lopsided, h, kLargest * n_rows});
    // Whole pixels per cell if they are large enough: edges are sharp then.
    if (area_w / n_cols >= 4) area_w = std::floor(area_w / n_cols) * n_cols;
    if (area_h / n_rows >= 4) area_h = std::floor(area_h / n_rows) * n_rows;
    cell_w = area_w / n_cols, cell_h = area_h / n_rows;
    s.area = {r.x + std::ceil(s.row_room), r.y + s.head + std::ceil(col_room), area_w, area_h};
  }
  return s;
}

/// The highlighted row and column; −1: none.
struct Lit {
  int row = -1, col = -1;
  bool both = false;  // the focus is a cell, not a position that is both a row and a column
};

Lit lit_of(const Plot& plot, const Focus& focus) {
  const auto one = [&](const std::string& axis) {
    const auto all = axis.empty() ? std::vector<int>() : focus.lit(axis);
    return all.empty() ? -1 : all.front();
  };
  return {one(plot.y.axis), one(plot.x.axis), focus.has(plot.y.axis) && focus.has(plot.x.axis)};
}

void draw_names(const Plot& plot, const Sheet& s, const Lit& lit, PanelContext& context) {
  Block& block = context.block;
  const Theme& theme = context.theme;
  const float room = s.area.y - block.rect.y - s.head - kBeside;
  const auto name = [&](int index, bool down, bool strong) {
    const Rect cell = down ? s.cell(index, s.cols.first) : s.cell(s.rows.first, index);
    const int step = down ? s.row_step : s.col_step;
    Label l;
    l.size = s.size, l.weight = strong ? Weight::strong : Weight::regular;
    l.colour = !strong ? theme.mute : down ? theme.accent : theme.warm;
    const float wide = down ? s.row_room - kBeside : s.turned ? room : cell.w * static_cast<float>(step) - 4;
    l.text = shortened(name_at(down ? plot.y : plot.x, index, step > 1), wide / (strong ? kBold : 1), l.size);
    if (down) {
      l.at = {s.area.x - kBeside + 1, cell.y + cell.h / 2}, l.anchor = Anchor::end;
    } else if (s.turned) {
      l.at = {cell.x + cell.w / 2, s.area.y - kBeside + 1}, l.turned = true;
    } else {
      l.at = {cell.x + cell.w / 2, s.area.y - kBeside - 3}, l.anchor = Anchor::middle;
      if (!strong && label_box(l).right() > block.rect.right()) return;  // the text would run past the panel's edge
    }
    block.labels.push_back(std::move(l));
  };
  const auto side = [&](const Side& along, int step, int focus, float cell, float apart, bool down) {
    const bool held = focus >= along.first && focus < along.first + along.count;
    for (int i = along.first; i < along.first + along.count; i += step)
      if (!held || std::abs(static_cast<float>(i - focus)) * cell >= apart) name(i, down, false);
    if (held) name(focus, down, true);
  };
  const float across = s.turned ? kLine : widest(plot.x, s.cols, s.col_step, s.size) + 4;
  if (!plot.y.quiet) side(s.rows, s.row_step, lit.row, s.area.h / static_cast<float>(s.rows.count), kLine, true);
  if (!plot.x.quiet) side(s.cols, s.col_step, lit.col, s.area.w / static_cast<float>(s.cols.count), across, false);
}

/// Marks the focused row and column with lines along them, and the focused cell with a ring.
void draw_cross(const Sheet& s, const Lit& lit, PanelContext& context) {
  if (lit.row < 0 && lit.col < 0) return;
  const Theme& theme = context.theme;
  Layer& layer = context.block.above();
  const Rect& area = s.area;
  const bool locked = context.view.focus.locked;
  const float thin = locked ? 1.5f : 1.0f;
  const Rect across = s.cell(lit.row, s.cols.first), down = s.cell(s.rows.first, lit.col);
  const auto line = [&](float x, float y, float w, float h, Rgba ink) {
    layer.boxes.push_back({{x, y, w, h}, ink, 0});
  };
  if (across.h >= 5) {
    line(area.x, across.y, area.w, thin, theme.accent),
        line(area.x, across.bottom() - thin, area.w, thin, theme.accent);
  } else if (across.h > 0) {
    line(area.x, across.y + across.h / 2 - thin / 2, area.w, thin, theme.accent);
  }
  if (down.w >= 5) {
    line(down.x, area.y, thin, area.h, theme.warm), line(down.right() - thin, area.y, thin, area.h, theme.warm);
  } else if (down.w > 0) {
    line(down.x + down.w / 2 - thin / 2, area.y, thin, area.h, theme.warm);
  }
  if (!lit.both || across.h <= 0 || down.w <= 0) return;
  const float least = std::max(0.0f, (5 - std::min(across.h, down.w)) / 2);  // a cell of one pixel still gets a ring
  add_frame(layer, {down.x - least, across.y - least, down.w + 2 * least, across.h + 2 * least}, locked ? 2 : 1.5f,
            theme.text);
}

/// Draws the numbers of the cells only if all that are shown fit: with some missing, the gaps would seem to mean
/// something.
void draw_numbers(const Plot& plot, const Cells& m, const Sheet& s, const Palette& palette, PanelContext& context) {
  const Shades& shades = *m.cells.front();
  const float size = context.theme.font - 2;
  const Rect corner = s.cell(s.rows.first, s.cols.first);
  if (m.numbers.size() != shades.data.size() || shades.data.empty()) return;
  if (corner.h < size + kNumberGap || corner.w < size + kNumberGap) return;
  std::vector<Label> labels;
  for (int row = s.rows.first; row < s.rows.first + s.rows.count; ++row)
    for (int col = s.cols.first; col < s.cols.first + s.cols.count; ++col) {
      const auto i = static_cast<std::size_t>(row - plot.y.first), j = static_cast<std::size_t>(col - plot.x.first);
      if (i >= shades.height() || j >= shades.width()) return;
      const float number = m.numbers[i * shades.width() + j];
      if (!std::isfinite(number)) continue;
      const Rect cell = s.cell(row, col);
      Label label{middle_of(cell), number_label(static_cast<double>(number), m.digits), size,
                  ink_on(palette[shades(i, j)]), Anchor::middle};
      if (text_width(label.text, size) + kNumberGap > cell.w) return;
      labels.push_back(std::move(label));
    }
  auto& all = context.block.labels;
  all.insert(all.end(), std::make_move_iterator(labels.begin()), std::make_move_iterator(labels.end()));
}

/// Draws what a cell was in its lower left corner, on the ground.
void draw_before(const Plot& plot, const Cells& m, const Sheet& s, const ShadeScale& scale, const Palette& palette,
                 PanelContext& context) {
  const Shades& shades = *m.cells.front();
  if (m.before.size() != shades.data.size() || shades.data.empty()) return;
  Layer& layer = context.block.above();
  for (int row = s.rows.first; row < s.rows.first + s.rows.count; ++row)
    for (int col = s.cols.first; col < s.cols.first + s.cols.count; ++col) {
      const auto i = static_cast<std::size_t>(row - plot.y.first), j = static_cast<std::size_t>(col - plot.x.first);
      if (i >= shades.height() || j >= shades.width()) return;
      const float before = m.before[i * shades.width() + j];
      const Rect cell = s.cell(row, col);
      if (std::isnan(before) || cell.w < kLeastCorner || cell.h < kLeastCorner) continue;
      const float side = std::max(std::min(cell.w, cell.h) * 0.34f, 4.0f), y = cell.bottom() - side;
      layer.boxes.push_back({{cell.x, y - 1.5f, side + 1.5f, side + 1.5f}, context.theme.background, 0});
      layer.boxes.push_back({{cell.x, y, side, side}, palette[shade(static_cast<double>(before), scale)], 0});
    }
}

/// What can be carried along its row: the cell in a locked focus, with a bar on both sides to hold it by.
void add_carry(const Plot& plot, const Sheet& s, const Lit& lit, PanelContext& context) {
  const Rect cell = s.cell(lit.row, lit.col);
  if (!context.view.focus.locked || !lit.both || cell.w <= 0) return;
  for (std::size_t i = 0; i < plot.gestures.size(); ++i) {
    const Gesture& g = plot.gestures[i];
    if (g.on != Gesture::On::carry || g.axes.empty() || g.axes.front() != plot.x.axis) continue;
    const float high = std::clamp(cell.h * 0.5f, 6.0f, 16.0f), y = cell.y + (cell.h - high) / 2;
    for (const float x : {cell.x - 5, cell.right() + 2})
      context.block.above().boxes.push_back({{x, y, 3, high}, context.theme.warm, 1.5f});
    Grip grip;
    grip.part = Grip::Part::mark, grip.panel = context.block.panel, grip.gesture = i, grip.axis = g.axes.front();
    grip.rect = cell, grip.track = s.area, grip.first = s.cols.first, grip.count = s.cols.count;
    context.drawing.grips.push_back(std::move(grip));
    return;
  }
}

/// Writes a word into each cell. Cells too small for a few letters stay colours: the reading says their words.
void draw_words(const Plot& plot, const Cells& m, const Sheet& s, const Palette& palette, PanelContext& context) {
  const Shades& shades = *m.cells.front();
  const float size = context.theme.font - 2;
  const Rect corner = s.cell(s.rows.first, s.cols.first);
  if (m.words.size() != shades.data.size() || corner.h < size + 2 || corner.w < kLeastWord * size) return;
  Layer& layer = context.block.above();
  for (int row = s.rows.first; row < s.rows.first + s.rows.count; ++row)
    for (int col = s.cols.first; col < s.cols.first + s.cols.count; ++col) {
      const auto i = static_cast<std::size_t>(row - plot.y.first), j = static_cast<std::size_t>(col - plot.x.first);
      if (i >= shades.height() || j >= shades.width()) return;
      const std::size_t at = i * shades.width() + j;
      const Rect cell = s.cell(row, col);
      const bool strong = at < m.strong.size() && m.strong[at];
      if (strong) layer.boxes.push_back({{cell.x + 1, cell.bottom() - 3, cell.w - 2, 2}, context.theme.warm, 0});
      Label label{middle_of(cell), shortened(m.words[at], cell.w - kNumberGap, size), size,
                  ink_on(palette[shades(i, j)]), Anchor::middle};
      label.weight = strong ? Weight::strong : Weight::regular;
      context.block.labels.push_back(std::move(label));
    }
}

/// Outlines the cell selected by the controls.
void draw_chosen(const Plot& plot, const Sheet& s, PanelContext& context) {
  const auto index = [&](const std::string& axis) {
    const auto at = std::ranges::find(plot.chosen, axis, &Place::axis);
    return at == plot.chosen.end() ? -1 : at->index;
  };
  const Rect cell = s.cell(index(plot.y.axis), index(plot.x.axis));
  if (cell.w <= 0) return;
  const float out = cell.w < 8 ? 2 : 1;
  add_frame(context.block.above(), {cell.x - out, cell.y - out, cell.w + 2 * out, cell.h + 2 * out}, 2,
            context.theme.accent);
}

void draw_one(const Plot& plot, const Cells& m, PanelContext& context) {
  const Sheet s = plan(plot, m.stretch, context);
  if (!s.rows.count || !s.cols.count || m.cells.empty()) {
    draw_matrix_head(plot, context.block.rect.right(), s.size, context);
    return;
  }
  const ShadeScale scale = plot.colour ? plot.colour->range : ShadeScale();
  const auto palette = palette_of(scale, context.view.map, context.theme);
  const auto& shades = finest_for(m.cells, std::max(s.rows.count, s.cols.count), std::max(s.area.w, s.area.h));
  const auto fine = static_cast<float>(shades->pooled);
  context.block.top().images.push_back({s.area, shades, palette, static_cast<float>(s.cols.first - plot.x.first) / fine,
                                        static_cast<float>(s.rows.first - plot.y.first) / fine,
                                        static_cast<float>(s.cols.count) / fine,
                                        static_cast<float>(s.rows.count) / fine});
  PlotFrame f{plot, context, s.area, s.cols, s.rows, s.size};
  f.x.from = s.area.x, f.x.to = s.area.right(), f.y.from = s.area.y, f.y.to = s.area.bottom();
  context.drawing.hits.push_back({context.block.panel,
                                  s.area,
                                  plot.whole,
                                  {plot.x.axis, s.cols.first, s.cols.count},
                                  {plot.y.axis, s.rows.first, s.rows.count}});
  for (const Mark& mark : plot.marks) {
    if (std::holds_alternative<Cells>(mark)) continue;
    context.block.above();
    const float top = context.block.rect.y + s.head - s.arcs;
    if (const auto* arcs = std::get_if<Arcs>(&mark); arcs && s.arcs > 0)
      draw_arcs(*arcs, f.x, {s.area.x, top, s.area.w, s.arcs}, context);
    std::visit([&](const auto& other) { draw_mark(other, f); }, mark);
  }
  if (m.words.empty())
    draw_numbers(plot, m, s, *palette, context);
  else
    draw_words(plot, m, s, *palette, context);
  draw_before(plot, m, s, scale, *palette, context);
  for (const Tag& tag : m.tags) draw_tag(tag, s.cell(tag.row, tag.col), context);
  draw_chosen(plot, s, context);
  const Lit lit = lit_of(plot, context.view.focus);
  draw_cross(s, lit, context);
  add_carry(plot, s, lit, context);
  draw_names(plot, s, lit, context);
  if (shows_bar(plot, context.shared))
    draw_colour_bar(*plot.colour, shades->pooled, *palette, {s.area.x, s.area.bottom() + 10},
                    std::min(132.0f, context.block.rect.right() - s.area.x - 4), context);
  draw_matrix_head(plot, s.area.right(), s.size, context);
  draw_rule_labels(f);
  draw_callouts(f);
}

/// Where the names of the sides go: beside the title, on one line below it, or on a line each. Empty: a side has none. Maps
/// that share their colours are drawn alike, so the longest of their titles decides.
struct SideNames {
  std::vector<std::string> lines{};
  bool beside = false;
};

SideNames side_names(const Plot& plot, const PanelContext& context) {
  if (plot.x.title.empty() || plot.y.title.empty()) return {};
  const Theme& theme = context.theme;
  const std::string &title = context.panel.title, down = plot.y.title + " ↓", across = plot.x.title + " →",
                    both = down + "   " + across;
  const float room = context.block.rect.w, wide = text_width(both, theme.font - 1);
  const auto alike = context.shared.titles.find(plot.colour ? plot.colour->id : "");
  const std::string& longest = alike == context.shared.titles.end() ? title : alike->second;
  const float taken = longest.empty() ? 0 : text_width(longest, theme.font) + 16;
  if (taken + wide <= room) return {{both}, true};
  if (wide <= room) return {{both}};
  return {{down, across}};
}

}  // namespace

std::string name_at(const Scale& scale, int index, bool numbered) {
  const std::string number = std::to_string(index);
  const auto i = static_cast<std::size_t>(index - scale.first);
  if (index < scale.first || i >= scale.names.size()) return number;
  return numbered ? number + "  " + scale.names[i] : scale.names[i];
}

int label_step(float cell) {
  for (int step = 1;; step *= 10)
    for (const int part : {1, 2, 5})
      if (cell * static_cast<float>(step * part) >= kLine || step > 10'000) return step * part;
}

void draw_matrix_head(const Plot& plot, float right, float size, PanelContext& context) {
  const Rect& r = context.block.rect;
  const Theme& theme = context.theme;
  const std::string& title = context.panel.title;
  if (!title.empty())
    context.block.labels.push_back({{r.x, r.y + 8}, shortened(title, r.w, theme.font), theme.font, theme.text});
  const SideNames names = side_names(plot, context);
  if (names.beside) {  // right-aligned on the title's line
    const float after = title.empty() ? 0 : text_width(title, theme.font) + 16;
    const float end = std::max(right, r.x + after + text_width(names.lines[0], size));
    context.block.labels.push_back({{end, r.y + 8}, names.lines[0], size, theme.mute, Anchor::end});
    return;
  }
  float y = r.y + (title.empty() ? 8 : 8 + kMatrixLine);
  for (const std::string& line : names.lines) {
    context.block.labels.push_back({{r.x, y}, shortened(line, r.w, size), size, theme.mute});
    y += kMatrixLine;
  }
}

float matrix_head_height(const Plot& plot, const PanelContext& context) {
  const SideNames names = side_names(plot, context);
  const auto lines = static_cast<float>(names.lines.size());
  if (names.beside || names.lines.empty()) return kMatrixTitle;
  return kMatrixTitle + kMatrixLine * (context.panel.title.empty() ? lines - 1 : lines);
}

Wish matrix_wish(const Plot& plot, const Cells& cells, float width) {
  if (plot.height > 0) return {plot.height, std::min(plot.height, 120.0f), false};
  if (!cells.down_axis.empty()) return tiles_wish(plot, width);
  const float lopsided =
      plot.x.count && plot.y.count
          ? std::clamp(static_cast<float>(plot.x.count) / static_cast<float>(plot.y.count), kNarrowest, 2.0f)
          : 1;
  const float most = std::min(width / lopsided, kLargest * static_cast<float>(std::max(plot.y.count, 1)));
  const bool arcs = std::ranges::any_of(plot.marks, [](const Mark& m) { return std::holds_alternative<Arcs>(m); });
  const float around = 2 * kMatrixTitle + kLine + kLegend + (arcs ? kArcsHeight : 0);
  return {std::min(width / lopsided, 640.0f) + 60, 160, true, 0, most + around};
}

void draw_matrix(const Plot& plot, const Cells& cells, PanelContext& context) {
  if (cells.down_axis.empty())
    draw_one(plot, cells, context);
  else
    draw_tiles(plot, cells, context);
}

/// A matrix is drawn in a frame of its own: nothing is left to draw here.
void draw_mark(const Cells&, PlotFrame&) {}

}  // namespace helix::figure
