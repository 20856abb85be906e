// The script that recomputes a result with numpy and asserts its numbers.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "protocol/result.h"

namespace helix::cli {

/// A study's script without a view: assets/python/, put together by tools/dev/python_scripts.py when the program is built.
struct StudyScript {
  std::string_view study, text;
};
std::span<const StudyScript> study_scripts();

/// The script of a result; `link` is its state. An error says why this result has none. The page does the same
/// (web/shell/python_script.js).
Expected<std::string> python_script(const protocol::Result& result, const StudySchema& schema, const std::string& link);

}  // namespace helix::cli
