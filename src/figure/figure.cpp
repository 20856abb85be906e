#include "figure/figure.h"

#include <algorithm>

namespace helix::figure {

const Panel* Figure::find(std::string_view id) const {
  const auto it = std::find_if(panels.begin(), panels.end(), [&](const Panel& p) { return p.id == id; });
  return it == panels.end() ? nullptr : &*it;
}

const Space* first_space(const Figure& figure) {
  for (const Panel& panel : figure.panels)
    if (const auto* space = std::get_if<Space>(&panel.content)) return space;
  return nullptr;
}

}  // namespace helix::figure
