// Next-token prediction: a bar for each of the most likely tokens, and the entropy of all.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "studies/model_name.h"
#include "studies/predictions/predictions.h"
#include "studies/registry_view.h"
#include "studies/token_text.h"

namespace helix::studies::predictions {
namespace {

std::string text_of(const Output& out, std::size_t rank) { return rank < out.text.size() ? out.text[rank] : "?"; }

double at(const protocol::Grid& grid, std::size_t i) { return i < grid.data.size() ? grid.data[i] : std::nan(""); }

/// A click on a bar appends its token. Only if the prediction is for the end of the prompt.
figure::Gesture append(const protocol::Result& result, const Output& out) {
  figure::Gesture g{figure::Gesture::On::click, {"item"}, figure::Gesture::Effect::append};
  g.help = "Click a token to append it to the prompt.";
  if (out.position.value + 1 != static_cast<double>(result.tokens.size())) return g;
  for (std::size_t i = 0; i < std::min(out.bytes.size(), out.token.data.size()); ++i)
    g.tokens.push_back({static_cast<int>(out.token.data[i]), from_hex(out.bytes[i])});
  return g;
}

figure::Plot bars(const protocol::Result& result, const Output& out) {
  figure::Bars b{"item", 0, out.probability.data};
  b.across = true;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < b.values.size(); ++i) {
    names.push_back(token_label(text_of(out, i)));
    b.texts.push_back(share_text(b.values[i], 2));
    b.strong.push_back(i == 0);
  }
  figure::Plot plot{figure::quantity("probability", "fraction"),
                    figure::over("item", 0, static_cast<int>(b.values.size()), std::move(names))};
  plot.marks = {std::move(b)};
  if (figure::Gesture g = append(result, out); !g.tokens.empty()) plot.gestures = {std::move(g)};
  return plot;
}

figure::Table table(const Output& out) {
  figure::Table t{"Most likely next tokens",
                  {{"rank", "", 0, {}},
                   {"token", "", 0, {}, out.text},
                   {"id", "", 0, out.token.data},
                   {"probability", "fraction", 6, out.probability.data},
                   {"logit", "", 4, out.logit.data}}};
  for (std::size_t i = 0; i < out.probability.data.size(); ++i)
    t.columns[0].values.push_back(static_cast<double>(i + 1));
  return t;
}

figure::Reading reading(const protocol::Result& result, const ParamValues&, const ViewState& view) {
  figure::Reading r;
  const int position = view.focus.at("position"), item = view.focus.at("item");
  if (!token_at(result, position).empty()) {
    r.title = place_text(result, "position", position);
    r.lines = {"id " + std::to_string(result.tokens[static_cast<std::size_t>(position)].id)};
  }
  const auto out = protocol::read_outputs<Output>(result);
  const auto i = static_cast<std::size_t>(std::max(item, 0));
  if (item < 0 || i >= out.probability.data.size()) return r;
  r.title = "rank " + std::to_string(i + 1) + " " + token_quoted(text_of(out, i));
  r.lines = {"probability  " + number_text(at(out.probability, i), 6), "logit  " + number_text(at(out.logit, i), 4),
             "id  " + number_text(at(out.token, i), 0)};
  return r;
}

std::string after(const protocol::Result& result, const Output& out) {
  if (!std::isfinite(out.position.value)) return "at the end of the prompt";
  return "after " + place_text(result, "position", static_cast<int>(std::clamp(out.position.value, 0.0, 1e6)));
}

std::vector<figure::Note> notes(const Output& out, double temperature) {
  using Kind = figure::Note::Kind;
  const double nats = out.entropy_nats.value, bits = out.entropy_bits.value;
  std::vector<figure::Note> all{
      {Kind::text,
       "The last vector of the residual stream is multiplied with the vector of every token in the vocabulary. The "
       "softmax turns these logits into probabilities."},
      {Kind::equation, "p = softmax(W · ln_f(x) / T),  T = " + to_text(temperature) + ",  H = −Σ p ln p" +
                           (std::isfinite(nats) ? " = " + number_text(nats, 3) + " nats" : std::string())}};
  if (std::isfinite(bits))
    all.push_back({Kind::text, "The entropy measures how uncertain the model is: " + number_text(bits, 2) +
                                   " bits is equivalent to choosing among " +
                                   number_text(std::exp2(std::min(bits, 60.0)), 1) + " equally likely tokens."});
  all.push_back({Kind::caution,
                 "This does not show why. Probabilities are over the whole vocabulary, before any cut; text that is "
                 "sampled with a temperature, top-k or top-p follows other probabilities."});
  return all;
}

figure::Number headline(const Output& out) {
  if (out.probability.data.empty()) return {};
  return {number_text(out.entropy_bits.value, 2) + " bits",
          {"entropy of the next token", number_text(out.entropy_nats.value, 3) + " nats",
           percent_text(out.listed.value, 1) + " of the probability is listed"},
          true};
}

figure::Figure view(const protocol::Result& result, const ParamValues&) {
  const auto params = read_params<Params>(result.params.empty() ? defaults(describe()) : result.params);
  const std::string heat = params.temperature == 1 ? "" : ", at temperature " + to_text(params.temperature);
  const auto out = protocol::read_outputs<Output>(result);
  const std::size_t n = out.probability.data.size();
  const std::string where = after(result, out);
  figure::Figure f;
  const std::string edits = with_edits(result);
  f.title = n ? spoken_name(result.provenance.model) + " predicts " + token_quoted(one_line(text_of(out, 0))) + " (" +
                    share_text(out.probability.data[0], 2) + ")" + heat + edits
              : "Next-token prediction";
  f.subtitle = n ? "The " + with_thousands(static_cast<long long>(n)) + " most likely tokens " + where + edits + "."
                 : "Waiting for a prediction.";
  f.summary = n ? "The most likely token " + where + edits + (edits.empty() ? " is " : ", is ") +
                      token_quoted(text_of(out, 0)) + " with " + share_text(out.probability.data[0], 2)
                : "The figure waits for a prediction.";
  if (n > 1) f.summary += ", then " + token_quoted(text_of(out, 1)) + " with " + share_text(out.probability.data[1], 2);
  if (n)
    f.summary += "; the entropy is " + number_text(out.entropy_nats.value, 2) + " nats, or " +
                 number_text(out.entropy_bits.value, 2) + " bits.";
  f.panels = {{"next", n ? "probability of the next token" : "", bars(result, out)}, {"number", "", headline(out)}};
  f.notes = notes(out, params.temperature);
  f.tables = {table(out),
              {"Numbers",
               {{"entropy", "nats", 4, {out.entropy_nats.value}},
                {"entropy", "bits", 4, {out.entropy_bits.value}},
                {"listed", "fraction", 4, {out.listed.value}},
                {"after position", "", 0, {out.position.value}}}}};
  f.root = figure::row({figure::panel("next"), figure::panel("number", 0.2f, 190, 190)});
  f.down = {"item", 0, static_cast<int>(n) - 1};
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, reading}; }

}  // namespace helix::studies::predictions
