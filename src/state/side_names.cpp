#include "state/side_names.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "base/control_name.h"
#include "base/edit_forms.h"
#include "base/shared_words.h"
#include "base/text.h"
#include "state/fragment.h"

namespace helix::state {
namespace {

constexpr const Words& say = shared_words;

constexpr std::size_t kPrompt = 32;  // bytes of a prompt that are quoted
constexpr std::size_t kMostParams = 2;

std::vector<std::string> active(const AppState& state) {
  std::vector<std::string> specs;
  for (const Edit& edit : state.subject.edits)
    if (edit.on) specs.push_back(edit.spec);
  return specs;
}

/// The edits of one side that the other has not; where that leaves none, what it has instead.
std::string edits_name(const std::vector<std::string>& own, const std::vector<std::string>& other) {
  std::vector<std::string> labels;
  for (const std::string& spec : own)
    if (std::ranges::find(other, spec) == other.end()) labels.push_back(edit_label(spec));
  if (labels.size() > 2) return say("side.edits", {{"n", std::to_string(labels.size())}});
  if (!labels.empty()) return join(labels, ", ");
  return say(own.empty() ? "side.as_it_is" : own.size() == other.size() ? "side.in_this_order" : "side.fewer_edits");
}

std::string text_name(const Subject& subject) {
  if (!subject.tokens.empty()) return say("side.tokens", {{"n", std::to_string(subject.tokens.size())}});
  return "“" +
         (subject.prompt.size() > kPrompt ? valid_utf8(subject.prompt.substr(0, kPrompt)) + "…" : subject.prompt) + "”";
}

std::string value_name(const ParamSpec& spec, const std::string& value) {
  if (spec.type == ParamType::boolean) return value == "1" ? spec.label : say("side.not", {{"what", spec.label}});
  for (const Choice& choice : spec.choices)
    if (choice.id == value) return choice.label;
  // A default that every model's last one is below.
  if (spec.bound != Bound::none && value == to_text(spec.max)) return say("side.last", {{"what", spec.label}});
  return spec.label + " " + value;
}

void add_params(const AppState& now, const AppState& other, const std::vector<StudySchema>& schemas,
                std::vector<std::string>& here, std::vector<std::string>& there) {
  const StudySchema* schema = find_study(schemas, now.study);
  if (!schema || now.study != other.study) return;
  std::size_t differ = 0;
  for (const ParamSpec& spec : schema->params) {
    const std::string *a = find_value(now.params, spec.key), *b = find_value(other.params, spec.key);
    if (!a || !b || *a == *b || ++differ > kMostParams) continue;
    here.push_back(value_name(spec, *a)), there.push_back(value_name(spec, *b));
  }
}

std::optional<ControlName> control_of(const std::string& model) {
  const auto control = is_control(model) ? parse_control(model) : Expected<ControlName>(Error{});
  return control ? std::optional(*control) : std::nullopt;
}

/// What a side's model is called: a control made from the other side's model by its kind alone ("random weights"), from
/// the other's control with its seed.
std::string model_name(const std::string& model, const std::string& other) {
  const auto own = control_of(model), beside = control_of(other);
  if (!own) return model.empty() ? say("side.this_model") : model;
  std::string name = say("side.control." + std::string(kControlKinds[static_cast<std::size_t>(own->kind)]));
  const std::string base = beside ? beside->base : other;
  if (!own->base.empty() && own->base != base) name = phrase(*own);
  return beside && own->seed != beside->seed ? say("side.seed", {{"what", name}, {"n", std::to_string(own->seed)}})
                                             : name;
}

/// A model's name keeps its spelling.
std::string name_of(const std::vector<std::string>& parts, const std::string& none, bool begins_with_model) {
  std::string name = parts.empty() ? none : join(parts, ", ");
  if (!begins_with_model) name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  return name;
}

}  // namespace

SideNames side_names(const AppState& now, const AppState& other, const std::vector<StudySchema>& schemas) {
  std::vector<std::string> here, there;
  const auto add = [&](bool differ, std::string a, std::string b) {
    if (differ) here.push_back(std::move(a)), there.push_back(std::move(b));
  };
  add(now.model != other.model, model_name(now.model, other.model), model_name(other.model, now.model));
  const Subject &a = now.subject, &b = other.subject;
  const auto edits = active(now), other_edits = active(other);
  add(edits != other_edits, edits_name(edits, other_edits), edits_name(other_edits, edits));
  add(a.prompt != b.prompt || a.tokens != b.tokens, text_name(a), text_name(b));
  add(a.bos != b.bos, say(a.bos ? "side.bos" : "side.no_bos"), say(b.bos ? "side.bos" : "side.no_bos"));
  add(a.precision != b.precision, std::string(kPrecisionNames[static_cast<std::size_t>(a.precision)]),
      std::string(kPrecisionNames[static_cast<std::size_t>(b.precision)]));
  add_params(now, other, schemas, here, there);
  const auto by_model = [&](const std::string& model) { return now.model != other.model && !control_of(model); };
  SideNames names{name_of(here, say("side.this"), by_model(now.model)),
                  name_of(there, say("side.the_same"), by_model(other.model))};
  if (names.now == names.other) names.other = say("side.other", {{"name", names.other}});
  return names;
}

}  // namespace helix::state
