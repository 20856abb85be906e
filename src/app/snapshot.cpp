#include "app/snapshot.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/edits_json.h"
#include "base/text.h"
#include "base/utf8.h"
#include "figure/table.h"
#include "protocol/claim_json.h"

namespace helix::app {
namespace {

using protocol::Json;

constexpr const char* kNoteKinds[] = {"text", "equation", "caution"};
using state::kThemeNames;

Json param_json(const ParamSpec& p) {
  Json choices = Json::array();
  for (const Choice& c : p.choices) choices.push_back({{"id", c.id}, {"label", c.label}});
  return {{"key", p.key},
          {"label", p.label},
          {"help", p.help},
          {"unit", p.unit},
          {"type", type_name(p.type)},
          {"default", p.default_text},
          {"min", p.min},
          {"max", p.max},
          {"logarithmic", p.logarithmic},
          {"smallest", p.smallest},
          {"follows", p.follows},
          {"minor", p.minor},
          {"plays", p.plays},
          {"count", p.count},
          {"most", p.most},
          {"length", p.length},
          {"suggest", suggest_name(p.suggest)},
          {"bound", bound_name(p.bound)},
          {"counted_by", p.counted_by},
          {"choices", choices},
          {"shown_when", p.shown_when}};
}

Json told_claim(const protocol::Claim& claim, const ClaimSpec& declared) {
  Json json = protocol::claim_json(claim, declared);
  json["about_title"] = model_title(declared.about);
  json["conventions"] = !declared.conventions.settings.empty();
  return json;
}

/// The results of the claims that the study declares.
Json claims_json(const StudySchema& schema, const std::vector<protocol::Claim>& found) {
  Json out = Json::array();
  for (const protocol::Claim& claim : found)
    if (const ClaimSpec* declared = schema.claim(claim.id)) out.push_back(told_claim(claim, *declared));
  return out;
}

/// The declared claims that this result did not judge.
Json unjudged_json(const StudySchema& schema, const std::vector<protocol::Claim>& found) {
  Json out = Json::array();
  for (const ClaimSpec& declared : schema.claims)
    if (std::ranges::find(found, declared.id, &protocol::Claim::id) == found.end())
      out.push_back(told_claim({declared.id, {}, {}, {}, {}}, declared));
  return out;
}

Json focus_json(const Focus& f) {
  Json json = {{"locked", f.locked}, {"position", -1}};
  for (const Place& place : f.places()) json[place.axis] = place.index;
  return json;
}

Json windows_json(const ViewState& view) {
  Json json = Json::object();
  for (const Window& w : view.windows) json[w.axis] = {w.first, w.last};
  return json;
}

Json subject_json(const App& app) {
  const Subject& s = app.state().subject;
  return {{"prompt", s.prompt},
          {"tokens", s.tokens},
          {"bos", s.bos},
          {"keep_last", s.keep_last},
          {"edits", edits_json(app)},
          {"precision", kPrecisionNames[static_cast<std::size_t>(s.precision)]}};
}

Json state_json(const App& app) {
  const state::AppState& s = app.state();
  Json params = Json::object();
  for (const auto& [key, text] : s.params) params[key] = text;
  const Camera& c = s.view.camera;
  return {{"model", s.model},
          {"study", s.study},
          {"params", params},
          {"theme", kThemeNames[static_cast<std::size_t>(s.theme)]},
          {"map", kMapNames[static_cast<std::size_t>(s.view.map)]},
          {"axes", {s.view.axes[0], s.view.axes[1], s.view.axes[2]}},
          {"camera", {c.azimuth, c.elevation, c.zoom, c.x, c.y}},
          {"focus", focus_json(s.view.focus)},
          {"windows", windows_json(s.view)},
          {"subject", subject_json(app)},
          {"compare", state::kCompareNames[static_cast<std::size_t>(s.compare)]},
          {"against", s.against},
          {"predict", s.predict},
          {"lesson", s.lesson},
          {"seed", s.seed},
          {"embed", s.page.embed},
          {"present", s.page.present},
          {"hide", s.page.hide}};
}

/// The status of the other side of a comparison.
Json against_json(const App& app) {
  const RunSlot& other = app.other_run();
  const auto& [phase, done, total] = other.progress();
  return {{"busy", other.busy()},
          {"phase", phase},
          {"done", done},
          {"total", total},
          {"problem", other.problem()},
          {"shown", other.has_shown()},
          {"name", app.other_name()}};
}

Json status_json(const App& app) {
  const App::Status& s = app.status();
  const auto& [phase, done, total] = app.main_run().progress();
  Json json = {{"busy", app.busy()}, {"phase", phase},    {"done", done},           {"total", total},
               {"have", s.have},     {"want", s.want},    {"notices", s.notices},   {"failure", nullptr},
               {"opened", nullptr},  {"engine", nullptr}, {"others", Json::array()}};
  for (const auto& [model, have, want] : s.others)
    json["others"].push_back({{"model", model}, {"have", have}, {"want", want}});
  if (s.failure)
    json["failure"] = {{"sentence", s.failure->sentence},
                       {"retry", s.failure->retry},
                       {"remedy", protocol::remedy_name(s.failure->remedy)}};
  if (s.opened)
    json["opened"] = {
        {"model", s.opened->model},     {"precision", s.opened->precision}, {"file_bytes", s.opened->file_bytes},
        {"n_layer", s.opened->n_layer}, {"n_head", s.opened->n_head},       {"d_model", s.opened->d_model},
        {"n_ctx", s.opened->n_ctx},     {"n_vocab", s.opened->n_vocab},     {"missing", s.opened->missing}};
  if (s.engine) json["engine"] = {{"kernels", s.engine->kernels}, {"version", s.engine->version}};
  return json;
}

Json reading_json(const App& app, const figure::Drawing& drawing) {
  const figure::Reading reading = app.reading();
  if (reading.title.empty()) return nullptr;
  const Focus& focus = app.state().view.focus;
  Json json = {{"title", reading.title}, {"lines", reading.lines}, {"locked", focus.locked}};
  if (const figure::Rect r = drawing.rect_of(focus.places()); r.w > 0)
    json["x"] = r.x + r.w / 2, json["y"] = r.y + r.h / 2;
  return json;
}

/// The view controls that the shell offers.
struct Looks {
  bool colours = false, spaces = false;
  std::size_t components = 0;  // among which the axes can be chosen; 0: they cannot
  Json windows = Json::object(), help = Json::array();

