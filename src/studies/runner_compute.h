// Runs texts through the model for a study: one or many, with edits of the study's own, and returns what was asked to be
// kept of each pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/capture.h"
#include "model/forward.h"
#include "model/unembed.h"
#include "studies/prompt_compute.h"

namespace helix::studies {

/// What is wanted of a pass.
struct Wanted {
  std::vector<model::Hook> hooks{};                   // kept whole
  std::vector<model::Tap> taps{};                     // besides: read as they pass by
  std::vector<std::size_t> logits_at{};               // positions, ascending
  std::size_t layers = static_cast<std::size_t>(-1);  // only the first so many
  /// No later pass continues from this one: texts of a batch, edits of a study's own. What is kept of the prompt stays, and
  /// of this pass only the layer that runs takes memory.
  bool once = false;
};

/// What is wanted of a text's loss.
struct WantedLoss {
  std::vector<model::Tap> taps{};  // read what passes by
  std::size_t first = 0;           // of what is predicted from this position on
  bool once = false;               // as in Wanted
  bool next = false;               // the logits after the last token too
};

/// One pass.
struct Ran {
  std::vector<model::Capture> kept;  // in the order of the hooks
  Matrix<float> logits;              // [logits_at, n_vocab]
};

/// How well a text is predicted; entry i is about token first + i + 1.
struct TextLoss {
  std::vector<double> log_probability;  // ln p of the token that is there
  std::vector<float> next{};            // [n_vocab] logits after the last token, if wanted
  double mean() const;                  // −mean, in nats: the loss; NaN for a single token
};

class Runner {
 public:
  explicit Runner(Inputs inputs) : inputs_(std::move(inputs)) {}

  /// The run's own text and edits, then the other texts of a batch. An error says that this model cannot run.
  std::vector<Subject> subjects() const;

  /// A text ready to run, with the run's own edits or others. Texts other than the run's own need all word embeddings:
  /// studies of them read Reads::forward or Reads::model. `logits`: the output head will be used.
  Task<Expected<Ready>> prepare(bool logits = true) { return prepare(inputs_.subject, logits); }
  Task<Expected<Ready>> prepare(Subject subject, bool logits = true);

  /// Runs a prepared text. Passes over one text with different edits continue from what they share.
  Task<Expected<Ran>> run(const Ready& text, Wanted wanted) {
    return run(text.prompt.ids, text.edits, std::move(wanted));
  }
  Task<Expected<Ran>> run(std::vector<std::int32_t> ids, model::Interventions edits, Wanted wanted);

  /// The loss of a text, token by token, without keeping [position, n_vocab] logits.
  Task<Expected<TextLoss>> loss(Ready text) { return loss(std::move(text), WantedLoss()); }
  Task<Expected<TextLoss>> loss(Ready text, WantedLoss wanted);

  /// How far an edited run's predictions are from those of another run of the same tokens: KL(p ‖ q) in nats at each
  /// position.
  Task<Expected<std::vector<double>>> divergence(Ready p, Ready q);

 private:
  Task<Expected<Matrix<float>>> last_rows(Ready text, std::vector<model::Tap> taps, bool once);

  Inputs inputs_;
};

/// Windows of a long text: `size` tokens each, beginning `step` apart; the last one ends with the text.
std::vector<std::vector<std::int32_t>> windows(const std::vector<std::int32_t>& ids, std::size_t size,
                                               std::size_t step);

}  // namespace helix::studies
