// Engine checks: how far each matrix's product is from an exact sum, and each published number from the one here, beside
// how far it may be.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "figure/dots.h"
#include "studies/registry_view.h"
#include "studies/verification/verification.h"

namespace helix::studies::verification {
namespace {

constexpr double kFloatStep = 1.1920928955078125e-7;  // 2⁻²³: from 1 to the next 32-bit float
constexpr float kLeastPanel = 200;                    // the width of a matrix's panel
constexpr double kNothing = 1e-9;  // a smaller distance is drawn here: a logarithmic axis has no zero
constexpr const char* kMatrices[] = {"attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj"};

/// "e−6"; the sign is no place for a line to break.
std::string exponent(double power) { return "e" + std::string(power < 0 ? "−" : "") + to_text(std::abs(power)); }

std::string small(double value) {
  if (!std::isfinite(value)) return "–";
  if (value == 0) return "0";
  if (std::abs(value) >= 0.001) return to_fixed(value, 4);
  const double power = std::floor(std::log10(std::abs(value)));
  return to_fixed(value / std::pow(10, power), 1) + exponent(power);
}

std::string count(double value) { return number_text(value, 0); }

/// "1 published check", "13 published checks".
std::string checks(double value) { return count(value) + (value == 1 ? " published check" : " published checks"); }

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
  plot.colour = figure::ColourScale{"relative error, in units of 1" + exponent(power)};
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
  plot.marks = {figure::Rule{.upright = true,
                             .at = kFloatStep,
                             .label = matrix == 0 ? "a 32-bit float's step" : "",
                             .ink = figure::kMute,
                             .width = 1.4f,
                             .dashed = true},
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
  figure::Plot plot{figure::quantity("distance from the published number, as a part of it"), {}};
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
  figure::Table t{"Relative error of each matrix's product", {{"layer", "", 0, {}}}};
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
  figure::Table t{"Published numbers",
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
  t.help = "A row leads to the study that shows the number by itself.";
  t.open = !t.columns[0].texts.empty();
  return t;
}

/// Which of two names each prompt makes the likelier.
figure::Table names(const Output& out) {
  figure::Table t{"Prompts with two names", {{"prompt", "", 0, {}, out.name_prompt}, {"difference", "logits", 4, {}}}};
  if (out.name_difference.data.size() == out.name_prompt.size()) t.columns[1].values = out.name_difference.data;
  t.columns[1].values.resize(out.name_prompt.size(), std::nan(""));
  for (const std::string& prompt : out.name_prompt) t.go.push_back("study=predictions&bos=1&prompt=" + prompt);
  return t;
}

figure::Table continuation(const Output& out) {
  figure::Table t{"Tokens that follow “The dog” greedily", {{"step", "", 0, {}}, {"id", "", 0, out.greedy.data}}};
  for (std::size_t i = 0; i < out.greedy.data.size(); ++i) t.columns[0].values.push_back(static_cast<double>(i + 1));
  return t;
}

std::string verdict(const Output& out) {
  if (out.differ.value > 0) return checks(out.differ.value) + (out.differ.value == 1 ? " fails here" : " fail here");
  if (out.held.value == 1) return "The one published check that can be made holds";
  if (out.held.value > 0) return "All " + checks(out.held.value) + " that can be made hold";
  if (out.untested.value > 0)
    return checks(out.untested.value) + (out.untested.value == 1 ? " needs" : " need") + " tensors that are not loaded";
  if (std::isfinite(out.worst_product.value))
    return "Products are within " + small(out.worst_product.value) + " of double-precision sums";
  return "Engine checks";
}

std::string subtitle(const Output& out) {
  if (std::isfinite(out.worst_logit.value))
    return "Largest difference from a published logit: " + small(out.worst_logit.value) + ".";
  if (out.untested.value > 0)
    return checks(out.untested.value) + (out.untested.value == 1 ? " needs" : " need") +
           " tensors that are not loaded.";
  return "The published numbers are for GPT-2 small; on this model the engine is checked against double-precision "
         "sums.";
}

/// The published logits if there are any to compare with; else the engine's own checks.
figure::Number headline(const Output& out, bool complete) {
  const std::string cache = "cache: |Δ| " + small(out.cache_difference.value);
  const double published = out.held.value + out.differ.value + out.untested.value;
  if (published > 0) {
    figure::Number n{small(out.worst_logit.value), {"max |Δ| of a published logit", cache}, complete};
    if (!std::isfinite(out.worst_logit.value)) n = {count(published), {"published checks", cache}, complete};
    n.lines.push_back(count(out.held.value) + " of " + count(published) + " hold");
    return n;
  }
  if (!std::isfinite(out.worst_product.value)) return {};
  return {small(out.worst_product.value), {"largest relative error of a product", cache}, complete};
}

figure::Reading reading(const protocol::Result& result, const ParamValues&, const ViewState& view) {
  const auto out = protocol::read_outputs<Output>(result);
  const int layer = view.focus.at("layer"), matrix = view.focus.at("matrix");
  if (!has_errors(out) || layer < 0 || matrix < 0) return {};
  const auto row = static_cast<std::size_t>(layer), col = static_cast<std::size_t>(matrix);
  if (row >= out.product_error.rows() || col >= std::size(kMatrices)) return {};
  return {"layer " + std::to_string(layer) + ", " + kMatrices[col],
          {"largest difference from sums in double precision: " + small(out.product_error(row, col)) +
           " of the largest result"}};
}

figure::Figure view(const protocol::Result& result, const ParamValues&) {
  const auto out = protocol::read_outputs<Output>(result);
  const bool any = !result.study.empty();
  figure::Figure f;
  f.title = any ? verdict(out) : "Engine checks";
  f.subtitle = any ? subtitle(out) : "Waiting for the checks.";
  f.summary = (any ? verdict(out) : std::string("The figure waits for the checks")) +
              (std::isfinite(out.worst_product.value) && (out.held.value > 0 || out.differ.value > 0)
                   ? "; products are exact to " + small(out.worst_product.value) + " of their largest result."
                   : ".");
  if (any) f.lead = headline(out, result.complete);
  if (!has_errors(out) || result.difference) {
    f.panels = {{"products", "largest difference from sums in double precision", map_of(out, result.difference)}};
  } else {
    std::vector<figure::Box> each;
    for (std::size_t m = 0; m < std::size(kMatrices); ++m) {
      f.panels.push_back({"product_" + std::to_string(m), kMatrices[m], errors_of(out, m)});
      each.push_back(figure::panel(f.panels.back().id));
    }
    std::vector<figure::Box> all{figure::grid(std::move(each))};
    all.front().least = kLeastPanel;
    if (const auto claims = judged_of(result); std::isfinite(out.held.value) && !claims.empty()) {
      f.panels.push_back({"published", "published numbers; the tick is how far they may be", distances_of(claims)});
      all.push_back(figure::panel("published"));
    }
    f.root = figure::column(std::move(all));
  }
  using Kind = figure::Note::Kind;
  f.notes = {
      {Kind::text,
       "Each number that others have published about GPT-2 small is recomputed with the weights and the kernels that "
       "every figure here uses; the list below the figure has them all, with their sources."},
      {Kind::text,
       "A seeded row is multiplied with every matrix and compared with a plain sum in double precision, and so are the "
       "logits. A text read at once and the same text read token by token must give the same bits."},
      {Kind::text,
       "On another model the losses are those of the same words in its own tokens: numbers for a comparison, not "
       "checks."},
      {Kind::caution, "This does not show that the weights are OpenAI's, unless the published logits hold."}};
  f.tables = {published(result),
              table(out),
              names(out),
              continuation(out),
              {"Numbers",
               {{"held", "", 0, {out.held.value}},
                {"differ", "", 0, {out.differ.value}},
                {"untested", "", 0, {out.untested.value}},
                {"worst logit", "", 6, {out.worst_logit.value}},
                {"worst product", "fraction", 10, {out.worst_product.value}},
                {"cache difference", "", 6, {out.cache_difference.value}},
                {"logits against E·x", "fraction", 10, {out.head_error.value}}}}};
  f.down = {"layer", 0, static_cast<int>(out.product_error.rows()) - 1};
  f.across = {"matrix", 0, static_cast<int>(std::size(kMatrices)) - 1};
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, reading}; }

}  // namespace helix::studies::verification
