// What a study declares about itself, as plain data: the menu, the controls, the link, the export and the command
// line are all made from this and from nothing else.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/expected.h"

namespace helix {

/// The closed list of parameter types; each has one text form, which links and the command line share.
enum class ParamType { boolean, integer, real, choice, integers };

/// A bound that only the open model knows, or (last_moment) what is known of its training.
enum class Bound { none, last_position, last_layer, last_head, last_moment };

struct Choice {
  std::string id, label;
};

/// One parameter of a study. `default_text` is canonical; a value equal to it is left out of links.
struct ParamSpec {
  std::string key, label, help, unit;
  ParamType type = ParamType::integer;
  std::string default_text;
  double min = 0, max = 0;      // integer, real, integers (each entry)
  bool logarithmic = false;     // a slider moves in ratios
  std::size_t count = 0;        // integers: how many; 0 = any
  Bound bound = Bound::none;    // the upper end, when a model is open
  std::string follows;          // integer: at its minimum it takes the value of this other parameter
  bool minor = false;           // offered under "more", not in the first line
  bool plays = false;           // integer: may be run through, from its minimum to its bound
  std::vector<Choice> choices;  // choice
  std::string shown_when;       // "key=value": the control is shown only then; the value always counts
};

/// A number, an array of numbers, or a list of words a study returns.
struct OutputSpec {
  std::string name, unit, label;
  std::vector<std::string> axes;  // empty for a scalar
  bool words = false;             // texts, not numbers
};

/// A point of interest of a study: parameters that differ from the defaults.
struct Preset {
  std::string id, label, note, params;  // params: "first=100&last=1023"
};

/// What a study works on besides its parameters: the weights alone, the prompt's tokens, the prompt run through the
/// model's layers or also to its predictions, the model ready to run with prompts of the study's own, or the record of its
/// training. The page shows a prompt where there is one, and edits where it runs.
enum class Reads { weights, tokens, layers, forward, model, training };
constexpr bool runs_prompt(Reads reads) { return reads == Reads::layers || reads == Reads::forward; }
constexpr bool reads_prompt(Reads reads) { return reads == Reads::tokens || runs_prompt(reads); }
constexpr bool runs_model(Reads reads) { return runs_prompt(reads) || reads == Reads::model; }

/// The files beside the weights that such a study reads.
std::vector<std::string> files_for(Reads reads);

struct StudySchema {
  std::string id, title, group, question, source;
  std::vector<ParamSpec> params;
  std::vector<OutputSpec> outputs;
  std::vector<Preset> presets;
  Preset without_model;  // what is shown while no model is at hand, and (note) how that is told; no params: nothing is
  Reads reads = Reads::weights;

  const ParamSpec* find(std::string_view key) const;
};

/// Parameter values as canonical text, in the order of the schema; all of them.
using ParamValues = std::vector<std::pair<std::string, std::string>>;

std::string_view type_name(ParamType type);
std::string_view reads_name(Reads reads);
std::string_view bound_name(Bound bound);  // empty for none

ParamValues defaults(const StudySchema& schema);
const std::string* find_value(const ParamValues& values, std::string_view key);

/// The canonical form of `text` for this parameter. Out of range: an error when `strict`, else the nearest
/// allowed value (a link must open). Text that is no value of this type is an error either way.
Expected<std::string> canonical(const ParamSpec& spec, std::string_view text, bool strict);

/// Sets one value; an error names the key, what was given and what is allowed.
Expected<void> set_value(const StudySchema& schema, ParamValues& values, std::string_view key, std::string_view text,
                         bool strict);

}  // namespace helix
