// Runs jobs for the page: one at a time, in short steps, the newest of a slot first. Independent of the browser:
// messages go in and out as text, with bytes beside them, and the clock is passed in.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "engine/source.h"
#include "kernels/threads.h"
#include "protocol/messages.h"
#include "studies/registry_compute.h"

namespace helix::engine {

struct Outgoing {
  std::string text;
  std::vector<double> data;  // of a result
};

class Engine {
 public:
  /// The largest result. The page's module has a gigabyte, and holds the numbers several times: as they came, in a
  /// figure, in a comparison.
  static constexpr std::size_t kMostNumbers = 10'000'000;

  /// `now`: milliseconds, from any start. Says hello at once.
  Engine(const std::vector<studies::ComputeStudy>& studies, std::function<double()> now);

  void receive(std::string_view text, std::span<const std::byte> payload = {});
  /// Sets the number of threads that networks run on from now on, this thread included; returns how many there are.
  std::size_t use_threads(std::size_t count);
  /// Works for about `budget` milliseconds; true when there is more to do at once.
  bool step(double budget);
  std::vector<Outgoing> take_outgoing() { return std::exchange(outgoing_, {}); }

 private:
  using Outcome = Expected<protocol::Result>;
  struct Running {
    protocol::Run request;
    const studies::ComputeStudy* study = nullptr;
    std::unique_ptr<Job<Outcome>> job;
    double last_progress = 0;
  };

  void handle(const protocol::Open&, std::span<const std::byte>);
  void handle(const protocol::Bytes&, std::span<const std::byte>);
  void handle(const protocol::SourceSize&, std::span<const std::byte>);
  void handle(const protocol::SourceFailed&, std::span<const std::byte>);
  void handle(const protocol::Close&, std::span<const std::byte>);
  void handle(const protocol::File&, std::span<const std::byte>);
  void handle(const protocol::Run&, std::span<const std::byte>);
  void handle(const protocol::Cancel&, std::span<const std::byte>);

  void send(const protocol::Reply& reply);
  void send_result(const protocol::Run& request, const studies::ComputeStudy& study, protocol::Result result);
  void fail(const protocol::Run& request, Error error, bool retry);
  void source_failed(Source& source, const std::string& sentence);
  void after_bytes(Source& source, bool ended = false);
  /// Sends what the header says about the model.
  void announce(Source& source);
  /// Tells the sources what a run needs of them, and the page which models it must open for that.
  void want(const protocol::Run& request);
  /// The same for all waiting runs: each header and each tokenizer tells more about what they need.
  void want_again();
  /// Asks the page for the bytes and files that are wanted of a source and were not asked for yet.
  void request_missing(Source& source, bool afresh = false);
  void request_missing_everywhere();

  /// Whether a run could start; where it never can, the sentence why.
  struct Standing {
    Readiness readiness = Readiness::ready;
    std::string sentence{};
    bool retry = false;
  };
  Standing standing(const protocol::Run& request) const;
  Standing standing(const studies::ModelNeeds& needs, const protocol::Run& request) const;
  std::vector<studies::ModelNeeds> needs_of(const protocol::Run& request) const;
  studies::ModelInputs inputs_of(const studies::ModelNeeds& needs, const protocol::Run& request) const;
  /// Ends the waiting runs that can never start; true if one of them involved this model.
  bool fail_waiting(const std::string& model);
  bool start_next();
  void start(protocol::Run request);
  void drop_slot(const std::string& slot);
  bool lacks_files(const protocol::Run& request) const;
  std::string hashes_of(const protocol::Run& request) const;
  const studies::ComputeStudy* find_study(const std::string& id) const;
  Source* find_source(const std::string& model);
  const Source* find_source(const std::string& model) const;

  const std::vector<studies::ComputeStudy>& studies_;
  std::function<double()> now_;
  std::shared_ptr<kernels::Threads> threads_ = std::make_shared<kernels::Threads>();
  std::map<std::string, Source> sources_;
  std::set<std::string> asked_;                 // models the page was asked to open, without an answer so far
  std::map<std::string, std::string> refused_;  // models the page does not have, and why
  std::shared_ptr<Store> store_ = std::make_shared<Store>();
  std::map<std::string, std::shared_ptr<std::shared_ptr<void>>> memories_;  // by study
  std::deque<protocol::Run> waiting_;
  std::unique_ptr<Running> running_;
  double deadline_ = 0;
  std::vector<Outgoing> outgoing_;
};

/// Identifies what a result was computed from: model, study and parameters; `hashes`: of the files of all its models.
std::string fingerprint_of(const protocol::Run& request, const std::string& hashes);

}  // namespace helix::engine
