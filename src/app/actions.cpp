// Actions as the shell sends them: JSON with a verb, parsed here and passed to the App.
#include <algorithm>
#include <map>
#include <optional>

#include "app/snapshot.h"
#include "base/text.h"
#include "protocol/json.h"

namespace helix::app {
namespace {

using protocol::Json;
using state::kThemeNames;

std::vector<std::pair<std::string, std::string>> values_of(const Json& action) {
  std::vector<std::pair<std::string, std::string>> values;
  if (const Json* list = protocol::find(action, "values"); list && list->is_object())
    for (const auto& [key, value] : list->items())
      if (value.is_string()) values.emplace_back(key, value.get<std::string>());
  return values;
}

std::vector<std::string> texts_of(const Json& object, const char* key) {
  std::vector<std::string> texts;
  if (const Json* list = protocol::find(object, key); list && list->is_array())
    for (const Json& text : *list)
      if (text.is_string()) texts.push_back(text.get<std::string>());
  return texts;
}

ModelEntry model_of(const Json& m) {
  return {protocol::text_at(m, "name"),   protocol::text_at(m, "sha256"),
          protocol::text_at(m, "config"), static_cast<std::uint64_t>(std::max(protocol::number_at(m, "bytes"), 0.0)),
          texts_of(m, "missing"),         texts_of(m, "files"),
          protocol::flag_at(m, "far")};
}

std::vector<ModelEntry> models_of(const Json& action) {
  std::vector<ModelEntry> models;
  if (const Json* list = protocol::find(action, "models"); list && list->is_array())
    for (const Json& m : *list) models.push_back(model_of(m));
  return models;
}

/// The index of a name in a list of names.
template <class Names>
Expected<std::size_t> place_of(const std::string& name, const Names& names, const char* what) {
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end()) return Error{"There is no " + std::string(what) + " " + in_quotes(name) + "."};
  return static_cast<std::size_t>(at - names.begin());
}

std::vector<int> whole_numbers(const Json& list) {
  std::vector<int> numbers;
  if (list.is_array())
    for (const Json& n : list) numbers.push_back(n.is_number_integer() ? n.get<int>() : -1);
  return numbers;
}

/// The places to focus, {"query": 7, "key": 3}; an index below 0 means none.
Expected<Focus> focus_of(const Json& places, bool locked) {
  if (!places.is_object()) return Error{"A focus is an index along each of some axes."};
  Focus f;
  for (const auto& [axis, index] : places.items()) {
    if (!is_axis(axis)) return Error{"There is no axis " + in_quotes(axis) + "."};
    if (index.is_number_integer()) f.set(axis, std::max(index.get<int>(), -1));
  }
  f.locked = locked && !f.nothing();
  return f;
}

/// Sets windows: {"query": [3, 10]}; null shows all of an axis.
Expected<void> set_windows(const Json& windows, ViewState& view) {
  if (!windows.is_object()) return Error{"Windows are first and last index of each axis."};
  for (const auto& [axis, ends] : windows.items()) {
    if (!is_axis(axis)) return Error{"There is no axis " + in_quotes(axis) + "."};
    const auto numbers = whole_numbers(ends);
    if (ends.is_null())
      view.show_all(axis);
    else if (numbers.size() != 2 || numbers[0] < 0 || numbers[0] > numbers[1])
      return Error{"A window is the first and last index of " + axis + "."};
    else
      view.show({axis, numbers[0], numbers[1]});
  }
  return {};
}

/// Applies the parts of the view that the action has; the rest stays as it is.
Expected<ViewState> view_of(const Json& action, ViewState view) {
  if (const Json* axes = protocol::find(action, "axes"); axes && axes->is_array() && axes->size() == 3) {
    std::array<int, 3> next{};
    for (std::size_t i = 0; i < 3; ++i) next[i] = (*axes)[i].is_number_integer() ? (*axes)[i].get<int>() : 0;
    for (std::size_t i = 0; i < 3; ++i)
      if (next[i] < 1 || next[i] > 8 || next[i] == next[(i + 1) % 3])
        return Error{"Axes are three different components from 1 to 8."};
    view.axes = next;
  }
  if (const std::string map = protocol::text_at(action, "map"); !map.empty()) {
    const auto at = place_of(map, kMapNames, "colour map");
    if (!at) return at.error();
    view.map = static_cast<ColourMap>(*at);
  }
  if (protocol::flag_at(action, "reset_camera")) view.camera = Camera();
  if (const Json* windows = protocol::find(action, "windows"))
    if (const auto ok = set_windows(*windows, view); !ok) return ok.error();
  if (const Json* places = protocol::find(action, "focus")) {
    const auto focus = focus_of(*places, protocol::flag_at(action, "locked"));
    if (!focus) return focus.error();
    view.focus = *focus;
  }
  return view;
}

Expected<void> set_theme(App& app, const Json& action) {
  const auto at = place_of(protocol::text_at(action, "theme"), kThemeNames, "theme");
  if (!at) return at.error();
  app.set_theme(static_cast<state::Theme>(*at));
  return {};
}

Expected<void> set_view(App& app, const Json& action, Commit commit) {
  const auto view = view_of(action, app.state().view);
  if (!view) return view.error();
  app.set_view(*view, commit);
  return {};
}

Expected<void> set_tokens(App& app, const Json& action, Commit commit) {
  const Json* ids = protocol::find(action, "ids");
  const auto numbers = ids ? whole_numbers(*ids) : std::vector<int>();
  if (std::any_of(numbers.begin(), numbers.end(), [](int id) { return id < 0; }))
    return Error{"Token ids are whole numbers of at least 0."};
  app.set_tokens({numbers.begin(), numbers.end()}, commit);
  return {};
}

Expected<void> set_edits(App& app, const Json& action, Commit commit) {
  std::vector<Edit> edits;
  if (const Json* list = protocol::find(action, "list"); list && list->is_array())
    for (const Json& e : *list) edits.push_back({protocol::text_at(e, "spec"), protocol::flag_at(e, "on", true)});
  app.set_edits(std::move(edits), commit);
  return {};
}

Expected<void> set_precision(App& app, const Json& action, Commit) {
  const auto at = place_of(protocol::text_at(action, "to"), kPrecisionNames, "precision");
  if (!at) return at.error();
  app.set_precision(static_cast<Precision>(*at));
  return {};
}

Expected<void> set_compare(App& app, const Json& action, Commit) {
  const auto at = place_of(protocol::text_at(action, "mode"), state::kCompareNames, "comparison");
  if (!at) return at.error();
  return app.set_compare(static_cast<state::Compare>(*at), protocol::text_at(action, "against", app.state().against));
}

using Act = Expected<void> (*)(App&, const Json&, Commit);

/// Makes an action of a member function that cannot fail.
template <auto member>
Expected<void> plain(App& app, const Json&, Commit) {
  (app.*member)();
  return {};
}
template <auto member>
Expected<void> with_text(App& app, const Json& action, const char* key) {
  (app.*member)(protocol::text_at(action, key));
  return {};
}

const std::map<std::string_view, Act> kActions{
    {"open", [](App& app, const Json& a, Commit) { return with_text<&App::open_link>(app, a, "link"); }},
    {"models",
     [](App& app, const Json& a, Commit) -> Expected<void> {
       app.set_models(models_of(a), protocol::text_at(a, "choose"));
       return {};
     }},
    {"add_model",
     [](App& app, const Json& a, Commit) -> Expected<void> {
       const Json* model = protocol::find(a, "model");
       if (!model || protocol::text_at(*model, "name").empty()) return Error{"A model that is added needs a name."};
       app.add_model(model_of(*model));
       return {};
     }},
    {"refuse_model",
     [](App& app, const Json& a, Commit) -> Expected<void> {
       app.refuse_model(protocol::text_at(a, "name"), protocol::text_at(a, "sentence"));
       return {};
     }},
    {"model", [](App& app, const Json& a, Commit) { return with_text<&App::choose_model>(app, a, "name"); }},
    {"config",
     [](App& app, const Json& a, Commit) -> Expected<void> {
       app.set_config(protocol::text_at(a, "model"), protocol::text_at(a, "config"));
       return {};
     }},
    {"study", [](App& app, const Json& a, Commit) { return app.choose_study(protocol::text_at(a, "id")); }},
    {"preset", [](App& app, const Json& a, Commit) { return app.apply_preset(protocol::text_at(a, "id")); }},
    {"claim", [](App& app, const Json& a, Commit) { return app.show_claim(protocol::text_at(a, "id")); }},
    {"compare", set_compare},
    {"go",
     [](App& app, const Json& a, Commit) { return app.go_to(protocol::text_at(a, "fragment"), state::From::start); }},
    {"lesson",
     [](App& app, const Json& a, Commit) -> Expected<void> {
       const Json* fragment = protocol::find(a, "fragment");
       return app.show_lesson(protocol::text_at(a, "at"),
                              fragment ? std::optional(protocol::text_at(a, "fragment")) : std::nullopt);
     }},
    {"set",
     [](App& app, const Json& a, Commit commit) -> Expected<void> {
       app.set_params(values_of(a), commit);
       return {};
     }},
    {"prompt",
     [](App& app, const Json& a, Commit commit) -> Expected<void> {
       app.set_prompt(protocol::text_at(a, "text"), commit);
       return {};
     }},
    {"tokens", set_tokens},
    {"bos",
     [](App& app, const Json& a, Commit) -> Expected<void> {
       app.set_bos(protocol::flag_at(a, "on"));
       return {};
     }},
    {"keep_last",
     [](App& app, const Json& a, Commit) -> Expected<void> {
       app.set_keep_last(protocol::flag_at(a, "on"));
       return {};
     }},
    {"predict", plain<&App::predict_text>},
    {"shift",
     [](App& app, const Json& a, Commit commit) -> Expected<void> {
       app.shift_text(static_cast<std::size_t>(std::clamp(protocol::number_at(a, "by"), 0.0, 1e6)), commit);
       return {};
     }},
    {"edits", set_edits},
    {"precision", set_precision},
    {"view", set_view},
    {"theme", [](App& app, const Json& a, Commit) { return set_theme(app, a); }},
    {"present",
     [](App& app, const Json& a, Commit) -> Expected<void> {
       app.present(protocol::flag_at(a, "on"));
       return {};
     }},
    {"reset", plain<&App::reset_params>},
    {"undo", plain<&App::undo>},
    {"redo", plain<&App::redo>},
    {"retry", plain<&App::retry>},
    {"stop", plain<&App::stop>},
    {"dismiss", plain<&App::dismiss_notices>},
    {"dismiss_failure", plain<&App::dismiss_failure>},
    {"notice", [](App& app, const Json& a, Commit) { return with_text<&App::add_notice>(app, a, "sentence"); }},
    {"restarted", plain<&App::engine_restarted>},
    {"engine_failed",
     [](App& app, const Json& a, Commit) { return with_text<&App::engine_failed>(app, a, "sentence"); }},
};

}  // namespace

Expected<void> dispatch(App& app, std::string_view text) {
  const auto action = protocol::parse_json(text);
  const std::string verb = action ? protocol::text_at(*action, "do") : "";
  const auto known = kActions.find(verb);
  if (known == kActions.end()) return Error{"There is no action " + in_quotes(verb.empty() ? text : verb) + "."};
  return known->second(app, *action, protocol::flag_at(*action, "dragging") ? Commit::dragging : Commit::committed);
}

}  // namespace helix::app
