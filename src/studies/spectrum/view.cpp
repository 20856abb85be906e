// The singular values on a logarithmic scale, with those of a random matrix; and the share that the largest hold.
#include <algorithm>
#include <cmath>

#include "base/length_text.h"
#include "base/text.h"
#include "studies/model_name.h"
#include "studies/registry_view.h"
#include "studies/spectrum/spectrum.h"

namespace helix::studies::spectrum {
namespace {

constexpr double kNearlyAll = 0.999;  // of the sum of squares: where the curve of shares is flat
constexpr double kLeast = 1e-9;       // of the largest: smaller values are rounding, and a logarithmic axis has no zero

/// Values for a logarithmic axis: NaN where nothing can be drawn.
std::vector<double> drawable(std::vector<double> values, bool difference) {
  const double largest = values.empty() ? 0 : values.front();
  for (double& x : values)
    if (!difference && !(x > kLeast * largest)) x = std::nan("");
  return values;
}

figure::Plot values(const Output& out, bool difference) {
  const std::size_t n = out.singular_values.data.size();
  figure::Plot plot{figure::over("direction", 1, static_cast<int>(n)), figure::quantity("singular value")};
  if (n == 0) return plot;
  if (!difference) plot.y.kind = figure::ScaleKind::log;
  if (!out.random_values.data.empty()) {
    figure::Line random{"direction", 1, figure::over_index(drawable(out.random_values.data, difference)), figure::kMute,
                        "random matrix"};
    random.dashed = true, random.width = 1.6f;
    plot.marks.push_back(std::move(random));
  }
  plot.marks.push_back(figure::Line{"direction", 1, figure::over_index(drawable(out.singular_values.data, difference)),
                                    figure::series(0), "this matrix"});
  const double rank = out.effective_rank.value;
  if (!difference && rank >= 1 && rank <= static_cast<double>(n)) {
    const double at = std::round(rank);
    figure::Callout callout{{at, out.singular_values.data[static_cast<std::size_t>(at) - 1]},
                            say("callout.rank", {{"rank", number_text(rank, 2)}})};
    callout.lead = true;
    plot.marks.push_back(std::move(callout));
  }
  return plot;
}

/// The first direction with which the largest hold this share; 0: none.
std::size_t reaches(const Output& out, double share) {
  const auto at = std::ranges::find_if(out.energy.data, [&](double x) { return x >= share; });
  return at == out.energy.data.end() ? 0 : static_cast<std::size_t>(at - out.energy.data.begin()) + 1;
}

/// So many directions that the curve's rise is not a step: to where nearly all is held, and at least twice the top.
std::size_t shown_of(const Output& out) {
  const std::size_t nearly = reaches(out, kNearlyAll), all = out.energy.data.size();
  return nearly ? std::clamp(nearly, std::min(2 * kTop, all), all) : all;
}

figure::Plot energy(const Output& out, bool difference) {
  figure::Plot plot{figure::over("direction", 1, static_cast<int>(difference ? out.energy.data.size() : shown_of(out))),
                    figure::quantity("share of Σσ²")};
  if (out.energy.data.empty()) return plot;
  plot.y.low = 0, plot.y.high = 1;
  plot.y.percent = true;
  if (out.energy.data.size() > kTop)
    plot.marks.push_back(figure::Rule{
        .upright = true, .at = static_cast<double>(kTop), .label = "top 30", .ink = figure::kWarm, .dashed = true});
  plot.marks.push_back(
      figure::Line{"direction", 1, figure::over_index(out.energy.data), figure::series(0), "held so far"});
  if (const std::size_t n = difference ? 0 : reaches(out, 0.9))
    plot.marks.push_back(figure::Callout{
        {static_cast<double>(n), out.energy.data[n - 1]},
        say("callout.hold", {{"n", std::to_string(n)}, {"share", percent_text(out.energy.data[n - 1], 1)}})});
  return plot;
}

/// "7.8", "∞": of a singular matrix.
std::string condition_text(const Output& out) {
  return std::isinf(out.condition.value) ? "∞" : number_text(out.condition.value, 1);
}

std::string title(const Output& out) {
  if (out.singular_values.data.empty()) return say("title.waiting");
  if (!std::isfinite(out.effective_rank.value)) return say("title.zeros");
  return say("title.rank", {{"rank", number_text(out.effective_rank.value, 1)},
                            {"n", std::to_string(out.singular_values.data.size())}});
}

std::vector<figure::Note> notes(const Output& out) {
  using Kind = figure::Note::Kind;
  std::vector<figure::Note> all{{Kind::text, say("note.values")},
                                {Kind::equation, "H = −Σ p ln p,  p = σ / Σσ,  effective rank = exp(H) = " +
                                                     number_text(out.effective_rank.value, 2)}};
  if (std::isfinite(out.random_effective_rank.value))
    all.push_back({Kind::text, say("note.random", {{"rank", number_text(out.random_effective_rank.value, 1)},
                                                   {"share", percent_text(out.random_top30.value, 1)},
                                                   {"here", percent_text(out.energy_top30.value, 2)}})});
  all.push_back({Kind::caution, say("note.caution")});
  return all;
}

figure::Figure view(const protocol::Result& result, const ParamValues&) {
  const auto out = protocol::read_outputs<Output>(result);
  const std::size_t n = out.singular_values.data.size();
  figure::Figure f;
  f.title = title(out);
  f.subtitle = n ? say("subtitle.held", {{"matrix", result.provenance.convention},
                                         {"model", spoken_name(result.provenance.model)},
                                         {"share", percent_text(out.energy_top30.value, 2)}})
                 : say("subtitle.waiting");
  f.summary = n ? say("summary.held", {{"title", f.title},
                                       {"share", percent_text(out.energy_top30.value, 2)},
                                       {"condition", condition_text(out)}})
                : say("summary.waiting");
  figure::Number number;
  if (n)
    number = {number_text(out.effective_rank.value, 2),
              {say("lead.rank", {{"n", std::to_string(n)}}),
               say("lead.random", {{"rank", number_text(out.random_effective_rank.value, 1)}}),
               say("lead.condition", {{"condition", condition_text(out)}}),
               say("lead.volume", {{"volume", number_text(out.log_volume.value, 3)}})},
              result.complete};
  f.panels = {{"values", n ? say("panel.values") : "", values(out, result.difference)},
              {"energy", n ? say("panel.energy") : "", energy(out, result.difference)}};
  f.lead = std::move(number);
  f.notes = notes(out);
  f.root = figure::row({figure::panel("values"), figure::panel("energy", 0.4f, 220, 560)});
  f.across = {"direction", 1, static_cast<int>(n)};
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view}; }

}  // namespace helix::studies::spectrum
