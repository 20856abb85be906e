#include "app/menu_json.h"

#include "protocol/json.h"

namespace helix::app {

std::string menu_json(const Canvas::Menu& menu) {
  using protocol::Json;
  Json items = Json::array();
  for (const Canvas::Menu::Item& item : menu.items)
    items.push_back({{"label", item.label}, {"key", item.key}, {"on", item.on}});
  return protocol::dump({{"x", menu.at.x}, {"y", menu.at.y}, {"title", menu.title}, {"items", items}});
}

}  // namespace helix::app
