#include "figure/boxes.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace helix::figure {
namespace {

constexpr float kLeastCell = 240;   // width of a grid's column if its box sets no minimum
constexpr float kLeastInRow = 160;  // a row in which a panel would be narrower is wrapped
constexpr float kWrapped = 200;     // the width from which two panels of a wrapped row stand beside each other

bool is_row(const Box& box, bool narrow) { return box.kind == Box::Kind::row && (!narrow || box.stays_row); }

/// The widths of a row's children: shares first, within their bounds, and the others in equal parts of what is left.
std::vector<float> widths(const std::vector<Box>& children, float width) {
  const float room = std::max(width - kGap * static_cast<float>(children.size() - 1), 0.0f);
  std::vector<float> out(children.size(), 0);
  float left = room;
  std::size_t open = 0;
  for (std::size_t i = 0; i < children.size(); ++i) {
    const Box& b = children[i];
    if (b.share <= 0) {
      ++open;
      continue;
    }
    out[i] = std::clamp(room * b.share, b.least, std::max(b.most > 0 ? b.most : room, b.least));
    out[i] = std::min(out[i], left), left -= out[i];
  }
  for (std::size_t i = 0; i < children.size(); ++i)
    if (children[i].share <= 0) out[i] = left / static_cast<float>(open);
  return out;
}

/// Whether a row has too little room for one of its children, as half of a comparison may have.
bool crowded(const Box& box, float width, bool narrow) {
  if (narrow || box.stays_row || !is_row(box, narrow)) return false;
  return std::ranges::any_of(widths(box.children, width), [](float w) { return w < kLeastInRow; });
}

/// A crowded row as a column: of two panels each has a line of its own, of more two stand in a line where they fit.
Box wrapped(const Box& box, float width) {
  const std::size_t n = box.children.size(), each = n > 2 && (width - kGap) / 2 >= kWrapped ? 2 : 1;
  Box out = column({});
  for (std::size_t i = 0; i < n; ++i) {
    Box child = box.children[i];
    if (child.share > 0) child.share = child.least = child.most = 0;  // they were for its width
    if (i % each == 0)
      out.children.push_back(each > 1 && i + 1 < n ? row({std::move(child)}) : std::move(child));
    else
      out.children.back().children.push_back(std::move(child));
  }
  return out;
}

/// Applies the height bounds of a column's child; in a row, share and bounds limit the width instead.
Wish bounded(Wish w, const Box& box, bool in_column) {
  if (!in_column || box.kind == Box::Kind::row) return w;
  if (box.share > 0) return w;
  if (box.most > 0) w.height = std::min(w.height, box.most), w.grows = false, w.most = 0;
  w.height = std::max(w.height, box.least), w.least = std::max(w.least, box.least);
  return w;
}

std::size_t grid_columns(const Box& box, float width) {
  const float least = box.least > 0 ? box.least : kLeastCell;
  const auto fit = static_cast<std::size_t>(std::max((width + kGap) / (least + kGap), 1.0f));
  const std::size_t asked = box.columns > 0 ? static_cast<std::size_t>(box.columns) : box.children.size();
  return std::clamp<std::size_t>(std::min(asked, fit), 1, std::max<std::size_t>(box.children.size(), 1));
}

float least_of(const Wish& w) { return std::min(w.least, w.height); }

/// The part of a height that spare room does not stretch.
float fixed_part(const Wish& w) { return w.grows ? std::min(w.fixed, w.height) : w.height; }

/// The most height that is of use.
float most_of(const Wish& w) {
  return w.grows && w.most == 0 ? std::numeric_limits<float>::infinity() : std::max(w.most, w.height);
}

/// The wish of two items beside each other.
Wish beside(const Wish& a, const Wish& b) {
  return {std::max(a.height, b.height),
          std::max(a.least, b.least),
          a.grows || b.grows,
          std::max(a.grows ? a.fixed : 0, b.grows ? b.fixed : 0),
          std::max(most_of(a), most_of(b)),
          a.wrapped || b.wrapped};
}

Wish column_wish(const std::vector<Wish>& rows) {
  const float gaps = kGap * static_cast<float>(rows.empty() ? 0 : rows.size() - 1);
  Wish sum{gaps, gaps, false, gaps, gaps};
  for (const Wish& w : rows) {
    sum.height += w.height, sum.least += w.least, sum.grows = sum.grows || w.grows;
    sum.fixed += fixed_part(w), sum.most += most_of(w), sum.wrapped = sum.wrapped || w.wrapped;
  }
  return sum;
}

std::vector<Wish> grid_rows(const Box& box, float width, bool narrow, const WishOf& wish) {
  const std::size_t columns = grid_columns(box, width);
  const float each = (width - kGap * static_cast<float>(columns - 1)) / static_cast<float>(columns);
  std::vector<Wish> rows;
  for (std::size_t i = 0; i < box.children.size(); ++i) {
    const Wish w = wish_of(box.children[i], each, narrow, wish);
    if (i % columns == 0) rows.push_back({});
    Wish& row = rows.back();
    row = beside(row, w);
  }
  return rows;
}

/// Heights where there is less room than all prefer: the growing items give way first, then the others, each down to its
/// least; where even that is too much, all in proportion to it.
std::vector<float> scarce_heights(const std::vector<Wish>& rows, float room) {
  float least = 0, given[2] = {};  // what items can give: those that do not grow, and those that do
  for (const Wish& w : rows) least += least_of(w), given[w.grows] += w.height - least_of(w);
  const float left = std::max(room - least, 0.0f);  // to be divided among them, first among those that do not grow
  const float fixed = given[0] > 0 ? std::min(left / given[0], 1.0f) : 0;
  const float growing = given[1] > 0 ? std::min(std::max(left - given[0], 0.0f) / given[1], 1.0f) : 0;
  const float part = least > room && least > 0 ? room / least : 1;
  std::vector<float> out;
  for (const Wish& w : rows) out.push_back(part * least_of(w) + (w.height - least_of(w)) * (w.grows ? growing : fixed));
  return out;
}

/// What remains of spare room once the items have taken of it, in proportion to their `parts` and up to what they can use.
float share_out(float spare, const std::vector<Wish>& rows, const std::vector<float>& parts,
                std::vector<float>& heights) {
  for (std::size_t round = 0; round < rows.size() && spare > 0; ++round) {  // each fills an item or gives all away
    float all = 0;
    const auto part = [&](std::size_t i) { return heights[i] < most_of(rows[i]) ? parts[i] : 0; };
    for (std::size_t i = 0; i < rows.size(); ++i) all += part(i);
    if (!(all > 0)) break;
    const float given = spare;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const float more = std::min(given * part(i) / all, most_of(rows[i]) - heights[i]);
      heights[i] += more, spare -= more;
    }
  }
  return spare;
}

