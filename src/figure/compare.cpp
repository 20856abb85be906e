#include "figure/compare.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <utility>

namespace helix::figure {
namespace {

constexpr const char* kOther = "against.";

constexpr float kHeading = 24;  // CSS pixels

/// Puts a panel above all others, on a phone too.
void put_above(Figure& figure, const Box& upper) {
  if (!figure.narrow.children.empty()) figure.narrow = column({upper, figure.narrow});
  figure.root = column({upper, spelled_out(figure)});
}

/// A line above all panels of a side that says which side it is.
void add_heading(Figure& figure, const std::string& name) {
  put_above(figure, panel("heading", 0, kHeading, kHeading));
  figure.panels.push_back({"heading", "", Number{"", {name}}});
}

/// Makes the lead number a panel: beside the shared title it would not say which of the two sides it belongs to.
void take_in_lead(Figure& figure) {
  if (figure.lead.number.empty()) return;
  put_above(figure, panel("number"));
  figure.panels.push_back({"number", "", std::exchange(figure.lead, {})});
}

void rename(Box& box) {
  if (!box.panel.empty()) box.panel = kOther + box.panel;
  for (Box& child : box.children) rename(child);
}

/// On the other side only zooming stays: its other gestures would change the main state.
void leave_looking(std::vector<Gesture>& gestures) {
  std::erase_if(gestures, [](const Gesture& g) { return g.effect != Gesture::Effect::window; });
}

void share(Scale& a, Scale& b, const std::string& id) {
  if (a.kind != b.kind) return;
  if (a.id.empty()) a.id = id;
  b.id = a.id;
  if (a.low && b.low) a.low = b.low = std::min(*a.low, *b.low);
  if (a.high && b.high) a.high = b.high = std::max(*a.high, *b.high);
}

/// Maps the cells' shades to a wider scale. Only the colours change; the exact numbers stay in the result.
void rescale(Plot& plot, const ShadeScale& from, const ShadeScale& to) {
  std::array<std::uint8_t, 256> became{};
  for (std::size_t i = 1; i < became.size(); ++i)
    became[i] = shade(from.low + (static_cast<double>(i) - 1) / 254 * (from.high - from.low), to);
  for (Mark& mark : plot.marks)
    if (auto* cells = std::get_if<Cells>(&mark))
      for (auto& level : cells->cells) {
        auto changed = std::make_shared<Shades>(*level);
        for (std::uint8_t& one : changed->data) one = became[one];
        level = std::move(changed);
      }
}

std::vector<Plot*> coloured(Figure& figure) {
  std::vector<Plot*> plots;
  for (Panel& panel : figure.panels)
    if (auto* plot = std::get_if<Plot>(&panel.content); plot && plot->colour && !plot->colour->id.empty())
      plots.push_back(plot);
  return plots;
}

/// Plots with the same colour id share one range over both sides, even a plot without a counterpart. The other side's
/// plots get an id of their own, so that each side keeps its colour bar.
void share_colours(Figure& a, Figure& b) {
  const std::vector<Plot*> left = coloured(a), right = coloured(b);
  std::map<std::string, ShadeScale> ranges;
  for (const auto* side : {&left, &right})
    for (const Plot* plot : *side) {
      const ShadeScale one = plot->colour->range;
      const auto [at, made] = ranges.try_emplace(plot->colour->id, one);
      ShadeScale& all = at->second;
      all = {std::min(all.low, one.low), std::max(all.high, one.high), all.diverging || one.diverging};
    }
  for (const auto* side : {&left, &right})
    for (Plot* plot : *side) {
      rescale(*plot, plot->colour->range, ranges[plot->colour->id]);
      plot->colour->range = ranges[plot->colour->id];
    }
  for (Plot* plot : right) plot->colour->id = kOther + plot->colour->id;
}

void share_colours(Plot& a, Plot& b) {
  const ShadeScale left = a.colour->range, right = b.colour->range;
  if (left.diverging != right.diverging) return;
  const ShadeScale both{std::min(left.low, right.low), std::max(left.high, right.high), left.diverging};
  rescale(a, left, both);
  rescale(b, right, both);
  a.colour->range = b.colour->range = both;
}

/// Gives both sides the same scale: equal quantities have equal lengths and equal colours.
void share(Plot& a, Plot& b, const std::string& id) {
  if (a.x.axis.empty()) share(a.x, b.x, id + ".x");
  if (a.y.axis.empty()) share(a.y, b.y, id + ".y");
  if (a.colour && b.colour && a.colour->id.empty()) share_colours(a, b);
}

void share(Panel& a, Panel& b) {
  const std::string id = "beside." + a.id;
  if (auto *left = std::get_if<Plot>(&a.content), *right = std::get_if<Plot>(&b.content); left && right)
    share(*left, *right, id);
  if (auto *left = std::get_if<Space>(&a.content), *right = std::get_if<Space>(&b.content); left && right) {
    if (left->id.empty()) left->id = id;
    right->id = left->id;
  }
}

}  // namespace

Box spelled_out(const Figure& figure) {
  if (!figure.root.children.empty() || figure.root.kind == Box::Kind::panel) return figure.root;
  std::vector<Box> all;
  for (const Panel& one : figure.panels) all.push_back(panel(one.id));
  return column(std::move(all));
}

Figure beside(Figure a, Figure b, const std::string& a_name, const std::string& b_name) {
  take_in_lead(a);
  take_in_lead(b);
  add_heading(a, a_name);
  add_heading(b, b_name);
  const auto narrow_of = [](const Figure& f) { return f.narrow.children.empty() ? spelled_out(f) : f.narrow; };
  Box other = spelled_out(b), below = narrow_of(b);
  rename(other), rename(below);
  a.narrow = column({narrow_of(a), std::move(below)});
  a.root = row({spelled_out(a), std::move(other)});
  // The title is that of the first half: it says so where the other half's is another.
  if (a.title != b.title) a.title = a_name + ": " + a.title;
  a.subtitle = a.title == b.title ? a.subtitle : b_name + ": " + b.title;
  a.summary = a_name + ": " + a.summary + " " + b_name + ": " + b.summary;
  for (Panel& one : b.panels) {
    const auto same = std::ranges::find(a.panels, one.id, &Panel::id);
    if (same != a.panels.end()) share(*same, one);
  }
  share_colours(a, b);
  for (Panel& one : b.panels) {
    one.id = kOther + one.id;
    std::visit(
        [](auto& content) {
          if constexpr (requires { content.gestures; }) leave_looking(content.gestures);
        },
        one.content);
    a.panels.push_back(std::move(one));
  }
  for (Table& table : b.tables) {
    table.title += " · " + b_name;
    a.tables.push_back(std::move(table));
  }
  return a;
}

}  // namespace helix::figure
