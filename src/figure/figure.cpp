#include "figure/figure.h"

#include "base/shared_words.h"

#include <algorithm>

namespace helix::figure {

const Panel* Figure::find(std::string_view id) const {
  const auto it = std::find_if(panels.begin(), panels.end(), [&](const Panel& p) { return p.id == id; });
  return it == panels.end() ? nullptr : &*it;
}

std::string spoken_summary(const Figure& figure) {
  std::string notes;
  const auto add = [&](const std::vector<Mark>& marks) {
    for (const Mark& mark : marks)
      if (const auto* callout = std::get_if<Callout>(&mark); callout && !callout->text.empty())
        notes += (notes.empty() ? "" : "; ") + callout->text;
  };
  for (const Panel& panel : figure.panels) {
    if (const auto* plot = std::get_if<Plot>(&panel.content)) add(plot->marks);
    if (const auto* space = std::get_if<Space>(&panel.content)) add(space->marks);
  }
  if (notes.empty()) return figure.summary;
  return sentences({figure.summary, shared_words("figure.marked", {{"notes", notes}})});
}

const Space* first_space(const Figure& figure) {
  for (const Panel& panel : figure.panels)
    if (const auto* space = std::get_if<Space>(&panel.content)) return space;
  return nullptr;
}

}  // namespace helix::figure
