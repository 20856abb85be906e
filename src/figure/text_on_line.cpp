#include "figure/text_on_line.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

namespace helix::figure {
namespace {

const Line* positions_of(const Space& space) {
  for (const Mark& mark : space.marks)
    if (const auto* line = std::get_if<Line>(&mark); line && line->dots && line->axis == "position") return line;
  return nullptr;
}

std::optional<Points> points_of(const Line& line, const std::vector<std::string>& words, int first) {
  auto at = std::make_shared<Coordinates>();
  at->dims = line.at.dims;
  Points points{"position", std::max(first, line.first)};
  for (std::size_t i = 0; i < words.size(); ++i) {
    const int row = first + static_cast<int>(i) - line.first;
    if (row < 0 || row >= static_cast<int>(line.at.size())) continue;
    const auto from = line.at.data.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(row) * at->dims);
    at->data.insert(at->data.end(), from, from + static_cast<std::ptrdiff_t>(at->dims));
    // The curve may begin after the first word: then "…" stands for the words before it.
    points.labels.push_back(points.labels.empty() && i > 0 ? "… " + words[i] : words[i]);
  }
  if (points.labels.empty()) return std::nullopt;
  points.at = std::move(at), points.ink = kText, points.radius = 3.6f, points.carried = true;
  return points;
}

}  // namespace

void put_text(Figure& figure, const std::vector<std::string>& words, int first, int last) {
  for (Panel& panel : figure.panels) {
    auto* space = std::get_if<Space>(&panel.content);
    const Line* line = space ? positions_of(*space) : nullptr;
    auto points = line ? points_of(*line, words, first) : std::nullopt;
    if (!points) continue;
    space->marks.push_back(std::move(*points));
    space->gestures.push_back({Gesture::On::drag,
                               {"position"},
                               Gesture::Effect::edit,
                               "shift_positions:{shift}",
                               "Drag a word of the text along the curve.",
                               first,
                               last});
  }
}

}  // namespace helix::figure
