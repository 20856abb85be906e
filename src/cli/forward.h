// What the verbs that run text share.
#pragma once

#include <vector>

#include "cli/opened.h"
#include "model/capture.h"

namespace helix::cli {

/// A prompt that ran: its tokens and edits, and logits [asked positions, n_vocab].
struct Ran {
  Opened opened;
  helix::studies::Ready ready;
  Matrix<float> logits;
};

enum class Logits { none, last, all };

/// Opens the model of the options, runs their subject, and lets `hooks` be captured on the way.
Expected<Ran> run_forward(const Options& options, Logits logits, const std::vector<std::string>& hooks = {},
                          std::vector<model::Capture>* captured = nullptr);

}  // namespace helix::cli
