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

figure::Reading reading(const figure::Reading&, const protocol::Result& result, const ParamValues&,
                        const ViewState& view) {
  figure::Reading r;
  const int position = view.focus.at("position");
  if (token_at(result, position).empty()) return r;
  const auto out = protocol::read_outputs<Output>(result);
  r.title = place_text(result, say("position"), position);
  r.lines = {"id " + std::to_string(result.tokens[static_cast<std::size_t>(position)].id)};
  const int step = position - static_cast<int>(prompt_of(result, out));
  if (step < 0) return r;
  r.lines.push_back("probability  " + number_text(at(out.probability, static_cast<std::size_t>(step)), 6));
  r.lines.push_back(say("reading.entropy") + "  " + number_text(at(out.entropy, static_cast<std::size_t>(step)), 3) +
                    " nats");
  return r;
}

std::vector<figure::Note> notes(const std::string& text, bool any) {
  using Kind = figure::Note::Kind;
  std::vector<figure::Note> list;
  if (any) list.push_back({Kind::text, say("note.text", {{"text", text}})});
  list.push_back({Kind::text, say("note.chosen")});
  list.push_back({Kind::equation, "p(next) ∝ exp(logit / temperature), cut to the top k and to the top p"});
  list.push_back({Kind::caution, say("note.caution")});
  return list;
}

figure::Number headline(const Output& out, bool complete) {
  const std::string tokens = say("count", {{"n", number_text(out.written.value, 0)}});
  if (!std::isfinite(out.surprise.value))
    return {"–", {say("lead.surprise"), or_why_not(out.surprise, ""), tokens}, complete};
  return {number_text(out.surprise.value, 2) + " nats",
          {say("lead.surprise"), say("lead.mean", {{"share", share_text(std::exp(-out.surprise.value), 1)}}), tokens},
          complete};
}

/// For a title: the space that the first token begins with would look like a mistake.
std::string without_space(std::string text) { return text.starts_with(' ') ? text.substr(1) : text; }

std::string summary(const protocol::Result& result, const Output& out, const std::string& text) {
  return say(result.edits.empty() ? "summary.text" : "summary.edits",
             {{"model", at_start(spoken_name(result.provenance.model))},
              {"edits", with_edits(result)},
              {"text", in_quotes(one_line(text), 200)},
              {"surprise", or_why_not(out.surprise, say("nats", {{"n", number_text(out.surprise.value, 2)}}))}});
}

figure::Figure view(const protocol::Result& result, const ParamValues&) {
  const auto out = protocol::read_outputs<Output>(result);
  const std::size_t n = out.token.data.size();
  const std::string text = text_of(result, out);
  figure::Figure f;
  f.title = n ? say("title.continues", {{"model", at_start(spoken_name(result.provenance.model))},
                                        {"text", in_quotes(one_line(without_space(text)), 90)}}) +
                    with_edits(result)
              : say("title.none");
  f.subtitle = n ? say(result.complete ? "subtitle.written" : "subtitle.so_far",
                       {{"n", with_thousands(static_cast<long long>(n))}})
                 : say("subtitle.none");
  f.summary = n ? summary(result, out, text) : say("summary.none");
  f.panels = {{"written", say("panel.written"), bars(result, out)}};
  f.lead = n ? headline(out, result.complete) : figure::Number();
  f.notes = notes(text, n > 0);
  f.root = figure::panel("written");
  f.across =
      f.down = {"position", static_cast<int>(prompt_of(result, out)), static_cast<int>(result.tokens.size()) - 1};
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, reading}; }

}  // namespace helix::studies::continuation
