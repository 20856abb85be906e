// A checkpoint made ready to run: its matrices in the kernels' order, its vectors as floats. The file's own bytes are
// released tensor by tensor, so that a whole model is not held twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/expected.h"
#include "base/subject.h"
#include "base/task.h"
#include "checkpoint/config.h"
#include "checkpoint/weights.h"
#include "kernels/kernels.h"
#include "kernels/packed.h"
#include "kernels/threads.h"
#include "model/kept.h"

namespace helix::model {

/// The number of 7-bit digits of the rows in a product with 8-bit weights. A second digit halves the speed of a product
/// and removes most of its error. Attention's products and the output head, where most of the error of a prediction
/// comes from, have two. Measured with minihelix on 12,288 tokens of held-out text, against floats: KL 0.8e-3 and the
/// same best token at 97.7 % of the positions with one digit in attention's output, 0.5e-3 and 98.3 % as chosen here,
/// 0.2e-3 and 99.0 % with two digits everywhere.
inline constexpr int kQ8Digits = 1, kQ8FineDigits = 2;

/// W [in, out] in the network's precision: only one of the two is filled.
struct Weight {
  kernels::Packed f32;
  kernels::PackedQ8 q8;
  int digits = kQ8Digits;

  std::size_t bytes() const { return f32.bytes() + q8.bytes(); }
};

/// y = x·W + b, as GPT-2's Conv1D.
struct Linear {
  Weight weight;
  std::vector<float> bias;  // [out]
};

inline Linear fine() {
  Linear linear;
  linear.weight.digits = kQ8FineDigits;
  return linear;
}

/// Gain and shift after a LayerNorm; [d_model] each.
struct Affine {
  std::vector<float> gain, shift;
};

struct Layer {
  Affine ln_1, ln_2;
  Linear c_attn = fine();  // [d_model, 3·d_model]: q, k and v side by side, heads side by side in each
  Linear c_proj = fine();  // [d_model, d_model]
  Linear c_fc;             // [d_model, d_mlp]
  Linear mlp_proj;         // [d_mlp, d_model]
};

/// What a pass needs of a model beside its layers and positions.
struct PassNeeds {
  bool logits = true;                // the output head, and with it (where they are one) all word embeddings
  std::vector<std::int32_t> tokens;  // else the rows of these; ids outside the vocabulary are ignored
};

class Network {
 public:
  /// An error where this model cannot be run: tensors it lacks (named), an unknown number of heads, another activation
  /// function. `source`: what to call it. The kernels are those active now. A file of 8-bit integers runs as it is
  /// stored, in q8, also where f32 is asked for.
  static Expected<std::shared_ptr<Network>> make(std::shared_ptr<checkpoint::WeightFile> file,
                                                 const checkpoint::Config& config, const std::string& source,
                                                 Precision precision = Precision::f32);

  /// The 8-bit form of a network in f32 (only those have one), on the same threads. It reads no file: `from` first
  /// reads what it has not read yet, and is released when this network is prepared.
  static std::shared_ptr<Network> quantised(std::shared_ptr<Network> from);

  const checkpoint::Config& config() const { return config_; }
  const kernels::Table& kernels() const { return *kernels_; }
  Precision precision() const { return precision_; }
  /// The threads of its passes: the caller's alone, unless others were given.
  kernels::Threads& threads() const { return *threads_; }
  void run_on(std::shared_ptr<kernels::Threads> threads) { threads_ = std::move(threads); }
  /// How the file stores the word embeddings (F32, F16, …), and the precision of the computation if it is another; "q8"
  /// where the file stores 8-bit integers.
  std::string precision_text() const;

  /// Tensors that prepare() has not read yet, and must find in the file …
  std::vector<std::string> unread(const PassNeeds& need = {}) const;
  /// … and rows of kEmbedding.
  std::vector<std::size_t> unread_rows(const PassNeeds& need) const;
  static constexpr std::string_view kEmbedding = "wte.weight";
  /// Reads what is needed and was not read yet; what was read stays, even if this is cancelled. An error where a tensor
  /// is missing or stored in an unknown format.
  Task<Expected<void>> prepare(PassNeeds need = {});
  /// Whether everything is read; whether any layer's matrix is.
  bool prepared() const;
  bool begun() const;

  /// Only once prepared for what is asked.
  const Layer& layer(std::size_t i) const { return layers_[i]; }
  const Affine& ln_f() const { return ln_f_; }
  /// Rows 0 .. n_ctx-1.
  MatrixView<const float> positions() const { return wpe_.view(); }
  /// Row `token` of wte: the same bits whether all rows are there or some.
  void read_embedding(std::size_t token, float* row) const;
  /// Logits are x·W of this, [d_model, n_vocab].
  const Weight& head() const { return config_.tied_head ? wte_ : lm_head_; }
  /// What was made from the weights for one run, for the next one.
  KeptMatrices& kept() { return kept_; }
  /// Memory of the weights.
  std::size_t bytes() const;

 private:
  struct Step {
    std::string tensor;
    std::function<Task<Expected<void>>(const checkpoint::TensorView&)> take;
    bool large = false;  // its bytes are released once it is packed
    bool head = false;   // only logits need it
    bool done = false;
  };

  Network(std::shared_ptr<checkpoint::WeightFile> file, checkpoint::Config config, Precision precision);
  void plan();
  void plan_copies();
  void plan_copy(Weight& into, const Weight& of);
  void plan_vector(std::string tensor, std::vector<float>& into);
  void plan_matrix(std::string tensor, Weight& into, bool transposed);
  bool needs(const Step& step, const PassNeeds& need) const {
    return !step.done && (need.logits || !step.head || from_);
  }
  bool has_all_rows() const { return wte_.bytes() > 0; }
  Task<Expected<void>> take(Step& step);
  Expected<void> take_row(std::size_t row);

  std::shared_ptr<checkpoint::WeightFile> file_;  // null where `from_` is not
  std::shared_ptr<Network> from_;
  checkpoint::Config config_;
  const kernels::Table* kernels_;
  std::shared_ptr<kernels::Threads> threads_ = std::make_shared<kernels::Threads>();
  std::string stored_;
  Precision precision_;
  std::vector<Step> steps_;
  std::vector<Layer> layers_;
  Affine ln_f_;
  Matrix<float> wpe_;                                     // [n_ctx, d_model]
  Weight wte_ = fine().weight, lm_head_ = fine().weight;  // [d_model, n_vocab]
  std::map<std::size_t, std::vector<float>> rows_;        // of wte, until all of it is there
  KeptMatrices kept_;
};

}  // namespace helix::model
