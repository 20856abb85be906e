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
  bool complete = true;

  bool empty() const { return out.capture.data.empty(); }
  std::size_t size() const { return out.capture.data.size(); }
  std::string name() const { return out.name.empty() ? "the matrix" : out.name.front(); }
  /// "W_Q of layer 0" of "W_Q of layer 0, ln_1 gain folded in".
  std::string short_name() const { return name().substr(0, name().find(',')); }
  /// Directions at each end; 0 if the result does not say.
  std::size_t ends() const {
    const double n = out.ends.value;
    return n >= 1 && n <= static_cast<double>(size()) ? static_cast<std::size_t>(n) : 0;
  }
  bool is_table() const { return params.matrix == MatrixId::wte || params.matrix == MatrixId::wpe; }
  std::string removed() const { return is_table() ? "the mean row" : "the all-ones direction"; }
};

Scene read(const protocol::Result& result) {
  return {protocol::read_outputs<Output>(result),
          read_params<Params>(result.params.empty() ? defaults(describe()) : result.params), result.provenance.model,
          result.complete};
}

std::string times_chance(double held, double chance) {
  return !(chance > 0) ? std::string() : number_text(held / chance, 1) + " × chance";
}

/// "k" in a title: the directions that were used, which may be fewer than requested.
std::string k_text(const Scene& s) {
  const double k = s.out.chance.value * static_cast<double>(s.size());
  const bool whole = s.out.total.note.starts_with("a whole");
  return whole && std::isfinite(k) ? to_fixed(k, 0) : std::to_string(s.params.k);
}

// ---- panels

figure::Line level(std::vector<double> values, int digits) {
  figure::Line line{"direction", 1, figure::over_index(std::move(values)), figure::kMute, "chance"};
  line.dashed = true, line.width = 1.6f, line.digits = digits;
  return line;
}

figure::Plot captures(const Scene& s) {
  const int n = static_cast<int>(s.size());
  figure::Plot plot{figure::over("direction", 1, n),
                    figure::quantity("share within the positions' subspace", "fraction")};
  plot.x.title = "direction of " + s.short_name() + ", largest first";
  if (s.empty()) return plot;
  plot.y.from_zero = true;
  if (s.out.along_mean.data.size() == s.size()) {
    figure::Line mean{"direction", 1, figure::over_index(s.out.along_mean.data), figure::series(1),
                      s.is_table() ? "mean row" : "all ones"};
    mean.width = 1.4f, mean.digits = 4;
    plot.marks.push_back(std::move(mean));
  }
  if (std::isfinite(s.out.chance.value))
    plot.marks.push_back(level(std::vector<double>(s.size(), s.out.chance.value), 3));
  figure::Line line{"direction", 1, figure::over_index(s.out.capture.data), figure::series(0), "captured"};
  line.width = 1.6f, line.digits = 4;
  plot.marks.push_back(std::move(line));
  plot.gestures = {{figure::Gesture::On::brush,
                    {"direction"},
                    figure::Gesture::Effect::window,
                    "",
                    "Drag over some directions to enlarge them."}};
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
                    figure::quantity("captured so far", "directions")};
  if (s.empty()) return plot;
  if (std::isfinite(s.out.chance.value))
    plot.marks.push_back(level(added_up(std::vector<double>(s.size(), s.out.chance.value)), 1));
  figure::Line own{"direction", 1, figure::over_index(added_up(s.out.capture.data)), figure::series(0), "captured"};
  own.digits = 1;
  plot.marks.push_back(std::move(own));
  return plot;
}

std::string held_line(const Scene& s, const char* which, double held) {
  const std::string times = times_chance(held, s.out.held_chance.value);
  return number_text(held, 2) + " in " + which + " " + std::to_string(s.ends()) + (times.empty() ? "" : ", " + times);
}

figure::Number headline(const Scene& s) {
  if (s.empty()) return {};
  figure::Number n{number_text(s.out.held_last.value, 2), {}, s.complete};
  n.lines.push_back("of the positions' " + k_text(s) + " directions in the last " + std::to_string(s.ends()));
  n.lines.push_back(held_line(s, "the first", s.out.held_first.value));
  n.lines.push_back("chance " + number_text(s.out.held_chance.value, 2) + " in " + std::to_string(s.ends()));
  if (std::isfinite(s.out.mean_captured.value))
    n.lines.push_back(s.removed() + ": " + percent_text(s.out.mean_captured.value, 1) + " captured");
  return n;
}

// ---- words

std::string title(const Scene& s) {
  if (s.empty()) return "Positions within a matrix";
  const double first = s.out.held_first.value, last = s.out.held_last.value, chance = s.out.held_chance.value;
  const bool at_end = last >= first;
  const double most = at_end ? last : first;
  if (!(most > chance)) return "Neither end of " + s.short_name() + " holds more of the positions than chance";
  if (!(most >= kMore * chance))
    return std::string("The ") + (at_end ? "last " : "first ") + std::to_string(s.ends()) + " directions of " +
           s.short_name() + " hold little more of the positions than chance: " + number_text(most, 2) +
           " where it is " + number_text(chance, 2);
  return std::string("The ") + (at_end ? "last " : "first ") + std::to_string(s.ends()) + " directions of " +
         s.short_name() + " hold " + number_text(most, 1) + " of the positions' " + k_text(s);
}

