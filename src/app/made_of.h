// What a figure was made of: it is rebuilt when any of this changes. Only the layout depends on the view.
#pragma once

#include <string>

#include "base/schema.h"

namespace helix::app {

struct MadeOf {
  std::string study;
  int result = 0;  // by its number
  ParamValues params;
  int shift = 0;  // of the text on the curve
  bool operator==(const MadeOf&) const = default;
};

}  // namespace helix::app
