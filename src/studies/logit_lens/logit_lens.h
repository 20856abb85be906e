// The logit lens: each layer's residual stream read out as if it were the last. Claim F20.
#pragma once

#include "studies/study.h"

namespace helix::studies::logit_lens {

inline constexpr Words say{"logit_lens"};

/// In the order of model::FinalNorm.
enum class Norm { once, none, twice, frozen };

struct Params {
  Norm norm = Norm::once;
  int position = -1;

  static void fields(ParamVisitor& v, Params& p) {
    v(Field{"norm"}, p.norm, OneOf{{"once", "none", "twice", "frozen"}});
    v(Field{"position", "position"}, p.position, Whole{-1, 65535, Bound::last_position});
  }
};

struct Output : OutputBase {
  protocol::Quantity entropy_nats, entropy_bits, mean_entropy_nats, mean_entropy_bits, from_layer, position;
  protocol::Grid entropy, top, probability;
  protocol::Texts text;

  std::size_t layers() const { return entropy.rows(); }
  std::size_t positions() const { return entropy.shape.size() == 2 ? entropy.cols() : 0; }
  std::size_t cell(std::size_t layer, std::size_t at) const { return layer * positions() + at; }

  static void fields(protocol::OutputVisitor& v, Output& o) {
    using protocol::Out;
    v(Out{"entropy_nats", "nats"}, o.entropy_nats);
    v(Out{"entropy_bits", "bits"}.headline(), o.entropy_bits);
    v(Out{"mean_entropy_nats", "nats"}, o.mean_entropy_nats);
    v(Out{"mean_entropy_bits", "bits"}, o.mean_entropy_bits);
    v(Out{"from_layer", "layer"}, o.from_layer);
    v(Out{"position", "position"}.setting(), o.position);
    v(Out{"entropy", "nats", {"layer", "position"}}, o.entropy);
    v(Out{"top", "", {"layer", "position"}}.setting(), o.top);
    v(Out{"probability", "fraction", {"layer", "position"}}, o.probability);
    v(Out{"text", "", {"cell"}}, o.text);
  }
};

inline constexpr const char* kEinstein = "prompt=Einstein is best known for the theory of";

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "logit_lens";
  schema.group = "Text";
  schema.reads = Reads::forward;
  schema.presets = {{"default", ""}, {"none", "norm=none"}, {"frozen", "norm=frozen"}, {"einstein", kEinstein}};
  const char* settings = "norm=once|none|twice|frozen";
  schema.claims = {{"F20",
                    2.5861,
                    "nats or bits",
                    std::string(kGpt2Small),
                    kEinstein,
                    {settings, "entropy_nats|entropy_bits", 0.00005}},
                   {"F20-mean",
                    5.3889,
                    "nats or bits",
                    std::string(kGpt2Small),
                    kEinstein,
                    {settings, "mean_entropy_nats|mean_entropy_bits", 0.00005}}};
  schema.leads = {{"predictions", "study=predictions"}, {"attention", "study=attention"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::logit_lens
