// The tokens as bars as long as their bytes: what the model reads in place of letters.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "studies/model_name.h"
#include "studies/registry_view.h"
#include "studies/token_text.h"
#include "studies/tokens/tokens.h"

namespace helix::studies::tokens {
namespace {

std::size_t byte_count(const Output& out, std::size_t i) { return i < out.bytes.size() ? out.bytes[i].size() / 2 : 0; }

std::size_t token_count(const Output& out) { return std::max(out.text.size(), out.id.rows()); }

std::string counted(std::size_t n, const std::string& one, const std::string& many) {
  return with_thousands(static_cast<long long>(n)) + " " + (n == 1 ? one : many);
}

std::string id_text(const Output& out, std::size_t i) {
  return i < out.id.data.size() && std::isfinite(out.id.data[i]) ? to_fixed(out.id.data[i], 0) : "–";
}

figure::Plot bars(const Output& out) {
  figure::Bars b{"position"};
  b.across = true;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < token_count(out); ++i) {
    const std::size_t bytes = byte_count(out, i);
    names.push_back(std::to_string(i) + "  " + (i < out.text.size() ? token_label(out.text[i]) : ""));
    b.values.push_back(static_cast<double>(bytes));
    b.texts.push_back(counted(bytes, "byte", "bytes") + ", id " + id_text(out, i));
    b.strong.push_back(1);
  }
  figure::Plot plot{figure::quantity("bytes of each token", "bytes"),
                    figure::over("position", 0, static_cast<int>(b.values.size()), std::move(names))};
  plot.marks = {std::move(b)};
  return plot;
}

std::vector<figure::Table> tables(const Output& out) {
  figure::Table tokens{"Tokens",
                       {{"position", "", 0, {}},
                        {"id", "", 0, out.id.data},
                        {"text", "", 0, {}, out.text},
                        {"bytes", "hexadecimal", 0, {}, out.bytes}}};
  for (std::size_t i = 0; i < token_count(out); ++i) tokens.columns[0].values.push_back(static_cast<double>(i));
  return {std::move(tokens)};
}

figure::Reading reading(const protocol::Result& result, const ParamValues&, const ViewState& view) {
  figure::Reading r;
  const auto out = protocol::read_outputs<Output>(result);
  const int at = view.focus.at("position");
  if (at < 0 || static_cast<std::size_t>(at) >= token_count(out)) return r;
  const auto i = static_cast<std::size_t>(at);
  r.title = "position " + std::to_string(at) + (i < out.text.size() ? " " + token_quoted(out.text[i]) : "");
  r.lines = {"id " + id_text(out, i)};
  if (i < out.bytes.size()) r.lines.push_back("bytes " + out.bytes[i]);
  return r;
}

figure::Figure view(const protocol::Result& result, const ParamValues&) {
  const auto out = protocol::read_outputs<Output>(result);
  const std::size_t n = token_count(out);
  const std::string each = number_text(out.bytes_per_token.value, 2);
  figure::Figure f;
  f.title = n ? spoken_name(result.provenance.model) + " reads " + counted(n, "token", "tokens") : "Tokens";
  f.subtitle = n ? "A token is a frequent piece of text: here " + each + " bytes each, on average."
                 : "There is nothing to read: the prompt is empty.";
  f.summary = f.subtitle;
  if (n) {
    std::size_t longest = 0;
    for (std::size_t i = 1; i < n; ++i)
      if (byte_count(out, i) > byte_count(out, longest)) longest = i;
    f.summary = "The prompt is " + counted(n, "token", "tokens") + ", " + each + " bytes each on average";
    if (longest < out.text.size())
      f.summary += "; the longest is " + in_quotes(out.text[longest]) + " with " +
                   counted(byte_count(out, longest), "byte", "bytes");
    f.summary += ".";
  }
  figure::Number number;
  if (n) number = {with_thousands(static_cast<long long>(n)), {"tokens", each + " bytes each"}, true};
  f.panels = {{"tokens", n ? "position, token, and how many bytes it stands for" : "", bars(out)},
              {"number", "", std::move(number)}};
  using Kind = figure::Note::Kind;
  f.notes = {
      {Kind::text,
       "The model does not see letters. Its vocabulary holds pieces of text (GPT-2's has 50,257): all single bytes, "
       "and "
       "the sequences that were most frequent when the vocabulary was made. A space belongs to the word after it."},
      {Kind::equation, "x₀ = wte[id] + wpe[position]"},
      {Kind::text,
       "The model sees each token's id, as one row of wte, and its position, as one row of wpe. Characters that are "
       "rare in English take several tokens, and a token may be part of a character: then its bytes are shown "
       "as \\xE2."},
      {Kind::caution,
       "This does not show what a token means to the model. Ids are names: close ids are not similar words."}};
  f.tables = tables(out);
  f.root = figure::row({figure::panel("tokens"), figure::panel("number", 0.2f, 190, 190)});
  f.across = f.down = {"position", 0, static_cast<int>(n) - 1};
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, reading}; }

}  // namespace helix::studies::tokens
