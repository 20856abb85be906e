// The text in tiles, each coloured by how surprising its token is; below it the same as a curve, with the mean so far.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "base/text.h"
#include "studies/model_name.h"
#include "studies/registry_view.h"
#include "studies/surprise/surprise.h"
#include "studies/token_text.h"

namespace helix::studies::surprise {
namespace {

constexpr double kEqual = 1e-6;        // losses that differ by less are equal
constexpr const char* kUnit = "bits";  // of tiles and curves

double bits(double nats) { return nats / std::numbers::ln2; }

struct Text {
  Output out;
  std::vector<double> bits;  // of each token from position `first`
  int first = 1;
  bool difference = false;

  bool empty() const { return bits.empty(); }
  int last() const { return first + static_cast<int>(bits.size()) - 1; }
  /// The entry of a position; −1: it has no loss.
  int entry(int position) const { return position < first || position > last() ? -1 : position - first; }
  double kl(int entry) const { return number(out.kl, entry); }
  static double number(const protocol::Grid& grid, int entry) {
    const auto i = static_cast<std::size_t>(entry);
    return entry >= 0 && i < grid.data.size() ? grid.data[i] : std::nan("");
  }
};

Text read(const protocol::Result& result) {
  Text text{protocol::read_outputs<Output>(result), {}, 1, result.difference};
  for (const double nats : text.out.loss.data) text.bits.push_back(bits(nats));
  return text;
}

std::string token_name(const protocol::Result& result, const Text& text, int position) {
  const int entry = text.entry(position);
  const auto i = static_cast<std::size_t>(std::max(entry, 0));
  return entry >= 0 && i < text.out.text.size() ? text.out.text[i] : token_at(result, position);
}

/// "7.3", of a change "+7.3"; "0.0" for what is less.
std::string tile_number(double value, bool difference) {
  if (!std::isfinite(value)) return "–";
  const std::string size = to_fixed(std::abs(value), 1);
  return (size == "0.0" ? "" : value < 0 ? "−" : difference ? "+" : "") + size;
}

std::string signed_text(double value, int digits, bool difference) {
  return (difference && value > 0 ? "+" : "") + number_text(value, digits);
}

figure::Plot tiles(const protocol::Result& result, const Text& text) {
  figure::Plot plot;
  if (text.empty()) return plot;
  figure::Words words{"position", 0};
  for (int i = 0; i <= text.last(); ++i) {
    const int entry = text.entry(i);
    const double value = entry < 0 ? std::nan("") : text.bits[static_cast<std::size_t>(entry)];
    words.texts.push_back(token_label(token_name(result, text, i)));
    words.below.push_back(entry < 0 ? "" : tile_number(value, text.difference));
    words.values.push_back(value);
  }
  figure::ColourScale scale{text.difference ? say("colour.change") : "surprise, bits"};
  scale.range = figure::scale_of(text.bits, text.difference);
  const double uniform = bits(text.out.uniform_nats.value);
  if (!text.difference && uniform > 0 && std::isfinite(uniform))
    scale.range.high = uniform, scale.note = say("colour.end");
  scale.missing = say(text.difference ? "colour.no_change" : "colour.not_predicted");
  plot.colour = std::move(scale);
  plot.marks = {std::move(words)};
  return plot;
}

std::vector<double> mean_so_far(const std::vector<double>& values) {
  std::vector<double> means;
  double sum = 0, count = 0;
  for (const double x : values) {
    if (std::isfinite(x)) sum += x, ++count;
    means.push_back(count > 0 ? sum / count : std::nan(""));
  }
  return means;
}

figure::Plot curve(const Text& text) {
  figure::Plot plot{figure::over("position", 0, text.empty() ? 0 : text.last() + 1),
                    figure::quantity(text.difference ? "change of the surprise" : "surprise", kUnit)};
  if (text.empty()) return plot;
  figure::Line line{"position", text.first, figure::over_index(text.bits)};
  line.dots = true, line.width = 1.4f;
  if (text.difference) {
    plot.marks = {std::move(line)};
    return plot;
  }
  figure::Line mean{"position", text.first, figure::over_index(mean_so_far(text.bits)), figure::kWarm, "mean so far"};
  mean.dashed = true;  // a baseline: a comparison shows this side's alone
  plot.y.from_zero = true;
  const double uniform = bits(text.out.uniform_nats.value);
  if (std::isfinite(uniform)) {
    std::vector<double> level(static_cast<std::size_t>(text.last()) + 1, uniform);
    figure::Line guess{"position", 0, figure::over_index(std::move(level)), figure::kMute, "uniform guessing"};
    guess.dashed = true, guess.width = 1.4f;
    plot.marks.push_back(std::move(guess));
  }
  plot.marks.push_back(std::move(line)), plot.marks.push_back(std::move(mean));
  return plot;
}

// ---- words

std::string nats_text(const protocol::Quantity& q, int digits = 2) { return number_text(q.value, digits) + " nats"; }

figure::Number headline(const Text& text) {
  const Output& out = text.out;
  if (text.empty() || text.difference || !std::isfinite(out.mean_nats.value)) return {};
  const std::string nats = nats_text(out.mean_nats);
  return {number_text(out.mean_bits.value, 2) + " bits",
          {say("lead.surprise"),
           std::isfinite(out.perplexity.value)
               ? say("lead.perplexity", {{"nats", nats}, {"perplexity", number_text(out.perplexity.value, 1)}})
               : nats,
           say("lead.uniform", {{"bits", number_text(bits(out.uniform_nats.value), 2) + " bits"}})},
          true};
}

std::string title(const protocol::Result& result, const Text& text) {
  const Output& out = text.out;
  if (text.empty()) return say("title.none");
  if (text.difference) return say("title.change");
  const double most = out.most_bits.value, at = out.most.value;
  const std::string edits = with_edits(result), bits = number_text(most, 2);
  if (!std::isfinite(most) || !(at >= text.first && at <= text.last())) return say("title.tokens") + edits;
  if (most - *std::ranges::min_element(text.bits) < kEqual && text.bits.size() > 1)
    return say("title.equal", {{"bits", bits}}) + edits;
  const std::string token = token_quoted(one_line(token_name(result, text, static_cast<int>(at))));
  return say("title.most", {{"token", token}, {"bits", bits}}) + edits;
}

/// What tokens cost that the text has had before, beside those that are new.
std::string repeats(const Output& out) {
  const double first = bits(out.first_nats.value), again = bits(out.again_nats.value);
  if (!std::isfinite(first) || !std::isfinite(again)) return "";
  return say("subtitle.repeats", {{"again", number_text(again, 2)}, {"first", number_text(first, 2)}});
}

std::string subtitle(const Text& text) {
  if (text.empty()) return say("subtitle.waiting");
  if (text.difference) return say("subtitle.change");
  const std::string said = repeats(text.out);
  return said.empty() ? say("subtitle.surprise") : said;
}

std::string summary(const protocol::Result& result, const Text& text) {
  if (text.empty()) return say("summary.waiting");
  if (!std::isfinite(text.out.mean_nats.value) || text.difference) return title(result, text) + ".";
  const std::string loss =
      say("summary.loss", {{"mean", nats_text(text.out.mean_nats)}, {"uniform", nats_text(text.out.uniform_nats)}});
  return sentences({title(result, text) + ".", loss, repeats(text.out)});
}

std::vector<figure::Note> notes() {
  using Kind = figure::Note::Kind;
  return {{Kind::text, say("note.loss")},
          {Kind::equation, "s_t = −ln p_t(x_t),  mean = Σ s_t / (n − 1),  perplexity = exp(mean)"},
          {Kind::text, say("note.kl")},
          {Kind::equation, "KL = Σ p ln(p / q)"},
          {Kind::caution, say("note.caution")}};
}

figure::Table tokens_table(const protocol::Result& result, const Text& text) {
  const Output& out = text.out;
  figure::Table tokens{"Tokens",
                       {{"position", "", 0, {}},
                        {"token", "", 0, {}},
                        {"loss", "nats", 4, out.loss.data},
                        {"surprise", kUnit, 4, text.bits},
                        {"probability", "fraction", 6, {}}}};
  for (int i = text.first; i <= text.last(); ++i) {
    tokens.columns[0].values.push_back(i);
    tokens.columns[1].texts.push_back(token_name(result, text, i));
    tokens.columns[4].values.push_back(std::exp(-out.loss.data[static_cast<std::size_t>(i - text.first)]));
    tokens.go.push_back("from=here&study=predictions&predictions.position=" + std::to_string(i - 1));
  }
  tokens.over = {"position"}, tokens.help = say("hint.row");
  if (out.kl.data.size() == text.bits.size() && !out.kl.data.empty())
    tokens.columns.push_back({"KL from no edits", "nats", 4, out.kl.data});
  return tokens;
}

figure::Reading reading(const figure::Reading&, const protocol::Result& result, const ParamValues&,
                        const ViewState& view) {
  figure::Reading r;
  const Text text = read(result);
  const int position = view.focus.at("position"), entry = text.entry(position);
  if (position < 0 || position > text.last() || text.empty()) return r;
  const std::string token = token_name(result, text, position);
  r.title = "position " + std::to_string(position) + (token.empty() ? "" : " " + token_quoted(token));
  if (entry < 0) {
    r.lines = {say("reading.first")};
    return r;
  }
  const double nats = Text::number(text.out.loss, entry), kl = text.kl(entry);
  r.lines = {"surprise  " + signed_text(bits(nats), 2, text.difference) + " bits, " +
             signed_text(nats, 3, text.difference) + " nats"};
  if (!text.difference) r.lines.push_back("probability  " + share_text(std::exp(-nats), 2));
  if (std::isfinite(kl) && !text.difference) r.lines.push_back("KL from no edits  " + number_text(kl, 3) + " nats");
  return r;
}

figure::Box boxes() { return figure::column({figure::panel("text"), figure::panel("curve")}); }

figure::Figure view(const protocol::Result& result, const ParamValues&) {
  const Text text = read(result);
  figure::Figure f;
  f.title = title(result, text), f.subtitle = subtitle(text), f.summary = summary(result, text);
  f.lead = headline(text);
  f.panels = {{"text", text.empty() ? "" : say("panel.text"), tiles(result, text)},
              {"curve", text.empty() ? "" : say("panel.curve"), curve(text)}};
  f.notes = notes();
  f.tables = {tokens_table(result, text)};
  f.root = boxes();
  f.across = {"position", 0, text.last()};
  return f;
}

// ---- what changed: as every study's change, and by how much the predictions moved

/// "“ mat” changes most: +8.20 bits"; empty where no token can be compared, or none changes.
std::string most_changed(const Sides& sides) {
  const Text text = read(sides.change);
  int most = -1;
  double size = kEqual;
  for (std::size_t i = 0; i < text.bits.size(); ++i)
    if (std::abs(text.bits[i]) > size) size = std::abs(text.bits[i]), most = static_cast<int>(i);
  if (most < 0) return "";
  return say("panel.most_changed", {{"token", token_quoted(one_line(token_name(sides.now, text, text.first + most)))},
                                    {"bits", signed_text(text.bits[static_cast<std::size_t>(most)], 2, true)}});
}

/// How far each edited side's predictions moved.
std::vector<std::string> divergences(const Sides& sides) {
  const auto kl = [](const protocol::Result& side) { return protocol::read_outputs<Output>(side).kl_nats.value; };
  const double now = kl(sides.now), other = kl(sides.other);
  const auto line = [](const std::string& side, double nats) {
    return say("lead.kl_of", {{"side", side}, {"nats", number_text(nats, 3)}});
  };
  if (std::isfinite(now) && std::isfinite(other)) return {line(sides.now_name, now), line(sides.other_name, other)};
  if (!std::isfinite(now) && !std::isfinite(other)) return {};
  return {say("lead.kl", {{"nats", number_text(std::isfinite(now) ? now : other, 3)}})};
}

figure::Figure change(const Sides& sides, const ParamValues& asked) {
  static const ViewStudy plain{describe(), view, reading};
  figure::Figure f = figure_of_change(plain, sides, asked);
  std::erase_if(f.panels, [](const figure::Panel& panel) { return panel.id == "change.curve"; });  // the tiles show it
  f.root = boxes();
  for (figure::Panel& panel : f.panels) {
    if (const std::string most = most_changed(sides); panel.id == "text" && !most.empty()) panel.title = most;
    if (auto* plot = std::get_if<figure::Plot>(&panel.content))
      for (figure::Mark& mark : plot->marks)
        if (auto* line = std::get_if<figure::Line>(&mark); line && line->dots) line->name = sides.now_name;
  }
  if (f.lead.number.empty()) return f;
  for (std::string& line : divergences(sides)) f.lead.lines.push_back(std::move(line));
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, reading, change}; }

}  // namespace helix::studies::surprise
