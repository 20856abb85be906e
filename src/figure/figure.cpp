#include "figure/figure.h"

#include <algorithm>

namespace helix::figure {

const Panel* Figure::find(std::string_view id) const {
  const auto it = std::find_if(panels.begin(), panels.end(), [&](const Panel& p) { return p.id == id; });
  return it == panels.end() ? nullptr : &*it;
}

void set_focus(Figure& figure, const Focus& focus) {
  for (Panel& panel : figure.panels)
    std::visit(
        [&](auto& content) {
          if constexpr (requires { content.focus; }) content.focus = focus;
        },
        panel.content);
}

}  // namespace helix::figure
