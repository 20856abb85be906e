// A weights file the engine reads through the page: what is there, what was asked for, and why it failed.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model/weights.h"
#include "protocol/messages.h"

namespace helix::engine {

/// A file that lies beside the weights.
struct Beside {
  bool requested = false, answered = false;
  std::string text, failure;  // failure: a sentence; empty when the text is there
};

struct Source {
  protocol::Open info;
  std::shared_ptr<model::WeightFile> file;
  bool announced = false;  // Opened was sent
  model::ByteRanges requested;
  std::string failure;                  // a sentence; empty while all is well
  std::map<std::string, Beside> files;  // by name: vocab.json, merges.txt

  explicit Source(protocol::Open open);

  /// Missing ranges that nobody was asked for yet; they count as asked from now on.
  std::vector<ByteRange> take_unrequested();
  /// What the header says about the model.
  protocol::Opened describe() const;
};

}  // namespace helix::engine
