// What the visitor gives the model to read, and whether the open study depends on it.
#include <utility>

#include "app/app.h"
#include "base/utf8.h"

namespace helix::app {

/// Whether two states give the same result: the study does not depend on what differs.
bool App::same_run(const state::AppState& left, const state::AppState& right) const {
  if (left.model != right.model || left.study != right.study || left.params != right.params) return false;
  const Subject &a = left.subject, &b = right.subject;
  const StudySchema& schema = study_of(left).schema;
  const Reads reads = schema.reads;
  const bool text = a.tokens != b.tokens || a.bos != b.bos || a.keep_last != b.keep_last ||
                    (a.tokens.empty() && a.prompt != b.prompt);
  return !(reads_prompt(reads) && text) && !(schema.depends_on_precision() && a.precision != b.precision) &&
         !(runs_prompt(reads) && a.edits != b.edits);
}

void App::set_subject(Subject subject, Commit commit) {
  state::AppState next = state_;
  next.subject = std::move(subject);
  go(std::move(next), commit);
}

void App::set_prompt(const std::string& text, Commit commit) {
  Subject subject = state_.subject;
  subject.prompt = text, subject.tokens.clear();
  set_subject(std::move(subject), commit);
}

void App::set_tokens(std::vector<std::int32_t> ids, Commit commit) {
  Subject subject = state_.subject;
  subject.tokens = std::move(ids);
  set_subject(std::move(subject), commit);
}

/// Appends the token's bytes to a text if they are whole characters; otherwise the subject becomes token ids.
void App::append_token(std::int32_t id, const std::string& bytes) {
  Subject subject = state_.subject;
  if (subject.tokens.empty() && !bytes.empty() && valid_utf8(bytes) == bytes) {
    subject.prompt += bytes;
  } else {
    if (subject.tokens.empty() && result_.study == state_.study)
      for (std::size_t i = subject.bos ? 1 : 0; i < result_.tokens.size(); ++i)
        subject.tokens.push_back(result_.tokens[i].id);
    subject.tokens.push_back(id);
  }
  set_subject(std::move(subject), Commit::committed);
}

void App::set_bos(bool on) {
  Subject subject = state_.subject;
  subject.bos = on;
  set_subject(std::move(subject), Commit::committed);
}

void App::set_keep_last(bool on) {
  Subject subject = state_.subject;
  subject.keep_last = on;
  set_subject(std::move(subject), Commit::committed);
}

void App::set_precision(Precision precision) {
  Subject subject = state_.subject;
  subject.precision = precision;
  set_subject(std::move(subject), Commit::committed);
}

/// Removing the last edit also ends a comparison with the run without edits.
void App::set_edits(std::vector<Edit> edits, Commit commit) {
  state::AppState next = state_;
  next.subject.edits = std::move(edits);
  if (next.subject.edits.empty() && next.against == "edit=") next.compare = state::Compare::none, next.against.clear();
  go(std::move(next), commit);
}

EditRoom App::edit_room() const {
  EditRoom room;
  const auto count = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  if (const auto& model = status_.opened) room = {count(model->n_layer), count(model->n_head), count(model->n_ctx), 0};
  if (result_.study == state_.study) room.n_tokens = result_.tokens.size();
  return room;
}

}  // namespace helix::app
