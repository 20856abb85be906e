// Next-token prediction: a bar for each of the most likely tokens, and the entropy of all.
#include <algorithm>
#include <cmath>
#include <functional>

#include "base/decimal.h"
#include "base/divergence.h"
#include "base/text.h"
#include "studies/model_name.h"
#include "studies/predictions/predictions.h"
#include "studies/registry_view.h"
#include "studies/tables_view.h"
#include "studies/token_text.h"

namespace helix::studies::predictions {
namespace {

std::string text_of(const Output& out, std::size_t rank) { return rank < out.text.size() ? out.text[rank] : "?"; }

double at(const protocol::Grid& grid, std::size_t i) { return i < grid.data.size() ? grid.data[i] : std::nan(""); }

/// A click on a bar appends its token. Only if the prediction is for the end of the prompt.
figure::Gesture append(const protocol::Result& result, const Output& out) {
  figure::Gesture g{figure::Gesture::On::click, {"item"}, figure::Gesture::Effect::append};
  g.help = say("hint.append");
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

figure::Reading reading(const figure::Reading&, const protocol::Result& result, const ParamValues&,
                        const ViewState& view) {
  figure::Reading r;
  const int position = view.focus.at("position"), item = view.focus.at("item");
  if (!token_at(result, position).empty()) {
    r.title = place_text(result, say("position"), position);
    r.lines = {"id " + std::to_string(result.tokens[static_cast<std::size_t>(position)].id)};
  }
  const auto out = protocol::read_outputs<Output>(result);
  const auto i = static_cast<std::size_t>(std::max(item, 0));
  if (item < 0 || i >= out.probability.data.size()) return r;
  r.title = say("reading.rank", {{"rank", std::to_string(i + 1)}, {"token", token_quoted(text_of(out, i))}});
  r.lines = {"probability  " + number_text(at(out.probability, i), 6), "logit  " + number_text(at(out.logit, i), 4),
             "id  " + number_text(at(out.token, i), 0)};
  return r;
}

std::string after(const protocol::Result& result, const Output& out) {
  if (!std::isfinite(out.position.value)) return say("after.prompt");
  const int position = static_cast<int>(std::clamp(out.position.value, 0.0, 1e6));
  return say("after.position", {{"position", place_text(result, say("position"), position)}});
}

/// "Without it: “ table” (12.90 %).", so that an edited prediction never stands alone; empty without edits.
std::string without_edits(const protocol::Result& result, const Output& out) {
  if (result.edits.empty() || !std::isfinite(out.intact.value)) return {};
  return say("without_edits", {{"n", std::to_string(result.edits.size())},
                               {"token", token_quoted(one_line(out.intact.note))},
                               {"share", share_text(out.intact.value, 2)}});
}

// ---- what changed between two predictions: three columns over the likeliest tokens of both sides

/// One token on both sides. A side that does not list it gives less than the probability of its last listed token.
struct Changed {
  std::string text, bytes;
  double id = 0, now = 0, other = 0, logit_now = std::nan(""), logit_other = std::nan("");
};

/// KL(other ‖ now), in nats, at least.
double divergence_of(const std::vector<Changed>& tokens) {
  std::vector<Probabilities> all;
  for (const Changed& c : tokens) all.push_back({c.other, c.now});
  return least_divergence(all);
}

std::vector<Changed> changed_tokens(const Output& now, const Output& other) {
  std::vector<Changed> all;
  const auto add = [&](const Output& side, double Changed::* probability, double Changed::* logit) {
    for (std::size_t i = 0; i < std::min(side.token.data.size(), side.probability.data.size()); ++i) {
      const auto found = std::ranges::find(all, side.token.data[i], &Changed::id);
      const auto at = static_cast<std::size_t>(found - all.begin());
      if (at == all.size())
        all.push_back({text_of(side, i), i < side.bytes.size() ? side.bytes[i] : "", side.token.data[i], std::nan(""),
                       std::nan("")});
      all[at].*probability = side.probability.data[i];
      if (i < side.logit.data.size()) all[at].*logit = side.logit.data[i];
    }
  };
  add(now, &Changed::now, &Changed::logit_now);
  add(other, &Changed::other, &Changed::logit_other);
  const auto at_most = [](double p, const Output& side) {
    return !std::isnan(p) ? p : side.probability.data.empty() ? 0 : side.probability.data.back();
  };
  const auto moved = [&](const Changed& c) { return std::abs(at_most(c.now, now) - at_most(c.other, other)); };
  const auto larger = [](const Changed& c) { return std::fmax(c.now, c.other); };
  std::ranges::stable_sort(all, std::greater(), larger);
  std::ranges::stable_sort(all, std::greater(), moved);
  return all;
}

/// "0.90 %", or "< 0.52 %" for a token that is not among those listed, of which the last has 0.52 %.
std::string listed_text(double p, const Output& side) {
  if (!std::isnan(p)) return share_text(p, 2);
  return side.probability.data.empty() ? "–" : "< " + share_text(side.probability.data.back(), 2);
}

const OutputSpec& probability_spec() {
  static const StudySchema schema = describe();
  return *schema.output("probability");
}

std::string points_text(const Changed& c) {
  return std::isnan(c.now) || std::isnan(c.other) ? "–" : change_text(probability_spec(), c.now - c.other);
}

figure::Plot changed_bars(const std::vector<Changed>& tokens, const Output& now, const Output& other) {
  figure::Bars bars{"item", 0};
  bars.across = true;
  std::vector<std::string> names;
  for (const Changed& c : tokens) {
    names.push_back(token_label(c.text));
    bars.values.push_back(c.now), bars.before.push_back(c.other);
    bars.texts.push_back(listed_text(c.other, other) + " → " + listed_text(c.now, now));
    bars.strong.push_back(bars.strong.empty());
  }
  figure::Plot plot{figure::quantity("probability", "fraction"),
                    figure::over("item", 0, static_cast<int>(tokens.size()), std::move(names))};
  plot.marks = {std::move(bars)};
  return plot;
}

figure::Table changed_table(const std::vector<Changed>& tokens, const Output& now, const Output& other,
                            const Sides& sides) {
  figure::Table t{"Likeliest next tokens of both sides",
                  {{"token", "", 0, {}},
                   {"id", "", 0, {}},
                   {sides.now_name, "", 0, {}},
                   {sides.other_name, "", 0, {}},
                   {"change", "", 0, {}}}};
  // Logits of a run are known up to a number that all share: here the likeliest token of the other side has zero.
  const auto zero = std::ranges::find(tokens, other.token.data.empty() ? -1 : other.token.data[0], &Changed::id);
  const bool known = zero != tokens.end() && std::isfinite(zero->logit_now) && std::isfinite(zero->logit_other);
  if (known)
    for (const std::string& name : {sides.now_name, sides.other_name})
      t.columns.push_back({"logit less that of " + token_quoted(one_line(zero->text)) + ", " + name, "", 2, {}});
  for (const Changed& c : tokens) {
    t.columns[0].texts.push_back(c.text), t.columns[1].values.push_back(c.id);
    t.columns[2].texts.push_back(listed_text(c.now, now)), t.columns[3].texts.push_back(listed_text(c.other, other));
    t.columns[4].texts.push_back(points_text(c));
    t.columns[2].values.push_back(c.now), t.columns[3].values.push_back(c.other);
    t.columns[4].values.push_back(c.now - c.other);
    if (!known) continue;
    t.columns[5].values.push_back(c.logit_now - zero->logit_now);
    t.columns[6].values.push_back(c.logit_other - zero->logit_other);
  }
  return t;
}

/// "“ table” stays the likeliest next token: 12.90 % → 7.21 %", or which token takes its place.
std::string changed_title(const Output& now, const Output& other, const std::vector<Changed>& tokens) {
  if (now.token.data.empty() || other.token.data.empty()) return say("title.changes");
  const auto of = [&](double id) { return *std::ranges::find(tokens, id, &Changed::id); };
  const Changed first = of(now.token.data[0]), before = of(other.token.data[0]);
  const std::string shares = listed_text(first.other, other) + " → " + listed_text(first.now, now);
  const std::string token = token_quoted(one_line(first.text));
  if (std::ranges::all_of(tokens, [](const Changed& c) { return c.now == c.other; }))
    return say("title.same", {{"token", token}, {"share", listed_text(first.now, now)}});
  if (first.id == before.id) return say("title.stays", {{"token", token}, {"shares", shares}});
  return say("title.replaced", {{"token", token}, {"before", token_quoted(one_line(before.text))}, {"shares", shares}});
}

figure::Figure change(const Sides& sides, const ParamValues&) {
  static const StudySchema schema = describe();
  const auto now = protocol::read_outputs<Output>(sides.now), other = protocol::read_outputs<Output>(sides.other);
  const std::vector<Changed> tokens = changed_tokens(now, other);
  figure::Figure f;
  f.title = changed_title(now, other, tokens);
  f.subtitle = sentences({change_subtitle(sides), say("subtitle.line", {{"other", unquoted(sides.other_name)}})});
  f.summary = f.title + ". " + change_subtitle(sides);
  const OutputSpec& entropy = *schema.output("entropy_bits");
  const double bits = now.entropy_bits.value, bits_before = other.entropy_bits.value;
  figure::Number number{change_text(entropy, bits - bits_before),
                        {say("lead.change"), sides.now_name + ": " + value_text(entropy, bits),
                         sides.other_name + ": " + value_text(entropy, bits_before),
                         say("lead.divergence", {{"nats", number_text(divergence_of(tokens), 3)}})},
                        true};
  f.panels = {{"next", say("panel.next"), changed_bars(tokens, now, other)}};
  f.lead = number;
  f.notes = {{figure::Note::Kind::text, say("note.change", {{"n", std::to_string(now.token.data.size())}})}};
  f.tables = change_tables(schema, sides);
  std::erase_if(f.tables, [](const figure::Table& t) { return t.over == std::vector<std::string>{"rank"}; });
  f.tables.insert(f.tables.begin(), changed_table(tokens, now, other, sides));
  f.root = figure::panel("next");
  f.down = {"item", 0, static_cast<int>(tokens.size()) - 1};
  return f;
}

figure::Reading change_reading(const Sides& sides, const ParamValues&, const ViewState& view) {
  const auto now = protocol::read_outputs<Output>(sides.now), other = protocol::read_outputs<Output>(sides.other);
  const std::vector<Changed> tokens = changed_tokens(now, other);
  figure::Reading r;
  const int item = view.focus.at("item");
  if (item < 0 || static_cast<std::size_t>(item) >= tokens.size()) return r;
  const Changed& c = tokens[static_cast<std::size_t>(item)];
  r.title = token_quoted(c.text);
  r.lines = {sides.now_name + "  " + listed_text(c.now, now), sides.other_name + "  " + listed_text(c.other, other),
             "change  " + points_text(c), "id  " + number_text(c.id, 0)};
  return r;
}

// ---- words

std::vector<figure::Note> notes(const Output& out, double temperature) {
  using Kind = figure::Note::Kind;
  const double nats = out.entropy_nats.value, bits = out.entropy_bits.value;
  std::vector<figure::Note> all{
      {Kind::text, say("note.logits")},
      {Kind::equation, "p = softmax(W · ln_f(x) / T),  T = " + to_shown(temperature) + ",  H = −Σ p ln p" +
                           (std::isfinite(nats) ? " = " + number_text(nats, 3) + " nats" : std::string())}};
  if (std::isfinite(bits))
    all.push_back({Kind::text, say("note.entropy", {{"bits", number_text(bits, 2)},
                                                    {"tokens", number_text(std::exp2(std::min(bits, 60.0)), 1)}})});
  all.push_back({Kind::caution, say("note.caution")});
  return all;
}

figure::Number headline(const Output& out) {
  if (out.probability.data.empty()) return {};
  return {number_text(out.entropy_bits.value, 2) + " bits",
          {say("lead.entropy"), number_text(out.entropy_nats.value, 3) + " nats",
           say("lead.listed", {{"share", percent_text(out.listed.value, 1)}})},
          true};
}

std::string title(const protocol::Result& result, const Output& out, double temperature) {
  if (out.probability.data.empty()) return say("title.none");
  return say(temperature == 1 ? "title.prediction" : "title.temperature",
             {{"model", at_start(spoken_name(result.provenance.model))},
              {"token", token_quoted(one_line(text_of(out, 0)))},
              {"share", share_text(out.probability.data[0], 2)},
              {"temperature", to_shown(temperature)}}) +
         with_edits(result);
}

std::string subtitle(const protocol::Result& result, const Output& out) {
  const std::size_t n = out.probability.data.size();
  if (n == 0) return say("subtitle.none");
  return sentences({say("subtitle.likeliest", {{"n", with_thousands(static_cast<long long>(n))},
                                               {"after", after(result, out)},
                                               {"edits", with_edits(result)}}),
                    without_edits(result, out)});
}

std::string summary(const protocol::Result& result, const Output& out) {
  const auto& p = out.probability.data;
  if (p.empty()) return say("summary.none");
  const std::string edits = with_edits(result);
  const std::string then =
      p.size() > 1 ? say("summary.then", {{"token", token_quoted(text_of(out, 1))}, {"share", share_text(p[1], 2)}})
                   : "";
  return sentences(
      {say(edits.empty() ? "summary.plain" : "summary.edits", {{"after", after(result, out)},
                                                               {"edits", edits},
                                                               {"token", token_quoted(text_of(out, 0))},
                                                               {"share", share_text(p[0], 2)},
                                                               {"then", then},
                                                               {"nats", number_text(out.entropy_nats.value, 2)},
                                                               {"bits", number_text(out.entropy_bits.value, 2)}}),
       without_edits(result, out)});
}

figure::Figure view(const protocol::Result& result, const ParamValues&) {
  const auto params = read_params<Params>(result.params.empty() ? defaults(describe()) : result.params);
  const auto out = protocol::read_outputs<Output>(result);
  const std::size_t n = out.probability.data.size();
  figure::Figure f;
  f.title = title(result, out, params.temperature), f.subtitle = subtitle(result, out),
  f.summary = summary(result, out);
  f.panels = {{"next", n ? say("panel.next") : "", bars(result, out)}};
  f.lead = headline(out);
  f.notes = notes(out, params.temperature);
  f.root = figure::panel("next");
  f.down = {"item", 0, static_cast<int>(n) - 1};
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, reading, change, change_reading}; }

}  // namespace helix::studies::predictions
