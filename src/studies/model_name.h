// A model's name in a sentence.
#pragma once

#include <string>

#include "base/control_name.h"
#include "base/shared_words.h"
#include "base/text.h"

namespace helix::studies {

/// "GPT-2", "minihelix", "a random walk with the steps of minihelix".
inline std::string spoken_name(const std::string& model) { return spoken_model(model); }

/// "GPT-2's positions"; of a control "the positions of a random walk with the steps of GPT-2", "the positions of GPT-2 in
/// random order".
inline std::string positions_of(const std::string& model) {
  const std::string name = spoken_name(model);
  if (!is_control(model)) return shared_words("positions.of_model", {{"model", name}});
  const auto control = parse_control(model);
  const bool says_so = control && (control->kind == ControlKind::rows || control->kind == ControlKind::noise);
  return says_so ? name : shared_words("positions.of_control", {{"control", name}});
}

/// One of these at the start of a sentence: a control's phrase gets its capital letter, a model keeps its spelling.
inline std::string at_start(std::string phrase) {
  for (const std::string& word : split(shared_words("phrases_begin"), '|'))
    if (phrase.starts_with(word + " ")) phrase[0] = static_cast<char>(phrase[0] - 'a' + 'A');
  return phrase;
}

}  // namespace helix::studies
