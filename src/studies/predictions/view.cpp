// What comes next: a bar for each of the most likely tokens, and how sure the model is.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "studies/model_name.h"
#include "studies/predictions/predictions.h"
#include "studies/registry_view.h"
#include "studies/token_text.h"

namespace helix::studies::predictions {
namespace {

std::string percent(double fraction, int digits) {
  return std::isfinite(fraction) ? to_fixed(fraction * 100, digits) + " %" : "–";
}

std::string number(double value, int digits) { return std::isfinite(value) ? to_fixed(value, digits) : "–"; }

/// As many digits as it takes to see that a small share is not none.
std::string share(double fraction) {
  return percent(fraction, std::isfinite(fraction) && fraction < 0.001 && fraction > 0 ? 4 : 2);
}

std::string text_of(const Output& out, std::size_t rank) { return rank < out.text.size() ? out.text[rank] : "?"; }

double at(const protocol::Grid& grid, std::size_t i) { return i < grid.data.size() ? grid.data[i] : std::nan(""); }

figure::Bars bars(const Output& out, const ViewState& view) {
  figure::Bars b;
  b.what = "probability", b.each = figure::Bars::Each::item, b.focus = view.focus;
  for (std::size_t i = 0; i < out.probability.data.size(); ++i) {
    const double p = out.probability.data[i];
    b.bars.push_back({token_label(text_of(out, i)), std::isfinite(p) ? p : 0, share(p), i == 0});
  }
  return b;
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

figure::Reading reading(const protocol::Result& result, const ViewState& view) {
  figure::Reading r;
  if (view.focus.position >= 0 && !token_at(result, view.focus.position).empty()) {
    r.title = place_text(result, "position", view.focus.position);
    r.lines = {"id " + std::to_string(result.tokens[static_cast<std::size_t>(view.focus.position)].id)};
  }
  const auto out = protocol::read_outputs<Output>(result);
  const auto i = static_cast<std::size_t>(std::max(view.focus.item, 0));
  if (view.focus.item < 0 || i >= out.probability.data.size()) return r;
  r.title = "rank " + std::to_string(i + 1) + " " + token_quoted(text_of(out, i));
  r.lines = {"probability  " + number(at(out.probability, i), 6), "logit  " + number(at(out.logit, i), 4),
             "id  " + number(at(out.token, i), 0)};
  return r;
}

std::string after(const protocol::Result& result, const Output& out) {
  if (!std::isfinite(out.position.value)) return "at the end of the prompt";
  return "after " + place_text(result, "position", static_cast<int>(std::clamp(out.position.value, 0.0, 1e6)));
}

std::vector<figure::Note> notes(const Output& out) {
  using Kind = figure::Note::Kind;
  const double nats = out.entropy_nats.value, bits = out.entropy_bits.value;
  std::vector<figure::Note> all{
      {Kind::text,
       "The last vector of the residual stream is compared with the vector of every token in the vocabulary; the "
       "softmax makes probabilities of these numbers."},
      {Kind::equation, "p = softmax(W · ln_f(x)),  H = −Σ p ln p" +
                           (std::isfinite(nats) ? " = " + number(nats, 3) + " nats" : std::string())}};
  if (std::isfinite(bits))
    all.push_back({Kind::text, "The entropy says how sure the model is: " + number(bits, 2) +
                                   " bits are as much as a choice among " + number(std::exp2(std::min(bits, 60.0)), 1) +
                                   " equally likely tokens."});
  all.push_back({Kind::caution,
                 "What this does not show: why. Probabilities are of the whole vocabulary, before any cut; a text that "
                 "is sampled with a temperature or top-k follows others."});
  return all;
}

figure::Headline headline(const Output& out) {
  if (out.probability.data.empty()) return {};
  return {number(out.entropy_bits.value, 2) + " bits",
          {"entropy of the next token", number(out.entropy_nats.value, 3) + " nats",
           percent(out.listed.value, 1) + " is listed here"},
          true};
}

figure::Figure view(const protocol::Result& result, const ParamValues&, const ViewState& state) {
  const auto out = protocol::read_outputs<Output>(result);
  const std::size_t n = out.probability.data.size();
  const std::string where = after(result, out);
  figure::Figure f;
  f.title = n ? token_quoted(text_of(out, 0)) + " comes next, says " + spoken_name(result.provenance.model) +
                    ", with " + share(out.probability.data[0])
              : "What comes next";
  f.subtitle = n ? "The " + with_thousands(static_cast<long long>(n)) + " most likely tokens " + where + "."
                 : "Waiting for a prediction.";
  f.summary = n ? "The most likely token " + where + " is " + token_quoted(text_of(out, 0)) + " with " +
                      share(out.probability.data[0])
                : "The figure waits for a prediction.";
  if (n > 1) f.summary += ", then " + token_quoted(text_of(out, 1)) + " with " + share(out.probability.data[1]);
  if (n)
    f.summary += "; the entropy is " + number(out.entropy_nats.value, 2) + " nats, or " +
                 number(out.entropy_bits.value, 2) + " bits.";
  f.panels = {{"next", n ? "probability of the next token" : "", bars(out, state)}, {"number", "", headline(out)}};
  f.notes = notes(out);
  f.tables = {table(out),
              {"Numbers",
               {{"entropy", "nats", 4, {out.entropy_nats.value}},
                {"entropy", "bits", 4, {out.entropy_bits.value}},
                {"listed", "fraction", 4, {out.listed.value}},
                {"after position", "", 0, {out.position.value}}}}};
  f.reading = reading(result, state);
  f.index_first = 0, f.index_last = static_cast<int>(n) - 1;
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, reading}; }

}  // namespace helix::studies::predictions
