// Engine checks: every number that others have published about this checkpoint, recomputed, and the engine's products,
// output head and cache checked on this machine. Claims F1, F3 and F9, a table of logits published with Orion, and
// numbers that the tests and notebooks of TransformerLens and transformers expect.
#pragma once

#include <string>
#include <vector>

#include "studies/study.h"

namespace helix::studies::verification {

inline constexpr Words say{"verification"};

/// How far a number here may be from the published one: of norms printed with four digits; of logits, computed in float32
/// without BOS, whose last digits differ between implementations; of the mean difference of two names.
inline constexpr double kNormTolerance = 5.1e-5, kLogitTolerance = 5e-3, kNamesTolerance = 5e-4;

struct Params {
  static void fields(ParamVisitor&, Params&) {}
};

struct Output : OutputBase {
  protocol::Quantity held, differ, untested, worst_logit, worst_product, cache_difference, head_error;
  protocol::Grid product_error, name_difference, greedy;
  protocol::Texts name_prompt;

  static void fields(protocol::OutputVisitor& v, Output& o) {
    using protocol::Out;
    v(Out{"held", "checks"}, o.held);
    v(Out{"differ", "checks"}, o.differ);
    v(Out{"untested", "checks"}, o.untested);
    v(Out{"worst_logit", "logits"}, o.worst_logit);
    v(Out{"worst_product", "fraction"}.headline(), o.worst_product);
    v(Out{"cache_difference", "logits"}, o.cache_difference);
    v(Out{"head_error", "fraction"}, o.head_error);
    v(Out{"name_prompt", "", {"prompt"}}.key(), o.name_prompt);
    v(Out{"name_difference", "logits", {"prompt"}}, o.name_difference);
    v(Out{"greedy", "", {"step"}}.setting(), o.greedy);
    v(Out{"product_error", "fraction", {"layer", "matrix"}}, o.product_error);
  }
};

/// The norms of a tensor's rows, as printed with four digits.
inline void declare_norms(Claims& claims, const std::string& id, double mean, double deviation, double most,
                          double least) {
  constexpr std::string_view small = kGpt2Small;
  claims.push_back({id + "-mean", mean, "", small, ""});
  claims.push_back({id + "-sd", deviation, "", small, ""});
  claims.push_back({id + "-max", most, "", small, ""});
  claims.push_back({id + "-min", least, "", small, ""});
}

/// "Dissecting the frog" prints five logits in full, and the norms; the other logits are from mechramc/Orion at 65372ff,
/// MIT licence, copyright 2026 Murai Labs: the five largest, and those of the first ten ids.
inline void declare_logits(Claims& claims) {
  constexpr std::string_view small = kGpt2Small;
  claims.push_back({"F1", -88.45703887939453, "", small, ""});
  claims.push_back({"Orion-1", -32.391700744628906, "", small, ""});
  claims.push_back({"Orion-2", -31.863672256469727, "", small, ""});
  claims.push_back({"Orion-3", -78.77538299560547, "", small, ""});
  claims.push_back({"Orion-4", -82.75748443603516, "", small, ""});
}

/// The setting of a claim about any model: the same checks, but on a model that can run, where the open one cannot.
inline constexpr const char* kAnyModel = "from=start";

/// The texts of the tests and of the notebook.
inline constexpr const char *kHello = "Hello world!", *kDog = "The dog";
inline constexpr const char* kTasks =
    "Natural language processing tasks, such as question answering, machine translation, reading comprehension, and "
    "summarization, are typically approached with supervised learning on taskspecific datasets.";
inline constexpr int kGreedy = 18;  // tokens after kDog
/// hook_v of head 0.8 set to zero: without values the head's output is zero.
inline constexpr const char* kNoHead08 = "scale_head:0.8:0";

inline void declare_texts(Claims& claims) {
  constexpr std::string_view small = kGpt2Small, nats = "nats per predicted token";
  claims.push_back({"TL-hello", 5.331855773925781, nats, small, ""});
  claims.push_back({"TL-tasks", 3.999, nats, small, ""});
  claims.push_back({"TL-tasks-0.8", 4.117, nats, small, ""});
  claims.push_back({"TL-names", 3.5519, "logits", small, ""});
  claims.push_back({"HF-greedy", kGreedy, "tokens", small, ""});
}

inline Claims declared_claims() {
  Claims claims;
  declare_norms(claims, "F9-wpe", 3.3901, 0.2620, 9.8756, 0.1179);
  declare_norms(claims, "F9-wte", 3.9585, 0.4337, 6.3155, 2.4537);
  declare_logits(claims);
  declare_texts(claims);
  claims.push_back({"F3", 1, "probability", "", kAnyModel});
  return claims;
}

/// A part of a link to the study that shows a claim's number by itself; empty: none does.
inline std::string shown_by(const std::string& id) {
  const auto predicts = [](const char* prompt) { return std::string("study=predictions&prompt=") + prompt; };
  const std::string costs = "study=surprise&bos=1&prompt=";
  if (id.starts_with("F9-wpe")) return "study=position_norms";
  if (id.starts_with("F9-wte")) return "study=position_norms&position_norms.of=wte";
  if (id == "F1") return predicts("Today we can go to the");
  if (id == "Orion-1") return predicts("Hello");
  if (id == "Orion-2") return predicts("The");
  if (id == "Orion-3") return predicts("Hello, world");
  if (id == "Orion-4") return predicts("The quick brown fox");
  if (id == "F3") return "study=predictions";
  if (id == "TL-hello") return costs + kHello;
  if (id == "TL-tasks") return costs + kTasks;
  if (id == "TL-tasks-0.8") return costs + kTasks + "&edit=" + kNoHead08;
  if (id == "TL-names") return predicts("When John and Mary went to the shops, John gave the bag to") + "&bos=1";
  if (id == "HF-greedy")
    return std::string("study=continuation&continuation.count=") + std::to_string(kGreedy) + "&prompt=" + kDog;
  return "";
}

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "verification";
  schema.group = "Claims";
  schema.reads = Reads::model, schema.judges_parts = true;
  schema.claims = declared_claims();
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::verification
