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
constexpr float kStrips = 208;  // the height of three strips with their names and colours

std::size_t byte_count(const Output& out, std::size_t i) { return i < out.bytes.size() ? out.bytes[i].size() / 2 : 0; }

std::size_t token_count(const Output& out) { return std::max(out.text.size(), out.id.rows()); }

std::string counted(std::size_t n, const std::string& one, const std::string& many) {
  return with_thousands(static_cast<long long>(n)) + " " + (n == 1 ? one : many);
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
  const std::string place = "position " + std::to_string(at);
  return static_cast<std::size_t>(at) < out.text.size()
             ? token_quoted(out.text[static_cast<std::size_t>(at)]) + " at " + place
             : place;
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
                    "Click a token to see its merges and its numbers."}};
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

figure::Table token_table(const Output& out) {
  figure::Table tokens{"Tokens",
                       {{"position", "", 0, {}},
                        {"id", "", 0, out.id.data},
                        {"text", "", 0, {}, out.text},
                        {"bytes", "hexadecimal", 0, {}, out.bytes}}};
  for (std::size_t i = 0; i < token_count(out); ++i) tokens.columns[0].values.push_back(static_cast<double>(i));
  return tokens;
}

std::vector<figure::Table> tables(const Output& out) {
  std::vector<figure::Table> all;
  if (!out.merge.empty())
    all.push_back({"The merges that made " + named(out),
                   {{"step", "", 0, {}}, {"merge", "", 0, {}, out.merge}, {"rank", "", 0, out.rank.data}}});
  for (std::size_t i = 0; !all.empty() && i < out.merge.size(); ++i)
    all[0].columns[0].values.push_back(static_cast<double>(i + 1));
  if (!all.empty()) all[0].open = true;
  all.push_back(token_table(out));
  if (out.sum.data.empty()) return all;
  figure::Table rows{"The numbers of " + named(out),
                     {{"dimension", "", 0, {}},
                      {"wte", "", 6, out.wte.data},
                      {"wpe", "", 6, out.wpe.data},
                      {"sum", "", 6, out.sum.data}}};
  for (std::size_t i = 0; i < out.sum.data.size(); ++i) rows.columns[0].values.push_back(static_cast<double>(i));
  all.push_back(std::move(rows));
  return all;
}

/// One column of the strips.
figure::Reading numbers_at(const Output& out, std::size_t dimension) {
  figure::Reading r;
  if (dimension >= out.sum.data.size()) return r;
  r.title = "dimension " + std::to_string(dimension);
  r.lines = {"wte  " + to_fixed(out.wte.data[dimension], 6), "wpe  " + to_fixed(out.wpe.data[dimension], 6),
             "sum  " + to_fixed(out.sum.data[dimension], 6)};
  return r;
}

figure::Reading reading(const protocol::Result& result, const ParamValues&, const ViewState& view) {
  figure::Reading r;
  const auto out = protocol::read_outputs<Output>(result);
  if (view.focus.has("dimension")) return numbers_at(out, static_cast<std::size_t>(view.focus.at("dimension")));
  const int at = view.focus.at("position");
  if (at < 0 || static_cast<std::size_t>(at) >= token_count(out)) return r;
  const auto i = static_cast<std::size_t>(at);
  r.title = "position " + std::to_string(at) + (i < out.text.size() ? " " + token_quoted(out.text[i]) : "");
  r.lines = {"id " + id_text(out, i)};
  if (i < out.bytes.size()) r.lines.push_back(counted(byte_count(out, i), "byte: ", "bytes: ") + out.bytes[i]);
  return r;
}

/// "3.38 bytes each, on average over the 21 tokens of the text", or why there is no mean.
std::string mean_text(const Output& out) {
  const double n = out.text_tokens.value;
  if (!std::isfinite(out.bytes_per_token.value)) return "their mean length is " + or_why_not(out.bytes_per_token, "");
  return number_text(out.bytes_per_token.value, 2) + " bytes each, on average" +
         (n < static_cast<double>(token_count(out))
              ? " over the " + number_text(n, 0) + (n == 1 ? " token" : " tokens") + " of the text, BOS left out"
              : "");
}

std::string subtitle(const Output& out) {
  if (token_count(out) == 0) return "There is nothing to read: the prompt is empty.";
  return "A token is a frequent piece of text: here " + mean_text(out) + ".";
}

std::string summary(const Output& out) {
  const std::size_t n = token_count(out);
  if (n == 0) return subtitle(out);
  const std::size_t first = out.text_tokens.value < static_cast<double>(n) ? 1 : 0;  // BOS is no text
  std::size_t longest = first;
  for (std::size_t i = first + 1; i < n; ++i)
    if (byte_count(out, i) > byte_count(out, longest)) longest = i;
  std::string text = "The prompt is " + counted(n, "token", "tokens") + ", " + mean_text(out);
  if (longest < out.text.size())
    text += "; the longest is " + in_quotes(out.text[longest]) + " with " +
            counted(byte_count(out, longest), "byte", "bytes");
  return text + ".";
}

std::vector<figure::Note> notes(const Output& out) {
  using Kind = figure::Note::Kind;
  std::vector<figure::Note> all = {
      {Kind::text,
       "The model does not see letters. Its vocabulary holds pieces of text (GPT-2's has 50,257): all single bytes, "
       "and the sequences that were most frequent when the vocabulary was made. A space belongs to the word after it."},
      {Kind::equation, "x₀ = wte[id] + wpe[position]" + rows_text(out)},
      {Kind::text,
       "The model sees each token's id, as one row of wte, and its position, as one row of wpe. Characters that are "
       "rare in English take several tokens, and a token may be part of a character: then its bytes are shown "
       "as \\xE2."}};
  if (std::isfinite(out.cosine.value))
    all.push_back({Kind::text, "For " + named(out) + " the row of wte has length " +
                                   figure::short_number(out.wte_norm.value) + " and the row of wpe " +
                                   figure::short_number(out.wpe_norm.value) + "; the cosine between them is " +
                                   number_text(out.cosine.value, 3) + "."});
  all.push_back(
      {Kind::caution,
       "This does not show what a token means to the model. Ids are names: close ids are not similar words."});
  return all;
}

figure::Figure view(const protocol::Result& result, const ParamValues&) {
  const auto out = protocol::read_outputs<Output>(result);
  const std::size_t n = token_count(out);
  const bool numbers = !out.sum.data.empty();
  figure::Figure f;
  f.title = n ? at_start(spoken_name(result.provenance.model)) + " reads " + counted(n, "token", "tokens") : "Tokens";
  f.subtitle = subtitle(out), f.summary = summary(out);
  f.panels = {{"tokens", n ? "position, token, id" : "", text(out)}};
  if (numbers) f.panels.push_back({"numbers", "What the model adds for " + named(out), strips(out)});
  f.notes = notes(out), f.tables = tables(out);
  f.root = numbers ? figure::column({figure::panel("tokens"), figure::panel("numbers")})
                   : figure::column({figure::panel("tokens")});
  f.across = {"position", 0, static_cast<int>(n) - 1};
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, reading}; }

}  // namespace helix::studies::tokens
