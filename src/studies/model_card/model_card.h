// What a model is made of: its parameters by part, and the shape of every tensor. A. Bortolato et al., Dissecting the frog, 2025: F2.
#pragma once

#include <array>

#include "studies/study.h"

namespace helix::studies::model_card {

inline constexpr Words say{"model_card"};

struct Params {
  static void fields(ParamVisitor&, Params&) {}
};

/// The parts that parameters are counted in; a bias counts with its matrix. `id` is what results call them.
struct Part {
  const char *id, *label;
  const char* go;  // link to the study that shows more of it
};
inline constexpr std::array<Part, 9> kParts{{
    {"tokens", "token embeddings (wte)", "study=token_cloud"},
    {"positions", "position embeddings (wpe)", "study=position_helix"},
    {"qkv", "queries, keys, values", "study=qk_symmetry"},
    {"output", "attention output", "study=subspace_overlap&a=o&b=wpe"},
    {"mlp_in", "MLP input", "study=subspace_capture&matrix=fc"},
    {"mlp_out", "MLP output", "study=spectrum&matrix=mlp"},
    {"norms", "LayerNorms", "study=subspace_overlap&a=q&b=wpe&gain=1"},
    {"head", "output head (lm_head)", "study=predictions"},
    {"other", "other tensors", "study=verification"},
}};

/// Listed dimensions of a tensor; no GPT-2 tensor has more.
inline constexpr std::size_t kDimensions = 4;

struct Output : OutputBase {
  protocol::Quantity parameters, embeddings, attention, mlp, norms, other, whole, masks, tensors, bytes, n_layer,
      n_head, d_model, d_mlp, n_ctx, n_vocab;
  protocol::Grid part_parameters, shapes, tensor_parameters;
  protocol::Texts part, name, stored, part_of;

  static void fields(protocol::OutputVisitor& v, Output& o) {
    using protocol::Out;
    v(Out{"parameters", "parameters"}.headline(), o.parameters);
    v(Out{"embeddings", "parameters"}, o.embeddings);
    v(Out{"attention", "parameters"}, o.attention);
    v(Out{"mlp", "parameters"}, o.mlp);
    v(Out{"norms", "parameters"}, o.norms);
    v(Out{"other", "parameters"}, o.other);
    v(Out{"whole", "parameters"}, o.whole);
    v(Out{"masks", "numbers"}, o.masks);
    v(Out{"tensors", "tensors"}, o.tensors);
    v(Out{"bytes", "bytes"}, o.bytes);
    v(Out{"n_layer", "layers"}, o.n_layer);
    v(Out{"n_head", "heads"}, o.n_head);
    v(Out{"d_model", "dimensions"}, o.d_model);
    v(Out{"d_mlp", "dimensions"}, o.d_mlp);
    v(Out{"n_ctx", "positions"}, o.n_ctx);
    v(Out{"n_vocab", "tokens"}, o.n_vocab);
    v(Out{"part_parameters", "parameters", {"part"}}, o.part_parameters);
    v(Out{"shapes", "", {"tensor", "dimension"}}, o.shapes);
    v(Out{"tensor_parameters", "parameters", {"tensor"}}, o.tensor_parameters);
    v(Out{"part", "", {"part"}}.key(), o.part);
    v(Out{"name", "", {"tensor"}}.key(), o.name);
    v(Out{"stored", "", {"tensor"}}, o.stored);
    v(Out{"part_of", "", {"tensor"}}, o.part_of);
  }
};

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "model_card";
  schema.group = "Layers", schema.reads = Reads::words;
  schema.presets = {{"default", ""}};
  schema.claims = {{"F2", 13, "points", std::string(kGpt2Small), ""}};
  schema.leads = {
      {"helix", "study=position_helix"}, {"cloud", "study=token_cloud"}, {"spectrum", "study=spectrum&matrix=q"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::model_card
