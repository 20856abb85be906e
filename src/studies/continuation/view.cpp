// Generation: a bar for each generated token, as long as its probability.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "base/utf8.h"
#include "studies/continuation/continuation.h"
#include "studies/model_name.h"
#include "studies/registry_view.h"
#include "studies/token_text.h"
#include "studies/undefined.h"

namespace helix::studies::continuation {
namespace {

double at(const protocol::Grid& grid, std::size_t i) { return i < grid.data.size() ? grid.data[i] : std::nan(""); }

/// The number of tokens before the first generated one.
std::size_t prompt_of(const protocol::Result& result, const Output& out) {
  const std::size_t written = std::min(out.token.data.size(), result.tokens.size());
  return result.tokens.size() - written;
}

/// The generated tokens as one text.
std::string text_of(const protocol::Result& result, const Output& out) {
  std::string bytes;
  for (std::size_t i = prompt_of(result, out); i < result.tokens.size(); ++i) bytes += result.tokens[i].bytes;
  if (!bytes.empty()) return valid_utf8(bytes);
  return join(out.text, " ");
}

figure::Plot bars(const protocol::Result& result, const Output& out) {
  figure::Bars b{"position", static_cast<int>(prompt_of(result, out)), out.probability.data};
  b.across = true;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < b.values.size(); ++i) {
    names.push_back(token_label(i < out.text.size() ? out.text[i] : "?"));
    b.texts.push_back(share_text(b.values[i], 1));
  }
  figure::Plot plot{figure::quantity("probability of the chosen token", "fraction"),
                    figure::over("position", b.first, static_cast<int>(b.values.size()), std::move(names))};
  plot.marks = {std::move(b)};
  return plot;
}

figure::Reading reading(const protocol::Result& result, const ParamValues&, const ViewState& view) {
  figure::Reading r;
  const int position = view.focus.at("position");
  if (token_at(result, position).empty()) return r;
  const auto out = protocol::read_outputs<Output>(result);
  r.title = place_text(result, "position", position);
  r.lines = {"id " + std::to_string(result.tokens[static_cast<std::size_t>(position)].id)};
  const int step = position - static_cast<int>(prompt_of(result, out));
  if (step < 0) return r;
  r.lines.push_back("probability  " + number_text(at(out.probability, static_cast<std::size_t>(step)), 6));
  r.lines.push_back("entropy then  " + number_text(at(out.entropy, static_cast<std::size_t>(step)), 3) + " nats");
  return r;
}

figure::Table table(const protocol::Result& result, const Output& out) {
  figure::Table t{"Generated tokens",
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
  if (any) list.push_back({Kind::text, "Generated text: “" + text + "”"});
  list.push_back(
      {Kind::text,
       "Each token is chosen from the probabilities of the whole vocabulary and appended to the text, which the model "
       "then reads again. Keys and values of earlier tokens are cached, so that a token costs one row."});
  list.push_back({Kind::equation, "p(next) ∝ exp(logit / temperature), cut to the top k and to the top p"});
  list.push_back(
      {Kind::caution,
       "Bars show the model's own probability of the chosen token, before temperature and cuts. A long bar means the "
       "model was confident, not that it was right."});
  return list;
}

figure::Number headline(const Output& out, bool complete) {
  const std::string tokens = number_text(out.written.value, 0) + (out.written.value == 1 ? " token" : " tokens");
  if (!std::isfinite(out.surprise.value))
    return {"–", {"mean surprise per token", or_why_not(out.surprise, ""), tokens}, complete};
  return {number_text(out.surprise.value, 2) + " nats",
          {"mean surprise per token", share_text(std::exp(-out.surprise.value), 1) + ", geometric mean probability",
           tokens},
          complete};
}

figure::Figure view(const protocol::Result& result, const ParamValues&) {
  const auto out = protocol::read_outputs<Output>(result);
  const std::size_t n = out.token.data.size();
  const std::string text = text_of(result, out);
  figure::Figure f;
  f.title = n ? at_start(spoken_name(result.provenance.model)) + " continues: " + in_quotes(one_line(text), 60) +
                    with_edits(result)
              : "Generation";
  f.subtitle = n ? with_thousands(static_cast<long long>(n)) + (n == 1 ? " token" : " tokens") +
                       (result.complete ? "." : " so far; more are being generated.")
                 : "Waiting for the first token.";
  f.summary = n ? at_start(spoken_name(result.provenance.model)) + " continues the prompt" + with_edits(result) +
                      (result.edits.empty() ? " with " : ", with ") + in_quotes(one_line(text), 200) +
                      "; its mean surprise is " +
                      or_why_not(out.surprise, number_text(out.surprise.value, 2) + " nats per token") + "."
                : "The figure waits for the first token.";
  f.panels = {{"written", "probability of each generated token", bars(result, out)}};
  f.lead = n ? headline(out, result.complete) : figure::Number();
  f.notes = notes(text, n > 0);
  f.tables = {table(result, out),
              {"Numbers",
               {{"generated", "tokens", 0, {out.written.value}},
                {"prompt", "tokens", 0, {out.prompt_tokens.value}},
                {"mean surprise", "nats", 4, {out.surprise.value}}}}};
  f.root = figure::panel("written");
  f.across =
      f.down = {"position", static_cast<int>(prompt_of(result, out)), static_cast<int>(result.tokens.size()) - 1};
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, reading}; }

}  // namespace helix::studies::continuation
