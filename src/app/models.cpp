#include "app/models.h"

#include <algorithm>
#include <utility>

#include "base/control_name.h"
#include "base/text.h"

namespace helix::app {

bool suits(const ModelEntry& model, Reads reads) {
  const auto has = [&](std::string_view part) { return std::ranges::find(model.missing, part) == model.missing.end(); };
  if (reads == Reads::nothing) return true;
  if (reads == Reads::positions) return has("positions");
  if (reads == Reads::words) return has("words");
  if (reads == Reads::weights) return has("words") || has("attention");
  for (const std::string& file : files_for(reads))
    if (std::ranges::find(model.files, file) == model.files.end()) return false;
  return !runs_model(reads) || model.missing.empty();
}

namespace {

/// Whether a model that was named for this study stays, although it lacks some of what the study reads.
bool judged_in_part(const ModelEntry& model, const StudySchema& study) {
  return study.judges_parts && suits(model, Reads::positions);
}

}  // namespace

void Models::set(std::vector<ModelEntry> list) {
  list_ = std::move(list);
  known_ = true;
}

void Models::add(ModelEntry model) {
  if (!find(model.name)) list_.push_back(std::move(model));
}

const ModelEntry* Models::find(std::string_view name) const {
  const auto control = parse_control(name);
  if (is_control(name) && !control) return nullptr;
  if (control && control->base.empty()) return list_.empty() ? nullptr : &list_.front();
  const auto entry = std::ranges::find(list_, control ? std::string_view(control->base) : name, &ModelEntry::name);
  return entry == list_.end() ? nullptr : &*entry;
}

bool Models::set_config(std::string_view name, const std::string& json) {
  const auto entry = std::ranges::find(list_, name, &ModelEntry::name);
  if (entry == list_.end() || entry->config_json == json) return false;
  entry->config_json = json;
  return true;
}

std::string Models::for_study(const std::string& wish, const StudySchema& study) const {
  if (auto control = parse_control(wish)) {
    control->base = for_study(control->base, study);
    return to_text(*control);
  }
  const ModelEntry* asked = find(wish);
  if (asked && (suits(*asked, study.reads) || judged_in_part(*asked, study))) return asked->name;
  const auto able = std::ranges::find_if(list_, [&](const ModelEntry& m) { return suits(m, study.reads); });
  if (able != list_.end()) return able->name;
  return asked ? asked->name : list_.front().name;
}

const ModelEntry* Models::near_for_study(const StudySchema& study) const {
  const Reads reads = study.reads;
  const ModelEntry* chosen = find(for_study(study));
  if (chosen && suits(*chosen, reads) && !chosen->far) return chosen;
  const auto able = std::ranges::find_if(list_, [&](const ModelEntry& m) { return suits(m, reads) && !m.far; });
  return able == list_.end() ? nullptr : &*able;
}

void Models::open(const std::string& name) {
  const ModelEntry* entry = find(name);
  if (!entry) return refuse(name, "The model " + in_quotes(name) + " is not here; open it first.");
  opened_.insert(name);
  send_(protocol::Open{name, entry->sha256, entry->config_json, entry->bytes});
}

void Models::open_once(const std::string& name) {
  if (!opened_.contains(name)) open(name);
}

void Models::refuse(const std::string& name, const std::string& sentence) {
  send_(protocol::SourceFailed{name, sentence});
}

void Models::on_opened(const protocol::Opened& header) {
  const auto known = std::ranges::find(headers_, header.model, &protocol::Opened::model);
  if (known == headers_.end())
    headers_.push_back(header);
  else
    *known = header;
}

std::size_t Models::positions_of(std::string_view name) const {
  const auto known = std::ranges::find(headers_, name, &protocol::Opened::model);
  return known == headers_.end() ? 0 : static_cast<std::size_t>(std::max<std::int64_t>(known->n_ctx, 0));
}

}  // namespace helix::app