std::string subtitle(const Scene& s) {
  if (s.empty()) return "Waiting for the matrices.";
  return s.name() + ": share of each singular direction within the first " + k_text(s) + " directions of " +
         positions_of(s.model) + (s.params.centre ? ", both centred." : ".") + " Chance is " +
         number_text(s.out.chance.value, 4) + ".";
}

std::string summary(const Scene& s) {
  if (s.empty()) return "The figure waits for the matrices.";
  const std::string ends = std::to_string(s.ends());
  return "Of the positions' " + k_text(s) + " largest directions, the last " + ends + " directions of " + s.name() +
         " hold " + number_text(s.out.held_last.value, 2) + " and the first " + ends + " hold " +
         number_text(s.out.held_first.value, 2) + ", where chance is " + number_text(s.out.held_chance.value, 2) + ".";
}

std::string about_the_mean(const Scene& s) {
  const std::string what = s.removed();
  return "Centring decides part of the first directions. The direction nearest to " + what + " is number " +
         number_text(s.out.mean_direction.value, 0) + ", and the positions capture " +
         percent_text(s.out.mean_captured.value, 1) + " of " + what + " (chance " +
         percent_text(s.out.chance.value, 1) + "). " +
         (s.params.centre ? "Here it has been taken out of both matrices."
                          : "Switch on “Centred” to see how much of the mass at the first directions was that.");
}

std::vector<figure::Note> notes(const Scene& s) {
  using Kind = figure::Note::Kind;
  std::vector<figure::Note> out{
      {Kind::text,
       "The singular directions of a matrix are orthogonal and sorted by how much of the matrix they carry. The first "
       "k "
       "directions of the positions span a subspace. The curve says how much of each direction of the matrix lies in "
       "it: 1 where it lies inside, 0 where it is orthogonal to all of it."},
      {Kind::equation, "capture(j) = Σᵢ (v_j · uᵢ)²,  i ≤ k"}};
  if (!s.empty()) {
    out.push_back({Kind::text, "All captures add up to " + number_text(s.out.total.value, 2) +
                                   ". The very first directions capture " + number_text(s.out.top_mean.value, 4) +
                                   " each, " +
                                   (std::isfinite(s.out.middle_mean.value)
                                        ? "those between the ends " + number_text(s.out.middle_mean.value, 4) + ", "
                                        : std::string()) +
                                   "a random direction " + number_text(s.out.chance.value, 4) + "."});
    if (std::isfinite(s.out.mean_captured.value)) out.push_back({Kind::text, about_the_mean(s)});
  }
  out.push_back({Kind::text,
                 "How does a model tell the two signals apart once they are added? Where words and positions use "
                 "different directions, adding them mixes nothing up: later layers can "
                 "read either alone."});
  out.push_back({Kind::caution,
                 "This does not show how strongly a direction is used. All directions have length 1 here, whatever "
                 "their singular values, and the smallest ones carry little of the matrix."});
  return out;
}

std::vector<figure::Table> tables(const Scene& s) {
  figure::Table each{"Every direction", {{"direction", "", 0, {}}, {"captured", "fraction", 6, s.out.capture.data}}};
  for (std::size_t i = 1; i <= s.size(); ++i) each.columns[0].values.push_back(static_cast<double>(i));
  if (s.out.along_mean.data.size() == s.size() && !s.empty())
    each.columns.push_back({"along " + s.removed(), "fraction", 6, s.out.along_mean.data});
  return {{"Numbers",
           {{"in the last " + std::to_string(s.ends()), "directions", 4, {s.out.held_last.value}},
            {"in the first " + std::to_string(s.ends()), "directions", 4, {s.out.held_first.value}},
            {"chance of these", "directions", 4, {s.out.held_chance.value}},
            {"all", "directions", 6, {s.out.total.value}},
            {"mean of the very first", "fraction", 6, {s.out.top_mean.value}},
            {"mean between the ends", "fraction", 6, {s.out.middle_mean.value}},
            {"chance of one", "fraction", 6, {s.out.chance.value}}}},
          std::move(each)};
}

figure::Reading reading(const protocol::Result& result, const ParamValues&, const ViewState& view) {
  const Scene s = read(result);
  figure::Reading r;
  const int at = view.focus.at("direction");
  if (at < 1 || static_cast<std::size_t>(at) > s.size()) return r;
  const auto i = static_cast<std::size_t>(at - 1);
  r.title = "direction " + std::to_string(at) + " of " + s.short_name();
  const std::string times = times_chance(s.out.capture.data[i], s.out.chance.value);
  r.lines = {"captured  " + number_text(s.out.capture.data[i], 4) + (times.empty() ? "" : ", " + times),
             "so far  " + number_text(added_up(s.out.capture.data)[i], 2)};
  if (i < s.out.along_mean.data.size())
    r.lines.push_back("along " + s.removed() + "  " + number_text(s.out.along_mean.data[i], 4));
  return r;
}

figure::Figure view(const protocol::Result& result, const ParamValues&) {
  const Scene s = read(result);
  figure::Figure f;
  f.title = title(s), f.subtitle = subtitle(s), f.summary = summary(s);
  f.panels = {{"capture", "", captures(s)}, {"so_far", s.empty() ? "" : "added up", so_far(s)}};
  f.lead = headline(s);
  f.root = figure::row({figure::panel("capture"), figure::panel("so_far", 0.34f, 220, 480)});
  f.notes = notes(s), f.tables = tables(s);
  f.across = {"direction", 1, static_cast<int>(s.size())};
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, reading}; }

}  // namespace helix::studies::subspace_capture
