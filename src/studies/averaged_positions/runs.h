// The texts that run, and what a set of edits does to them.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "studies/averaged_positions/averaged_positions.h"
#include "studies/context_compute.h"

namespace helix::studies::averaged_positions {

using Ids = std::vector<std::int32_t>;

struct Texts {
  std::vector<Ids> windows;
  Ids twice;  // random tokens, read twice; empty: too few fit
  Ids prompt;
  std::size_t copied = 0;               // of `twice`, without BOS
  std::size_t first_query = 0;          // of the part of a pattern that is kept
  std::string of;                       // "the start of …"
  std::vector<protocol::Token> tokens;  // of the prompt
  std::vector<std::string> notes;

  std::size_t longest() const { return windows.front().size(); }
  std::size_t crop() const { return std::min(kCrop, longest() - first_query); }
};

/// Each window and the repeated tokens begin with BOS where the prompt does.
Task<Expected<Texts>> texts_of(Params params, Context* context);

/// What is done to all texts in addition to the visitor's own edits.
struct Condition {
  std::string edit;       // empty: nothing
  std::size_t every = 1;  // attention is counted apart for queries at multiples of this
  /// Not 0: nothing is predicted; so many layers of the first window run, and only the last one's attention is looked at.
  std::size_t layers = 0;
  bool once = true;  // no other condition continues from the layers of its runs (of windows, the first one's)

  bool predicts() const { return layers == 0; }
};

struct Seen {
  std::vector<std::vector<double>> loss;  // nats, [window][token], of each token but the first
  /// Mean attention to the previous token, [window][layer · head]: of all queries from 2 on, whose previous token is not the
  /// first; of those at multiples of `every`; and of the others.
  std::vector<std::vector<double>> previous, at_every, at_others;
  std::vector<float> patterns;  // [layer, head, query, key] of the part, in the first window
  double copying = std::nan("");
  std::vector<float> next;  // probabilities of the token after the prompt

  std::size_t bytes() const;
};

/// NaN of no values.
double mean(const std::vector<double>& values);

/// Runs all texts, or takes what is known of them. Both pointers outlive the task.
Task<Expected<std::shared_ptr<const Seen>>> seen_with(Context* context, const Texts* texts, Condition condition);

}  // namespace helix::studies::averaged_positions
