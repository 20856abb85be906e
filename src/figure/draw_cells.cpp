// Matrices: the large one with its tokens along both sides, and the grid of small ones, a head each.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "figure/layout.h"

namespace helix::figure {
namespace {

constexpr float kTitle = 20;    // the line above
constexpr float kLegend = 34;   // the colours below
constexpr float kLine = 14;     // from one label to the next, at least
constexpr float kLongest = 84;  // pixels of a token beside the matrix
constexpr float kLargest = 64;  // pixels of a cell
constexpr float kBeside = 7;    // between a label and its cells

std::shared_ptr<const Palette> palette_of(const ShadeScale& scale, ColourMap map, const Theme& theme) {
  auto palette = std::make_shared<Palette>();
  (*palette)[0] = masked_colour(theme);
  for (std::size_t i = 1; i < palette->size(); ++i) {
    const double t = static_cast<double>(i - 1) / 254;
    (*palette)[i] = scale.diverging ? diverging_colour(2 * t - 1, theme) : colour(map, t, theme.dark);
  }
  return palette;
}

/// First index and count of what is shown along one side.
struct Range {
  int first = 0, count = 0;
};

Range shown(int first, int last, std::size_t size) {
  const int n = static_cast<int>(size);
  if (n == 0) return {};
  if (first < 0 || first >= n) return {0, n};
  return {first, std::min(last, n - 1) - first + 1};
}

/// Every how many cells a label stands, so that none touches the next.
int label_step(float cell) {
  for (int step = 1;; step *= 10)
    for (const int part : {1, 2, 5})
      if (cell * static_cast<float>(step * part) >= kLine || step > 10'000) return step * part;
}

std::string label_at(const std::vector<std::string>& labels, int index, bool numbered) {
  const std::string number = std::to_string(index);
  const auto i = static_cast<std::size_t>(index);
  if (i >= labels.size()) return number;
  return numbered ? number + "  " + labels[i] : labels[i];
}

float widest(const std::vector<std::string>& labels, Range range, int step, float size) {
  float most = 0;
  for (int i = range.first; i < range.first + range.count; ++i)
    if ((i - range.first) % step == 0) most = std::max(most, text_width(label_at(labels, i, step > 1), size));
  return std::min(most, kLongest);
}

void add_frame(Block& block, const Rect& r, float width, Rgba ink) {
  block.boxes.push_back({{r.x - width, r.y - width, r.w + 2 * width, width}, ink, 0});
  block.boxes.push_back({{r.x - width, r.bottom(), r.w + 2 * width, width}, ink, 0});
  block.boxes.push_back({{r.x - width, r.y, width, r.h}, ink, 0});
  block.boxes.push_back({{r.right(), r.y, width, r.h}, ink, 0});
}

/// Where everything of a matrix goes.
struct Sheet {
  Range rows, cols;
  Rect plot;
  float row_room = 0;
  float size = 11;  // of the labels
  bool turned = true;
  int row_step = 1, col_step = 1;
};

Sheet plan(const Heatmap& map, const Theme& theme, const Rect& r) {
  Sheet s;
  s.rows = shown(map.region.first_query, map.region.last_query, map.rows());
  s.cols = shown(map.region.first_key, map.region.last_key, map.cols());
  s.size = theme.font - 1;
  if (!s.rows.count || !s.cols.count) return s;
  const float n_rows = static_cast<float>(s.rows.count), n_cols = static_cast<float>(s.cols.count);
  float col_room = 0;
  // How many labels there are room for depends on the cells, and the cells on the room the labels take: twice is enough.
  float cell_w = std::max(r.w * 0.8f, 1.0f) / n_cols, cell_h = std::max(r.h * 0.8f, 1.0f) / n_rows;
  for (int pass = 0; pass < 2; ++pass) {
    s.row_step = label_step(cell_h), s.col_step = label_step(cell_w);
    const float across = widest(map.col_labels, s.cols, s.col_step, s.size);
    s.turned = s.col_step > 1 || cell_w < across + 8;
    s.row_room = std::min(widest(map.row_labels, s.rows, s.row_step, s.size), r.w * 0.28f) + kBeside;
    col_room = (s.turned ? std::min(across, r.h * 0.24f) : s.size + 3) + kBeside;
    const float w = std::max(r.w - s.row_room - 3, 1.0f), h = std::max(r.h - kTitle - col_room - kLegend - 1, 1.0f);
    const float lopsided = std::clamp(n_cols / n_rows, 0.5f, 2.0f);
    float plot_w = std::min({w, h * lopsided, kLargest * n_cols}),
          plot_h = std::min(plot_w / lopsided, kLargest * n_rows);
    // Whole pixels a cell, where that costs little: edges are sharp then.
    if (plot_w / n_cols >= 4) plot_w = std::floor(plot_w / n_cols) * n_cols;
    if (plot_h / n_rows >= 4) plot_h = std::floor(plot_h / n_rows) * n_rows;
    cell_w = plot_w / n_cols, cell_h = plot_h / n_rows;
    s.plot = {r.x + std::ceil(s.row_room), r.y + kTitle + std::ceil(col_room), plot_w, plot_h};
  }
  return s;
}

void draw_labels(const Heatmap& map, const Sheet& s, const CellScale& cells, const Theme& theme, Block& block) {
  const Focus& f = map.focus;
  const int row = f.is_cell() ? f.query : f.position, col = f.is_cell() ? f.key : f.position;
  const float room = s.plot.y - block.rect.y - kTitle - kBeside;
  const auto place = [&](int index, bool down, bool strong) {
    const Rect cell = down ? cells.of(index, s.cols.first) : cells.of(s.rows.first, index);
    const int step = down ? s.row_step : s.col_step;
    Label l;
    l.size = s.size, l.weight = strong ? Weight::strong : Weight::regular;
    l.colour = !strong ? theme.mute : down ? theme.accent : theme.warm;
    const float wide = down ? s.row_room - kBeside : s.turned ? room : cell.w * static_cast<float>(step) - 4;
    l.text = shortened(label_at(down ? map.row_labels : map.col_labels, index, step > 1), wide, l.size);
    if (down) {
      l.at = {s.plot.x - kBeside + 1, cell.y + cell.h / 2}, l.anchor = Anchor::end;
    } else if (s.turned) {
      l.at = {cell.x + cell.w / 2, s.plot.y - kBeside + 1}, l.turned = true;
    } else {
      l.at = {cell.x + cell.w / 2, s.plot.y - kBeside - 3}, l.anchor = Anchor::middle;
    }
    block.labels.push_back(std::move(l));
  };
  const auto side = [&](Range range, int step, int focus, float cell, bool down) {
    const bool held = focus >= range.first && focus < range.first + range.count;
    for (int i = range.first; i < range.first + range.count; i += step)
      if (!held || std::abs(static_cast<float>(i - focus)) * cell >= kLine) place(i, down, false);
    if (held) place(focus, down, true);
  };
  side(s.rows, s.row_step, row, s.plot.h / static_cast<float>(s.rows.count), true);
  side(s.cols, s.col_step, col, s.plot.w / static_cast<float>(s.cols.count), false);
}

/// The row and the column in focus, and the cell where they meet.
void draw_cross(const Focus& f, const CellScale& cells, const Theme& theme, Block& block) {
  const int row = f.is_cell() ? f.query : f.position, col = f.is_cell() ? f.key : f.position;
  const Rect& plot = cells.rect;
  const float thin = f.locked ? 1.5f : 1.0f;
  const Rect across = cells.of(row, cells.first_col), down = cells.of(cells.first_row, col);
  const auto line = [&](float x, float y, float w, float h, Rgba ink) {
    block.boxes.push_back({{x, y, w, h}, ink, 0});
  };
  if (across.h >= 5) {
    line(plot.x, across.y, plot.w, thin, theme.accent),
        line(plot.x, across.bottom() - thin, plot.w, thin, theme.accent);
  } else if (across.h > 0) {
    line(plot.x, across.y + across.h / 2 - thin / 2, plot.w, thin, theme.accent);
  }
  if (down.w >= 5) {
    line(down.x, plot.y, thin, plot.h, theme.warm), line(down.right() - thin, plot.y, thin, plot.h, theme.warm);
  } else if (down.w > 0) {
    line(down.x + down.w / 2 - thin / 2, plot.y, thin, plot.h, theme.warm);
  }
  if (!f.is_cell() || across.h <= 0 || down.w <= 0) return;
  const float least = std::max(0.0f, (5 - std::min(across.h, down.w)) / 2);  // a cell of one pixel still gets a ring
  add_frame(block, {down.x - least, across.y - least, down.w + 2 * least, across.h + 2 * least}, f.locked ? 2 : 1.5f,
            theme.text);
}

std::string end_text(double value) {
  const double size = std::abs(value);
  const std::string text = size == 0     ? "0"
                           : size >= 100 ? to_fixed(size, 0)
                           : size >= 10  ? to_fixed(size, 1)
                                         : to_fixed(size, 2);
  return value < 0 ? "−" + text : text;
}

void draw_legend(const Heatmap& map, std::size_t pooled, const Palette& palette, const Sheet& s, const Theme& theme,
                 Block& block) {
  constexpr int steps = 48;
  const float x = s.plot.x, y = s.plot.bottom() + 10, width = std::min(132.0f, block.rect.right() - x - 4), height = 7;
  for (int i = 0; i < steps; ++i)
    block.boxes.push_back({{x + width * static_cast<float>(i) / steps, y, width / steps + 0.5f, height},
                           palette[static_cast<std::size_t>(1 + (254 * i + 127) / steps)],
                           0});
  const float below = y + height + 9;
  const auto text = [&](float at, std::string words, Anchor anchor) {
    block.labels.push_back({{at, below}, std::move(words), s.size, theme.mute, anchor});
  };
  text(x, end_text(map.scale.low), Anchor::start);
  text(x + width, end_text(map.scale.high), Anchor::end);
  if (map.scale.diverging) text(x + width / 2, "0", Anchor::middle);
  // What else there is to say stands beside the colours, as far as there is room.
  float right = x + width + 12;
  const auto beside = [&](const std::string& words) {
    const float wide = text_width(words, s.size);
    if (right + wide > block.rect.right()) return false;
    block.labels.push_back({{right, y + height / 2}, words, s.size, theme.mute});
    right += wide + 14;
    return true;
  };
  beside(map.what);
  if (map.masked && right + 14 + text_width(map.masked_label, s.size) <= block.rect.right()) {
    const Rect box{right, y - 1, 9, 9};
    block.boxes.push_back({box, palette[0], 0});
    add_frame(block, box, 1, theme.line);
    right += 15;
    beside(map.masked_label);
  }
  if (pooled > 1) {
    const std::string words = "largest of " + std::to_string(pooled) + " × " + std::to_string(pooled) + " cells";
    if (!beside(words) && x + width + 12 + text_width(words, s.size) <= block.rect.right())
      block.labels.push_back({{x + width + 12, below}, words, s.size, theme.mute});
  }
}

}  // namespace

void draw_heatmap(const Heatmap& map, const std::string& title, const Theme& theme, Block& block, Drawing& drawing) {
  const Rect& r = block.rect;
  const Sheet s = plan(map, theme, r);
  if (!title.empty())
    block.labels.push_back({{r.x, r.y + 8}, shortened(title, r.w, theme.font), theme.font, theme.text});
  if (!s.rows.count || !s.cols.count) return;
  CellScale cells{s.plot, s.rows.first, s.rows.count, s.cols.first, s.cols.count};
  const auto palette = palette_of(map.scale, map.map, theme);
  const double most = std::max(s.rows.count, s.cols.count), pixels = std::max(s.plot.w, s.plot.h);
  const auto& shades = finest_for(map.cells, most, pixels);
  const auto fine = static_cast<float>(shades->pooled);
  block.images.push_back({s.plot, shades, palette, static_cast<float>(s.cols.first) / fine,
                          static_cast<float>(s.rows.first) / fine, static_cast<float>(s.cols.count) / fine,
                          static_cast<float>(s.rows.count) / fine});
  draw_cross(map.focus, cells, theme, block);
  draw_labels(map, s, cells, theme, block);
  draw_legend(map, shades->pooled, *palette, s, theme, block);
  // The names of the sides stand at the far end of the title's line, where they cover nothing.
  const std::string names = map.row_name + " ↓   " + map.col_name + " →";
  const float wide = text_width(names, s.size);
  if (text_width(title, theme.font) + wide + 16 <= r.w)
    block.labels.push_back({{std::max(s.plot.right(), r.x + text_width(title, theme.font) + 16 + wide), r.y + 8},
                            names,
                            s.size,
                            theme.mute,
                            Anchor::end});
  drawing.cells = cells;
}

void draw_head_grid(const HeadGrid& grid, const std::string& title, const Theme& theme, Block& block,
                    Drawing& drawing) {
  const Rect& r = block.rect;
  const float size = theme.font - 1;
  if (!title.empty())
    block.labels.push_back({{r.x, r.y + 8}, shortened(title, r.w, theme.font), theme.font, theme.text});
  const int layers = static_cast<int>(grid.layers()), heads = static_cast<int>(grid.heads());
  if (!layers || !heads) return;
  const float left = text_width(std::to_string(layers - 1), size) + 7, top = kTitle + kLine;
  TileScale tiles;
  tiles.layers = layers, tiles.heads = heads;
  tiles.step =
      std::min({(r.w - left - 2) / static_cast<float>(heads), (r.h - top - 20) / static_cast<float>(layers), 72.0f});
  if (tiles.step < 2) return;
  if (tiles.step > 6) tiles.step = std::floor(tiles.step);
  tiles.side = tiles.step - (tiles.step > 16 ? 3 : tiles.step > 7 ? 2 : 0.5f);
  tiles.rect = {r.x + left, r.y + top, tiles.step * static_cast<float>(heads), tiles.step * static_cast<float>(layers)};
  const auto palette = palette_of(grid.scale, grid.map, theme);
  const auto& finest = grid.tiles.front();
  const auto& shades = finest_for(grid.tiles, static_cast<double>(finest->rows), tiles.side);
  const auto rows = static_cast<float>(shades->rows), cols = static_cast<float>(shades->cols);
  // What one cell of the shades stands for, in the large matrix: the last one may stand for less.
  const float each = static_cast<float>(std::max<std::size_t>(grid.pooled, 1) * shades->pooled);
  for (int l = 0; l < layers; ++l)
    for (int h = 0; h < heads; ++h)
      block.images.push_back(
          {tiles.of(l, h), shades, palette, cols * static_cast<float>(h), rows * static_cast<float>(l), cols, rows});
  if (grid.focus.is_cell()) {
    const float dot = std::max(tiles.side / cols, 2.5f);
    const float dx = (static_cast<float>(grid.focus.key) + 0.5f) / each / cols * tiles.side,
                dy = (static_cast<float>(grid.focus.query) + 0.5f) / each / rows * tiles.side;
    if (dx < tiles.side && dy < tiles.side)
      for (int l = 0; l < layers; ++l)
        for (int h = 0; h < heads; ++h) {
          const Rect tile = tiles.of(l, h);
          block.boxes.push_back({{tile.x + dx - dot / 2, tile.y + dy - dot / 2, dot, dot}, theme.warm, dot / 2});
        }
  }
  const auto framed = [&](int layer, int head, float width, Rgba ink) {
    if (const Rect tile = tiles.of(layer, head); tile.w > 0) add_frame(block, tile, width, ink);
  };
  if (grid.focus.is_head()) framed(grid.focus.layer, grid.focus.head, 1, theme.mute);
  framed(grid.layer, grid.head, 2, theme.accent);
  const int step = std::max(label_step(tiles.step), 1);
  const float wide = text_width(std::to_string(heads - 1), size) + 5;
  int across = 1;
  while (tiles.step * static_cast<float>(across) < wide) ++across;
  for (int l = 0; l < layers; l += step)
    block.labels.push_back({{tiles.rect.x - 5, tiles.of(l, 0).y + tiles.side / 2},
                            std::to_string(l),
                            size,
                            l == grid.layer ? theme.accent : theme.mute,
                            Anchor::end});
  for (int h = 0; h < heads; h += across)
    block.labels.push_back({{tiles.of(0, h).x + tiles.side / 2, tiles.rect.y - 9},
                            std::to_string(h),
                            size,
                            h == grid.head ? theme.accent : theme.mute,
                            Anchor::middle});
  const std::string names = "layer ↓   head →";
  if (text_width(title, theme.font) + text_width(names, size) + 14 <= r.w)
    block.labels.push_back(
        {{r.x + std::max(tiles.rect.right() - r.x, text_width(title, theme.font) + 14 + text_width(names, size)),
          r.y + 8},
         names,
         size,
         theme.mute,
         Anchor::end});
  if (each > 1) {
    const std::string words = "each cell the largest of " + to_fixed(each, 0) + " × " + to_fixed(each, 0);
    block.labels.push_back(
        {{tiles.rect.x, tiles.rect.bottom() + 10}, shortened(words, r.right() - tiles.rect.x, size), size, theme.mute});
  }
  drawing.tiles = tiles;
}

}  // namespace helix::figure
