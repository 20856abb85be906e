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

/// Parts of the page that a link can leave out, as `hide` names them. Names are added, never changed.
inline constexpr std::array<std::string_view, 12> kHideNames{"menu",     "model",   "prompt",  "edits",
                                                             "settings", "compare", "presets", "explanation",
                                                             "leads",    "lesson",  "share",   "theme"};

inline constexpr int kLargestSeed = 9999;

/// How much of the page surrounds the figure.
struct Surroundings {
  bool embed = false;             // the figure stands in another page: its title and its number alone
  bool present = false;           // on a projector: one figure, large
  std::vector<std::string> hide;  // names of kHideNames, in their order

  bool operator==(const Surroundings&) const = default;
};

struct AppState {
  std::string model;  // as models/index.json names it; empty: the page's own choice
  std::string study;
  ParamValues params;  // of the open study, all of them, canonical
  Subject subject;
  bool predict = false;  // asked for by hand: what follows a prompt that nobody has changed, beside a study of no text
  ViewState view;
  Compare compare = Compare::none;
  std::string against{};  // a part of a link: applied to this state, it gives the other one (against_state)
  Theme theme = Theme::system;
  std::string lesson{};  // the step of a lesson that is open beside the figure: "helix/3"; empty: none
  int seed = 0;          // of the numbers in a lesson's questions, up to kLargestSeed; 0: as they are written
  Surroundings page{};
  std::vector<std::pair<std::string, std::string>> unknown;  // keys this version does not know, kept as they came

  bool operator==(const AppState&) const = default;
};

/// The first study with its default parameters.
AppState default_state(const std::vector<StudySchema>& schemas);

}  // namespace helix::state
