// Engine checks: how far each matrix's product is from an exact sum, and each published number from the one here, beside
// how far it may be.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "figure/dots.h"
#include "figure/ticks.h"
#include "studies/registry_view.h"
#include "studies/verification/verification.h"

namespace helix::studies::verification {
namespace {

constexpr double kFloatStep = 1.1920928955078125e-7;  // 2⁻²³: from 1 to the next 32-bit float
constexpr float kLeastPanel = 200;                    // the width of a matrix's panel
constexpr double kNothing = 1e-9;  // a smaller distance is drawn here: a logarithmic axis has no zero
constexpr const char* kMatrices[] = {"attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj"};

std::string small(double value) {
  if (value == 0) return "0";
  return number_text(value, std::abs(value) >= 0.001 ? 4 : 3);
}

std::string count(double value) { return number_text(value, 0); }

bool has_errors(const Output& out) {
  const protocol::Grid& errors = out.product_error;
  return errors.cols() == std::size(kMatrices) && errors.data.size() == errors.rows() * errors.cols() &&
         std::ranges::any_of(errors.data, [](double x) { return std::isfinite(x); });
}

double largest(const protocol::Grid& errors) {
  double worst = 0;
  for (const double x : errors.data) worst = std::isfinite(x) ? std::max(worst, std::abs(x)) : worst;
  return worst;
}

/// One cell per layer and matrix.
figure::Plot map_of(const Output& out, bool difference) {
  const std::size_t layers = out.product_error.rows(), matrices = std::size(kMatrices);
  figure::Plot plot{figure::over("matrix", 0, static_cast<int>(matrices), {std::begin(kMatrices), std::end(kMatrices)}),
                    figure::over("layer", 0, static_cast<int>(layers))};
  if (!has_errors(out)) return plot;
  // In the power of ten in which the largest error has one digit before the point.
  const double worst = largest(out.product_error), power = worst > 0 ? std::floor(std::log10(worst)) : 0;
  const double unit = std::pow(10, power);
  std::vector<double> numbers;
  for (const double x : out.product_error.data) numbers.push_back(x / unit);
  plot.colour = figure::ColourScale{say("legend.error", {{"unit", figure::short_number(unit)}})};
  plot.colour->range = difference ? figure::scale_of(numbers, true)
                                  : figure::ShadeScale{0, std::max(1.0, std::ceil(worst / unit)), false};
  plot.colour->missing = "not checked";
  figure::Cells cells{figure::pyramid_of(numbers, layers, matrices, plot.colour->range), "layer", "matrix"};
  cells.numbers.assign(numbers.begin(), numbers.end()), cells.digits = 2, cells.stretch = 5;
  plot.marks = {std::move(cells)};
  return plot;
}

/// A row for each layer, the errors of one matrix on a logarithmic axis that all matrices share.
figure::Plot errors_of(const Output& out, std::size_t matrix) {
  const std::size_t layers = out.product_error.rows();
  std::vector<std::string> names;
  for (std::size_t i = 0; i < layers; ++i) names.push_back("layer " + std::to_string(i));
  figure::Plot plot{figure::quantity("relative error"),
                    figure::over("layer", 0, static_cast<int>(layers), std::move(names))};
  plot.x.kind = figure::ScaleKind::log, plot.x.id = "error", plot.y.title = "";
  std::vector<double> errors;
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < layers; ++i) {
    const double error = std::abs(out.product_error(i, matrix));
    errors.push_back(error > 0 ? error : std::nan(""));
    labels.push_back(small(error));
  }
  plot.marks = {figure::Rule{.upright = true, .at = kFloatStep, .ink = figure::kMute, .width = 1.4f, .dashed = true},
                figure::row_dots("layer", 0, errors, figure::kAccent, 4.5f, std::move(labels))};
  plot.whole = {{"matrix", static_cast<int>(matrix)}};
  return plot;
}

/// How far a published number may be from the one here, by the id of its claim; NaN: that is said beside the claim alone.
double tolerance_of(const std::string& id) {
  if (id.starts_with("F9")) return kNormTolerance;
  if (id == "F1" || id.starts_with("Orion")) return kLogitTolerance;
  return id == "TL-names" ? kNamesTolerance : std::nan("");
}

/// The claims whose numbers are judged here.
std::vector<const protocol::Claim*> judged_of(const protocol::Result& result) {
  static const StudySchema schema = describe();
  std::vector<const protocol::Claim*> all;
  for (const protocol::Claim& claim : result.claims) {
    const ClaimSpec* declared = schema.claim(claim.id);
    if (declared && declared->stated && *declared->stated != 0 && claim.here && claim.holds && !declared->about.empty())
      all.push_back(&claim);
  }
  return all;
}

/// Each published number's distance from the one here, as a part of it, and a tick at how far it may be.
figure::Plot distances_of(const std::vector<const protocol::Claim*>& claims) {
  static const StudySchema schema = describe();
  std::vector<std::string> names;
  std::vector<double> allowed;
  figure::Plot plot{figure::quantity(say("axis.distance")), {}};
  plot.x.kind = figure::ScaleKind::log;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const protocol::Claim& claim = *claims[i];
    const double stated = *schema.claim(claim.id)->stated, within = tolerance_of(claim.id) / std::abs(stated);
    const double apart = std::max(std::abs(*claim.here - stated) / std::abs(stated), kNothing);
    names.push_back(claim.id), allowed.push_back(within);
    plot.marks.push_back(figure::one_dot("claim", static_cast<int>(i), apart,
                                         *claim.holds ? figure::kGood : figure::kBad, 4.5f, to_fixed(*claim.here, 4)));
  }
  figure::Points ticks = figure::row_dots("", 0, allowed, figure::kMute, 4);
  ticks.shape = figure::Shape::tick;
  plot.marks.insert(plot.marks.begin(), std::move(ticks));
  plot.y = figure::over("claim", 0, static_cast<int>(claims.size()), std::move(names));
  plot.y.title = "";
  return plot;
}

