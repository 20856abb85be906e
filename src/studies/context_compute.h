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
/// The tensors that it is made from, for a study's needs.
std::vector<std::string> head_tensors(std::size_t layer);

class Context {
 public:
  Context(const StudySchema& schema, ParamValues values, Inputs inputs);

  /// All of a tensor's rows; `what` they are, in the sentence for a visitor who has no model open ("word embeddings").
  Task<Expected<Table>> table(std::string tensor, std::string what);
  /// One row of a table.
  Expected<std::vector<double>> row(const std::string& tensor, std::size_t index, const std::string& what);
  /// The table of positions, [position, d_model]: the model's, or the sinusoidal encoding.
  Task<Expected<Matrix<double>>> positions(PositionSource source, double base);
  Task<Expected<HeadWeights>> head(std::size_t layer, std::size_t head);
  /// A tensor as floats, a vector as one row; it enters the provenance once.
  Task<Expected<Matrix<float>>> whole(std::string tensor);
  /// Heads of a layer of the open model.
  Expected<std::size_t> heads() const;

  /// What was made before of the open model under this key, or what `make()` makes now: a Task<Expected<T>>.
  template <class T, class Make>
  Task<Expected<std::shared_ptr<const T>>> cached(std::string key, Make make) {
    return Store::cached<T>(inputs_.store, inputs_.weights, schema_.id + " " + std::move(key), std::move(make));
  }
  /// The same of what its network computes, in the precision that it has.
  template <class T, class Make>
  Task<Expected<std::shared_ptr<const T>>> cached_run(std::string key, Make make) {
    runs_ = true;
    return Store::cached<T>(inputs_.store, inputs_.network, schema_.id + " " + std::move(key), std::move(make));
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
    judge_stated(schema_, inputs_.subject, made);
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
  bool runs_ = false;
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
