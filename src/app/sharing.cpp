#include "app/sharing.h"

#include "base/text.h"
#include "protocol/json.h"
#include "state/page_keys.h"
#include "state/permalink.h"

namespace helix::app {

using protocol::Json;

std::string links_json(const App& app, std::string_view options) {
  state::AppState state = app.state();
  if (const auto asked = protocol::parse_json(options); asked && asked->is_object()) {
    state.page.embed = protocol::flag_at(*asked, "embed", state.page.embed);
    state.page.present = protocol::flag_at(*asked, "present", state.page.present);
    if (const int theme = state::index_of(state::kThemeNames, protocol::text_at(*asked, "theme")); theme >= 0)
      state.theme = static_cast<state::Theme>(theme);
    if (const Json* hide = protocol::find(*asked, "hide"); hide && hide->is_array()) {
      state.page.hide.clear();
      for (const Json& name : *hide)
        if (name.is_string()) state::hide_known(state.page, name.get<std::string>());
    }
  }
  return protocol::dump({{"link", state::encode(state, app.schemas())}, {"short", state::short_link(state)}});
}

std::string hide_names_json() {
  Json names = Json::array();
  for (const std::string_view name : state::kHideNames) names.push_back(name);
  return protocol::dump(names);
}

}  // namespace helix::app
