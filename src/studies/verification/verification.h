// Engine checks: every number that others have published about this checkpoint, recomputed, and the engine's products,
// output head and cache checked on this machine. Claims F1, F3 and F9, a table of logits published with Orion, and
// numbers that the tests and notebooks of TransformerLens and transformers expect.
#pragma once

#include <string>
#include <vector>

#include "studies/study.h"

namespace helix::studies::verification {

/// How far a number here may be from the published one: of norms printed with four digits; of logits, computed in float32
/// without BOS, whose last digits differ between implementations; of the mean difference of two names.
inline constexpr double kNormTolerance = 5.1e-5, kLogitTolerance = 5e-3, kNamesTolerance = 5e-4;

struct Params {
  template <class V, class Self>
  static void fields(V&&, Self&) {}
};

struct Output : OutputBase {
  protocol::Quantity held, differ, untested, worst_logit, worst_product, cache_difference, head_error;
  protocol::Grid product_error, name_difference, greedy;
  protocol::Texts name_prompt;

  template <class V, class Self>
  static void fields(V&& v, Self& o) {
    using protocol::Out;
    v(Out{"held", "checks", "published checks that hold here"}, o.held);
    v(Out{"differ", "checks", "published checks that fail here"}, o.differ);
    v(Out{"untested", "checks", "published checks whose tensors are not loaded"}, o.untested);
    v(Out{"worst_logit", "logits", "largest difference from a published logit"}, o.worst_logit);
    v(Out{"worst_product", "fraction", "largest relative error of a matrix product"}.headline(), o.worst_product);
    v(Out{"cache_difference", "logits", "at once against token by token"}, o.cache_difference);
    v(Out{"head_error", "fraction", "largest difference of a logit from E·x, of the largest logit"}, o.head_error);
    v(Out{"name_prompt", "", "prompts with two names", {"prompt"}}.key(), o.name_prompt);
    v(Out{"name_difference", "logits", "logit of the name that is given something, less the giver's", {"prompt"}},
      o.name_difference);
    v(Out{"greedy", "", "ids that follow “The dog”", {"step"}}.setting(), o.greedy);
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
inline void declare_logits(std::vector<ClaimSpec>& claims) {
  const std::string small{kGpt2Small};
  claims.push_back({"F1", "“Today we can go to the” is continued with “ next”, and 5 logits after it.",
                    -88.45703887939453, "", small, ""});
  claims.push_back({"Orion-1", "“Hello”, and 15 logits after it.", -32.391700744628906, "", small, ""});
  claims.push_back({"Orion-2", "“The”, and 15 logits after it.", -31.863672256469727, "", small, ""});
  claims.push_back({"Orion-3", "“Hello, world”, and 15 logits after it.", -78.77538299560547, "", small, ""});
  claims.push_back({"Orion-4", "“The quick brown fox”, and 15 logits after it.", -82.75748443603516, "", small, ""});
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

inline void declare_texts(std::vector<ClaimSpec>& claims) {
  const std::string small{kGpt2Small}, nats = "nats per predicted token";
  claims.push_back({"TL-hello", "“Hello world!” with BOS costs 5.33186 nats per predicted token.", 5.331855773925781,
                    nats, small, ""});
  claims.push_back({"TL-tasks", "The first sentence of the GPT-2 paper's abstract with BOS costs 3.999 nats per token.",
                    3.999, nats, small, ""});
  claims.push_back(
      {"TL-tasks-0.8",
       "The same sentence costs 4.117 nats per token where hook_v of head 0.8 is set to zero, on weights as "
       "they are stored.",
       4.117, nats, small, ""});
  claims.push_back(
      {"TL-names",
       "In eight prompts with two names the logit of the name that is given something is larger by 3.5519, "
       "on average.",
       3.5519, "logits", small, ""});
  claims.push_back(
      {"HF-greedy",
       "“The dog” is continued greedily with “ was found in a field near the intersection of West and West "
       "Streets.” and two tokens of a new paragraph: 18 tokens.",
       kGreedy, "tokens", small, ""});
}

inline std::vector<ClaimSpec> declared_claims() {
  std::vector<ClaimSpec> claims;
  declare_norms(claims, "F9-wpe", "position embeddings", 3.3901, 0.2620, 9.8756, 0.1179);
  declare_norms(claims, "F9-wte", "token embeddings", 3.9585, 0.4337, 6.3155, 2.4537);
  declare_logits(claims);
  declare_texts(claims);
  claims.push_back({"F3",
                    "The logits are the token embeddings E times the last row x of the residual stream after ln_f, and "
                    "their softmax sums to 1.",
                    1, "probability", "", kAnyModel});
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
  schema.title = "Engine checks";
  schema.group = "Claims";
  schema.question = "Does this engine reproduce published numbers on this machine?";
  schema.source =
      "mechramc/Orion 65372ff (MIT): logits of GPT-2 small; Dissecting the frog, 2025: logits and norms; "
      "TransformerLens, tests/acceptance/test_hooked_transformer.py and "
      "tests/integration/model_bridge/test_weight_processing.py: losses, demos/Activation_Patching_in_TL_Demo.ipynb: "
      "names; transformers, tests/models/gpt2/test_modeling_gpt2.py: greedy generation";
  schema.reads = Reads::model, schema.judges_parts = true;
  schema.claims = declared_claims();
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::verification
