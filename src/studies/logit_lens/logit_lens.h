// The logit lens: each layer's residual stream read out as if it were the last. Claim F20.
#pragma once

#include "studies/study.h"

namespace helix::studies::logit_lens {

/// In the order of model::FinalNorm.
enum class Norm { once, none, twice, frozen };

struct Params {
  Norm norm = Norm::once;
  int position = -1;

  template <class V, class Self>
  static void fields(V&& v, Self& p) {
    v(Field{"norm", "Normalized",
            "What stands between the residual stream and the output head. Once: ln_f, as at the end of the model. "
            "Twice: "
            "ln_f of ln_f, as when code takes hidden states for unnormalized that are not. Frozen: each row less its "
            "own "
            "mean, divided by the scale that ln_f has at the end of the pass."},
      p.norm,
      OneOf{{{"once", "ln_f once"}, {"none", "not at all"}, {"twice", "ln_f twice"}, {"frozen", "frozen scale"}}});
    v(Field{"position", "After position", "The token whose layers are drawn as a curve; −1: the last one.", "position"},
      p.position, Whole{-1, 65535, Bound::last_position});
  }
};

struct Output : OutputBase {
  protocol::Quantity entropy_nats, entropy_bits, mean_entropy_nats, mean_entropy_bits, from_layer, position;
  protocol::Grid entropy, top, probability;
  protocol::Texts text;

  std::size_t layers() const { return entropy.rows(); }
  std::size_t positions() const { return entropy.shape.size() == 2 ? entropy.cols() : 0; }
  std::size_t cell(std::size_t layer, std::size_t at) const { return layer * positions() + at; }

  template <class V, class Self>
  static void fields(V&& v, Self& o) {
    using protocol::Out;
    v(Out{"entropy_nats", "nats", "entropy after the last layer"}, o.entropy_nats);
    v(Out{"entropy_bits", "bits", "entropy after the last layer"}.headline(), o.entropy_bits);
    v(Out{"mean_entropy_nats", "nats", "mean over all positions"}, o.mean_entropy_nats);
    v(Out{"mean_entropy_bits", "bits", "the same in bits"}, o.mean_entropy_bits);
    v(Out{"from_layer", "layer", "from here on the likeliest token stays the same"}, o.from_layer);
    v(Out{"position", "position", "after the token at"}.setting(), o.position);
    v(Out{"entropy", "nats", "entropy of what the layer would predict", {"layer", "position"}}, o.entropy);
    v(Out{"top", "", "id of the likeliest token", {"layer", "position"}}.setting(), o.top);
    v(Out{"probability", "fraction", "its probability", {"layer", "position"}}, o.probability);
    v(Out{"text", "", "the likeliest token, layer by layer", {"cell"}}, o.text);
  }
};

inline constexpr const char* kEinstein = "prompt=Einstein is best known for the theory of";

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "logit_lens";
  schema.title = "Logit lens";
  schema.group = "Text";
  schema.question = "Which token would each layer predict if it were the last?";
  schema.source = "nostalgebraist, interpreting GPT: the logit lens, 2020; F. Bezzi, Dissecting the frog, 2025";
  schema.reads = Reads::forward;
  schema.presets = {
      {"default", "The prompt, layer by layer", "as the model ends: ln_f, then the output head", ""},
      {"none", "Without ln_f", "the output head reads the residual stream as it is", "norm=none"},
      {"frozen", "With a frozen scale", "all layers divided by one number, so that they can be compared",
       "norm=frozen"},
      {"einstein", "“… the theory of”", "the slides' example; its entropies need GPT-2 small", kEinstein}};
  const char* settings = "norm=once|none|twice|frozen";
  schema.claims = {
      {"F20",
       "After “Einstein is best known for the theory of”, the entropy of layer 12 at the last token is 2.5861.",
       2.5861,
       "nats or bits",
       std::string(kGpt2Small),
       kEinstein,
       {settings, "entropy_nats|entropy_bits", 0.00005}},
      {"F20-mean",
       "After “Einstein is best known for the theory of”, the entropy of layer 12 is 5.3889 on average.",
       5.3889,
       "nats or bits",
       std::string(kGpt2Small),
       kEinstein,
       {settings, "mean_entropy_nats|mean_entropy_bits", 0.00005}}};
  schema.leads = {
      {"predictions", "See the whole prediction", "What the last layer predicts, with probabilities",
       "study=predictions"},
      {"attention", "See where it comes from", "What each head looks at, layer by layer", "study=attention"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::logit_lens
