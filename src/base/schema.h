// What a study declares about itself, as plain data: the menu, the controls, the link, the export and the command
// line are all made from this and from nothing else. Its texts are filled in from the study's words (base/words.h).
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/expected.h"

namespace helix {

/// The closed list of parameter types; each has one text form, which links and the command line share.
enum class ParamType { boolean, integer, real, choice, integers, reals, names, text };

/// A bound that comes from the open model or, for last_moment, from its training record.
enum class Bound { none, last_position, last_layer, last_head, last_moment, last_dimension, last_token };

/// What the page can suggest for a name.
enum class Suggest { nothing, models };

struct Choice {
  std::string id, label;
};

/// One parameter of a study. `default_text` is canonical; a value equal to it is left out of links.
struct ParamSpec {
  std::string key, label, help, unit;
  ParamType type = ParamType::integer;
  std::string default_text;
  double min = 0, max = 0;             // integer, real, integers, reals (each entry)
  bool logarithmic = false;            // a slider moves in ratios
  double smallest = 0;                 // logarithmic from 0: ratios begin about here; below it, steps are even
  std::size_t count = 0;               // lists: how many entries; 0 = any number, none at all included
  std::size_t most = 0;                // lists with any number of entries: at most so many
  std::size_t length = 0;              // names, text: at most so many bytes, a name's or the text's
  Suggest suggest = Suggest::nothing;  // names
  Bound bound = Bound::none;           // the upper end, when a model is open
  std::string counted_by;  // with a bound: while this parameter's control is shown, its value less 1 is the upper end
  std::string follows;     // integer: at its minimum it takes the value of this other parameter
  bool minor = false;      // offered under "more", not in the first line
  bool plays = false;      // integer: may be run through, from its minimum to its bound
  std::vector<Choice> choices;  // choice
  std::string shown_when;       // "key=value": the control is shown only then; the value always counts
};

/// How an array's numbers are kept in a file and on the way from the engine.
enum class NumberType { f64, f32 };

/// What an output is, which says what a comparison of two results may do with it.
///   quantity    measured or computed: one side less the other is a quantity again
///   key         names an entry along its axis (a token's id, a dimension): entries of two sides are matched by it
///   label       words beside a key
///   setting     follows from what was asked (a bin's edge, a position): "a → b", never subtracted
///   coordinate  a place along axes that each result fits for itself: shown beside each other, never subtracted
enum class Role { quantity, key, label, setting, coordinate };

/// A number, an array of numbers, or a list of words a study returns.
struct OutputSpec {
  std::string name, unit, label;
  std::vector<std::string> axes;  // empty for a scalar
  bool words = false;             // texts, not numbers
  NumberType type = NumberType::f64;
  Role role = Role::quantity;
  int digits = 4;         // after the point, for reading; of a fraction: of its percentage
  bool headline = false;  // the number a comparison leads with
  std::string of;  // a list of keys: the number is about its first entry, and is subtracted only where that is the same
  std::string brief;  // its name in a reading; empty: it is in none
};

/// A point of interest: a part of a link. Unless it says otherwise ("from=text", state/fragment.h), it starts from the
/// study's defaults and the default prompt. It may name parameters, without their study's name, a prompt, edits or
/// another study.
struct Preset {
  std::string id, fragment;  // "first=100&last=1023"
  std::string label{}, note{};
};

/// Settings that a source text leaves open where it states a number. One table computes every combination of them.
struct Conventions {
  std::string settings{};  // "first=0|1&centre=1|0": parts of a link, each with its choices; empty: nothing is open
  std::string number{};    // the scalar that the claim is about, or an entry "a[4,11]"; "a|b": the text may mean either
  double within = 0;       // largest difference from the stated number that counts as equal: half of its last digit
};

/// A claim of the source texts that a study judges. Results refer to it by its id, which is unique across the studies
/// and begins with the letter of its source text.
struct ClaimSpec {
  std::string id;
  std::optional<double> stated;
  std::string unit;
  std::string about;     // the id of the model that it is about (model_title); empty: about no weights
  std::string fragment;  // applied to the study's defaults, gives the settings where it is judged
  Conventions conventions{};
  std::string text{};
};

/// As a study writes them down: constants, which take a few bytes of a module where strings take code.
struct PresetText {
  std::string_view id, fragment;
};
struct ConventionsText {
  std::string_view settings{}, number{};
  double within = 0;
};
struct ClaimText {
  std::string_view id;
  std::optional<double> stated;
  std::string_view unit, about, fragment;
  ConventionsText conventions{};
};

struct Presets : std::vector<Preset> {
  Presets() = default;
  Presets(std::initializer_list<PresetText> list);
};
struct Claims : std::vector<ClaimSpec> {
  Claims() = default;
  Claims(std::initializer_list<ClaimText> list);
  void push_back(const ClaimText& claim);
};

inline constexpr std::string_view kGpt2Small = "gpt2-small";
/// The title of a model that claims are about; empty for an unknown id.
std::string_view model_title(std::string_view id);

/// What a study works on besides its parameters: nothing, the table of positions alone, any weights and the words'
/// among them, any weights but the words', the prompt's tokens, the prompt run through the layers or on to its predictions,
/// the model ready to run with prompts of the study's own, or the record of its training. The page shows a prompt if the
/// study reads one, and edits if the study runs it.
enum class Reads { nothing, positions, words, weights, tokens, layers, forward, model, training };
constexpr bool runs_prompt(Reads reads) { return reads == Reads::layers || reads == Reads::forward; }
constexpr bool reads_prompt(Reads reads) { return reads == Reads::tokens || runs_prompt(reads); }
constexpr bool runs_model(Reads reads) { return runs_prompt(reads) || reads == Reads::model; }

/// The files beside the weights that such a study reads.
std::vector<std::string> files_for(Reads reads);

struct StudySchema {
  std::string id, title, group, question, source;
  std::vector<ParamSpec> params;
  std::vector<OutputSpec> outputs;
  Presets presets;
  Claims claims{};
  Preset without_model;  // shown while no model is open; its note says so; no fragment: nothing is shown
  Reads reads = Reads::weights;
  /// The run that predicts what follows the prompt, shown beside this figure: a part of a link, which names its study.
  /// Empty: no prediction is shown.
  std::string text_run{};
  /// Why two results of this study are not subtracted but only shown beside each other, one sentence; empty: they are.
  std::string no_difference{};
  Presets leads{};  // suggested next steps; a fragment names the study it leads to
  /// The run that only cuts the prompt into tokens, also a part of a link. The tokens stand at their positions in the
  /// figure. Empty: they do not; else the study runs no text itself.
  std::string text_tokens{};
  bool many_texts = false;    // takes several prompts, one after the other
  bool judges_parts = false;  // has an answer for a model that lacks some of what it reads, too
  bool runs_others = false;   // runs other studies, so that it depends on the precision although it reads no text