figure::Table table(const Output& out) {
  figure::Table t{say("table.products"), {{"layer", "", 0, {}}}};
  t.over = {"layer", "matrix"};
  for (const char* name : kMatrices) t.columns.push_back({name, "fraction", 10, {}});
  if (!has_errors(out)) return t;
  for (std::size_t i = 0; i < out.product_error.rows(); ++i) {
    t.columns[0].values.push_back(static_cast<double>(i));
    for (std::size_t m = 0; m < std::size(kMatrices); ++m) t.columns[m + 1].values.push_back(out.product_error(i, m));
  }
  return t;
}

/// The numbers that others have published, each with the number here.
figure::Table published(const protocol::Result& result) {
  static const StudySchema schema = describe();
  figure::Table t{say("table.published"),
                  {{"claim", "", 0, {}, {}},
                   {"what is published", "", 0, {}, {}},
                   {"published", "", -1, {}},
                   {"here", "", -1, {}},
                   {"verdict", "", 0, {}, {}},
                   {"convention", "", 0, {}, {}}}};
  for (const protocol::Claim& claim : result.claims) {
    const ClaimSpec* declared = schema.claim(claim.id);
    if (!declared) continue;
    t.columns[0].texts.push_back(claim.id), t.columns[1].texts.push_back(declared->text);
    t.columns[2].values.push_back(declared->stated.value_or(std::nan("")));
    t.columns[3].values.push_back(claim.here.value_or(std::nan("")));
    t.columns[4].texts.emplace_back(protocol::verdict(claim));
    t.columns[5].texts.push_back(claim.convention);
    t.go.push_back(shown_by(claim.id));
  }
  t.help = say("hint.row");
  t.open = !t.columns[0].texts.empty();
  return t;
}

/// Which of two names each prompt makes the likelier.
figure::Table names(const Output& out) {
  figure::Table t{say("table.names"), {{"prompt", "", 0, {}, out.name_prompt}, {"difference", "logits", 4, {}}}};
  t.over = {"prompt"};
  if (out.name_difference.data.size() == out.name_prompt.size()) t.columns[1].values = out.name_difference.data;
  t.columns[1].values.resize(out.name_prompt.size(), std::nan(""));
  for (const std::string& prompt : out.name_prompt) t.go.push_back("study=predictions&bos=1&prompt=" + prompt);
  return t;
}

/// Checks whose tensors are not loaded.
std::string untested(const Output& out) { return say("title.untested", {{"n", count(out.untested.value)}}); }

