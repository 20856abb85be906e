#include "app/snapshot.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "base/utf8.h"
#include "figure/table.h"
#include "protocol/json.h"

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
          {"follows", p.follows},
          {"minor", p.minor},
          {"plays", p.plays},
          {"count", p.count},
          {"bound", bound_name(p.bound)},
          {"choices", choices},
          {"shown_when", p.shown_when}};
}

Json claims_json(const std::vector<protocol::Claim>& claims) {
  Json out = Json::array();
  for (const protocol::Claim& c : claims)
    out.push_back({{"id", c.id},
                   {"text", c.text},
                   {"unit", c.unit},
                   {"convention", c.convention},
                   {"stated", c.stated ? protocol::number(*c.stated) : Json(nullptr)},
                   {"here", c.here ? protocol::number(*c.here) : Json(nullptr)},
                   {"holds", c.holds ? Json(*c.holds) : Json(nullptr)}});
  return out;
}

/// What there is none of is left out.
Json focus_json(const Focus& f) {
  Json json = {{"position", f.position}, {"locked", f.locked}};
  for (const auto& [name, value] : std::initializer_list<std::pair<const char*, int>>{
           {"layer", f.layer}, {"head", f.head}, {"query", f.query}, {"key", f.key}, {"item", f.item}})
    if (value >= 0) json[name] = value;
  return json;
}

Json region_json(const Region& r) {
  return r.whole() ? Json(nullptr) : Json({r.first_query, r.last_query, r.first_key, r.last_key});
}

Json subject_json(const Subject& s) {
  Json edits = Json::array();
  for (const Edit& e : s.edits) edits.push_back({{"spec", e.spec}, {"on", e.on}});
  return {{"prompt", s.prompt}, {"tokens", s.tokens},
          {"bos", s.bos},       {"keep_last", s.keep_last},
          {"edits", edits},     {"precision", kPrecisionNames[static_cast<std::size_t>(s.precision)]}};
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
          {"region", region_json(s.view.region)},
          {"subject", subject_json(s.subject)}};
}

Json status_json(const App& app) {
  const App::Status& s = app.status();
  Json json = {{"busy", app.busy()}, {"phase", s.phase}, {"done", s.done},       {"total", s.total},
               {"have", s.have},     {"want", s.want},   {"notices", s.notices}, {"failure", nullptr},
               {"opened", nullptr},  {"engine", nullptr}};
  if (s.failure)
    json["failure"] = {{"sentence", s.failure->sentence},
                       {"retry", s.failure->retry},
                       {"keep_last", s.failure->remedy == Remedy::keep_last}};
  if (s.opened)
    json["opened"] = {
        {"model", s.opened->model},     {"precision", s.opened->precision}, {"file_bytes", s.opened->file_bytes},
        {"n_layer", s.opened->n_layer}, {"n_head", s.opened->n_head},       {"d_model", s.opened->d_model},
        {"n_ctx", s.opened->n_ctx},     {"n_vocab", s.opened->n_vocab},     {"missing", s.opened->missing}};
  if (s.engine) json["engine"] = {{"kernels", s.engine->kernels}, {"version", s.engine->version}};
  return json;
}

/// Where on the surface the focus is; nothing when it is not on it.
std::optional<figure::Point> place_of(const Focus& f, const figure::Drawing& drawing) {
  const auto middle = [](const figure::Rect& r) {
    return r.w > 0 ? std::optional(figure::Point{r.x + r.w / 2, r.y + r.h / 2}) : std::nullopt;
  };
  if (f.is_head()) return middle(drawing.tiles.of(f.layer, f.head));
  if (f.is_cell()) return middle(drawing.cells.of(f.query, f.key));
  if (f.item >= 0 && !drawing.moments.empty() && f.item <= drawing.moments.front().last) {
    const figure::IndexScale& plot = drawing.moments.front();
    return figure::Point{plot.x_of(f.item), plot.rect.y};
  }
  if (const figure::Item* item = drawing.item_of(f.item >= 0 ? f.item : f.position)) return middle(item->rect);
  if (const figure::Spot* spot = drawing.spot_of(f.position)) return spot->at;
  return std::nullopt;
}

Json reading_json(const App& app, const figure::Figure& figure, const figure::Drawing& drawing) {
  if (figure.reading.title.empty()) return nullptr;
  Json json = {
      {"title", figure.reading.title}, {"lines", figure.reading.lines}, {"locked", app.state().view.focus.locked}};
  if (const auto at = place_of(app.state().view.focus, drawing)) json["x"] = at->x, json["y"] = at->y;
  return json;
}