  /// Whether its numbers can depend on the precision of the weights that run.
  bool depends_on_precision() const { return runs_others || runs_model(reads); }

  const ParamSpec* find(std::string_view key) const;
  const OutputSpec* output(std::string_view name) const;
  const ClaimSpec* claim(std::string_view name) const;
};

/// Fills in every text of the schema, from the words of its study or, for what several studies share, from those of
/// "studies":
///   title, question, source, no_difference, without_model
///   setting.KEY, setting.KEY.help, choice.KEY.ID or choice.ID, number.NAME
///   view.ID, view.ID.note, next.ID, next.ID.note, claim.ID
void add_words(StudySchema& schema);

/// Parameter values as canonical text, in the order of the schema; all of them.
using ParamValues = std::vector<std::pair<std::string, std::string>>;

std::string_view type_name(ParamType type);
std::string_view role_name(Role role);
std::string_view reads_name(Reads reads);
std::string_view bound_name(Bound bound);        // empty for none
std::string_view suggest_name(Suggest suggest);  // empty for nothing

ParamValues defaults(const StudySchema& schema);
const std::string* find_value(const ParamValues& values, std::string_view key);

/// The canonical form of `text` for this parameter. Out of range: an error when `strict`, else the nearest allowed
/// value (a link must open). Text that is not a value of this type is an error either way.
Expected<std::string> canonical(const ParamSpec& spec, std::string_view text, bool strict);

/// Sets one value; an error names the key, what was given and what is allowed.
Expected<void> set_value(const StudySchema& schema, ParamValues& values, std::string_view key, std::string_view text,
                         bool strict);

}  // namespace helix
