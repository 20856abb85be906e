// Models besides the open one, which a run reads by name.
#include <algorithm>
#include <utility>

#include "app/app.h"
#include "base/control_name.h"
#include "base/text.h"

namespace helix::app {

/// Records how much of a model has been loaded; for models besides the open one the status keeps a list.
void App::hear_need(const protocol::Need& need) {
  if (need.model == state_.model) {
    status_.have = need.have, status_.want = need.want;
    return;
  }
  const auto known = std::ranges::find(status_.others, need.model, &Status::Loading::model);
  if (known == status_.others.end())
    status_.others.push_back({need.model, need.have, need.want});
  else
    known->have = need.have, known->want = need.want;
}

/// The entry of the list that a name means: its own, or that of the model a control is made from.
const ModelEntry* App::listed(std::string_view name) const {
  const auto control = parse_control(name);
  if (is_control(name) && !control) return nullptr;
  if (control && control->base.empty()) return models_.empty() ? nullptr : &models_.front();
  const auto entry = std::ranges::find(models_, control ? std::string_view(control->base) : name, &ModelEntry::name);
  return entry == models_.end() ? nullptr : &*entry;
}

/// The wished model if it has what the study reads, else the first that does; a control is made from that.
std::string App::model_for(const std::string& wish, Reads reads) const {
  if (auto control = parse_control(wish)) {
    control->base = model_for(control->base, reads);
    return to_text(*control);
  }
  const ModelEntry* asked = listed(wish);
  if (asked && suits(*asked, reads)) return asked->name;
  const auto able = std::ranges::find_if(models_, [&](const ModelEntry& m) { return suits(m, reads); });
  if (able != models_.end()) return able->name;
  return asked ? asked->name : models_.front().name;
}

/// The model of the other side of a comparison: a control that names no base is made from the open model.
std::string App::other_model(const std::string& wish, Reads reads) const {
  auto control = parse_control(wish);
  if (!control || models_.empty()) return wish;
  const auto open = parse_control(state_.model);
  if (control->base.empty()) control->base = open ? open->base : state_.model;
  return model_for(to_text(*control), reads);
}

const ModelEntry* App::unsuited_model() const {
  const auto control = parse_control(wished_model_);
  if (wished_model_.empty() || wished_model_ == state_.model || (control && control->base.empty())) return nullptr;
  return listed(wished_model_);
}

/// Opens a model of the list; if the list lacks it, the run gets an error sentence.
void App::find_model(const std::string& name) {
  const ModelEntry* entry = listed(name);
  if (!entry) return refuse_model(name, "The model " + in_quotes(name) + " is not here; open it first.");
  host_.send(protocol::Open{name, entry->sha256, entry->config_json, entry->bytes});
}

void App::add_model(ModelEntry model) {
  const std::string name = model.name;
  if (std::ranges::find(models_, name, &ModelEntry::name) == models_.end()) models_.push_back(std::move(model));
  find_model(name);
  touch();
}

void App::refuse_model(const std::string& name, const std::string& sentence) {
  host_.send(protocol::SourceFailed{name, sentence});
}

}  // namespace helix::app
