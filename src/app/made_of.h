// What a figure was made of: it is made again when any of this has changed. How it is looked at is the layout's.
#pragma once

#include <string>

#include "base/schema.h"

namespace helix::app {

struct MadeOf {
  std::string study;
  int result = 0;  // by its number
  ParamValues params;
  int shift = 0;  // of the text on it
  bool operator==(const MadeOf&) const = default;
};

}  // namespace helix::app
