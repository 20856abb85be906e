// What a model is made of: its parameters by part, and the shape of every tensor. F. Bezzi, Dissecting the frog, 2025: F2.
#pragma once

#include <array>

#include "studies/study.h"

namespace helix::studies::model_card {

struct Params {
  template <class V, class Self>
  static void fields(V&&, Self&) {}
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

  template <class V, class Self>
  static void fields(V&& v, Self& o) {
    using protocol::Out;
    v(Out{"parameters", "parameters", "learned numbers in the file"}.headline(), o.parameters);
    v(Out{"embeddings", "parameters", "of tokens and positions"}, o.embeddings);
    v(Out{"attention", "parameters", "of attention, biases included"}, o.attention);
    v(Out{"mlp", "parameters", "of the MLPs, biases included"}, o.mlp);
    v(Out{"norms", "parameters", "of the LayerNorms"}, o.norms);
    v(Out{"other", "parameters", "of an output head of its own, and of tensors that GPT-2 does not have"}, o.other);
    v(Out{"whole", "parameters", "a whole GPT-2 of these sizes has"}, o.whole);
    v(Out{"masks", "numbers", "stored but not learned: causal masks and scales"}, o.masks);
    v(Out{"tensors", "tensors", "in the file"}, o.tensors);
    v(Out{"bytes", "bytes", "of all tensors"}, o.bytes);
    v(Out{"n_layer", "layers", "layers"}, o.n_layer);
    v(Out{"n_head", "heads", "heads of each layer"}, o.n_head);
    v(Out{"d_model", "dimensions", "of the residual stream"}, o.d_model);
    v(Out{"d_mlp", "dimensions", "of an MLP's hidden layer"}, o.d_mlp);
    v(Out{"n_ctx", "positions", "positions"}, o.n_ctx);
    v(Out{"n_vocab", "tokens", "tokens of the vocabulary"}, o.n_vocab);
    v(Out{"part_parameters", "parameters", "of each part", {"part"}}, o.part_parameters);
    v(Out{"shapes", "", "of each tensor", {"tensor", "dimension"}}, o.shapes);
    v(Out{"tensor_parameters", "parameters", "numbers in each tensor", {"tensor"}}, o.tensor_parameters);
    v(Out{"part", "", "the parts", {"part"}}.key(), o.part);
    v(Out{"name", "", "the tensors", {"tensor"}}.key(), o.name);
    v(Out{"stored", "", "how each tensor is stored", {"tensor"}}, o.stored);
    v(Out{"part_of", "", "the part that each tensor counts in", {"tensor"}}, o.part_of);
  }
};

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "model_card";
  schema.title = "The model's parts";
  schema.group = "Layers";
  schema.no_difference = "Two models have different parts, so their cards are read beside each other, not subtracted.";
  schema.question = "What is the model made of, and where are its parameters?";
  schema.source = "F. Bezzi, Dissecting the frog, 2025; Radford et al. 2019";
  schema.presets = {{"default", "All parts", "every tensor of the open model", ""}};
  schema.claims = {{"F2",
                    "GPT-2 small can be read at 13 points, after its embeddings and after each of 12 layers, and its "
                    "tensors have the shapes of the slides.",
                    13, "points", std::string(kGpt2Small), ""}};
  schema.leads = {{"helix", "The positions", "The smallest of the large parts, and a helix", "study=position_helix"},
                  {"cloud", "The tokens", "All of them as a cloud", "study=token_cloud"},
                  {"spectrum", "Singular values", "How many directions a matrix uses", "study=spectrum&matrix=q"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::model_card