  void add(const figure::Plot& plot) {
    colours = colours || plot.colour.has_value();
    for (const figure::Mark& mark : plot.marks)
      if (const auto* bars = std::get_if<figure::Bars>(&mark))
        colours = colours || bars->ink.role == figure::Ink::Role::along;
    add(plot.gestures);
    for (const figure::Gesture& g : plot.gestures)
      if (g.effect == figure::Gesture::Effect::window)
        for (const figure::Scale* scale : {&plot.x, &plot.y})
          if (std::ranges::find(g.axes, scale->axis) != g.axes.end()) windows[scale->axis] = scale->count;
  }
  void add(const figure::Space& space) {
    spaces = colours = true;
    if (space.axes.size() > 3) components = std::min<std::size_t>(space.axes.size(), 8);
    add(space.gestures);
  }
  void add(const figure::Number&) {}
  void add(const std::vector<figure::Gesture>& gestures) {
    for (const figure::Gesture& g : gestures)
      if (!g.help.empty()) help.push_back(g.help);
  }
};

/// The last entry of the axis along which something can be dragged; null: nothing can.
Json dragged_last(const figure::Figure& f) {
  for (const figure::Panel& panel : f.panels)
    if (const auto* plot = std::get_if<figure::Plot>(&panel.content))
      for (const figure::Gesture& g : plot->gestures)
        if (g.on == figure::Gesture::On::drag && g.axes.size() == 1 && plot->x.count > 0)
          return plot->x.first + plot->x.count - 1;
  return nullptr;
}

Json lead_json(const figure::Figure& f) {
  if (f.lead.number.empty()) return nullptr;
  return {{"number", f.lead.number}, {"lines", f.lead.lines}, {"settled", f.lead.settled}};
}

/// The head that the figure is about; null if it is not about a head.
Json head_json(const figure::Figure& f) {
  for (const figure::Panel& panel : f.panels) {
    const auto* plot = std::get_if<figure::Plot>(&panel.content);
    if (!plot) continue;
    Json head = Json::object();
    for (const Place& place : plot->chosen)
      if (place.axis == "layer" || place.axis == "head") head[place.axis] = place.index;
    if (head.size() == 2) return head;
  }
  return nullptr;
}

Json figure_json(const figure::Figure& f) {
  Json notes = Json::array(), tables = Json::array();
  for (const figure::Note& n : f.notes)
    notes.push_back({{"kind", kNoteKinds[static_cast<std::size_t>(n.kind)]}, {"text", n.text}});
  for (const figure::Table& t : f.tables)
    tables.push_back({{"title", t.title},
                      {"rows", figure::row_count(t)},
                      {"open", t.open},
                      {"leads", !t.go.empty()},
                      {"cards", t.cards.has_value()}});
  Looks looks;
  for (const figure::Panel& panel : f.panels)
    std::visit([&](const auto& content) { looks.add(content); }, panel.content);
  return {{"title", f.title},
          {"subtitle", f.subtitle},
          {"summary", figure::spoken_summary(f)},
          {"lead", lead_json(f)},
          {"head", head_json(f)},
          {"notes", notes},
          {"tables", tables},
          {"has_spaces", looks.spaces},
          {"components", looks.components},
          {"windows", looks.windows},
          {"has_colours", looks.colours},
          {"gestures", looks.help},
          {"last_moment", dragged_last(f)}};
}

Json presets_json(const std::vector<Preset>& presets) {
  Json out = Json::array();
  for (const Preset& p : presets)
    out.push_back({{"id", p.id}, {"label", p.label}, {"note", p.note}, {"fragment", p.fragment}});
  return out;
}

/// How many of a result's tokens belong to the prompt; those after them were generated.
std::size_t prompt_tokens(const protocol::Result& r) {
  const protocol::Scalar* own = r.scalar("prompt_tokens");
  const bool known = own && own->value >= 0 && own->value <= static_cast<double>(r.tokens.size());
  return known ? static_cast<std::size_t>(own->value) : r.tokens.size();
}

/// The text run beside a study that reads no text; null if none is shown.
Json text_json(const App& app) {
  const TextShown t = app.text_shown();
  if (!t.there) return nullptr;
  Json next = Json::array();
  for (const NextToken& n : t.next)
    next.push_back(
        {{"token", n.token}, {"probability", protocol::number(n.probability)}, {"before", protocol::number(n.before)}});
  return {{"busy", t.busy},
          {"model", t.model},
          {"sentence", t.sentence},
          {"problem", t.problem},
          {"tokens", t.tokens},
          {"shift", t.shift},
          {"last_shift", t.last_shift},
          {"positions", t.positions},
          {"next", next},
          {"divergence", protocol::number(t.divergence)}};
}

/// The requested model that is replaced because it lacks what the study reads, and what it lacks.
Json unsuited_json(const App& app) {
  const ModelEntry* model = app.unsuited_model();
  return model ? Json{{"name", model->name}, {"missing", model->missing}} : Json();
}

}  // namespace

std::string schemas_json(const std::vector<StudySchema>& schemas) {
  Json out = Json::array();
  for (const StudySchema& s : schemas) {
    Json params = Json::array(), claims = Json::array();
    for (const ParamSpec& p : s.params) params.push_back(param_json(p));
    for (const ClaimSpec& c : s.claims) claims.push_back({{"id", c.id}, {"text", c.text}});
    out.push_back({{"id", s.id},
                   {"title", s.title},
                   {"group", s.group},
                   {"question", s.question},
                   {"source", s.source},
                   {"reads", reads_name(s.reads)},
                   {"reads_prompt", reads_prompt(s.reads)},
                   {"runs_prompt", runs_prompt(s.reads)},
                   {"runs_model", runs_model(s.reads)},
                   {"shows_text", !s.text_tokens.empty()},
                   {"params", params},
                   {"presets", presets_json(s.presets)},
                   {"no_difference", s.no_difference},
                   {"leads", presets_json(s.leads)},
                   {"claims", claims}});
  }
  return protocol::dump(out);
}

std::string snapshot_json(App& app, const figure::Drawing& drawing) {
  const figure::Figure& f = app.figure();
  Json models = Json::array();
  for (const ModelEntry& m : app.models().list())
    models.push_back(
        {{"name", m.name}, {"bytes", m.bytes}, {"suits", suits(m, app.schema().reads)}, {"whole", m.missing.empty()}});
  static const protocol::Result none;  // the claims of another study's result are not shown
  const protocol::Result& r = app.result().study == app.state().study ? app.result() : none;
  return protocol::dump({{"link", app.link()},
                         {"step", app.history().step()},
                         {"step_link", app.history().link()},
                         {"state", state_json(app)},
                         {"models", models},
                         {"models_known", app.models().known()},
                         {"unsuited", unsuited_json(app)},
                         {"figure", figure_json(f)},
                         {"reading", reading_json(app, drawing)},
                         {"result",
                          {{"study", r.study},
                           {"fingerprint", r.fingerprint},
                           {"complete", r.complete},
                           {"notes", r.notes},
                           {"tokens", r.tokens.size()},
                           {"prompt_tokens", prompt_tokens(r)},
                           {"claims", claims_json(app.schema(), r.claims)},
                           {"unjudged", unjudged_json(app.schema(), r.claims)},
                           {"provenance", r.study.empty() ? "" : protocol::provenance_line(r.provenance)}}},
                         {"undo", app.history().can_undo()},
                         {"redo", app.history().can_redo()},
                         {"preset", app.current_preset()},
                         {"against", against_json(app)},
                         {"text", text_json(app)},
                         {"status", status_json(app)}});
}

std::string tokens_json(const protocol::Result& result) {
  Json tokens = Json::array();
  for (const protocol::Token& t : result.tokens)
    tokens.push_back({{"id", t.id}, {"text", shown_bytes(t.bytes)}, {"bytes", to_hex(t.bytes)}});
  return protocol::dump(tokens);
}

/// The columns of a table's cards, and the numbers that they draw.
Json cards_json(const figure::Table& t) {
  if (!t.cards) return nullptr;
  const figure::Table::Cards& c = *t.cards;
  const auto numbers = [&](std::size_t column) {
    Json all = Json::array();
    for (const double x : t.columns[column].values) all.push_back(std::isfinite(x) ? Json(x) : Json());
    return all;
  };
  return {{"group", c.group},     {"name", c.name},
          {"verdict", c.verdict}, {"text", c.text},
          {"stated", c.stated},   {"here", c.here},
          {"unit", c.unit},       {"note", c.note},
          {"missing", c.missing}, {"numbers", {{"stated", numbers(c.stated)}, {"here", numbers(c.here)}}}};
}

std::string tables_json(const figure::Figure& figure) {
  Json out = Json::array();
  for (const figure::Table& t : figure.tables) {
    Json headings = Json::array(), numeric = Json::array(), rows = Json::array();
    for (const auto& column : t.columns) {
      headings.push_back(figure::heading(column));
      numeric.push_back(column.texts.empty());
    }
    for (std::size_t i = 0; i < figure::row_count(t); ++i) {
      Json row = Json::array();
      for (const auto& column : t.columns) row.push_back(figure::cell(column, i));
      rows.push_back(std::move(row));
    }
    out.push_back({{"title", t.title},
                   {"headings", headings},
                   {"numeric", numeric},
                   {"rows", rows},
                   {"go", t.go},
                   {"help", t.help},
                   {"open", t.open},
                   {"cards", cards_json(t)}});
  }
  return protocol::dump(out);
}

}  // namespace helix::app
