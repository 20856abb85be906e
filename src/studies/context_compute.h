// What a study is given, and the rest of what every study did for itself. A study is one function of typed values:
//
//   Task<Expected<Output>> compute(Params params, Context& context);
//   ComputeStudy compute_study() { return study_of<describe, compute>(needs); }
//
// The wrapper reads the parameters, writes the result with its provenance and notes, and judges the claims whose rule is
// a comparison with a stated number.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "geometry/singular.h"
#include "studies/judge_compute.h"
#include "studies/matrices_compute.h"
#include "studies/position_fields.h"
#include "studies/registry_compute.h"
#include "studies/runner_compute.h"

namespace helix::studies {

/// A tensor's rows, read a block at a time; hashed, and named in the provenance.
struct Table {
  geometry::RowBlocks blocks;
  std::string precision, sha256;

  std::size_t rows() const { return blocks.rows; }
  std::size_t cols() const { return blocks.cols; }
};

/// One head's matrices as they multiply rows of the normalized residual stream from the right, and ln_1 before them.
struct HeadWeights {
  std::size_t layer = 0, head = 0;
  Matrix<double> q, k, v;                      // [d_model, d_head]
  Matrix<double> o;                            // [d_head, d_model]
  std::vector<double> q_bias, k_bias, v_bias;  // [d_head]
  std::vector<double> o_bias;                  // [d_model], shared by the layer's heads
  std::vector<double> gain, shift;             // [d_model] of ln_1
};
/// "h.3.ln_1.weight"
std::string in_layer(std::size_t layer, const char* name);
/// The tensors that a head is made from, and what a table of positions takes, for a study's needs.
std::vector<std::string> head_tensors(std::size_t layer);
std::vector<ModelNeeds> needs_of(PositionSource source);

class Context {
 public:
  Context(const StudySchema& schema, ParamValues values, Inputs inputs);

  /// All of a tensor's rows; `what` they are, in the sentence for a visitor who has no model open ("word embeddings").
  Task<Expected<Table>> table(std::string tensor, std::string what);
  /// One row of a table.
  Expected<std::vector<double>> row(const std::string& tensor, std::size_t index, const std::string& what);
  /// The table of positions, [position, d_model]: the model's, or the sinusoidal encoding. An error is one sentence: no
  /// model is open, the model has no such table, a shape is wrong.
  Task<Expected<Matrix<double>>> positions(PositionSource source, double base);
  Task<Expected<HeadWeights>> head(std::size_t layer, std::size_t head);
  /// A tensor as floats, a vector as one row; it enters the provenance once.
  Task<Expected<Matrix<float>>> whole(std::string tensor);
  /// The singular directions of a matrix; its tensors enter the provenance once.
  Task<Expected<Directions>> directions(MatrixChoice choice);
  /// Names tensors that a study reads by other means in the provenance, once each; the precision is that of the first.
  Task<Expected<void>> reads(std::vector<std::string> tensors);
  /// Heads of a layer of the open model.
  Expected<std::size_t> heads() const;
  /// What was read so far, for what only one study has to say about it.
  protocol::Provenance& origin() { return read_; }
  /// For numbers that no model has a part in.
  void without_model();
  /// Claims are judged by the study alone: not by their declarations, at settings where it says nothing about them.
  void judges_itself() { judges_itself_ = true; }

  /// What was made before of the open model under this key, or what `make()` makes now: a Task<Expected<T>>.
  template <class T, class Make>
  Task<Expected<std::shared_ptr<const T>>> cached(std::string key, Make make) {
    return cached_of<T>(inputs_.weights, std::move(key), std::move(make));
  }
  /// The same of what its network computes, in the precision that it has.
  template <class T, class Make>
  Task<Expected<std::shared_ptr<const T>>> cached_run(std::string key, Make make) {
    runs_ = true;
    return cached_of<T>(inputs_.network, std::move(key), std::move(make));
  }
  /// The same of what belongs to something else: to another model's file, or, without an owner, to nothing that closes.
  template <class T, class Make>
  Task<Expected<std::shared_ptr<const T>>> cached_of(Store::Owner owner, std::string key, Make make) {
    return Store::cached<T>(inputs_.store, std::move(owner), schema_.id + " " + std::move(key), std::move(make));
  }
  /// Both halves of it apart: what is known, or null; and what is kept from now on.
  template <class T>
  std::shared_ptr<const T> known(const Store::Owner& owner, const std::string& key) const {
    return inputs_.store->find<T>(owner, schema_.id + " " + key);
  }
  template <class T>
  void keep(const Store::Owner& owner, const std::string& key, T value) {
    inputs_.store->keep<T>(owner, schema_.id + " " + key, std::make_shared<const T>(std::move(value)));
  }

  /// Runs text; the result then names the network's precision and arithmetic.
  Runner& runner();
  /// A sentence about what was done differently from what was asked.
  void note(std::string sentence) { notes_.push_back(std::move(sentence)); }
  void notes(const std::vector<std::string>& sentences) {
    notes_.insert(notes_.end(), sentences.begin(), sentences.end());
  }
  /// What every result of a text says: its tokens, its edits, its notes and convention.
  template <class Output>
  void describe_text(const Ready& text, Output& out) {
    out.convention = text.convention, out.tokens = text.prompt.tokens, out.edits = text.specs;
    notes(text.prompt.notes);
  }

  const ModelSize& size() const { return size_; }
  const Inputs& inputs() const { return inputs_; }

  /// Shows a first picture, of which the exact result follows.
  template <class Output>
  void first_picture(Output out) {
    out.complete = false;
    inputs_.on_first_picture(result(out));
  }
  template <class Output>
  protocol::Result result(const Output& out) const {
    protocol::Result made = to_result(schema_, values_, provenance(), out);
    made.notes.insert(made.notes.begin(), notes_.begin(), notes_.end());
    if (!judges_itself_) judge_stated(schema_, inputs_.subject, made);
    return made;
  }

 private:
  Expected<checkpoint::TensorView> tensor_of(const std::string& tensor, const std::string& what) const;
  protocol::Provenance provenance() const;

  const StudySchema& schema_;
  ParamValues values_;
  Inputs inputs_;
  ModelSize size_;
  protocol::Provenance read_;  // what was read of the weights
  bool runs_ = false, judges_itself_ = false;
  Runner runner_;
  std::vector<std::string> notes_;
};

namespace detail {
template <class T>
struct ComputeTypes;
template <class P, class O>
struct ComputeTypes<Task<Expected<O>> (*)(P, Context&)> {
  using Params = P;
  using Output = O;
};

template <auto kDescribe, auto kCompute>
Task<Expected<protocol::Result>> run_typed(ParamValues values, Inputs inputs) {
  using Types = ComputeTypes<decltype(kCompute)>;
  static const StudySchema schema = kDescribe();
  Context context(schema, values, std::move(inputs));
  auto out = co_await kCompute(read_params<typename Types::Params>(values), context);
  if (!out) co_return out.error();
  co_return context.result(*out);
}
}  // namespace detail

inline std::vector<ModelNeeds> no_needs(const ParamValues&, const Known&) { return {}; }

/// The study whose texts are `describe()` and whose numbers are `compute(params, context)`.
template <auto kDescribe, auto kCompute>
ComputeStudy study_of(std::vector<ModelNeeds> (*needs)(const ParamValues&, const Known&) = no_needs) {
  return {kDescribe(), needs, detail::run_typed<kDescribe, kCompute>};
}

}  // namespace helix::studies
