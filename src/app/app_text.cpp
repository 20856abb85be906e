// Runs the visitor's text beside a study that reads none, and puts it on that study's figure.
#include <algorithm>
#include <utility>

#include "app/app.h"
#include "base/text.h"
#include "base/utf8.h"
#include "figure/text_on_line.h"

namespace helix::app {
namespace {

constexpr std::string_view kShift = "shift_positions:";
constexpr std::size_t kMostWords = 64;  // on a curve; the text may be longer

/// A token as a word: without the space in front of it.
std::string word_of(const protocol::Token& token) {
  const std::string text = shown_bytes(token.bytes);
  const std::string_view bare = std::string_view(text).substr(std::min(text.find_first_not_of(' '), text.size()));
  return bare.empty() ? "␣" : std::string(bare);
}

}  // namespace

int shift_of(const Subject& subject) {
  int shift = 0;
  for (const Edit& edit : subject.edits)
    if (edit.on && edit.spec.starts_with(kShift))
      shift +=
          static_cast<int>(std::clamp<long long>(parse_int(edit.spec.substr(kShift.size())).value_or(0), 0, 65535));
  return shift;
}

/// The text's own state: what would be shown if its study were open.
std::optional<state::AppState> App::text_state() const {
  if (schema().text_study.empty() || !models_known_ || models_.empty() || comparing()) return std::nullopt;
  state::AppState other = state_;
  const bool touched = text_.predicts || state_.subject.prompt != kDefaultPrompt || !state_.subject.tokens.empty() ||
                       !state_.subject.edits.empty();
  if (!touched) return std::nullopt;  // nobody's own text covers no figure and fetches nothing
  other.study = schema().text_study;
  const auto known = std::ranges::find(schemas_, other.study, &StudySchema::id);
  if (known == schemas_.end()) return std::nullopt;
  other.params = defaults(*known);
  other.model = model_for(known->reads);
  const ModelEntry* model = listed(other.model);
  return model && suits(*model, known->reads) ? std::optional(std::move(other)) : std::nullopt;
}

/// Asks for the text's run where it has changed; it waits for the figure, which comes first.
void App::settle_text() {
  auto asked = text_state();
  if (!asked) {
    if (text_.busy()) host_.send(protocol::Cancel{text_.job});
    if (text_.shown) stale_ = true;
    text_ = TextRun();
    return;
  }
  const bool same = text_.asked && same_run(*asked, *text_.asked);
  if (!same) text_.pending = true;
  text_.asked = std::move(asked);
  launch_text();
}

/// While one is unanswered the newest wish waits.
void App::launch_text() {
  if (!text_.pending || settled_job_ != last_job_ || run_pending_ || text_.answered != text_.job) return;
  const state::AppState& asked = *text_.asked;
  text_.pending = false;
  text_.job = ++jobs_;
  if (asked.model != state_.model) find_model(asked.model);
  host_.send(protocol::Run{text_.job, kTextSlot, asked.study, asked.model, asked.params, asked.subject});
}

/// True where the message was the text's.
bool App::receive_text(const protocol::Reply& reply) {
  if (const auto* m = std::get_if<protocol::Finished>(&reply); m && m->panel == kTextSlot) {
    if (m->job != text_.job) return true;
    auto result = protocol::decode(m->result.header, m->result.data.data(), m->result.data.size());
    text_.answered = m->job;
    if (result) {
      const auto study = std::ranges::find(studies_, result->study, [](const auto& s) { return s.schema.id; });
      text_.sentence = study == studies_.end() ? "" : study->view(*result, text_.asked->params).title;
      text_.shown = std::move(*result), text_.problem.clear();
    } else
      text_.problem = result.error().sentence;
    ++result_number_;
    launch_text();
    return true;
  }
  if (const auto* m = std::get_if<protocol::Failure>(&reply); m && m->job != 0 && m->job == text_.job) {
    text_.answered = m->job, text_.problem = m->sentence;
    launch_text();
    return true;
  }
  const auto* working = std::get_if<protocol::Working>(&reply);
  return working && working->job == text_.job && text_.job != 0;
}

void App::predict_text() {
  text_.predicts = true;
  settle_text();
  touch();
}

void App::put_text_on(figure::Figure& figure) const {
  if (!text_.asked || !text_.shown) return;
  std::vector<std::string> words;
  for (const protocol::Token& token : text_.shown->tokens) {
    if (words.size() == kMostWords) break;
    words.push_back(word_of(token));
  }
  figure::put_text(figure, words, shift_of(state_.subject));
}

TextShown App::text_shown() const {
  TextShown out;
  if (!text_.asked) return out;
  out.there = true, out.busy = text_.busy(), out.model = text_.asked->model, out.problem = text_.problem;
  out.shift = shift_of(state_.subject);
  if (!text_.shown) return out;
  out.tokens = text_.shown->tokens.size();
  out.sentence = text_.sentence;
  return out;
}

}  // namespace helix::app
