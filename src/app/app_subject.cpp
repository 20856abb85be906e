// What the visitor gives the model to read: the prompt, its tokens, the edits, and the text beside a study that reads none.
#include <algorithm>
#include <limits>
#include <utility>

#include "app/app.h"
#include "app/questions.h"
#include "base/edit_shift.h"
#include "base/text.h"
#include "base/utf8.h"
#include "figure/text_on_line.h"

namespace helix::app {

/// To a state with another text or other edits. Once a text has been predicted, it is predicted wherever it is moved, also
/// back to where it began.
void App::go_with_text(state::AppState next, Commit commit) {
  const bool predicted = next.predict || (!schema().text_tokens.empty() && predicts_by_itself(state_.subject));
  next.predict = predicted && !predicts_by_itself(next.subject);
  go(std::move(next), commit);
}

void App::set_prompt(const std::string& text, Commit commit) {
  state::AppState next = state_;
  next.subject.prompt = text, next.subject.tokens.clear();
  go_with_text(std::move(next), commit);
}

void App::set_tokens(std::vector<std::int32_t> ids, Commit commit) {
  state::AppState next = state_;
  next.subject.tokens = std::move(ids);
  go_with_text(std::move(next), commit);
}

/// Appends the token's bytes to a text if they are whole characters; otherwise the subject becomes token ids.
void App::append_token(std::int32_t id, const std::string& bytes) {
  state::AppState next = state_;
  Subject& subject = next.subject;
  const protocol::Result& shown = runs_.main.shown();
  if (subject.tokens.empty() && !bytes.empty() && valid_utf8(bytes) == bytes) {
    subject.prompt += bytes;
  } else {
    if (subject.tokens.empty() && shown.study == state_.study)
      for (std::size_t i = subject.bos ? 1 : 0; i < shown.tokens.size(); ++i)
        subject.tokens.push_back(shown.tokens[i].id);
    subject.tokens.push_back(id);
  }
  go_with_text(std::move(next), Commit::committed);
}

void App::set_bos(bool on) {
  state::AppState next = state_;
  next.subject.bos = on;
  go(std::move(next), Commit::committed);
}

void App::set_keep_last(bool on) {
  state::AppState next = state_;
  next.subject.keep_last = on;
  go(std::move(next), Commit::committed);
}

void App::set_precision(Precision precision) {
  state::AppState next = state_;
  next.subject.precision = precision;
  go(std::move(next), Commit::committed);
}

/// Removing the last edit also ends a comparison with the run without edits.
void App::set_edits(std::vector<Edit> edits, Commit commit) {
  state::AppState next = state_;
  next.subject.edits = std::move(edits);
  if (next.subject.edits.empty() && next.against == "edit=") next.compare = state::Compare::none, next.against.clear();
  go_with_text(std::move(next), commit);
}

void App::shift_text(std::size_t rows, Commit commit) {
  const TextShown text = text_shown();
  if (text.positions) rows = std::min(rows, text.last_shift);
  set_edits(with_shift(state_.subject.edits, rows), commit);
}

void App::predict_text() {
  state::AppState next = state_;
  next.predict = !predicts_by_itself(next.subject);
  go(std::move(next), Commit::committed);
}

EditRoom App::edit_room() const {
  EditRoom room;
  const auto count = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  if (const auto& model = status_.opened) room = {count(model->n_layer), count(model->n_head), count(model->n_ctx), 0};
  const protocol::Result& shown = runs_.main.shown();
  if (shown.study == state_.study) room.n_tokens = shown.tokens.size();
  return room;
}

// ---- the text beside a study

TextShown App::text_shown() const {
  TextShown out;
  const RunSlot &now = runs_.text, &before = runs_.before;
  if (!now.asked()) return out;
  const state::AppState& asked = *now.asked();
  out.there = true, out.busy = now.busy() || before.busy(), out.model = asked.model;
  out.shift = shift_of(asked.subject.edits);
  out.positions = models_.positions_of(asked.model);
  if (now.has_shown() && (!now.failed() || same_text(now.answers().subject, asked.subject)))
    out.tokens = now.shown().tokens.size();  // else what is shown is of another text
  const std::size_t least = std::max<std::size_t>(out.tokens, 1);
  out.last_shift = out.positions - std::min(out.positions, least);
  if (now.failed()) {
    const bool beyond = out.positions > 0 && out.shift > out.last_shift;
    if (predicts(asked)) out.problem = beyond ? beyond_end(asked.model, out.positions) : now.problem();
    return out;
  }
  out.sentence = predicted_;
  if (before.has_shown() && !before.failed()) {
    out.next = next_tokens(now.shown(), before.shown());
    out.divergence = least_divergence(now.shown(), before.shown());
  }
  return out;
}

void App::put_text_on(figure::Figure& figure) const {
  const TextShown text = text_shown();
  if (text.tokens == 0 || runs_prompt(schema().reads)) return;
  const std::size_t last = text.positions ? text.last_shift : std::numeric_limits<int>::max();
  const auto rows = [&](std::size_t position) {
    return rows_after(state_.subject.edits, position - std::min(position, text.shift), text.positions);
  };
  figure::put_text(figure, words_of(runs_.text.shown().tokens), static_cast<int>(text.shift), static_cast<int>(last),
                   rows);
}

}  // namespace helix::app
