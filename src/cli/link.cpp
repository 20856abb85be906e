#include "base/text.h"
#include "cli/cli.h"
#include "protocol/json.h"
#include "state/permalink.h"
#include "studies/registry_view.h"

namespace helix::cli {

Outcome link(const Options& options) {
  using protocol::Json;
  const auto schemas = helix::studies::schemas_of(helix::studies::view_studies());
  const auto sets = options.all("set");
  if (options.words.empty() && sets.empty() && options.values.empty())
    return misuse("link needs one link, or --set key=value to write one.");
  state::Decoded decoded{state::default_state(schemas), {}, false};
  if (!options.words.empty()) decoded = state::decode(options.words[0], schemas);
  if (decoded.bad) return failure(decoded.notices[0]);
  state::AppState& app = decoded.state;
  if (const std::string id = options.get("study"); !id.empty()) {
    const auto* study = helix::studies::find_view_study(id);
    if (!study) return misuse("There is no study " + in_quotes(id) + ".");
    app.study = id, app.params = defaults(study->schema);
  }
  if (const std::string model = options.get("model"); !model.empty()) app.model = model;
  for (const std::string& set : sets) {
    const std::size_t at = set.find('=');
    if (at == std::string::npos) return misuse("--set needs key=value, not " + in_quotes(set) + ".");
    const auto ok = set_value(helix::studies::find_view_study(app.study)->schema, app.params, set.substr(0, at),
                              set.substr(at + 1), true);
    if (!ok) return misuse(ok.error().sentence);
  }
  Json params = Json::object(), unknown = Json::object();
  for (const auto& [key, value] : app.params) params[key] = value;
  for (const auto& [key, value] : app.unknown) unknown[key] = value;
  const Json json = {{"link", state::encode(app, schemas)},
                     {"model", app.model},
                     {"study", app.study},
                     {"params", params},
                     {"unknown", unknown},
                     {"notices", decoded.notices}};
  return {protocol::dump(json) + "\n", "", 0};
}

}  // namespace helix::cli
