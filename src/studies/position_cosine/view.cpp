// The matrix of all cosines, and beside it their mean by the distance of two positions.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "studies/model_name.h"
#include "studies/null_range.h"
#include "studies/position_cosine/position_cosine.h"
#include "studies/registry_view.h"

namespace helix::studies::position_cosine {
namespace {

constexpr double kSameWay = 0.5;  // least mean cosine of neighbours at which a title says that they point the same way

/// The result; the large matrix is not copied.
struct Scene {
  const protocol::Result& result;
  Params params;
  const protocol::Array* cosine;
  std::vector<double> by_lag;
  double adjacent, shuffled, period;
  NullRange walks;  // of the neighbours' mean

  std::size_t size() const { return cosine ? cosine->shape[0] : 0; }
  int first() const { return cosine ? static_cast<int>(cosine->first) : 0; }
  double operator()(std::size_t i, std::size_t j) const { return cosine->data[i * size() + j]; }
  std::string whose() const {
    if (params.of != Of::positions)
      return say(params.of == Of::tokens ? "whose.tokens" : "whose.sum",
                 {{"model", spoken_name(result.provenance.model)}});
    return params.source == PositionSource::sinusoidal ? say("whose.sinusoidal")
                                                       : positions_of(result.provenance.model);
  }
};

double scalar(const protocol::Result& result, std::string_view name) {
  const protocol::Scalar* s = result.scalar(name);
  return s ? s->value : std::nan("");
}

std::vector<double> numbers(const protocol::Result& result, std::string_view name) {
  const protocol::Array* array = result.array(name);
  return array ? array->data : std::vector<double>();
}

Scene read(const protocol::Result& result) {
  const protocol::Array *cosine = result.array("cosine"), *by_lag = result.array("by_lag");
  const bool whole = cosine && cosine->shape.size() == 2 && cosine->shape[0] == cosine->shape[1] &&
                     cosine->data.size() == cosine->shape[0] * cosine->shape[0];
  return {result,
          read_params<Params>(result.params.empty() ? defaults(describe()) : result.params),
          whole && !cosine->data.empty() ? cosine : nullptr,
          by_lag ? by_lag->data : std::vector<double>(),
          scalar(result, "adjacent_mean"),
          scalar(result, "shuffled_mean"),
          scalar(result, "period"),
          range_of(numbers(result, "walk_adjacent"))};
}

figure::Plot matrix(const Scene& s) {
  const int n = static_cast<int>(s.size());
  figure::Plot plot{figure::over("other", s.first(), n), figure::over("position", s.first(), n)};
  plot.x.title = "other position";
  if (!s.cosine) return plot;
  plot.colour = figure::ColourScale{s.result.difference ? say("colour.change") : "cosine"};
  plot.colour->range = s.result.difference ? figure::scale_of(s.cosine->data, true) : figure::ShadeScale{-1, 1, true};
  figure::Cells cells;
  cells.row_axis = "position", cells.col_axis = "other";
  cells.cells = figure::pyramid_of(s.cosine->data, s.size(), s.size(), plot.colour->range);
  plot.marks = {std::move(cells)};
  plot.gestures = {
      {figure::Gesture::On::brush, {"position", "other"}, figure::Gesture::Effect::window, "", say("hint.brush")}};
  return plot;
}

/// The least and the most that random walks with these steps have at each distance: between the distances at which they
/// were measured, a straight line.
figure::Area walk_area(const Scene& s) {
  const auto lag = numbers(s.result, "walk_lag"), least = numbers(s.result, "walk_least"),
             most = numbers(s.result, "walk_most");
  figure::Area area{"lag"};
  area.ink = figure::kMute;
  if (lag.size() < 2 || least.size() != lag.size() || most.size() != lag.size()) return area;
  for (std::size_t k = 0, at = 0; k < s.by_lag.size() && static_cast<double>(k) <= lag.back(); ++k) {
    while (at + 2 < lag.size() && lag[at + 1] < static_cast<double>(k)) ++at;
    const double along = (static_cast<double>(k) - lag[at]) / (lag[at + 1] - lag[at]);
    area.low.push_back(std::lerp(least[at], least[at + 1], along));
    area.high.push_back(std::lerp(most[at], most[at + 1], along));
  }
  return area;
}

/// The walks' spread, and its middle with a name.
void add_walks(figure::Plot& plot, const Scene& s) {
  figure::Area area = walk_area(s);
  if (area.low.empty() || s.result.difference) return;
  std::vector<double> middle;
  for (std::size_t k = 0; k < area.low.size(); ++k) middle.push_back((area.low[k] + area.high[k]) / 2);
  figure::Line line{"lag", 0, figure::over_index(std::move(middle)), figure::kMute, say("rule.walks")};
  line.dashed = true, line.width = 1.4f;
  plot.marks.push_back(std::move(area)), plot.marks.push_back(std::move(line));
}

/// Where positions are least alike, and where they are again most alike.
void add_callouts(const Scene& s, figure::Plot& plot) {
  if (!std::isfinite(s.period) || s.result.difference) return;
  const auto period = static_cast<std::size_t>(std::max(s.period, 0.0));
  if (period == 0 || period >= s.by_lag.size()) return;
  const auto least = std::min_element(s.by_lag.begin(), s.by_lag.begin() + static_cast<std::ptrdiff_t>(period));
  const auto note = [&](std::size_t lag, const std::string& id) {
    figure::Callout callout{{static_cast<double>(lag), s.by_lag[lag]},
                            say(id, {{"lag", std::to_string(lag)}, {"cosine", number_text(s.by_lag[lag], 2)}})};
    if (std::isfinite(s.by_lag[lag])) plot.marks.push_back(std::move(callout));
  };
  note(period, "callout.most");
  note(static_cast<std::size_t>(least - s.by_lag.begin()), "callout.least");
}

figure::Plot profile(const Scene& s) {
  figure::Plot plot{figure::over("lag", 0, static_cast<int>(s.by_lag.size())), figure::quantity("mean cosine")};
  plot.x.title = "positions apart";
  if (s.by_lag.empty()) return plot;
  plot.y.low = -1, plot.y.high = 1;
  figure::Line line{"lag", 0, figure::over_index(s.by_lag), figure::series(0), "mean cosine"};
  line.digits = 3;
  plot.marks = {figure::Rule{.at = 0}};
  if (std::isfinite(s.shuffled))
    plot.marks.push_back(
        figure::Rule{.at = s.shuffled, .label = say("rule.shuffled"), .ink = figure::kMute, .dashed = true});
  if (std::isfinite(s.period))
    plot.marks.push_back(
        figure::Rule{.upright = true, .at = s.period, .label = "", .ink = figure::kWarm, .dashed = true});
  add_walks(plot, s);
  plot.marks.push_back(std::move(line));
  add_callouts(s, plot);
  return plot;
}

figure::Reading reading(const figure::Reading&, const protocol::Result& result, const ParamValues&,
                        const ViewState& view) {
  const Scene s = read(result);
  const Focus& f = view.focus;
  figure::Reading r;
  const int lag = f.at("lag"), row = f.at("position"), col = f.at("other");
  const auto inside = [&](int i) { return i >= s.first() && i < s.first() + static_cast<int>(s.size()); };
  if (f.has("lag") && static_cast<std::size_t>(lag) < s.by_lag.size()) {
    r.title = say("reading.lag", {{"n", std::to_string(lag)}});
    r.lines = {"mean cosine  " + number_text(s.by_lag[static_cast<std::size_t>(lag)], 4)};
  } else if (inside(row) && inside(col)) {
    r.title = say("reading.pair", {{"a", std::to_string(row)}, {"b", std::to_string(col)}});
    r.lines = {
        "cosine  " +
            number_text(s(static_cast<std::size_t>(row - s.first()), static_cast<std::size_t>(col - s.first())), 4),
        say("reading.apart", {{"n", std::to_string(std::abs(row - col))}})};
  } else if (inside(row)) {
    r.title = say("reading.position", {{"position", std::to_string(row)}});
    const auto i = static_cast<std::size_t>(row - s.first());
    if (i > 0) r.lines.push_back(say("reading.before") + "  " + number_text(s(i, i - 1), 4));
    if (i + 1 < s.size()) r.lines.push_back(say("reading.after") + "  " + number_text(s(i, i + 1), 4));
  }
  return r;
}

/// What is no finding, because it follows from small steps alone, and what is one.
std::string walks_text(const Scene& s) {
  const double rising = scalar(s.result, "walks_rising");
  return say(
      rising > 1   ? "note.walks_rise"
      : rising > 0 ? "note.one_walk_rises"
                   : "note.no_walk_rises",
      {{"n", std::to_string(s.walks.seeds)}, {"range", span_text(s.walks, 4)}, {"rising", number_text(rising, 0)}});
}

std::vector<figure::Note> notes(const Scene& s) {
  using Kind = figure::Note::Kind;
  std::vector<figure::Note> all{{Kind::text, say("note.cell")},
                                {Kind::equation, "cos(p, q) = (P_p · P_q) / (|P_p| |P_q|)"}};
  if (std::isfinite(s.period))
    all.push_back({Kind::text, say("note.period", {{"trough", number_text(scalar(s.result, "trough"), 0)},
                                                   {"period", number_text(s.period, 0)}})});
  if (s.params.of == Of::sum)
    all.push_back(
        {Kind::text, say("note.sum", {{"here", number_text(scalar(s.result, "near_minus_far"), 4)},
                                      {"alone", number_text(scalar(s.result, "near_minus_far_tokens"), 4)}})});
  if (s.walks.known()) all.push_back({Kind::text, walks_text(s)});
  all.push_back({Kind::text, say("note.mean")});
  all.push_back({Kind::caution, say("note.caution")});
  return all;
}

/// What the distance of two tokens has to do with their cosine.
std::string token_title(const Scene& s) {
  const double near = scalar(s.result, "near_minus_far"), alone = scalar(s.result, "near_minus_far_tokens");
  if (s.params.of == Of::sum && std::isfinite(near - alone))
    return say(near - alone >= kPushed ? "title.pushed" : "title.not_pushed");
  if (!std::isfinite(near)) return say("title.cosines", {{"whose", s.whose()}});
  return say(std::abs(near) < kPushed ? "title.no_effect" : near > 0 ? "title.near_more" : "title.near_less");
}

/// Claims only what these numbers support.
std::string title(const Scene& s) {
  if (!s.cosine) return say("title.none");
  if (!std::isfinite(s.adjacent))
    return say(s.params.of == Of::positions ? "title.no_cosine" : "title.no_cosine_tokens");
  if (std::isfinite(s.period))
    return say("title.period",
               {{"trough", number_text(scalar(s.result, "trough"), 0)}, {"period", number_text(s.period, 0)}});
  if (s.params.of != Of::positions) return token_title(s);
  if (s.adjacent <= -kSameWay) return say("title.opposite");
  if (s.adjacent - s.shuffled < kPushed) return say(s.adjacent >= kSameWay ? "title.all_same" : "title.no_more_alike");
  return say(s.adjacent >= kSameWay ? "title.near_same" : "title.more_alike");
}

std::string summary(const Scene& s) {
  if (!s.cosine) return say("summary.none");
  if (!std::isfinite(s.adjacent)) {
    const protocol::Scalar* mean = s.result.scalar("adjacent_mean");
    return title(s) + (mean && !mean->note.empty() ? ": " + mean->note + "." : ".");
  }
  return title(s) + ". " +
         say(s.walks.known() ? "summary.walks" : "summary.cosines", {{"cosine", number_text(s.adjacent, 4)},
                                                                     {"shuffled", number_text(s.shuffled, 4)},
                                                                     {"range", span_text(s.walks, 4)}});
}

figure::Figure view(const protocol::Result& result, const ParamValues&) {
  const Scene s = read(result);
  figure::Figure f;
  f.title = title(s);
  f.subtitle = s.cosine ? say("subtitle.cosines", {{"whose", s.whose()}, {"convention", result.provenance.convention}})
                        : say("subtitle.none");
  f.summary = summary(s);
  figure::Number number;
  if (s.cosine)
    number = {number_text(s.adjacent, 4),
              {say(std::isfinite(s.adjacent) ? "lead.cosine" : "lead.no_cosine"),
               say("lead.shuffled", {{"cosine", number_text(s.shuffled, 4)}})},
              result.complete};
  if (s.walks.known()) number.lines.push_back(say("lead.walks", {{"range", span_text(s.walks, 4)}}));
  f.panels = {{"cosine", s.cosine ? say("panel.cosine") : "", matrix(s)},
              {"lag", s.cosine ? say("panel.lag") : "", profile(s)}};
  f.lead = std::move(number);
  f.notes = notes(s);
  f.root = figure::row({figure::panel("cosine"), figure::panel("lag", 0.44f, 240, 700)});
  f.across = {"other", s.first(), s.first() + static_cast<int>(s.size()) - 1};
  f.down = {"position", s.first(), s.first() + static_cast<int>(s.size()) - 1};
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, reading}; }

}  // namespace helix::studies::position_cosine
