// A drawing as SVG 1.1: the same shapes as on the canvas, for export and for browsers without WebGL2.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "figure/drawing.h"
#include "figure/figure.h"

namespace helix::figure {

/// `title` and `description` are read by screen readers; `metadata` becomes key/value elements (link, hash, version).
std::string to_svg(const Drawing& drawing, const std::string& title, const std::string& description,
                   const std::vector<std::pair<std::string, std::string>>& metadata = {});

}  // namespace helix::figure
