#include "app/edits_json.h"

namespace helix::app {
namespace {

using protocol::Json;

/// The limit of a field in the open model.
std::string_view limit_of(const EditField& field) {
  switch (field.value) {
    case EditValue::layer:
    case EditValue::last_layer:
      return bound_name(Bound::last_layer);
    case EditValue::head:
      return bound_name(Bound::last_head);
    case EditValue::token:
      return "last_prompt_position";
    case EditValue::row:
      return bound_name(Bound::last_position);
    default:
      return bound_name(field.bound);
  }
}

Json field_json(const EditField& field) {
  return {{"value", value_name(field.value)},
          {"name", field.name},
          {"label", field.label},
          {"start", field.start},
          {"min", field.min},
          {"max", field.max},
          {"bound", limit_of(field)},
          {"optional", field.optional},
          {"endless", field.endless},
          {"before", std::string(1, field.before)}};
}

/// Describes edits in order, adding up by how many rows those that are on shift the positions.
struct Teller {
  EditRoom room;
  double shifted = 0;

  Json tell(const std::string& spec, bool on) {
    const auto edit = parse_edit(spec);
    if (!edit) return {{"label", spec}, {"problem", edit.error().sentence}, {"shifts", false}};
    const auto fits = check_edit(spec, *edit, room, shifted);
    if (on) shifted += rows_shifted(*edit);
    return {{"label", edit_label(spec)},
            {"problem", fits ? "" : fits.error().sentence},
            {"shifts", rows_shifted(*edit) > 0}};
  }
};

}  // namespace

std::string edit_forms_json() {
  Json out = Json::array();
  for (const EditForm& form : edit_forms()) {
    Json fields = Json::array();
    for (const EditField& field : form.fields) fields.push_back(field_json(field));
    out.push_back({{"name", form.name},
                   {"group", form.group},
                   {"label", form.label},
                   {"sentence", form.sentence},
                   {"written", written(form)},
                   {"fields", fields}});
  }
  return protocol::dump(out);
}

Json edits_json(const App& app) {
  Json out = Json::array();
  Teller teller{app.edit_room()};
  for (const Edit& edit : app.state().subject.edits) {
    Json told = teller.tell(edit.spec, edit.on);
    told["spec"] = edit.spec, told["on"] = edit.on;
    out.push_back(std::move(told));
  }
  return out;
}

std::string told_edit_json(const App& app, std::string_view spec) {
  Teller teller{app.edit_room()};
  for (const Edit& edit : app.state().subject.edits)
    if (edit.on) teller.tell(edit.spec, true);
  return protocol::dump(teller.tell(std::string(spec), true));
}

}  // namespace helix::app
