// Everything a link restores, as one value. Undo is a list of these links; there is no other state worth keeping.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/schema.h"
#include "base/subject.h"
#include "base/view.h"

namespace helix::state {

enum class Theme { system, dark, light };
inline constexpr std::array<std::string_view, 3> kThemeNames{"system", "dark", "light"};

/// How two states are shown: beside each other, the numbers of one less those of the other, or the other one alone.
enum class Compare { none, beside, difference, other };
inline constexpr std::array<std::string_view, 4> kCompareNames{"none", "beside", "difference", "other"};

struct AppState {
  std::string model;  // as models/index.json names it; empty: the page's own choice
  std::string study;
  ParamValues params;  // of the open study, all of them, canonical
  Subject subject;
  ViewState view;
  Compare compare = Compare::none;
  std::string against{};  // a part of a link: applied to this state, it gives the other one (against_state)
  Theme theme = Theme::system;
  std::string lesson{};  // the step of a lesson that is open beside the figure: "helix/3"; empty: none
  std::vector<std::pair<std::string, std::string>> unknown;  // keys this version does not know, kept as they came

  bool operator==(const AppState&) const = default;
};

/// The first study with its default parameters.
AppState default_state(const std::vector<StudySchema>& schemas);

}  // namespace helix::state
