// Is the engine right? How far each matrix's product is from an exact sum, and what held.
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

std::string count(double value) { return std::isfinite(value) ? to_fixed(value, 0) : "–"; }

figure::Bars bars(const Output& out) {
  figure::Bars b;
  b.what = "relative error, largest layer";
  for (std::size_t m = 0; out.product_error.rows() > 0 && m < out.product_error.cols() && m < std::size(kMatrices);
       ++m) {
    double worst = 0;
    for (std::size_t i = 0; i < out.product_error.rows(); ++i) {
      const double one = out.product_error(i, m);
      worst = std::isfinite(one) ? std::max(worst, one) : worst;
    }
    b.bars.push_back({kMatrices[m], worst, small(worst), false});
  }
  return b;
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
  return "No published number can be checked here";
}

figure::Figure view(const protocol::Result& result, const ParamValues&, const ViewState&) {
  const auto out = protocol::read_outputs<Output>(result);
  const bool any = !result.study.empty();
  figure::Figure f;
  f.title = any ? verdict(out) : "Is the engine right?";
  f.subtitle = !any ? "Waiting for the checks."
               : std::isfinite(out.worst_logit.value)
                   ? "Largest difference from a published logit: " + small(out.worst_logit.value) + "."
                   : count(out.untested.value) + " more need tensors that are not here.";
  f.summary = (any ? verdict(out) : std::string("The figure waits for the checks")) +
              (std::isfinite(out.worst_product.value)
                   ? "; products are exact to " + small(out.worst_product.value) + " of their largest result."
                   : ".");
  f.panels = {{"products", "the engine's products against sums in double precision", bars(out)},
              {"number", "",
               figure::Headline{small(out.worst_logit.value),
                                {"max |Δ| of a published logit", "cache: |Δ| " + small(out.cache_difference.value),
                                 count(out.held.value) + " of " +
                                     count(out.held.value + out.differ.value + out.untested.value) + " hold"},
                                result.complete}}};
  using Kind = figure::Note::Kind;
  f.notes = {
      {Kind::text,
       "Each number that others have printed about this checkpoint is computed anew, with the weights and the "
       "kernels that every figure here uses; the list below the figure has them all, with their sources."},
      {Kind::text,
       "A seeded row is multiplied with every matrix, and compared with a plain sum in double precision. A text "
       "read at once and the same text read token by token must give the same bits."},
      {Kind::caution, "What this does not show: that the weights are OpenAI's, unless the published logits hold."}};
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
