// Engine checks: how far each matrix's product is from an exact sum, and which published numbers hold.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "studies/registry_view.h"
#include "studies/verification/verification.h"

namespace helix::studies::verification {
namespace {

constexpr const char* kMatrices[] = {"attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj"};

std::string small(double value) {
  if (!std::isfinite(value)) return "–";
  if (value == 0) return "0";
  if (std::abs(value) >= 0.001) return to_fixed(value, 4);
  const double power = std::floor(std::log10(std::abs(value)));
  return to_fixed(value / std::pow(10, power), 1) + "e" + to_text(power);
}

std::string count(double value) { return number_text(value, 0); }

figure::Plot bars(const Output& out) {
  figure::Bars b;
  b.across = true;
  std::vector<std::string> names;
  for (std::size_t m = 0; out.product_error.rows() > 0 && m < out.product_error.cols() && m < std::size(kMatrices);
       ++m) {
    double worst = 0;
    for (std::size_t i = 0; i < out.product_error.rows(); ++i) {
      const double one = out.product_error(i, m);
      worst = std::isfinite(one) ? std::max(worst, one) : worst;
    }
    names.push_back(kMatrices[m]), b.values.push_back(worst), b.texts.push_back(small(worst));
  }
  figure::Plot plot{figure::quantity("relative error, largest layer", "fraction"),
                    figure::over("", 0, static_cast<int>(b.values.size()), std::move(names))};
  plot.marks = {std::move(b)};
  return plot;
}

figure::Table table(const Output& out) {
  figure::Table t{"Relative error of each matrix's product", {{"layer", "", 0, {}}}};
  for (const char* name : kMatrices) t.columns.push_back({name, "fraction", 10, {}});
  if (out.product_error.cols() != std::size(kMatrices)) return t;
  for (std::size_t i = 0; i < out.product_error.rows(); ++i) {
    t.columns[0].values.push_back(static_cast<double>(i));
    for (std::size_t m = 0; m < std::size(kMatrices); ++m) t.columns[m + 1].values.push_back(out.product_error(i, m));
  }
  return t;
}

std::string verdict(const Output& out) {
  if (out.differ.value > 0) return count(out.differ.value) + " published checks fail here";
  if (out.held.value > 0) return "All " + count(out.held.value) + " published checks that can be made hold";
  if (out.untested.value > 0) return count(out.untested.value) + " published checks need tensors that are not loaded";
  if (std::isfinite(out.worst_product.value))
    return "Products are within " + small(out.worst_product.value) + " of double-precision sums";
  return "Engine checks";
}

std::string subtitle(const Output& out) {
  if (std::isfinite(out.worst_logit.value))
    return "Largest difference from a published logit: " + small(out.worst_logit.value) + ".";
  if (out.untested.value > 0) return count(out.untested.value) + " checks need tensors that are not loaded.";
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
  f.panels = {{"products", "the engine's products against sums in double precision", bars(out)},
              {"number", "", any ? headline(out, result.complete) : figure::Number()}};
  f.root = figure::row({figure::panel("products"), figure::panel("number", 0.2f, 190, 190)});
  using Kind = figure::Note::Kind;
  f.notes = {
      {Kind::text,
       "Each number that others have published about GPT-2 small is recomputed with the weights and the kernels that "
       "every figure here uses; the list below the figure has them all, with their sources."},
      {Kind::text,
       "A seeded row is multiplied with every matrix and compared with a plain sum in double precision. A text read at "
       "once and the same text read token by token must give the same bits."},
      {Kind::caution, "This does not show that the weights are OpenAI's, unless the published logits hold."}};
  f.tables = {table(out),
              {"Numbers",
               {{"held", "", 0, {out.held.value}},
                {"differ", "", 0, {out.differ.value}},
                {"untested", "", 0, {out.untested.value}},
                {"worst logit", "", 6, {out.worst_logit.value}},
                {"worst product", "fraction", 10, {out.worst_product.value}},
                {"cache difference", "", 6, {out.cache_difference.value}}}}};
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, nullptr}; }

}  // namespace helix::studies::verification
