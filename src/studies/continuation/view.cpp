// How it goes on: a bar for each token as it is written, as long as the model was sure of it.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "base/utf8.h"
#include "studies/continuation/continuation.h"
#include "studies/model_name.h"
#include "studies/registry_view.h"
#include "studies/token_text.h"

namespace helix::studies::continuation {
namespace {

std::string number(double value, int digits) { return std::isfinite(value) ? to_fixed(value, digits) : "–"; }
/// As many digits as it takes to see that a small share is not none.
std::string percent(double value) {
  return std::isfinite(value) ? to_fixed(value * 100, value > 0 && value < 0.001 ? 4 : 1) + " %" : "–";
}
double at(const protocol::Grid& grid, std::size_t i) { return i < grid.data.size() ? grid.data[i] : std::nan(""); }

/// Tokens of the prompt: those that were there before the first was written.
std::size_t prompt_of(const protocol::Result& result, const Output& out) {
  const std::size_t written = std::min(out.token.data.size(), result.tokens.size());
  return result.tokens.size() - written;
}

/// What was written, as one text.
std::string text_of(const protocol::Result& result, const Output& out) {
  std::string bytes;
  for (std::size_t i = prompt_of(result, out); i < result.tokens.size(); ++i) bytes += result.tokens[i].bytes;
  if (!bytes.empty()) return valid_utf8(bytes);
  return join(out.text, " ");
}

figure::Bars bars(const protocol::Result& result, const Output& out, const ViewState& view) {
  figure::Bars b;
  b.what = "probability of what was chosen", b.each = figure::Bars::Each::position, b.focus = view.focus;
  b.first = static_cast<int>(prompt_of(result, out));
  for (std::size_t i = 0; i < out.probability.data.size(); ++i) {
    const double p = out.probability.data[i];
    b.bars.push_back({token_label(i < out.text.size() ? out.text[i] : "?"), std::isfinite(p) ? std::max(p, 0.0) : 0,
                      percent(p), false});
  }
  return b;
}

figure::Reading reading(const protocol::Result& result, const ViewState& view) {
  figure::Reading r;
  const int position = view.focus.position;
  if (token_at(result, position).empty()) return r;
  const auto out = protocol::read_outputs<Output>(result);
  r.title = place_text(result, "position", position);
  r.lines = {"id " + std::to_string(result.tokens[static_cast<std::size_t>(position)].id)};
  const int step = position - static_cast<int>(prompt_of(result, out));
  if (step < 0) return r;
  r.lines.push_back("probability  " + number(at(out.probability, static_cast<std::size_t>(step)), 6));
  r.lines.push_back("entropy then  " + number(at(out.entropy, static_cast<std::size_t>(step)), 3) + " nats");
  return r;
}

figure::Table table(const protocol::Result& result, const Output& out) {
  figure::Table t{"Written tokens",
                  {{"position", "", 0, {}},
                   {"token", "", 0, {}, out.text},
                   {"id", "", 0, out.token.data},
                   {"probability", "fraction", 6, out.probability.data},
                   {"entropy", "nats", 4, out.entropy.data}}};
  for (std::size_t i = 0; i < out.token.data.size(); ++i)
    t.columns[0].values.push_back(static_cast<double>(prompt_of(result, out) + i));
  return t;
}

std::vector<figure::Note> notes(const std::string& text, bool any) {
  using Kind = figure::Note::Kind;
  std::vector<figure::Note> list;
  if (any) list.push_back({Kind::text, "What was written: “" + text + "”"});
  list.push_back(
      {Kind::text,
       "Each token is chosen from the probabilities of the whole vocabulary, put at the end of the text, and "
       "the model reads on. Keys and values of what it has read are kept, so that a token costs one row."});
  list.push_back({Kind::equation, "p(next) ∝ exp(logit / temperature), cut to the top k and to the top p"});
  list.push_back(
      {Kind::caution,
       "Bars show the model's own probability of what was chosen, before temperature and cuts; a long bar says "
       "that it was sure, not that it was right."});
  return list;
}

figure::Figure view(const protocol::Result& result, const ParamValues&, const ViewState& state) {
  const auto out = protocol::read_outputs<Output>(result);
  const std::size_t n = out.token.data.size();
  const std::string text = text_of(result, out);
  figure::Figure f;
  f.title = n ? spoken_name(result.provenance.model) + " goes on: " + in_quotes(text, 60) : "How it goes on";
  f.subtitle = n ? with_thousands(static_cast<long long>(n)) + (n == 1 ? " token" : " tokens") +
                       (result.complete ? "." : " so far; it is writing.")
                 : "Waiting for the first token.";
  f.summary = n ? spoken_name(result.provenance.model) + " continues the prompt with " + in_quotes(text, 200) +
                      "; its mean surprise was " + number(out.surprise.value, 2) + " nats a token."
                : "The figure waits for the first token.";
  f.panels = {{"written", "probability of each token written", bars(result, out, state)},
              {"number", "",
               figure::Headline{number(out.surprise.value, 2) + " nats",
                                {"mean surprise a token", percent(std::exp(-out.surprise.value)) + " on average",
                                 number(out.written.value, 0) + " tokens"},
                                result.complete}}};
  f.notes = notes(text, n > 0);
  f.tables = {table(result, out),
              {"Numbers",
               {{"written", "tokens", 0, {out.written.value}},
                {"prompt", "tokens", 0, {out.prompt_tokens.value}},
                {"mean surprise", "nats", 4, {out.surprise.value}}}}};
  f.reading = reading(result, state);
  f.index_first = static_cast<int>(prompt_of(result, out)), f.index_last = static_cast<int>(result.tokens.size()) - 1;
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, reading}; }

}  // namespace helix::studies::continuation
