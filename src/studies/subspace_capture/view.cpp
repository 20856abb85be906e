// How much of each direction the positions capture, the largest directions first, and the cumulative sum.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "studies/model_name.h"
#include "studies/registry_view.h"
#include "studies/subspace_capture/subspace_capture.h"

namespace helix::studies::subspace_capture {
namespace {

constexpr double kMore = 1.5;  // ratio to chance from which a title says that the positions capture an end

/// The result.
struct Scene {
  Output out;
  Params params;
  std::string model;
  bool complete = true, difference = false;

  bool empty() const { return out.capture.data.empty(); }
  std::size_t size() const { return out.capture.data.size(); }
  std::string name() const { return out.name.empty() ? say("the_matrix") : out.name.front(); }
  /// "W_Q of layer 0" of "W_Q of layer 0, ln_1 gain folded in".
  std::string short_name() const { return name().substr(0, name().find(',')); }
  /// Directions at each end; 0 if the result does not say.
  std::size_t ends() const {
    const double n = out.ends.value;
    return n >= 1 && n <= static_cast<double>(size()) ? static_cast<std::size_t>(n) : 0;
  }
  bool is_table() const { return params.matrix == MatrixId::wte || params.matrix == MatrixId::wpe; }
  std::string removed() const { return say(is_table() ? "mean_row" : "all_ones"); }
};

Scene read(const protocol::Result& result) {
  return {protocol::read_outputs<Output>(result),
          read_params<Params>(result.params.empty() ? defaults(describe()) : result.params), result.provenance.model,
          result.complete, result.difference};
}

std::string times_chance(double held, double chance) {
  return !(chance > 0) ? std::string() : say("times_chance", {{"times", number_text(held / chance, 1)}});
}

/// "k" in a title: the directions that were used, which may be fewer than requested.
std::string k_text(const Scene& s) {
  const double k = s.out.chance.value * static_cast<double>(s.size());
  const bool whole = s.out.total.note.starts_with("a whole");
  return whole && std::isfinite(k) ? to_fixed(k, 0) : std::to_string(s.params.k);
}

// ---- panels

figure::Line level(std::vector<double> values, int digits) {
  figure::Line line{"direction", 1, figure::over_index(std::move(values)), figure::kMute, say("line.chance")};
  line.dashed = true, line.width = 1.6f, line.digits = digits;
  return line;
}

/// A bracket over the directions counted together at one end, at the height of the largest of them.
figure::Callout counted(const Scene& s, bool at_end) {
  const std::size_t from = at_end ? s.size() - s.ends() : 0;
  const auto first = s.out.capture.data.begin() + static_cast<std::ptrdiff_t>(from);
  const double most = *std::max_element(first, first + static_cast<std::ptrdiff_t>(s.ends()));
  const double held = at_end ? s.out.held_last.value : s.out.held_first.value;
  figure::Callout callout{{static_cast<double>(from + 1), most},
                          say(at_end ? "callout.last" : "callout.first",
                              {{"ends", std::to_string(s.ends())}, {"held", number_text(held, 2)}, {"k", k_text(s)}}),
                          {static_cast<double>(from + s.ends()), most}};
  callout.lead = at_end;
  return callout;
}

figure::Plot captures(const Scene& s) {
  const int n = static_cast<int>(s.size());
  figure::Plot plot{figure::over("direction", 1, n), figure::quantity(say("axis.share"), "fraction")};
  plot.x.title = say("axis.direction", {{"matrix", s.short_name()}});
  if (s.empty()) return plot;
  plot.y.from_zero = true;
  if (s.out.along_mean.data.size() == s.size()) {
    figure::Line mean{"direction", 1, figure::over_index(s.out.along_mean.data), figure::series(1),
                      say(s.is_table() ? "line.mean_row" : "line.all_ones")};
    mean.width = 1.4f, mean.digits = 4;
    plot.marks.push_back(std::move(mean));
  }
  if (std::isfinite(s.out.chance.value))
    plot.marks.push_back(level(std::vector<double>(s.size(), s.out.chance.value), 3));
  figure::Line line{"direction", 1, figure::over_index(s.out.capture.data), figure::series(0), say("line.captured")};
  line.width = 1.6f, line.digits = 4;
  plot.marks.push_back(std::move(line));
  if (s.ends() && !s.difference)
    for (const bool at_end : {true, false}) plot.marks.push_back(counted(s, at_end));
  plot.gestures = {{figure::Gesture::On::brush, {"direction"}, figure::Gesture::Effect::window, "", say("hint.brush")}};
  return plot;
}

std::vector<double> added_up(const std::vector<double>& values) {
  std::vector<double> out;
  double sum = 0;
  for (const double x : values) out.push_back(sum += std::isfinite(x) ? x : 0);
  return out;
}

/// The cumulative sum: while it is below the straight line, more than its share is captured later.
figure::Plot so_far(const Scene& s) {
  figure::Plot plot{figure::over("direction", 1, static_cast<int>(s.size())),
                    figure::quantity(say("axis.so_far"), "directions")};
  if (s.empty()) return plot;
  if (std::isfinite(s.out.chance.value))
    plot.marks.push_back(level(added_up(std::vector<double>(s.size(), s.out.chance.value)), 1));
  figure::Line own{"direction", 1, figure::over_index(added_up(s.out.capture.data)), figure::series(0),
                   say("line.captured")};
  own.digits = 1;
  plot.marks.push_back(std::move(own));
  return plot;
}

figure::Number headline(const Scene& s) {
  if (s.empty()) return {};
  figure::Number n{number_text(s.out.held_last.value, 2), {}, s.complete};
  const std::string ends = std::to_string(s.ends()),
                    times = times_chance(s.out.held_first.value, s.out.held_chance.value);
  n.lines.push_back(say("lead.last", {{"k", k_text(s)}, {"ends", ends}}));
  n.lines.push_back(say("lead.first", {{"held", number_text(s.out.held_first.value, 2)}, {"ends", ends}}) +
                    (times.empty() ? "" : ", " + times));
  n.lines.push_back(say("lead.chance", {{"chance", number_text(s.out.held_chance.value, 2)}, {"ends", ends}}));
  if (std::isfinite(s.out.mean_captured.value))
    n.lines.push_back(
        say("lead.removed", {{"what", s.removed()}, {"share", percent_text(s.out.mean_captured.value, 1)}}));
  return n;
}

// ---- words

std::string title(const Scene& s) {
  if (s.empty()) return say("title.none");
  const double first = s.out.held_first.value, last = s.out.held_last.value, chance = s.out.held_chance.value;
  const bool at_end = last >= first;
  const double most = at_end ? last : first;
  if (!(most > chance)) return say("title.neither", {{"matrix", s.short_name()}});
  const std::string ends = std::to_string(s.ends());
  if (!(most >= kMore * chance))
    return say(at_end ? "title.last_little" : "title.first_little", {{"ends", ends},
                                                                     {"matrix", s.short_name()},
                                                                     {"held", number_text(most, 2)},
                                                                     {"chance", number_text(chance, 2)}});
  return say(at_end ? "title.last" : "title.first",
             {{"ends", ends}, {"matrix", s.short_name()}, {"held", number_text(most, 1)}, {"k", k_text(s)}});
}

std::string subtitle(const Scene& s) {
  if (s.empty()) return say("subtitle.none");
  return say(s.params.centre ? "subtitle.centred" : "subtitle.share", {{"matrix", s.name()},
                                                                       {"k", k_text(s)},
                                                                       {"positions", positions_of(s.model)},
                                                                       {"chance", number_text(s.out.chance.value, 4)}});
}

std::string summary(const Scene& s) {
  if (s.empty()) return say("summary.none");
  return say("summary.held", {{"k", k_text(s)},
                              {"ends", std::to_string(s.ends())},
                              {"matrix", s.name()},
                              {"last", number_text(s.out.held_last.value, 2)},
                              {"first", number_text(s.out.held_first.value, 2)},
                              {"chance", number_text(s.out.held_chance.value, 2)}});
}

std::string about_the_mean(const Scene& s) {
  return sentences({say("note.centring", {{"what", s.removed()},
                                          {"number", number_text(s.out.mean_direction.value, 0)},
                                          {"share", percent_text(s.out.mean_captured.value, 1)},
                                          {"chance", percent_text(s.out.chance.value, 1)}}),
                    say(s.params.centre ? "note.taken_out" : "note.switch_on")});
}

std::vector<figure::Note> notes(const Scene& s) {
  using Kind = figure::Note::Kind;
  std::vector<figure::Note> out{{Kind::text, say("note.capture")},
                                {Kind::equation, "capture(j) = Σᵢ (v_j · uᵢ)²,  i ≤ k"}};
  if (!s.empty()) {
    out.push_back({Kind::text, say(std::isfinite(s.out.middle_mean.value) ? "note.total_middle" : "note.total",
                                   {{"total", number_text(s.out.total.value, 2)},
                                    {"top", number_text(s.out.top_mean.value, 4)},
                                    {"middle", number_text(s.out.middle_mean.value, 4)},
                                    {"chance", number_text(s.out.chance.value, 4)}})});
    if (std::isfinite(s.out.mean_captured.value)) out.push_back({Kind::text, about_the_mean(s)});
  }
  out.push_back({Kind::text, say("note.apart")});
  out.push_back({Kind::caution, say("note.caution")});
  return out;
}

figure::Reading reading(const figure::Reading&, const protocol::Result& result, const ParamValues&,
                        const ViewState& view) {
  const Scene s = read(result);
  figure::Reading r;
  const int at = view.focus.at("direction");
  if (at < 1 || static_cast<std::size_t>(at) > s.size()) return r;
  const auto i = static_cast<std::size_t>(at - 1);
  r.title = say("reading.direction", {{"direction", std::to_string(at)}, {"matrix", s.short_name()}});
  const std::string times = times_chance(s.out.capture.data[i], s.out.chance.value);
  r.lines = {say("line.captured") + "  " + number_text(s.out.capture.data[i], 4) + (times.empty() ? "" : ", " + times),
             say("reading.so_far") + "  " + number_text(added_up(s.out.capture.data)[i], 2)};
  if (i < s.out.along_mean.data.size())
    r.lines.push_back(say("reading.along", {{"what", s.removed()}}) + "  " + number_text(s.out.along_mean.data[i], 4));
  return r;
}

figure::Figure view(const protocol::Result& result, const ParamValues&) {
  const Scene s = read(result);
  figure::Figure f;
  f.title = title(s), f.subtitle = subtitle(s), f.summary = summary(s);
  f.panels = {{"capture", "", captures(s)}, {"so_far", s.empty() ? "" : say("panel.added_up"), so_far(s)}};
  f.lead = headline(s);
  f.root = figure::row({figure::panel("capture"), figure::panel("so_far", 0.34f, 220, 480)});
  f.notes = notes(s);
  f.across = {"direction", 1, static_cast<int>(s.size())};
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, reading}; }

}  // namespace helix::studies::subspace_capture