/// Heights of stacked items: each gets what it prefers; the growing items take up spare height, and the others what they leave.
std::vector<float> heights(const std::vector<Wish>& rows, float height) {
  const float room = std::max(height - kGap * static_cast<float>(rows.empty() ? 0 : rows.size() - 1), 0.0f);
  float spare = room;
  std::vector<float> out, growing, others;
  for (const Wish& w : rows) {
    spare -= w.height;
    out.push_back(w.height);
    growing.push_back(w.height - fixed_part(w)), others.push_back(w.grows ? 0 : w.height);
  }
  if (spare < 0) return scarce_heights(rows, room);
  share_out(share_out(spare, rows, growing, out), rows, others, out);
  return out;
}

struct Placer {
  const WishOf& wish;
  bool narrow;
  std::vector<Placed>& out;

  void operator()(const Box& box, const Rect& r) const {
    if (box.kind == Box::Kind::panel) {
      out.push_back({box.panel, r});
    } else if (box.children.empty()) {
      return;
    } else if (crowded(box, r.w, narrow)) {
      (*this)(wrapped(box, r.w), r);
    } else if (is_row(box, narrow)) {
      const auto w = widths(box.children, r.w);
      float x = r.x;
      for (std::size_t i = 0; i < w.size(); ++i, x += w[i - 1] + kGap) (*this)(box.children[i], {x, r.y, w[i], r.h});
    } else if (box.kind == Box::Kind::grid) {
      lay_grid(box, r);
    } else {
      std::vector<Wish> rows;
      for (const Box& child : box.children) rows.push_back(bounded(wish_of(child, r.w, narrow, wish), child, true));
      const auto h = heights(rows, r.h);
      float y = r.y;
      for (std::size_t i = 0; i < h.size(); ++i, y += h[i - 1] + kGap) (*this)(box.children[i], {r.x, y, r.w, h[i]});
    }
  }

  void lay_grid(const Box& box, const Rect& r) const {
    const std::size_t columns = grid_columns(box, r.w);
    const float each = (r.w - kGap * static_cast<float>(columns - 1)) / static_cast<float>(columns);
    const auto h = heights(grid_rows(box, r.w, narrow, wish), r.h);
    float y = r.y;
    for (std::size_t i = 0; i < box.children.size(); ++i) {
      if (i && i % columns == 0) y += h[i / columns - 1] + kGap;
      (*this)(box.children[i], {r.x + (each + kGap) * static_cast<float>(i % columns), y, each, h[i / columns]});
    }
  }
};

}  // namespace

Box boxes_of(const Figure& figure, bool narrow) {
  if (narrow && !figure.narrow.children.empty()) return figure.narrow;
  if (!figure.root.children.empty() || figure.root.kind == Box::Kind::panel) return figure.root;
  Box all{Box::Kind::column};
  for (const Panel& p : figure.panels) all.children.push_back(panel(p.id));
  return all;
}

Wish wish_of(const Box& box, float width, bool narrow, const WishOf& wish) {
  if (box.kind == Box::Kind::panel) return wish(box.panel, width);
  if (box.children.empty()) return {};
  if (box.kind == Box::Kind::grid) return column_wish(grid_rows(box, width, narrow, wish));
  if (crowded(box, width, narrow)) {
    Wish w = wish_of(wrapped(box, width), width, narrow, wish);
    w.wrapped = true;
    return w;
  }
  if (!is_row(box, narrow)) {
    std::vector<Wish> rows;
    for (const Box& child : box.children) rows.push_back(bounded(wish_of(child, width, narrow, wish), child, true));
    return column_wish(rows);
  }
  Wish most;
  const auto w = widths(box.children, width);
  for (std::size_t i = 0; i < w.size(); ++i) {
    const Wish one = wish_of(box.children[i], w[i], narrow, wish);
    most = beside(most, one);
  }
  return most;
}

std::vector<Placed> place(const Box& box, const Rect& rect, const WishOf& wish) {
  std::vector<Placed> out;
  Placer{wish, rect.w < kNarrow, out}(box, rect);
  return out;
}

}  // namespace helix::figure
