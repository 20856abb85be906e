// A part of a link applied to a state: a preset, a row of a table, a click on a head, a whole link on the default
// state.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "state/app_state.h"
#include "state/link_text.h"

namespace helix::state {

/// A link keeps and reports keys it does not know: a later version may have given them a meaning. In a fragment, which
/// is short and written for one purpose, such a key is an error, and a key without a dot that is not a key of links is
/// a parameter of its study: "layer=4&head=11".
enum class Form { link, fragment };

struct Applied {
  AppState state;
  std::vector<std::string> notices;  // sentences: numbers that were moved into their range, unknown keys
};

/// What a fragment starts from. It may say so itself: "from=text&study=attention".
///   start: the study's defaults, the default prompt, no edits, no comparison. A preset, a claim, a next step and a row
///          of a table mean this, so that they show the same wherever they are opened.
///   text:  the same with the visitor's own text, its tokens, BOS and what is kept of a long one.
///   here:  what is there. A click in a figure and the other side of a comparison mean this.
/// Model, precision, theme, the lesson with its seed and, in the same study, the view always stay.
enum class From { start, text, here };
inline constexpr std::array<std::string_view, 3> kFromNames{"start", "text", "here"};

/// What is not named stays as it is in the state that the fragment starts from: `from`, unless it says so itself.
/// Another study starts with its own defaults and the default view; edits replace the existing ones ("edit=" leaves
/// none); a prompt replaces token ids, unless these are named, too. An error is a sentence.
Expected<Applied> apply_fragment(AppState state, std::string_view fragment, const std::vector<StudySchema>& schemas,
                                 From from = From::here);

/// Applies pairs that have been split to what is there. An error is a reason in lower case and without a full stop, for
/// a sentence of the caller's own.
Expected<Applied> apply_pairs(AppState state, const Pairs& pairs, Form form, const std::vector<StudySchema>& schemas);

/// The state that this one is compared with. An error is a sentence.
Expected<Applied> against_state(const AppState& state, const std::vector<StudySchema>& schemas);

/// `values` with the parameters that the fragment names reset to their defaults.
ParamValues without(ParamValues values, std::string_view fragment, const StudySchema& schema);

/// "helix/3": a lesson's name of lower-case letters, digits and hyphens, and a step counted from 1.
bool is_lesson_step(std::string_view text);
inline constexpr std::size_t kLongestLesson = 40;
inline constexpr int kMostSteps = 99;

const StudySchema* find_study(const std::vector<StudySchema>& schemas, std::string_view id);

/// Why a link of this version cannot be read, in lower case and without a full stop; empty when it can, or names none.
std::string version_problem(const Pairs& pairs);

}  // namespace helix::state