/// Whether a colour map is in use.
bool has_colours(const figure::Figure& f) {
  return std::any_of(f.panels.begin(), f.panels.end(), [](const figure::Panel& p) {
    return std::visit([](const auto& content) { return requires { content.map; }; }, p.content);
  });
}

/// Whether a curve has axes that cannot be exchanged for others.
bool axes_fixed(const figure::Figure& f) {
  const auto* path = figure::content_of<figure::Path3>(f);
  return path && path->extent > 0;
}

/// The last of the moments there are; null where there are none.
Json last_moment(const figure::Figure& f) {
  const auto* curves = figure::content_of<figure::Curves>(f);
  return curves && !curves->moments.empty() ? Json(curves->moments.size() - 1) : Json(nullptr);
}

}  // namespace

std::string schemas_json(const std::vector<StudySchema>& schemas) {
  Json out = Json::array();
  for (const StudySchema& s : schemas) {
    Json params = Json::array(), presets = Json::array();
    for (const ParamSpec& p : s.params) params.push_back(param_json(p));
    for (const Preset& p : s.presets)
      presets.push_back({{"id", p.id}, {"label", p.label}, {"note", p.note}, {"params", p.params}});
    out.push_back({{"id", s.id},
                   {"title", s.title},
                   {"group", s.group},
                   {"question", s.question},
                   {"source", s.source},
                   {"reads", reads_name(s.reads)},
                   {"reads_prompt", reads_prompt(s.reads)},
                   {"runs_prompt", runs_prompt(s.reads)},
                   {"runs_model", runs_model(s.reads)},
                   {"params", params},
                   {"presets", presets}});
  }
  return protocol::dump(out);
}

std::string snapshot_json(App& app, const figure::Drawing& drawing) {
  const figure::Figure& f = app.figure();
  Json notes = Json::array();
  for (const figure::Note& n : f.notes)
    notes.push_back({{"kind", kNoteKinds[static_cast<std::size_t>(n.kind)]}, {"text", n.text}});
  Json tables = Json::array();
  for (const figure::Table& t : f.tables) tables.push_back({{"title", t.title}, {"rows", figure::row_count(t)}});
  Json models = Json::array();
  for (const ModelEntry& m : app.models())
    models.push_back({{"name", m.name}, {"bytes", m.bytes}, {"suits", suits(m, app.schema().reads)}});
  static const protocol::Result none;  // what another study found is not this one's
  const protocol::Result& r = app.result().study == app.state().study ? app.result() : none;
  return protocol::dump({{"link", app.link()},
                         {"state", state_json(app)},
                         {"models", models},
                         {"models_known", app.models_known()},
                         {"figure",
                          {{"title", f.title},
                           {"subtitle", f.subtitle},
                           {"summary", f.summary},
                           {"notes", notes},
                           {"tables", tables},
                           {"has_axes", figure::content_of<figure::Path3>(f) != nullptr},
                           {"axes_fixed", axes_fixed(f)},
                           {"has_cells", figure::content_of<figure::Heatmap>(f) != nullptr},
                           {"has_colours", has_colours(f)},
                           {"last_moment", last_moment(f)}}},
                         {"reading", reading_json(app, f, drawing)},
                         {"result",
                          {{"study", r.study},
                           {"subject", r.subject},
                           {"complete", r.complete},
                           {"notes", r.notes},
                           {"tokens", r.tokens.size()},
                           {"claims", claims_json(r.claims)},
                           {"provenance", r.study.empty() ? "" : protocol::provenance_line(r.provenance)}}},
                         {"undo", app.history().can_undo()},
                         {"redo", app.history().can_redo()},
                         {"status", status_json(app)}});
}

std::string tokens_json(const protocol::Result& result) {
  Json tokens = Json::array();
  for (const protocol::Token& t : result.tokens)
    tokens.push_back({{"id", t.id}, {"text", shown_bytes(t.bytes)}, {"bytes", to_hex(t.bytes)}});
  return protocol::dump(tokens);
}

std::string tables_json(const figure::Figure& figure) {
  Json out = Json::array();
  for (const figure::Table& t : figure.tables) {
    Json headings = Json::array(), rows = Json::array();
    for (const auto& column : t.columns) headings.push_back(figure::heading(column));
    for (std::size_t i = 0; i < figure::row_count(t); ++i) {
      Json row = Json::array();
      for (const auto& column : t.columns) row.push_back(figure::cell(column, i));
      rows.push_back(std::move(row));
    }
    out.push_back({{"title", t.title}, {"headings", headings}, {"rows", rows}});
  }
  return protocol::dump(out);
}

}  // namespace helix::app
