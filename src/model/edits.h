// Edits (base/edit_forms) that have been read, checked against a model and turned into what a forward pass does
// differently. What each kind does is in model/edits/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/edit_forms.h"
#include "base/expected.h"
#include "base/task.h"
#include "checkpoint/config.h"
#include "model/forward.h"
#include "model/network.h"

namespace helix::model {

/// Edits with their texts, in the order in which they act.
using Edits = std::vector<std::pair<std::string, ParsedEdit>>;

/// The run on the other side of a comparison. `key`: two with equal keys have the same values at every hook.
struct OtherRun {
  std::vector<std::int32_t> tokens;
  Interventions edits;
  std::string key;
};

/// What an edit may need to know of the text besides its length.
struct EditedText {
  std::vector<std::int32_t> tokens;    // as they will run
  std::optional<std::int32_t> bos;     // <|endoftext|>, if the vocabulary is known and has it
  std::optional<std::int32_t> filler;  // the token that stands for any token: the first of “hello”
  std::optional<OtherRun> other{};     // for edits that take values from it
};

/// An error names an edit that does not fit the model or a prompt of `n_tokens`.
Expected<void> check_edits(const Edits& edits, const checkpoint::Config& config, std::size_t n_tokens);

/// Which of the edits change nothing in a pass of `n_tokens`, a sentence each.
std::vector<std::string> idle_notes(const Edits& edits, const checkpoint::Config& config, std::size_t n_tokens);

/// Tokens whose embeddings these edits need besides those of the text.
std::vector<std::int32_t> tokens_of_edits(const Edits& edits, const EditedText& text);

/// What a pass of edits that fit does differently. The network's layers and positions have been read, and the embeddings
/// of `tokens_of_edits`. An error says what an edit lacks.
Task<Expected<Interventions>> interventions(std::shared_ptr<Network> network, Edits edits, EditedText text);

/// wpe [position, d_model] after those of the edits that change it, in order; null when none does. Computed in double,
/// and kept in the network by the texts of those edits.
Task<std::shared_ptr<const Matrix<float>>> edited_positions(std::shared_ptr<Network> network, Edits edits);

}  // namespace helix::model
