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
#include "checkpoint/emergence.h"
#include "checkpoint/weights.h"
#include "kernels/threads.h"
#include "model/network.h"
#include "model/session.h"
#include "protocol/messages.h"
#include "studies/needs_compute.h"
#include "tokenizer/tokenizer.h"

namespace helix::engine {

enum class Readiness { ready, waiting, failed };

/// A file that lies beside the weights.
struct Beside {
  bool requested = false, answered = false;
  std::string text, failure;  // failure: a sentence; empty when the text is there
};

struct Source {
  protocol::Open info;
  std::shared_ptr<checkpoint::WeightFile> file;
  bool announced = false;                  // Opened was sent
  std::optional<studies::ModelSize> size;  // once the header is there
  checkpoint::ByteRanges requested;        // and not here yet
  std::string failure;                     // a sentence; empty while all is well
  std::map<std::string, Beside> files;     // by name: vocab.json, merges.txt, emergence.safetensors

  std::shared_ptr<const tokenizer::Tokenizer> tokenizer;
  std::string no_tokenizer;  // why there is none, once that is known
  std::shared_ptr<const checkpoint::Emergence> training;
  std::string no_training;
  struct Network {
    std::shared_ptr<model::Network> network;
    std::shared_ptr<model::Sessions> sessions;
  };
  std::array<Network, kPrecisionNames.size()> networks;  // by precision
  std::string no_network;                                // why there can be none

  explicit Source(protocol::Open open);

  /// Missing ranges that were not requested yet; they count as requested from now on.
  std::vector<ByteRange> take_unrequested();
  /// Wanted files that were not requested yet; they count as requested from now on.
  std::vector<std::string> take_unrequested_files();
  void take_file(const std::string& name, std::string text, std::string sentence);
  /// A config.json that arrived after the weights: it may change how the model is read.
  void take_config(const std::string& config_json);
  /// Another try: files that were unavailable are requested again.
  void forget_failed_files();
  bool has_unrequested() const;
  /// Asks for what a run needs of this model, and makes what can be made of what is there.
  void want(const studies::ModelNeeds& needs, const Subject& subject, const std::shared_ptr<kernels::Threads>& threads);
  /// Whether all that was wanted for a run is there; `failed`: it will not come. The study itself reports what a file
  /// lacks, and a tokenizer or a network that cannot be made.
  Readiness readiness(const studies::ModelNeeds& needs, const Subject& subject) const;
  /// The precision of a run that asks for `asked`: a file of 8-bit integers runs as it is stored.
  Precision runs_in(Precision asked) const;
  const Network& network_for(Precision asked) const;
  /// A subject's tokens; none if they cannot be known, or not yet.
  std::vector<std::int32_t> tokens_of(const Subject& subject) const;
  /// What the header says about the model.
  protocol::Opened describe() const;

 private:
  void want_tokenizer();
  void want_training();
  void want_network(const Subject& subject, const studies::ModelNeeds& needs,
                    const std::shared_ptr<kernels::Threads>& threads);
  bool has_tokenizer() const { return tokenizer || !no_tokenizer.empty(); }
  bool has_training() const { return training || !no_training.empty(); }
  bool has_network(const Subject& subject, const studies::ModelNeeds& needs) const;
  /// What a pass through the network needs; nothing where none can run.
  std::optional<model::PassNeeds> pass_needs(const Subject& subject, const studies::ModelNeeds& study) const;

  /// A prompt's tokens; none where it cannot run, or not yet.
  struct Prompt {
    Subject subject;
    std::size_t most = 0;
    std::shared_ptr<const tokenizer::Tokenizer> tokenizer;
    std::string no_tokenizer;
    std::optional<std::vector<std::int32_t>> ids;
    std::vector<std::int32_t> of_edits;  // what the edits run besides
  };

  void make_network(Precision precision, const std::shared_ptr<kernels::Threads>& threads);
  /// Read once, however often it is requested while weights arrive. `most`: as in studies::read_prompt.
  const Prompt& prompt_of(const Subject& subject, std::size_t most) const;

  mutable Prompt prompt_;  // the newest answer of prompt_of
};

}  // namespace helix::engine
