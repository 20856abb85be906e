// Engine checks: every number that others have published about this checkpoint, recomputed, and the engine's products
// and cache checked on this machine. Claims F1 and F9, and a table of logits published with Orion.
#pragma once

#include "studies/study.h"

namespace helix::studies::verification {

struct Params {
  template <class V, class Self>
  static void fields(V&&, Self&) {}
};

struct Output : OutputBase {
  protocol::Quantity held, differ, untested, worst_logit, worst_product, cache_difference;
  protocol::Grid product_error;

  template <class V, class Self>
  static void fields(V&& v, Self& o) {
    using protocol::Out;
    v(Out{"held", "checks", "published checks that hold here"}, o.held);
    v(Out{"differ", "checks", "published checks that fail here"}, o.differ);
    v(Out{"untested", "checks", "published checks whose tensors are not loaded"}, o.untested);
    v(Out{"worst_logit", "logits", "largest difference from a published logit"}, o.worst_logit);
    v(Out{"worst_product", "fraction", "largest relative error of a matrix product"}.headline(), o.worst_product);
    v(Out{"cache_difference", "logits", "at once against token by token"}, o.cache_difference);
    v(Out{"product_error", "fraction", "relative error of each matrix's product", {"layer", "matrix"}},
      o.product_error);
  }
};

/// The norms of a tensor's rows, as printed with four digits.
inline void declare_norms(std::vector<ClaimSpec>& claims, const std::string& id, const std::string& words, double mean,
                          double deviation, double most, double least) {
  const std::string of = " of the norms of the " + words + ".", small{kGpt2Small};
  claims.push_back({id + "-mean", "Mean" + of, mean, "", small, ""});
  claims.push_back({id + "-sd", "Standard deviation" + of, deviation, "", small, ""});
  claims.push_back({id + "-max", "Largest" + of, most, "", small, ""});
  claims.push_back({id + "-min", "Smallest" + of, least, "", small, ""});
}

/// "Dissecting the frog" prints five logits in full, and the norms; the other logits are from mechramc/Orion at 65372ff,
/// MIT licence, copyright 2026 Murai Labs: the five largest, and those of the first ten ids.
inline std::vector<ClaimSpec> declared_claims() {
  const std::string small{kGpt2Small};
  std::vector<ClaimSpec> claims;
  declare_norms(claims, "F9-wpe", "position embeddings", 3.3901, 0.2620, 9.8756, 0.1179);
  declare_norms(claims, "F9-wte", "token embeddings", 3.9585, 0.4337, 6.3155, 2.4537);
  claims.push_back({"F1", "“Today we can go to the” is continued with “ next”, and 5 logits after it.",
                    -88.45703887939453, "", small, ""});
  claims.push_back({"Orion-1", "“Hello”, and 15 logits after it.", -32.391700744628906, "", small, ""});
  claims.push_back({"Orion-2", "“The”, and 15 logits after it.", -31.863672256469727, "", small, ""});
  claims.push_back({"Orion-3", "“Hello, world”, and 15 logits after it.", -78.77538299560547, "", small, ""});
  claims.push_back({"Orion-4", "“The quick brown fox”, and 15 logits after it.", -82.75748443603516, "", small, ""});
  return claims;
}

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "verification";
  schema.title = "Engine checks";
  schema.group = "Claims";
  schema.question = "Does this engine reproduce published numbers on this machine?";
  schema.source = "mechramc/Orion 65372ff (MIT): logits of GPT-2 small; Dissecting the frog, 2025: logits and norms";
  schema.reads = Reads::model, schema.judges_parts = true;
  schema.claims = declared_claims();
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::verification
