// Runs the visitor's text beside a study that reads no text, and puts it on that study's figure.
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/app.h"
#include "base/text.h"
#include "base/utf8.h"
#include "figure/text_on_line.h"

namespace helix::app {
namespace {

constexpr std::string_view kShift = "shift_positions:";
constexpr std::size_t kMostWords = 64;  // words put on a curve; the text may be longer
constexpr std::size_t kNext = 5;        // tokens whose probability is listed with and without edits
constexpr int kListed = 50;             // top tokens requested, among which those of the other run are looked up

/// A token as a word: without the space in front of it.
std::string word_of(const protocol::Token& token) {
  const std::string text = shown_bytes(token.bytes);
  const std::string_view bare = std::string_view(text).substr(std::min(text.find_first_not_of(' '), text.size()));
  return bare.empty() ? "␣" : std::string(bare);
}

/// The most likely next tokens, with their probabilities in the other run.
std::vector<NextToken> next_tokens(const protocol::Result& now, const protocol::Result& before) {
  std::vector<NextToken> out;
  const protocol::Array *ids = now.array("token"), *p = now.array("probability"), *old_ids = before.array("token"),
                        *old_p = before.array("probability");
  const protocol::Words* texts = now.words_of("text");
  if (!ids || !p || !old_ids || !old_p || !texts || p->data.size() != ids->data.size() ||
      old_p->data.size() != old_ids->data.size())
    return out;
  for (std::size_t i = 0; i < std::min({kNext, ids->data.size(), texts->data.size()}); ++i) {
    const auto at = std::ranges::find(old_ids->data, ids->data[i]);
    const auto k = static_cast<std::size_t>(at - old_ids->data.begin());
    out.push_back({texts->data[i], p->data[i], at == old_ids->data.end() ? std::nan("") : old_p->data[k]});
  }
  return out;
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

/// The state for running the text's study. An unchanged default prompt is not put on a figure and downloads no model;
/// beside a study that runs the text itself, only the effect of edits is shown.
std::optional<state::AppState> App::text_state() const {
  const bool runs = runs_prompt(schema().reads);
  if (schema().text_study.empty() || !models_known_ || models_.empty() || (comparing() && !runs)) return std::nullopt;
  const bool edited = std::ranges::any_of(state_.subject.edits, &Edit::on);
  const bool own = state_.subject.prompt != kDefaultPrompt || !state_.subject.tokens.empty();
  if (!edited && !text_.predicts && (runs || !own)) return std::nullopt;
  state::AppState other = state_;
  other.study = schema().text_study;
  const auto known = std::ranges::find(schemas_, other.study, &StudySchema::id);
  if (known == schemas_.end()) return std::nullopt;
  other.params = defaults(*known);
  if (edited && !set_value(*known, other.params, "top", std::to_string(kListed), false)) return std::nullopt;
  other.model = model_for(wished_model_, known->reads);
  const ModelEntry* model = listed(other.model);
  return model && suits(*model, known->reads) ? std::optional(std::move(other)) : std::nullopt;
}

/// Requests the text's runs if they have changed; they wait until the figure's run has finished.
void App::settle_text() {
  auto now = text_state();
  std::optional<state::AppState> before;
  if (now && std::ranges::any_of(now->subject.edits, &Edit::on)) before = now, before->subject.edits.clear();
  if (!now && text_.now.shown) stale_ = true;
  settle_text(text_.now, std::move(now));
  settle_text(text_.before, std::move(before));
  if (!text_.now.asked) text_ = TextRun();
  launch_text();
}

void App::settle_text(TextSide& side, std::optional<state::AppState> asked) {
  if (!asked) {
    if (side.answered != side.job) host_.send(protocol::Cancel{side.job});
    side = TextSide();
    return;
  }
  if (!side.asked || !same_run(*asked, *side.asked)) side.pending = true;
  side.asked = std::move(asked);
}

/// While a run is unanswered only the newest request is kept.
void App::launch_text() {
  if (settled_job_ != last_job_ || run_pending_) return;
  for (std::size_t i = 0; i < kTextSlots.size(); ++i) {
    TextSide& side = *text_.sides()[i];
    if (!side.pending || side.answered != side.job) continue;
    const state::AppState& asked = *side.asked;
    side.pending = false;
    side.job = ++jobs_;
    if (asked.model != state_.model) find_model(asked.model);
    host_.send(protocol::Run{side.job, kTextSlots[i], asked.study, asked.model, asked.params, asked.subject});
  }
}

/// True if the reply belongs to a run of the text.
bool App::receive_text(const protocol::Reply& reply) {
  const auto side_of = [&](std::uint32_t job) -> TextSide* {
    for (TextSide* side : text_.sides())
      if (job != 0 && job == side->job) return side;
    return nullptr;
  };
  if (const auto* m = std::get_if<protocol::Finished>(&reply);
      m && std::ranges::find(kTextSlots, m->panel) != kTextSlots.end()) {
    if (TextSide* side = side_of(m->job)) take_text(*side, *m);
    return true;
  }
  if (const auto* m = std::get_if<protocol::Failure>(&reply)) {
    TextSide* side = side_of(m->job);
    if (!side) return false;
    side->answered = m->job, side->problem = m->sentence;
    launch_text();
    return true;
  }
  const auto* working = std::get_if<protocol::Working>(&reply);
  return working && side_of(working->job);
}

void App::take_text(TextSide& side, const protocol::Finished& finished) {
  auto result = protocol::decode(finished.result.header, finished.result.data.data(), finished.result.data.size());
  side.answered = finished.job;
  if (result) {
    const auto study = std::ranges::find(studies_, result->study, [](const auto& s) { return s.schema.id; });
    if (&side == &text_.now)
      text_.sentence = study == studies_.end() ? "" : study->view(*result, side.asked->params).title;
    side.shown = std::move(*result), side.problem.clear();
  } else
    side.problem = result.error().sentence;
  ++result_number_;
  launch_text();
}

void App::stop_text() {
  for (TextSide* side : text_.sides()) {
    if (side->answered != side->job) host_.send(protocol::Cancel{side->job});
    side->pending = false, side->answered = side->job;
  }
}

void App::predict_text() {
  text_.predicts = true;
  settle_text();
  touch();
}

void App::put_text_on(figure::Figure& figure) const {
  if (!text_.now.asked || !text_.now.shown || runs_prompt(schema().reads)) return;
  std::vector<std::string> words;
  for (const protocol::Token& token : text_.now.shown->tokens) {
    if (words.size() == kMostWords) break;
    words.push_back(word_of(token));
  }
  figure::put_text(figure, words, shift_of(state_.subject));
}

TextShown App::text_shown() const {
  TextShown out;
  const TextSide& now = text_.now;
  if (!now.asked) return out;
  out.there = true, out.busy = text_.busy(), out.model = now.asked->model, out.problem = now.problem;
  out.shift = shift_of(state_.subject);
  if (!now.shown) return out;
  out.tokens = now.shown->tokens.size();
  out.sentence = text_.sentence;
  if (text_.before.shown && text_.before.asked) out.next = next_tokens(*now.shown, *text_.before.shown);
  return out;
}

}  // namespace helix::app
