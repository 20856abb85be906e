#include "figure/text_on_line.h"

#include "base/shared_words.h"

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

/// Where a position lies on the curve, at the mean of its rows; nothing if one of them is not drawn.
std::optional<std::vector<double>> place_of(const Line& line, const std::vector<std::size_t>& rows) {
  std::vector<double> mean(line.at.dims);
  for (const std::size_t row : rows) {
    const auto i = static_cast<long long>(row) - line.first;
    if (i < 0 || i >= static_cast<long long>(line.at.size())) return std::nullopt;
    for (std::size_t d = 0; d < mean.size(); ++d)
      mean[d] += line.at(static_cast<std::size_t>(i), d) / static_cast<double>(rows.size());
  }
  return rows.empty() ? std::nullopt : std::optional(std::move(mean));
}

/// Words after one that is not on the curve stand for it too: "…" says that some are missing.
std::optional<Points> points_of(const Line& line, const std::vector<std::string>& words, int first,
                                const RowsOf& rows) {
  auto at = std::make_shared<Coordinates>();
  at->dims = line.at.dims;
  Points points{"position", first};
  for (std::size_t i = 0; i < words.size(); ++i) {
    const int position = first + static_cast<int>(i);
    const auto place = position < 0 ? std::nullopt : place_of(line, rows(static_cast<std::size_t>(position)));
    if (!place && !points.labels.empty()) break;  // the curve ends here
    if (!place) continue;
    if (points.labels.empty()) points.first = position;
    at->data.insert(at->data.end(), place->begin(), place->end());
    points.labels.push_back(points.labels.empty() && i > 0 ? "… " + words[i] : words[i]);
  }
  if (points.labels.empty()) return std::nullopt;
  points.at = std::move(at), points.ink = kText, points.radius = 3.6f, points.carried = true;
  return points;
}

constexpr int kNeighbours = 5;  // on each side, averaged from the menu

/// What can be done to one position: it is carried to another row, or averaged with its neighbours; and to two: they are
/// averaged with all between them.
void add_hands(Space& space, const Line& line) {
  const int last = line.first + static_cast<int>(line.at.size()) - 1;
  Gesture carry{Gesture::On::carry,
                {"position"},
                Gesture::Effect::edit,
                "replace_position:{position}:{to}",
                shared_words("text.carry")};
  carry.first = line.first, carry.last = last, carry.before = true;
  Gesture spread = carry;
  spread.text = "average_positions:{position}:{to}", spread.key = "Shift";
  spread.help = shared_words("text.average");
  Gesture average{
      Gesture::On::act, {"position"}, Gesture::Effect::edit, "average_positions:{position.first}:{position.last}"};
  average.first = line.first, average.last = last, average.steps = kNeighbours, average.before = true;
  average.label = shared_words("text.average_here", {{"n", std::to_string(kNeighbours)}});
  Gesture pinch{Gesture::On::pinch, {"position"}, Gesture::Effect::edit, average.text};
  pinch.help = shared_words("text.pinch");
  for (Gesture* g : {&carry, &spread, &average, &pinch}) space.gestures.push_back(std::move(*g));
}

}  // namespace

void put_text(Figure& figure, const std::vector<std::string>& words, int first, int last, const RowsOf& rows) {
  for (Panel& panel : figure.panels) {
    auto* space = std::get_if<Space>(&panel.content);
    const Line* line = space ? positions_of(*space) : nullptr;
    auto points = line ? points_of(*line, words, first, rows) : std::nullopt;
    if (!points) continue;
    add_hands(*space, *line);  // before the marks are moved by a new one
    space->marks.push_back(std::move(*points));
    space->gestures.push_back({Gesture::On::drag,
                               {"position"},
                               Gesture::Effect::edit,
                               "shift_positions:{shift}",
                               shared_words("text.drag"),
                               first,
                               last});
  }
}

}  // namespace helix::figure
