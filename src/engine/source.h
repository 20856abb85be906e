// A weights file the engine reads through the page: what is there, what was asked for, and why it failed.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/schema.h"
#include "base/subject.h"
#include "kernels/threads.h"
#include "model/emergence.h"
#include "model/network.h"
#include "model/session.h"
#include "model/tokenizer.h"
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
  bool announced = false;               // Opened was sent
  model::ByteRanges requested;          // and not here yet
  std::string failure;                  // a sentence; empty while all is well
  std::map<std::string, Beside> files;  // by name: vocab.json, merges.txt, emergence.safetensors

  std::shared_ptr<const model::Tokenizer> tokenizer;
  std::string no_tokenizer;  // why there is none, once that is known
  std::shared_ptr<const model::Emergence> training;
  std::string no_training;
  struct Network {
    std::shared_ptr<model::Network> network;
    std::shared_ptr<model::Session> session;
  };
  std::array<Network, kPrecisionNames.size()> networks;  // by precision
  std::string no_network;                                // why there can be none

  explicit Source(protocol::Open open);

  /// Missing ranges that nobody was asked for yet; they count as asked from now on.
  std::vector<ByteRange> take_unrequested();
  /// Files that are wanted and nobody was asked for yet; they count as asked from now on.
  std::vector<std::string> take_unrequested_files();
  void take_file(const std::string& name, std::string text, std::string sentence);
  /// A config.json that has come later than the weights: the model may be read otherwise now.
  void take_config(const std::string& config_json);
  /// Another try: files that could not be had are asked for again.
  void forget_failed_files();
  /// Wants the tokenizer's files; true once there is a tokenizer, or a reason why not.
  bool settle_tokenizer();
  /// The same for the record of its training.
  bool settle_training();
  /// What is computed with where `asked` is: a file of 8-bit integers runs as it is stored.
  Precision runs_in(Precision asked) const;
  const Network& network_for(Precision asked) const;
  /// Makes the network once the header is there; true once the file holds what it needs to run.
  bool settle_network(const Subject& subject, Reads reads, const std::shared_ptr<kernels::Threads>& threads);
  /// What the header says about the model.
  protocol::Opened describe() const;

 private:
  /// A prompt's tokens; none where it cannot run, or not yet.
  struct Prompt {
    Subject subject;
    std::shared_ptr<const model::Network> network;
    std::shared_ptr<const model::Tokenizer> tokenizer;
    std::string no_tokenizer;
    std::optional<std::vector<std::int32_t>> ids;
  };

  void make_network(Precision precision, const std::shared_ptr<kernels::Threads>& threads);
  /// Read once, however often it is asked for while weights arrive.
  const Prompt& prompt_of(const Subject& subject, const std::shared_ptr<model::Network>& network);

  Prompt prompt_;
};

}  // namespace helix::engine
