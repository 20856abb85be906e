#include "app/questions.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/control_name.h"
#include "base/edit_forms.h"
#include "base/text.h"
#include "state/fragment.h"

namespace helix::app {
namespace {

bool takes_values(const Edit& edit) {
  const auto parsed = edit.on ? parse_edit(edit.spec) : Error{""};
  return parsed && from_other(*parsed);
}

/// The model of the other side: a control that names no base is made from the open model.
std::string other_model(const std::string& wish, const std::string& open_model, const Models& models,
                        const StudySchema& study) {
  auto control = parse_control(wish);
  if (!control || models.list().empty()) return wish;
  const auto open = parse_control(open_model);
  if (control->base.empty()) control->base = open ? open->base : open_model;
  return models.for_study(to_text(*control), study);
}

bool edited(const Subject& subject) { return std::ranges::any_of(subject.edits, &Edit::on); }

bool has_own_text(const Subject& subject) { return subject.prompt != kDefaultPrompt || !subject.tokens.empty(); }

}  // namespace

bool same_text(const Subject& a, const Subject& b) {
  return a.tokens == b.tokens && a.bos == b.bos && a.keep_last == b.keep_last &&
         (!a.tokens.empty() || a.prompt == b.prompt);
}

bool same_run(const state::AppState& left, const state::AppState& right, const std::vector<StudySchema>& schemas) {
  if (left.model != right.model || left.study != right.study || left.params != right.params) return false;
  const Subject &a = left.subject, &b = right.subject;
  const StudySchema* schema = state::find_study(schemas, left.study);
  const Reads reads = schema ? schema->reads : Reads::forward;
  const bool precise = !schema || schema->depends_on_precision();
  return !(reads_prompt(reads) && !same_text(a, b)) && !(precise && a.precision != b.precision) &&
         !(runs_prompt(reads) && (a.edits != b.edits || a.other != b.other));
}

Expected<state::AppState> other_question(const state::AppState& state, const Models& models,
                                         const std::vector<StudySchema>& schemas) {
  auto other = state::against_state(state, schemas);
  if (!other) return other.error();
  std::string& model = other->state.model;
  if (const StudySchema* schema = state::find_study(schemas, other->state.study))
    model = other_model(model, state.model, models, *schema);
  if (models.known() && model != state.model && !models.find(model))
    return Error{"The model " + in_quotes(model) + " is not here; open it first."};
  return std::move(other->state);
}

state::AppState with_other(state::AppState question, const Expected<state::AppState>& other) {
  question.subject.other.clear();
  if (other && other->model == question.model && std::ranges::any_of(question.subject.edits, takes_values))
    question.subject.other.push_back(other->subject);
  return question;
}

bool predicts_by_itself(const Subject& subject) { return edited(subject) || has_own_text(subject); }

std::optional<state::AppState> text_question(const state::AppState& state, const Models& models,
                                             const std::vector<StudySchema>& schemas) {
  const StudySchema* schema = state::find_study(schemas, state.study);
  if (!schema || !models.known() || models.list().empty()) return std::nullopt;
  const bool runs = runs_prompt(schema->reads), comparing = state.compare != state::Compare::none;
  const bool own = has_own_text(state.subject);
  const bool whole = edited(state.subject) || (!runs && (own || state.predict));
  const std::string& fragment = whole ? schema->text_run : schema->text_tokens;
  if (fragment.empty() || (comparing && !runs)) return std::nullopt;
  state::AppState alone = state;
  alone.compare = state::Compare::none, alone.against.clear();
  auto there = state::apply_fragment(std::move(alone), fragment, schemas);
  assert(there.ok());  // the study's own fragment: the contract test parses them all
  if (!there) return std::nullopt;
  state::AppState question = std::move(there->state);
  const StudySchema& text_study = *state::find_study(schemas, question.study);
  if (!whole && !own) {  // the vocabulary of a text that nobody typed is not fetched from another host
    const ModelEntry* model = models.near_for_study(text_study);
    if (!model) return std::nullopt;
    question.model = model->name;
    return question;
  }
  question.model = models.for_study(text_study);
  if (comparing) question = with_other(std::move(question), other_question(state, models, schemas));
  const ModelEntry* model = models.find(question.model);
  return model && suits(*model, text_study.reads) ? std::optional(std::move(question)) : std::nullopt;
}

std::optional<state::AppState> without_edits(const std::optional<state::AppState>& question) {
  if (!question || !edited(question->subject)) return std::nullopt;
  state::AppState before = *question;
  before.subject.edits.clear(), before.subject.other.clear();
  return before;
}

}  // namespace helix::app
