// A card for each claim, with its number beside the text's and a link to where it is judged. Above, how many claims have each
// verdict; or one claim's number under every convention.
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/decimal.h"
#include "base/text.h"
#include "figure/dots.h"
#include "figure/ticks.h"
#include "studies/claims/claims.h"
#include "studies/model_name.h"
#include "studies/registry_view.h"

namespace helix::studies::claims {
namespace {

constexpr float kRow = 21, kAround = 80;  // pixels: of a row of dots, and of what stands above and below the rows

struct Scene {
  Output out;
  Params params;
  std::vector<std::size_t> rows;  // those that pass the filters

  bool one_claim() const { return !params.conventions.empty(); }
  double stated() const { return out.stated.data.empty() ? std::nan("") : out.stated.data.front(); }
};

bool is_whole(const Output& out) {
  const std::size_t n = out.id.size();
  const auto whole = [&](const auto&... lists) { return ((lists.size() == n) && ...); };
  return whole(out.verdict, out.text, out.source, out.unit, out.about, out.setting, out.link, out.model, out.how,
               out.needs, out.stated.data, out.here.data, out.reproduces.data);
}

bool is_left(const Output& out, const Params& params, std::size_t i) {
  if (params.holds != Verdict::any && out.verdict[i] != kVerdicts[static_cast<std::size_t>(params.holds) - 1])
    return false;
  if (params.about == About::any) return true;
  return (params.about == About::gpt2_small) == (out.about[i] == kGpt2Small);
}

/// `params`: the current values of the controls; filters need no new run.
Scene read(const protocol::Result& result, const ParamValues& params) {
  Scene s{protocol::read_outputs<Output>(result), read_params<Params>(params), {}};
  if (!is_whole(s.out)) s.out = Output();
  for (std::size_t i = 0; i < s.out.id.size(); ++i)
    if (is_left(s.out, s.params, i)) s.rows.push_back(i);
  return s;
}

figure::Plot by_verdict(const Scene& s) {
  std::map<std::string_view, double> count;
  for (const std::size_t i : s.rows) ++count[s.out.verdict[i]];
  figure::Bars bars{"verdict", 0, {}};
  bars.across = true;
  std::vector<std::string> names;
  for (const char* verdict : kVerdicts) {
    names.emplace_back(verdict), bars.values.push_back(count[verdict]);
    bars.texts.push_back(to_fixed(count[verdict], 0));
    bars.strong.push_back(names.size() == 1);
  }
  figure::Plot plot{figure::quantity("claims"), figure::over("verdict", 0, static_cast<int>(names.size()), names)};
  plot.x.from_zero = true;
  plot.height = 172;
  plot.marks = {std::move(bars)};
  return plot;
}

figure::Rule text_at(double value, std::string label) {
  return {.upright = true, .at = value, .label = std::move(label), .ink = figure::kMute, .width = 1.4f, .dashed = true};
}

figure::Plot by_convention(const Scene& s) {
  std::vector<std::string> names, labels;
  std::vector<double> numbers, same;
  for (const std::size_t i : s.rows) {
    const double here = s.out.here.data[i];
    const bool as_stated = s.out.reproduces.data[i] == 1;
    names.push_back(s.out.setting[i] + (std::isfinite(here) ? "" : ": " + say("not_tested")));
    labels.push_back(std::isfinite(here) ? figure::plain_number(here) + (as_stated ? say("as_stated") : "") : "");
    numbers.push_back(as_stated ? std::nan("") : here), same.push_back(as_stated ? here : std::nan(""));
  }
  const auto rows = static_cast<int>(names.size());
  figure::Plot plot{figure::quantity("number here", s.out.unit.empty() ? "" : s.out.unit.front()),
                    figure::over("claim", 0, rows, std::move(names))};
  plot.y.title = "";
  plot.height = kAround + kRow * static_cast<float>(s.rows.size());
  if (std::isfinite(s.stated()))
    plot.marks.push_back(text_at(s.stated(), say("rule.text", {{"stated", to_shown(s.stated())}})));
  figure::Points others = figure::row_dots("claim", 0, numbers, figure::kMute, 4.5f, labels);
  others.shape = figure::Shape::ring;
  plot.marks.push_back(std::move(others));
  plot.marks.push_back(figure::row_dots("claim", 0, same, figure::kAccent, 5.5f, std::move(labels)));
  return plot;
}

figure::Table table(const Scene& s) {
  figure::Table t{s.one_claim() ? "Every convention" : "Claims", {}};
  const auto words = [&](const char* name, auto text) {
    figure::Table::Column column{name, "", 0, {}};
    for (const std::size_t i : s.rows) column.texts.push_back(text(i));
    t.columns.push_back(std::move(column));
  };
  const auto numbers = [&](const char* name, const protocol::Grid& grid) {
    figure::Table::Column column{name, "", -1, {}};
    for (const std::size_t i : s.rows) column.values.push_back(grid.data[i]);
    t.columns.push_back(std::move(column));
  };
  const Output& out = s.out;
  if (s.one_claim())
    words("setting", [&](std::size_t i) { return s.out.setting[i]; });
  else {
    words("claim", [&](std::size_t i) { return out.id[i]; });
    words("what it says", [&](std::size_t i) { return out.text[i]; });
  }
  words("verdict", [&](std::size_t i) { return out.verdict[i]; });
  numbers("the text's number", out.stated);
  numbers("here", out.here);
  words("unit", [&](std::size_t i) { return out.unit[i]; });
  if (s.one_claim())
    words("the text's number?", [&](std::size_t i) { return out.reproduces.data[i] == 1 ? "reproduced" : ""; });
  words("convention", [&](std::size_t i) { return out.how[i]; });
  words("model", [&](std::size_t i) { return out.model[i].empty() ? "" : spoken_name(out.model[i]); });
  words("missing", [&](std::size_t i) { return out.needs[i]; });
  if (!s.one_claim()) words("text", [&](std::size_t i) { return out.source[i]; });
  for (const std::size_t i : s.rows) t.go.push_back(out.link[i]);
  if (!s.one_claim()) {
    const auto at = [&](std::string_view name) {
      return static_cast<std::size_t>(std::ranges::find(t.columns, name, &figure::Table::Column::name) -
                                      t.columns.begin());
    };
    t.cards = {at("text"), at("claim"), at("verdict"),    at("what it says"), at("the text's number"),
               at("here"), at("unit"),  at("convention"), at("missing")};
  }
  t.over = {"claim"}, t.help = say("hint.row");
  t.open = true;
  return t;
}

/// Whether all claims were judged and the filters leave none.
bool is_filtered_out(const protocol::Result& result) {
  const protocol::Scalar* rows = result.scalar("rows");
  return result.complete && rows && rows->value == 0;
}

/// How many of the rows that pass the filters have this verdict.
std::size_t count_of(const Scene& s, const char* verdict) {
  return static_cast<std::size_t>(
      std::ranges::count_if(s.rows, [&](std::size_t i) { return s.out.verdict[i] == verdict; }));
}

std::string title(const protocol::Result& result, const Scene& s) {
  if (s.out.id.empty()) return say(is_filtered_out(result) ? "title.filtered" : "title.all");
  if (!s.one_claim()) {
    const std::size_t holds = count_of(s, kVerdicts[0]), judged = holds + count_of(s, kVerdicts[1]);
    if (judged == 0) return say("title.unjudged");
    return say("title.judged", {{"holds", std::to_string(holds)}, {"n", std::to_string(judged)}});
  }
  const std::string id = s.out.id.front(), n = std::to_string(s.out.id.size());
  if (!std::isfinite(s.stated())) return say("title.under", {{"claim", id}, {"n", n}});
  return say("title.reproduced",
             {{"same", number_text(s.out.reproduced.value, 0)}, {"n", n}, {"stated", to_shown(s.stated())}});
}

std::string subtitle(const protocol::Result& result, const Scene& s) {
  if (s.out.id.empty()) return say(is_filtered_out(result) ? "subtitle.filtered" : "subtitle.waiting");
  const std::string so_far = say(
      "subtitle.so_far", {{"done", number_text(s.out.done.value, 0)}, {"all", number_text(s.out.settings.value, 0)}});
  const std::string left =
      say("subtitle.left", {{"rows", std::to_string(s.rows.size())}, {"all", std::to_string(s.out.id.size())}});
  return sentences({s.one_claim() ? s.out.id.front() + ": " + s.out.text.front() : say("subtitle.cards"),
                    result.complete ? "" : so_far, s.rows.size() < s.out.id.size() ? left : ""});
}

std::vector<figure::Note> notes(const Scene& s) {
  using Kind = figure::Note::Kind;
  return {{Kind::text, say(s.one_claim() ? "note.conventions" : "note.judged")}, {Kind::caution, say("note.caution")}};
}

figure::Reading reading(const figure::Reading&, const protocol::Result& result, const ParamValues& params,
                        const ViewState& view) {
  const Scene s = read(result, params);
  figure::Reading r;
  const int at = view.focus.at("claim"), verdict = view.focus.at("verdict");
  if (s.one_claim() && at >= 0 && static_cast<std::size_t>(at) < s.rows.size()) {
    const std::size_t i = s.rows[static_cast<std::size_t>(at)];
    r.title = s.out.setting[i];
    r.lines = {number_text(s.out.here.data[i], 6) + " " + s.out.unit[i], s.out.verdict[i]};
  } else if (!s.one_claim() && verdict >= 0 && static_cast<std::size_t>(verdict) < std::size(kVerdicts)) {
    r.title = kVerdicts[verdict];
    for (const std::size_t i : s.rows)
      if (s.out.verdict[i] == r.title) r.lines.push_back(s.out.id[i] + "  " + s.out.text[i]);
    if (r.lines.size() > 8) {
      const std::size_t more = r.lines.size() - 7;
      r.lines.resize(7);
      r.lines.push_back(say("reading.more", {{"n", std::to_string(more)}}));
    }
  }
  return r;
}

figure::Figure view(const protocol::Result& result, const ParamValues& params) {
  const Scene s = read(result, params);
  figure::Figure f;
  f.title = title(result, s), f.subtitle = subtitle(result, s);
  f.summary = s.out.id.empty() && !is_filtered_out(result) ? say("summary.waiting") : f.title + ". " + f.subtitle;
  const bool some = !s.rows.empty();
  f.panels = {{"claims", some ? say(s.one_claim() ? "panel.conventions" : "panel.verdicts") : "",
               s.one_claim() ? by_convention(s) : by_verdict(s)}};
  f.notes = notes(s);
  f.tables = {table(s)};
  if (s.one_claim())
    f.down = {"claim", 0, static_cast<int>(s.rows.size()) - 1};
  else
    f.down = {"verdict", 0, static_cast<int>(std::size(kVerdicts)) - 1};
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, reading}; }

}  // namespace helix::studies::claims
