// What really happens without a head: the text runs again with the edit that removes it, and the lead is taken anew.
#pragma once

#include <string>
#include <vector>

#include "studies/head_sources/lead.h"

namespace helix::studies::head_sources {

/// What is explained: whose score, of which keys. Outlives the tasks that it is handed to.
struct Question {
  std::size_t layer = 0, head = 0, heads = 0;
  Through through = Through::keys;
  Targets targets;
  Matrix<double> pull;  // on the rows that are taken apart
  double lead = 0;

  std::size_t tokens() const { return targets.size(); }
  model::HookKind rows() const { return through == Through::keys ? model::HookKind::k : model::HookKind::q; }
};

/// The head's part of queries or keys, [position, d_head].
Matrix<double> head_part(const model::Capture& kept, std::size_t head);
/// A tap that keeps a head's pattern in a matrix of [query, key]; the matrix outlives the pass.
model::Tap keep_pattern(std::size_t layer, std::size_t head, Matrix<double>* into);

/// What the lead loses without each earlier head and each other part, and the attention that is left; NaN for a part that no
/// edit removes.
struct Removed {
  std::vector<double> heads, attention, parts;
  std::size_t bytes() const { return 8 * (heads.size() + attention.size() + parts.size()); }
};
/// `edits`: of each other part; empty: none.
Task<Expected<Removed>> remove_each(Context* context, const Question* question, std::vector<std::string> edits);

}  // namespace helix::studies::head_sources
