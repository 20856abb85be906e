// The positions at one checkpoint, in fixed axes; below them the curves, along which the checkpoint is dragged or
// played.
#include <algorithm>
#include <cmath>

#include "base/length_text.h"
#include "base/text.h"
#include "studies/position_emergence/position_emergence.h"
#include "studies/registry_view.h"

namespace helix::studies::position_emergence {
namespace {

using figure::Figure;
using protocol::Grid;

/// The result, and the checkpoint chosen by the controls: the result has all of them, so choosing one needs no run.
struct Scene {
  Output out;
  std::string model;
  int last = -1;  // the last checkpoint
  int step = -1, beside = -1;
  int first = 0;  // the first position drawn
  bool difference = false;

  bool empty() const { return last < 0; }
  std::size_t positions() const { return out.points.shape[1]; }
};

Scene read(const protocol::Result& result, const ParamValues& asked) {
  Scene s;
  s.out = protocol::read_outputs<Output>(result);
  s.model = result.provenance.model;
  s.difference = result.difference;
  const auto& shape = s.out.points.shape;
  if (shape.size() != 3 || shape[2] != 3 || shape[0] * shape[1] * shape[2] != s.out.points.data.size()) return s;
  s.last = static_cast<int>(shape[0]) - 1;
  const auto params = read_params<Params>(asked.empty() ? defaults(describe()) : asked);
  s.step = std::clamp(params.step, 0, std::max(s.last, 0));
  s.beside = params.compare < 0 ? -1 : std::min(params.compare, s.last);
  s.first = std::clamp(params.first, 0, std::max(static_cast<int>(shape[1]) - 1, 0));
  return s;
}

double at(const Grid& curve, int moment) {
  const auto i = static_cast<std::size_t>(moment);
  return moment >= 0 && i < curve.data.size() ? curve.data[i] : std::nan("");
}

/// 0, 131 k, 4.2 M: short labels for an axis.
std::string count_text(double count) {
  if (!std::isfinite(count)) return "–";
  if (count < 1000) return to_fixed(count, 0);
  if (count < 999'500) return to_fixed(count / 1e3, 0) + " k";
  return to_fixed(count / 1e6, count < 9.95e6 ? 1 : 0) + " M";
}

std::string number(const Grid& curve, int moment, int digits = 2) { return number_text(at(curve, moment), digits); }

std::string percent(double fraction) { return percent_text(fraction, 1); }

/// The points from position `first` on.
std::vector<figure::Vec3> points_at(const Scene& s, int moment, int first = 0) {
  std::vector<figure::Vec3> points;
  if (s.empty() || moment < 0) return points;
  const auto from = static_cast<std::size_t>(first);
  const double* row = s.out.points.data.data() + (static_cast<std::size_t>(moment) * s.positions() + from) * 3;
  for (std::size_t p = from; p < s.positions(); ++p, row += 3) points.push_back({row[0], row[1], row[2]});
  return points;
}

figure::Coordinates coordinates(const Scene& s, int moment) {
  figure::Coordinates out{3};
  for (const figure::Vec3& p : points_at(s, moment, s.first)) out.data.insert(out.data.end(), p.begin(), p.end());
  return out;
}

figure::Space space(const Scene& s) {
  figure::Space out;
  out.fit_to = coordinates(s, s.last);  // the scale stays the same while the curve grows
  const auto& shares = s.out.explained;
  for (std::size_t a = 0; a < 3; ++a) {
    const std::size_t i = static_cast<std::size_t>(std::max(s.step, 0)) * 3 + a;
    out.axes.push_back({"final PC" + std::to_string(a + 1), i < shares.data.size() && std::isfinite(shares.data[i])
                                                                ? percent(shares.data[i])
                                                                : std::string()});
  }
  figure::Line curve{"position", s.first, coordinates(s, s.step)};
  curve.ink = figure::kAlong, curve.dots = true;
  figure::Line other{"position", s.first, coordinates(s, s.beside)};
  other.ink = figure::kMute, other.width = 2.4f;
  out.marks = {std::move(other), std::move(curve)};
  return out;
}

figure::Plot curves(const Scene& s, figure::Scale up, const std::vector<std::pair<const char*, const Grid*>>& lines) {
  figure::Plot plot;
  std::vector<std::string> moments;
  for (const double tokens : s.out.tokens_by_step.data) moments.push_back(count_text(tokens));
  const auto count = static_cast<int>(moments.size());
  plot.x = figure::over("moment", 0, count, std::move(moments));
  plot.x.title = "tokens read";
  plot.y = std::move(up);
  plot.height = 160;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    figure::Line line{"moment", 0, figure::over_index(lines[i].second->data), figure::series(static_cast<int>(i))};
    line.name = lines[i].first;
    plot.marks.insert(plot.marks.begin(), std::move(line));  // the first line lies on top
  }
  if (s.beside >= 0)
    plot.marks.push_back(figure::Rule{true, static_cast<double>(s.beside), 0, false, "", figure::kMute});
  plot.chosen = {{"moment", s.step}};
  figure::Gesture drag{
      figure::Gesture::On::drag, {"moment"}, figure::Gesture::Effect::set, "step={moment}", say("hint.checkpoint")};
  drag.first = s.step;
  plot.gestures = {std::move(drag)};
  return plot;
}

/// The step that a curve rises most to; 0 where no rise is a leap.
std::size_t largest_rise(const std::vector<double>& y) {
  constexpr double leap = 0.1;
  std::size_t most = 0;
  for (std::size_t i = 1; i < y.size(); ++i)
    if (y[i] - y[i - 1] > (most ? y[most] - y[most - 1] : leap)) most = i;
  return most;
}

figure::Plot losses(const Scene& s) {
  figure::Scale up = figure::quantity("loss", "nats per token");
  up.from_zero = true;
  return curves(s, std::move(up),
                {{"held-out books", &s.out.loss_by_step}, {"training", &s.out.training_loss_by_step}});
}

figure::Plot shares(const Scene& s) {
  figure::Scale up = figure::quantity("share, or cosine");
  up.low = 0, up.high = 1;
  figure::Plot plot = curves(s, std::move(up),
                             {{"neighbours' cosine", &s.out.adjacent_cosine_by_step},
                              {"previous-token head", &s.out.previous_by_step},
                              {"induction head", &s.out.induction_by_step},
                              {"three components", &s.out.explained_first3_by_step}});
  if (const std::size_t leap = largest_rise(s.out.induction_by_step.data); leap > 0 && !s.difference)
    plot.marks.push_back(figure::Callout{
        {static_cast<double>(leap), s.out.induction_by_step.data[leap]},
        say("callout.induction", {{"tokens", count_text(at(s.out.tokens_by_step, static_cast<int>(leap)))}})});
  return plot;
}

/// At a checkpoint whose table has few components and that read no more tokens than the one before, whose table has more;
/// empty elsewhere.
std::string cut_text(const Scene& s) {
  const double rank = at(s.out.rank_by_step, s.step), before = at(s.out.rank_by_step, s.step - 1);
  const bool trained = at(s.out.tokens_by_step, s.step) > at(s.out.tokens_by_step, s.step - 1);
  if (!(rank < before) || trained) return {};
  return say("summary.cut",
             {{"rank", to_fixed(rank, 0)}, {"before", percent(at(s.out.explained_first3_by_step, s.step - 1))}});
}

figure::Number headline(const Scene& s) {
  figure::Number h;
  h.number = number(s.out.adjacent_cosine_by_step, s.step);
  const double shuffled = at(s.out.shuffled_cosine_by_step, s.step);
  h.lines = {
      std::isfinite(shuffled) ? say("lead.cosine_random", {{"random", number_text(shuffled, 2)}}) : say("lead.cosine"),
      say("lead.explained", {{"share", percent(at(s.out.explained_first3_by_step, s.step))}}),
      say("lead.previous", {{"attention", number(s.out.previous_by_step, s.step)}}),
      say("lead.loss", {{"loss", number(s.out.loss_by_step, s.step)}})};
  return h;
}

std::string after(const Scene& s, int moment) {
  return moment == 0 && at(s.out.tokens_by_step, 0) == 0
             ? say("before_training")
             : say("after", {{"tokens", count_text(at(s.out.tokens_by_step, moment))}});
}

/// The positions of the chosen checkpoint, and of the first.
std::string title(const Scene& s) {
  const Grid& shares = s.out.explained_first3_by_step;
  if (s.empty()) return say("title.during");
  if (std::isfinite(at(shares, 0)) || !std::isfinite(at(shares, s.last))) return say("title.during");
  return say(std::isfinite(at(shares, s.step)) ? "title.appear" : "title.same");
}

std::string subtitle(const Scene& s) {
  if (s.empty()) return say("subtitle.waiting");
  const std::string when = after(s, s.step), step = std::to_string(s.step), last = std::to_string(s.last);
  if (s.beside < 0) return say("subtitle.one", {{"after", when}, {"step", step}, {"last", last}});
  return say("subtitle.two", {{"after", when}, {"step", step}, {"last", last}, {"beside", std::to_string(s.beside)}});
}

std::string summary(const Scene& s) {
  if (s.empty()) return say("summary.waiting");
  const double explained = at(s.out.explained_first3_by_step, s.step);
  const std::string random = std::isfinite(at(s.out.shuffled_cosine_by_step, s.step))
                                 ? say("summary.random", {{"cosine", number(s.out.shuffled_cosine_by_step, s.step)}})
                                 : "";
  return sentences({say(std::isfinite(explained) ? "summary.positions" : "summary.equal",
                        {{"after", after(s, s.step)},
                         {"cosine", number(s.out.adjacent_cosine_by_step, s.step)},
                         {"share", percent(explained)},
                         {"previous", number(s.out.previous_by_step, s.step)},
                         {"induction", number(s.out.induction_by_step, s.step)},
                         {"loss", number(s.out.loss_by_step, s.step)}}),
                    random, cut_text(s)});
}

figure::Table rows_table(const Scene& s) {
  figure::Table rows{say("table.rows"),
                     {{"position", "", 0, {}}, {"PC1", "", 4, {}}, {"PC2", "", 4, {}}, {"PC3", "", 4, {}}}};
  const auto points = points_at(s, s.step);
  for (std::size_t p = 0; p < points.size(); ++p) {
    rows.columns[0].values.push_back(static_cast<double>(p));
    for (std::size_t a = 0; a < 3; ++a) rows.columns[a + 1].values.push_back(points[p][a]);
  }
  return rows;
}

figure::Reading reading_of_moment(const Scene& s, int moment) {
  return {after(s, moment),
          {"loss on held-out books  " + number(s.out.loss_by_step, moment, 4),
           "loss in training  " + number(s.out.training_loss_by_step, moment, 4),
           "previous-token head  " + number(s.out.previous_by_step, moment, 4),
           "induction head  " + number(s.out.induction_by_step, moment, 4),
           "three components  " + number(s.out.explained_first3_by_step, moment, 4),
           "neighbours' cosine  " + number(s.out.adjacent_cosine_by_step, moment, 4)}};
}

figure::Reading reading(const figure::Reading&, const protocol::Result& result, const ParamValues& asked,
                        const ViewState& view) {
  const Scene s = read(result, asked);
  const auto lit = view.focus.lit("moment");
  const int moment = lit.empty() ? -1 : lit.front(), position = view.focus.at("position");
  if (s.empty()) return {};
  if (moment >= 0) return moment <= s.last ? reading_of_moment(s, moment) : figure::Reading();
  const auto points = points_at(s, s.step);
  if (position < 0 || position >= static_cast<int>(points.size())) return {};
  figure::Reading r{"position " + std::to_string(position), {}};
  for (std::size_t a = 0; a < 3; ++a)
    r.lines.push_back("PC" + std::to_string(a + 1) + "  " +
                      length_text(points[static_cast<std::size_t>(position)][a], 4));
  return r;
}

/// Whether the record has a second checkpoint after the last training step: the model as it is shipped.
bool ends_twice(const Scene& s) {
  return s.last > 0 && at(s.out.tokens_by_step, s.last) == at(s.out.tokens_by_step, s.last - 1);
}

/// Whether the training ended with a loss that training on books alone would not give.
bool trained_on_copies(const Scene& s) {
  return at(s.out.training_loss_by_step, s.last) < 0.6 * at(s.out.loss_by_step, s.last);
}

std::vector<figure::Note> notes(const Scene& s) {
  using Kind = figure::Note::Kind;
  if (s.empty()) return {};
  std::vector<figure::Note> out{
      {Kind::text,
       sentences({std::isfinite(at(s.out.explained_first3_by_step, 0)) ? "" : say("note.zeros"), say("note.curve")})},
      {Kind::equation, "row(p) ≈ mean + Σ score(p, i) · axis(i)"},
      {Kind::text, say("note.axes")}};
  if (ends_twice(s)) out.push_back({Kind::text, say("note.twice")});
  if (trained_on_copies(s)) out.push_back({Kind::text, say("note.copies")});
  out.push_back({Kind::caution, say("note.caution")});
  return out;
}

Figure view(const protocol::Result& result, const ParamValues& asked) {
  const Scene s = read(result, asked);
  Figure f;
  f.title = title(s);
  f.subtitle = subtitle(s), f.summary = summary(s);
  f.panels = {{"positions", "", space(s)}, {"curves", "", losses(s)}, {"shares", "", shares(s)}};
  f.lead = headline(s);
  f.root =
      figure::column({figure::panel("positions"), figure::row({figure::panel("curves"), figure::panel("shares")})});
  f.narrow = figure::column({figure::panel("positions", 0, 300), figure::panel("curves"), figure::panel("shares")});
  f.notes = notes(s);
  f.tables = {rows_table(s)};
  if (!s.empty()) f.across = {"position", s.first, static_cast<int>(s.positions()) - 1};
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, reading}; }

}  // namespace helix::studies::position_emergence
