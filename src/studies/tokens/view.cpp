// The text in its tokens; below it the two rows of numbers that represent one of them, and their sum.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "figure/ticks.h"
#include "studies/model_name.h"
#include "studies/registry_view.h"
#include "studies/token_text.h"
#include "studies/tokens/tokens.h"
#include "studies/undefined.h"

namespace helix::studies::tokens {
namespace {

constexpr float kWide = 100;    // the strips take the whole width
constexpr float kStrips = 300;  // the height of three strips with their names and colours

std::size_t byte_count(const Output& out, std::size_t i) { return i < out.bytes.size() ? out.bytes[i].size() / 2 : 0; }

std::size_t token_count(const Output& out) { return std::max(out.text.size(), out.id.rows()); }

/// "21 tokens", "1 byte"
std::string counted(std::size_t n, const std::string& kind) {
  return say("count." + kind, {{"n", with_thousands(static_cast<long long>(n))}});
}

std::string id_text(const Output& out, std::size_t i) {
  return i < out.id.data.size() && std::isfinite(out.id.data[i]) ? to_fixed(out.id.data[i], 0) : "–";
}

/// The token whose numbers are shown; −1: none.
int chosen(const Output& out) {
  const double at = out.position.value;
  return std::isfinite(at) && at >= 0 && at < static_cast<double>(token_count(out)) ? static_cast<int>(at) : -1;
}

/// “ house” at position 4; the position alone if the token is unknown.
std::string named(const Output& out) {
  const int at = chosen(out);
  if (static_cast<std::size_t>(at) >= out.text.size()) return say("place.position", {{"position", std::to_string(at)}});
  return say("place.token",
             {{"token", token_quoted(out.text[static_cast<std::size_t>(at)])}, {"position", std::to_string(at)}});
}

/// " = wte[464] + wpe[3]" for the chosen token.
std::string rows_text(const Output& out) {
  const int at = chosen(out);
  return at < 0 ? "" : " = wte[" + id_text(out, static_cast<std::size_t>(at)) + "] + wpe[" + std::to_string(at) + "]";
}

figure::Plot text(const Output& out) {
  figure::Plot plot;
  figure::Words words{"position"};
  for (std::size_t i = 0; i < token_count(out); ++i) {
    words.texts.push_back(i < out.text.size() ? token_label(out.text[i]) : "");
    words.below.push_back("id " + id_text(out, i));
  }
  plot.marks = {std::move(words)};
  if (chosen(out) >= 0) plot.chosen = {{"position", chosen(out)}};
  plot.gestures = {{figure::Gesture::On::click,
                    {"position"},
                    figure::Gesture::Effect::set,
                    "position={position}",
                    say("hint.click")}};
  return plot;
}

/// Three strips of colours: the token's row, the position's row, and their sum.
figure::Plot strips(const Output& out) {
  figure::Plot plot;
  plot.height = kStrips;
  const std::size_t n = out.sum.data.size();
  if (n == 0) return plot;
  plot.x = figure::over("dimension", 0, static_cast<int>(n));
  plot.y = figure::over("row", 0, 3, {"wte, token", "wpe, position", "sum"});
  std::vector<double> all;
  for (const protocol::Grid* row : {&out.wte, &out.wpe, &out.sum}) {
    if (row->data.size() != n) return plot;
    all.insert(all.end(), row->data.begin(), row->data.end());
  }
  plot.colour = figure::ColourScale{"value"};
  plot.colour->range = figure::scale_of(all, true);
  figure::Cells cells;
  cells.row_axis = "row", cells.col_axis = "dimension", cells.stretch = kWide;
  cells.cells = figure::pyramid_of(all, 3, n, plot.colour->range);
  plot.marks = {std::move(cells)};
  return plot;
}

/// One column of the strips.
figure::Reading reading(const figure::Reading&, const protocol::Result& result, const ParamValues&,
                        const ViewState& view) {
  figure::Reading r;
  const auto out = protocol::read_outputs<Output>(result);
  const int at = view.focus.at("position");
  if (at < 0 || static_cast<std::size_t>(at) >= token_count(out)) return r;
  const auto i = static_cast<std::size_t>(at);
  r.title = say("place.position", {{"position", std::to_string(at)}}) +
            (i < out.text.size() ? " " + token_quoted(out.text[i]) : "");
  r.lines = {"id " + id_text(out, i)};
  if (i < out.bytes.size()) r.lines.push_back(counted(byte_count(out, i), "bytes") + ": " + out.bytes[i]);
  return r;
}

/// "3.38 bytes each, on average over the 21 tokens of the text", or why there is no mean.
std::string mean_text(const Output& out) {
  const double n = out.text_tokens.value;
  if (!std::isfinite(out.bytes_per_token.value))
    return say("mean.undefined", {{"why", or_why_not(out.bytes_per_token, "")}});
  const std::string bytes = number_text(out.bytes_per_token.value, 2);
  return n < static_cast<double>(token_count(out)) ? say("mean.of_text", {{"bytes", bytes}, {"n", number_text(n, 0)}})
                                                   : say("mean.of_all", {{"bytes", bytes}});
}

std::string subtitle(const Output& out) {
  if (token_count(out) == 0) return say("subtitle.none");
  return say("subtitle.tokens", {{"mean", mean_text(out)}});
}

std::string summary(const Output& out) {
  const std::size_t n = token_count(out);
  if (n == 0) return subtitle(out);
  const std::size_t first = out.text_tokens.value < static_cast<double>(n) ? 1 : 0;  // BOS is no text
  std::size_t longest = first;
  for (std::size_t i = first + 1; i < n; ++i)
    if (byte_count(out, i) > byte_count(out, longest)) longest = i;
  const bool named = longest < out.text.size();
  return say(named ? "summary.longest" : "summary.tokens", {{"tokens", counted(n, "tokens")},
                                                            {"mean", mean_text(out)},
                                                            {"longest", named ? in_quotes(out.text[longest]) : ""},
                                                            {"bytes", counted(byte_count(out, longest), "bytes")}});
}

std::vector<figure::Note> notes(const Output& out) {
  using Kind = figure::Note::Kind;
  std::vector<figure::Note> all = {{Kind::text, say("note.vocabulary")},
                                   {Kind::equation, "x₀ = wte[id] + wpe[position]" + rows_text(out)},
                                   {Kind::text, say("note.rows")}};
  if (std::isfinite(out.cosine.value))
    all.push_back({Kind::text, say("note.lengths", {{"token", named(out)},
                                                    {"wte", figure::short_number(out.wte_norm.value)},
                                                    {"wpe", figure::short_number(out.wpe_norm.value)},
                                                    {"cosine", number_text(out.cosine.value, 3)}})});
  all.push_back({Kind::caution, say("note.caution")});
  return all;
}

figure::Figure view(const protocol::Result& result, const ParamValues&) {
  const auto out = protocol::read_outputs<Output>(result);
  const std::size_t n = token_count(out);
  const bool numbers = !out.sum.data.empty();
  figure::Figure f;
  f.title = n ? say("title.tokens",
                    {{"model", at_start(spoken_name(result.provenance.model))}, {"tokens", counted(n, "tokens")}})
              : say("title.none");
  f.subtitle = subtitle(out), f.summary = summary(out);
  f.panels = {{"tokens", n ? say("panel.tokens") : "", text(out)}};
  if (numbers) f.panels.push_back({"numbers", say("panel.numbers", {{"token", named(out)}}), strips(out)});
  f.notes = notes(out);
  if (!out.merge.empty()) f.row_links = {{{"merge"}, "", "", true, say("table.merges", {{"token", named(out)}})}};
  f.root = numbers ? figure::column({figure::panel("tokens"), figure::panel("numbers")})
                   : figure::column({figure::panel("tokens")});
  f.across = {"position", 0, static_cast<int>(n) - 1};
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, reading}; }

}  // namespace helix::studies::tokens
