// The nearest sums in a dot plot, with distances for comparison; and how token and position contribute to each distance.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "figure/dots.h"
#include "figure/ticks.h"
#include "studies/collisions/collisions.h"
#include "studies/model_name.h"
#include "studies/registry_view.h"
#include "studies/token_text.h"

namespace helix::studies::collisions {
namespace {

constexpr std::size_t kNamed = 3;         // of the nearest sums, in the scatter
constexpr float kRow = 19, kAround = 70;  // of the list, in pixels

/// The result; rows beyond the shortest of its arrays are dropped.
struct Scene {
  Output out;
  std::string model;
  bool complete = true, difference = false;
  std::size_t rows = 0;

  bool empty() const { return rows == 0; }
  std::string text(std::size_t i) const { return i < out.text.size() ? out.text[i] : std::string("?"); }
  /// “ cat” at position 3, in a title.
  std::string asked() const {
    return say("place.token", {{"token", out.names.empty() ? say("the_token") : token_quoted(out.names[0])},
                               {"position", number_text(out.position.value, 0)}});
  }
  std::string place(std::size_t i) const {
    return say("place.token",
               {{"token", token_quoted(text(i))}, {"position", number_text(out.nearest_position.data[i], 0)}});
  }
};

Scene read(const protocol::Result& result) {
  Scene s{protocol::read_outputs<Output>(result), result.provenance.model, result.complete, result.difference};
  s.rows = std::min({s.out.distance.data.size(), s.out.nearest_token.data.size(), s.out.nearest_position.data.size(),
                     s.out.token_distance.data.size(), s.out.position_distance.data.size()});
  return s;
}

/// With enough digits to show that a small distance is not zero.
std::string distance_text(double distance) {
  return std::fabs(distance) >= 0.1 ? number_text(distance, 3) : figure::short_number(distance);
}

/// “·cat 3”, short enough for the name of a row.
std::string row_name(const Scene& s, std::size_t i) {
  return token_label(s.text(i)) + "  " + number_text(s.out.nearest_position.data[i], 0);
}

// ---- panels

/// A dot for each of the nearest sums of other tokens; in grey, below them, the token's own at another position, the nearest
/// one at the same position, and a typical one.
figure::Plot nearest(const Scene& s) {
  std::vector<std::string> names, labels;
  std::vector<double> near, levels;
  const auto add = [&](std::string name, double distance, bool level) {
    names.push_back(std::move(name)), labels.push_back(distance_text(distance));
    near.push_back(level ? std::nan("") : distance), levels.push_back(level ? distance : std::nan(""));
  };
  for (std::size_t i = 0; i < s.rows; ++i) add(row_name(s, i), s.out.distance.data[i], false);
  if (!s.empty()) {
    add(say("row.same_token"), s.out.same_token.value, true);
    add(say("row.same_position"), s.out.same_position.value, true), add(say("row.typical"), s.out.typical.value, true);
  }
  const auto count = static_cast<int>(names.size());
  figure::Plot plot{figure::quantity(say("axis.sums")), figure::over("item", 1, count, std::move(names))};
  plot.x.from_zero = true, plot.y.title.clear();
  plot.height = kAround + kRow * static_cast<float>(count);
  if (s.empty()) return plot;
  plot.marks = {figure::row_dots("item", 1, levels, figure::kMute, 4, labels),
                figure::row_dots("item", 1, near, figure::kAccent, 4, labels)};
  return plot;
}

/// If both differences are orthogonal, the squares of the two sides add up to the square of the distance.
figure::Plot sides(const Scene& s) {
  figure::Plot plot{figure::quantity(say("axis.positions")), figure::quantity(say("axis.tokens"))};
  if (s.empty()) return plot;
  auto at = std::make_shared<figure::Coordinates>();
  at->dims = 2;
  figure::Points points{"item", 1};
  for (std::size_t i = 0; i < s.rows; ++i) {
    at->data.insert(at->data.end(), {s.out.position_distance.data[i], s.out.token_distance.data[i]});
    points.labels.push_back(i < kNamed ? row_name(s, i) : "");
  }
  points.at = std::move(at), points.ink = figure::series(0), points.radius = 3.6f;
  plot.marks = {std::move(points)};
  return plot;
}

figure::Number headline(const Scene& s) {
  if (s.empty()) return {};
  figure::Number n{distance_text(s.out.nearest.value), {say("lead.nearest")}, s.complete};
  n.lines.push_back(say("lead.same_position", {{"distance", distance_text(s.out.same_position.value)}}) +
                    (s.out.names.size() > 1 ? ", " + token_quoted(s.out.names[1]) : std::string()));
  n.lines.push_back(say("lead.same_token", {{"distance", distance_text(s.out.same_token.value)}}));
  n.lines.push_back(say("lead.typical", {{"distance", distance_text(s.out.typical.value)}}));
  return n;
}

// ---- words

std::string title(const Scene& s) {
  if (s.empty()) return say("title.none");
  // False where a difference of two results is shown: its numbers are changes of distances.
  const bool own = !s.difference && s.out.same_token.value < std::min(s.out.nearest.value, s.out.same_position.value);
  if (own) return say("title.own", {{"asked", s.asked()}});
  return say("title.nearest", {{"asked", s.asked()}, {"nearest", s.place(0)}});
}

std::string subtitle(const Scene& s) {
  if (s.empty()) return say("subtitle.none");
  return say("subtitle.sums", {{"model", spoken_name(s.model)}, {"typical", distance_text(s.out.typical.value)}});
}

std::string summary(const Scene& s) {
  if (s.empty()) return say("summary.none");
  return say("summary.nearest", {{"asked", s.asked()},
                                 {"place", s.place(0)},
                                 {"distance", distance_text(s.out.nearest.value)},
                                 {"same", distance_text(s.out.same_position.value)},
                                 {"typical", distance_text(s.out.typical.value)}});
}

std::vector<figure::Note> notes(const Scene& s) {
  using Kind = figure::Note::Kind;
  std::vector<figure::Note> out{{Kind::text, say("note.sum")},
                                {Kind::equation, "‖Δe + Δp‖² = ‖Δe‖² + ‖Δp‖² + 2 Δe · Δp"}};
  if (!s.empty()) {
    out.push_back({Kind::text, say("note.nearest", {{"distance", distance_text(s.out.nearest.value)},
                                                    {"orthogonal", distance_text(s.out.orthogonal.value)}})});
    out.push_back({Kind::text, say("note.exact", {{"share", percent_text(s.out.compared.value, 1)}})});
  }
  out.push_back({Kind::caution, say("note.caution")});
  return out;
}

figure::Reading reading(const figure::Reading& made, const protocol::Result& result, const ParamValues&,
                        const ViewState& view) {
  const Scene s = read(result);
  const int item = view.focus.at("item");
  if (item < 1 || static_cast<std::size_t>(item) > s.rows) return {};
  return {s.place(static_cast<std::size_t>(item - 1)), made.lines};
}

figure::Figure view(const protocol::Result& result, const ParamValues&) {
  const Scene s = read(result);
  figure::Figure f;
  f.title = title(s), f.subtitle = subtitle(s), f.summary = summary(s);
  f.panels = {{"nearest", s.empty() ? "" : say("panel.nearest"), nearest(s)},
              {"sides", s.empty() ? "" : say("panel.sides"), sides(s)}};
  f.lead = headline(s);
  f.root = figure::row({figure::panel("nearest", 0.62f, 260, 820), figure::panel("sides")});
  f.notes = notes(s);
  f.row_links = {{{"item"},
                  "from=here&word=&token={nearest_token}&position={nearest_position}",
                  say("hint.row"),
                  !s.empty(),
                  say("table.nearest")}};
  f.down = {"item", 1, static_cast<int>(s.rows)};
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, reading}; }

}  // namespace helix::studies::collisions
