// The open menu of acts as JSON, for the shell.
#pragma once

#include <string>

#include "app/canvas.h"

namespace helix::app {

std::string menu_json(const Canvas::Menu& menu);

}  // namespace helix::app
