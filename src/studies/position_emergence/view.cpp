// The positions at one moment, in axes that stay; below them the curves, along which the moment is dragged or played.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "studies/position_emergence/position_emergence.h"
#include "studies/registry_view.h"

namespace helix::studies::position_emergence {
namespace {

using figure::Figure;
using protocol::Grid;

/// What came back, and which of its moments the controls ask for: all of them are there, so none has to be waited for.
struct Scene {
  Output out;
  std::string model;
  int last = -1;  // moment
  int step = -1, beside = -1;
  int first = 0;  // position drawn

  bool empty() const { return last < 0; }
  std::size_t positions() const { return out.points.shape[1]; }
};

Scene read(const protocol::Result& result, const ParamValues& asked) {
  Scene s;
  s.out = protocol::read_outputs<Output>(result);
  s.model = result.provenance.model;
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

/// 0, 131 k, 4.2 M: as short as an axis needs it.
std::string count_text(double count) {
  if (!std::isfinite(count)) return "–";
  if (count < 1000) return to_fixed(count, 0);
  if (count < 999'500) return to_fixed(count / 1e3, 0) + " k";
  return to_fixed(count / 1e6, count < 9.95e6 ? 1 : 0) + " M";
}

std::string number(const Grid& curve, int moment, int digits = 2) {
  const double value = at(curve, moment);
  return std::isfinite(value) ? to_fixed(value, digits) : "–";
}

std::string percent(double fraction, int digits = 1) {
  return std::isfinite(fraction) ? to_fixed(fraction * 100, digits) + " %" : "–";
}

/// From position `first` on.
std::vector<figure::Vec3> points_at(const Scene& s, int moment, int first = 0) {
  std::vector<figure::Vec3> points;
  if (s.empty() || moment < 0) return points;
  const auto from = static_cast<std::size_t>(first);
  const double* row = s.out.points.data.data() + (static_cast<std::size_t>(moment) * s.positions() + from) * 3;
  for (std::size_t p = from; p < s.positions(); ++p, row += 3) points.push_back({row[0], row[1], row[2]});
  return points;
}

/// The radius of what is drawn at the end: the scale stays while the curve grows, and costs nothing while it is turned.
double extent(const Scene& s) {
  double most = 0;
  for (const figure::Vec3& p : points_at(s, s.last, s.first)) most = std::max(most, std::hypot(p[0], p[1], p[2]));
  return most > 0 ? most : 1;
}

figure::Path3 path(const Scene& s, const ViewState& view) {
  figure::Path3 p;
  p.camera = view.camera, p.map = view.map, p.focus = view.focus;
  p.extent = extent(s);
  const auto& shares = s.out.explained;
  for (std::size_t a = 0; a < 3; ++a) {
    p.axis_labels[a] = "PC" + std::to_string(a + 1) + " of the end";
    const std::size_t i = static_cast<std::size_t>(std::max(s.step, 0)) * 3 + a;
    if (i < shares.data.size() && std::isfinite(shares.data[i])) p.axis_notes[a] = percent(shares.data[i]);
  }
  p.first = s.first;
  p.points = points_at(s, s.step, s.first);
  p.beside = points_at(s, s.beside, s.first);
  return p;
}

figure::Curves curves(const Scene& s, const ViewState& view) {
  figure::Curves c;
  c.focus = view.focus;
  c.moment_name = "tokens read";
  c.mark = s.step, c.beside = s.beside, c.mark_key = "step";
  for (const double tokens : s.out.tokens_by_step.data) c.moments.push_back(count_text(tokens));
  double most = 0;
  for (const Grid* loss : {&s.out.loss_by_step, &s.out.training_loss_by_step})
    for (const double value : loss->data)
      if (std::isfinite(value)) most = std::max(most, value);
  c.plots.push_back({"nats a token",
                     0,
                     2 * std::max(std::ceil(most / 2), 1.0),
                     {{"new books", s.out.loss_by_step.data, 2}, {"training", s.out.training_loss_by_step.data, 2}}});
  c.plots.push_back({"share, or cosine",
                     0,
                     1,
                     {{"neighbours' cosine", s.out.adjacent_cosine_by_step.data, 2},
                      {"previous-token head", s.out.previous_by_step.data, 2},
                      {"induction head", s.out.induction_by_step.data, 2},
                      {"three components", s.out.explained_first3_by_step.data, 2}}});
  return c;
}

figure::Headline headline(const Scene& s) {
  figure::Headline h;
  h.number = number(s.out.adjacent_cosine_by_step, s.step);
  h.lines = {"cosine of neighbouring positions",
             percent(at(s.out.explained_first3_by_step, s.step)) + " in three components",
             number(s.out.previous_by_step, s.step) + " to the token before, best head",
             number(s.out.loss_by_step, s.step) + " nats a token"};
  return h;
}

std::string after(const Scene& s, int moment) {
  return moment == 0 && at(s.out.tokens_by_step, 0) == 0
             ? "Before training"
             : "After " + count_text(at(s.out.tokens_by_step, moment)) + " tokens of training";
}

std::string subtitle(const Scene& s) {
  if (s.empty()) return "Waiting for a record of training.";
  std::string text = after(s, s.step) + ", moment " + std::to_string(s.step) + " of 0 to " + std::to_string(s.last);
  if (s.beside >= 0) text += "; faintly, moment " + std::to_string(s.beside);
  return text + ".";
}

std::string summary(const Scene& s) {
  if (s.empty()) return "The figure waits for a record of training.";
  return after(s, s.step) + ": neighbouring positions have a cosine of " +
         number(s.out.adjacent_cosine_by_step, s.step) + ", three components hold " +
         percent(at(s.out.explained_first3_by_step, s.step)) +
         " of the differences, the best previous-token head gives " + number(s.out.previous_by_step, s.step) +
         " to the token before, the best induction head " + number(s.out.induction_by_step, s.step) +
         ", and the loss on new books is " + number(s.out.loss_by_step, s.step) + " nats a token.";
}

std::vector<figure::Table> tables(const Scene& s) {
  figure::Table moments{"What was measured at each moment", {}};
  figure::Table::Column index{"moment", "", 0, {}};
  for (int t = 0; t <= s.last; ++t) index.values.push_back(t);
  moments.columns = {std::move(index),
                     {"tokens read", "tokens", 0, s.out.tokens_by_step.data},
                     {"loss on new books", "nats a token", 4, s.out.loss_by_step.data},
                     {"loss in training", "nats a token", 4, s.out.training_loss_by_step.data},
                     {"previous-token head", "", 4, s.out.previous_by_step.data},
                     {"induction head", "", 4, s.out.induction_by_step.data},
                     {"three components", "fraction", 4, s.out.explained_first3_by_step.data},
                     {"neighbours' cosine", "", 4, s.out.adjacent_cosine_by_step.data}};
  figure::Table rows{"Coordinates of each position at this moment",
                     {{"position", "", 0, {}}, {"PC1", "", 4, {}}, {"PC2", "", 4, {}}, {"PC3", "", 4, {}}}};
  const auto points = points_at(s, s.step);
  for (std::size_t p = 0; p < points.size(); ++p) {
    rows.columns[0].values.push_back(static_cast<double>(p));
    for (std::size_t a = 0; a < 3; ++a) rows.columns[a + 1].values.push_back(points[p][a]);
  }
  return {std::move(moments), std::move(rows)};
}

figure::Reading reading_of_moment(const Scene& s, int moment) {
  return {after(s, moment),
          {"loss on new books  " + number(s.out.loss_by_step, moment, 4),
           "loss in training  " + number(s.out.training_loss_by_step, moment, 4),
           "previous-token head  " + number(s.out.previous_by_step, moment, 4),
           "induction head  " + number(s.out.induction_by_step, moment, 4),
           "three components  " + number(s.out.explained_first3_by_step, moment, 4),
           "neighbours' cosine  " + number(s.out.adjacent_cosine_by_step, moment, 4)}};
}

figure::Reading reading(const Scene& s, const Focus& focus) {
  if (s.empty()) return {};
  if (focus.item >= 0) return focus.item <= s.last ? reading_of_moment(s, focus.item) : figure::Reading();
  const auto points = points_at(s, s.step);
  if (focus.position < 0 || focus.position >= static_cast<int>(points.size())) return {};
  figure::Reading r{"position " + std::to_string(focus.position), {}};
  for (std::size_t a = 0; a < 3; ++a)
    r.lines.push_back("PC" + std::to_string(a + 1) + "  " +
                      to_fixed(points[static_cast<std::size_t>(focus.position)][a], 4));
  return r;
}

/// Whether the record ends with the model as it is shipped, after the last step of training.
bool ends_twice(const Scene& s) {
  return s.last > 0 && at(s.out.tokens_by_step, s.last) == at(s.out.tokens_by_step, s.last - 1);
}

/// Whether the training ended with a loss that books alone would not give.
bool trained_on_copies(const Scene& s) {
  return at(s.out.training_loss_by_step, s.last) < 0.6 * at(s.out.loss_by_step, s.last);
}

std::vector<figure::Note> notes(const Scene& s) {
  using Kind = figure::Note::Kind;
  if (s.empty()) return {};
  std::vector<figure::Note> out{
      {Kind::text,
       "Every position begins as a row of zeros. Nothing in the training asks for a curve: rows of neighbours come "
       "to be alike because what helps at one place in a text helps at the next."},
      {Kind::equation, "row(p) ≈ mean + Σ score(p, i) · axis(i)"},
      {Kind::text,
       "The axes are those of the last moment, so that the curve appears in one and the same room. A head that "
       "looks at the token before needs neighbours it can tell apart: compare the two curves below."}};
  if (ends_twice(s))
    out.push_back({Kind::text,
                   "The last two moments are of one step: before, and after the weights were averaged over steps and "
                   "all but the mean and the first few components of the positions were cut off as noise. The model's "
                   "card says how many, and what that does to the loss."});
  if (trained_on_copies(s))
    out.push_back({Kind::text,
                   "The loss in training ends so far below that of new books because part of what was trained on are "
                   "copies, which can be foreseen. The model's card says how large a part, and when."});
  out.push_back(
      {Kind::caution,
       "What this does not show: that the head grows because of the positions. Both grow in the same training, "
       "and this is one model with one seed."});
  return out;
}

Figure view(const protocol::Result& result, const ParamValues& asked, const ViewState& state) {
  const Scene s = read(result, asked);
  Figure f;
  f.title = "Positions appear in training";
  f.subtitle = subtitle(s), f.summary = summary(s);
  f.panels = {{"positions", f.title, path(s, state)}, {"number", "", headline(s)}, {"curves", "", curves(s, state)}};
  f.notes = notes(s);
  f.tables = tables(s);
  f.reading = reading(s, state.focus);
  if (!s.empty()) f.index_first = s.first, f.index_last = static_cast<int>(s.positions()) - 1;
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view}; }

}  // namespace helix::studies::position_emergence