std::string verdict(const Output& out) {
  if (out.differ.value > 0) return say("title.fail", {{"n", count(out.differ.value)}});
  if (out.held.value == 1) return say("title.one_holds");
  if (out.held.value > 0) return say("title.all_hold", {{"n", count(out.held.value)}});
  if (out.untested.value > 0) return untested(out);
  if (std::isfinite(out.worst_product.value)) return say("title.products", {{"error", small(out.worst_product.value)}});
  return say("title");
}

std::string subtitle(const Output& out) {
  if (std::isfinite(out.worst_logit.value))
    return say("subtitle.logit", {{"difference", small(out.worst_logit.value)}});
  if (out.untested.value > 0) return untested(out) + ".";
  return say("subtitle.other_model");
}

/// The published logits if there are any to compare with; else the engine's own checks.
figure::Number headline(const Output& out, bool complete) {
  const std::string cache = say("lead.cache", {{"difference", small(out.cache_difference.value)}});
  const double published = out.held.value + out.differ.value + out.untested.value;
  if (published > 0) {
    figure::Number n{small(out.worst_logit.value), {say("lead.logit"), cache}, complete};
    if (!std::isfinite(out.worst_logit.value)) n = {count(published), {say("lead.checks"), cache}, complete};
    n.lines.push_back(say("lead.hold", {{"held", count(out.held.value)}, {"all", count(published)}}));
    return n;
  }
  if (!std::isfinite(out.worst_product.value)) return {};
  return {small(out.worst_product.value), {say("lead.product"), cache}, complete};
}

figure::Reading reading(const figure::Reading&, const protocol::Result& result, const ParamValues&,
                        const ViewState& view) {
  const auto out = protocol::read_outputs<Output>(result);
  const int layer = view.focus.at("layer"), matrix = view.focus.at("matrix");
  if (!has_errors(out) || layer < 0 || matrix < 0) return {};
  const auto row = static_cast<std::size_t>(layer), col = static_cast<std::size_t>(matrix);
  if (row >= out.product_error.rows() || col >= std::size(kMatrices)) return {};
  return {"layer " + std::to_string(layer) + ", " + kMatrices[col],
          {say("reading.product", {{"error", small(out.product_error(row, col))}})}};
}

std::string summary(const Output& out) {
  if (!std::isfinite(out.worst_product.value) || !(out.held.value > 0 || out.differ.value > 0))
    return verdict(out) + ".";
  return say("summary.products", {{"finding", verdict(out)}, {"error", small(out.worst_product.value)}});
}

figure::Figure view(const protocol::Result& result, const ParamValues&) {
  const auto out = protocol::read_outputs<Output>(result);
  const bool any = !result.study.empty();
  figure::Figure f;
  f.title = any ? verdict(out) : say("title");
  f.subtitle = any ? subtitle(out) : say("subtitle.waiting");
  f.summary = any ? summary(out) : say("summary.waiting");
  if (any) f.lead = headline(out, result.complete);
  const bool steps = has_errors(out) && !result.difference;  // dashed lines in the panels below
  if (steps) f.subtitle = sentences({f.subtitle, say("subtitle.dashed")});
  if (!steps) {
    f.panels = {{"products", say("panel.products"), map_of(out, result.difference)}};
  } else {
    std::vector<figure::Box> each;
    for (std::size_t m = 0; m < std::size(kMatrices); ++m) {
      f.panels.push_back({"product_" + std::to_string(m), kMatrices[m], errors_of(out, m)});
      each.push_back(figure::panel(f.panels.back().id));
    }
    std::vector<figure::Box> all{figure::grid(std::move(each))};
    all.front().least = kLeastPanel;
    if (const auto claims = judged_of(result); std::isfinite(out.held.value) && !claims.empty()) {
      f.panels.push_back({"published", say("panel.published"), distances_of(claims)});
      all.push_back(figure::panel("published"));
    }
    f.root = figure::column(std::move(all));
  }
  using Kind = figure::Note::Kind;
  f.notes = {{Kind::text, say("note.published")},
             {Kind::text, say("note.engine")},
             {Kind::text, say("note.losses")},
             {Kind::caution, say("note.caution")}};
  f.tables = {published(result), table(out), names(out)};
  f.down = {"layer", 0, static_cast<int>(out.product_error.rows()) - 1};
  f.across = {"matrix", 0, static_cast<int>(std::size(kMatrices)) - 1};
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, reading}; }

}  // namespace helix::studies::verification
