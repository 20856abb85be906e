// Models besides the open one, which a run reads by name.
#include <algorithm>
#include <utility>

#include "app/app.h"
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

const ModelEntry* App::unsuited_model() const {
  return wished_model_.empty() || wished_model_ == state_.model ? nullptr : listed(wished_model_);
}

/// Opens a model of the list; if the list lacks it, the run gets an error sentence.
void App::find_model(const std::string& name) {
  const auto entry = std::ranges::find(models_, name, &ModelEntry::name);
  if (entry == models_.end())
    return refuse_model(name, "The model " + in_quotes(name) + " is not here; open it first.");
  host_.send(protocol::Open{entry->name, entry->sha256, entry->config_json, entry->bytes});
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
