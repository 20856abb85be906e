// One run of the page: the question, the jobs that compute it, and what has come of them. The page has four: the shown
// run, the other side of a comparison, the run of the text, and that of the text without the edits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protocol/messages.h"
#include "state/app_state.h"

namespace helix::app {

/// How far the newest job has come.
struct Progress {
  std::string phase{};
  double done = 0, total = 0;
};

class RunSlot {
 public:
  /// In the engine a newer run replaces an older one of the same slot, and of no other.
  explicit RunSlot(std::string name) : name_(std::move(name)) {}
  const std::string& name() const { return name_; }

  // ---- the question
  /// What is to be computed; nothing: the slot is empty.
  const std::optional<state::AppState>& asked() const { return asked_; }
  /// `due`: what was asked before would give other numbers.
  void ask(state::AppState question, bool due, double now);
  /// When the newest question that was due was asked.
  double asked_at() const { return asked_at_; }
  /// A question has not been sent yet.
  bool pending() const { return pending_; }
  /// Whether a newer question may be sent now. While dragging, the newest question wins: it ends the run of an older
  /// one, unless that is nearly done, or the picture would stand still for too long.
  bool may_start(double now) const;
  protocol::Run start(std::uint32_t job, double now);
  /// Empties the slot. As in stop(): the job to cancel, or 0.
  std::uint32_t clear();
  /// Nothing more is awaited; what has arrived stays. Returns the job to cancel; 0: none runs.
  std::uint32_t stop();
  /// The engine that ran its jobs is gone.
  void lose();

  // ---- replies
  std::uint32_t job() const { return job_; }
  /// Takes a result; false: it is of a question that no longer matters. An error: what came is no result.
  Expected<bool> take(const protocol::Finished& finished, double now, bool newest_only);
  void fail(std::string sentence, double now);
  void set_progress(Progress progress) { progress_ = std::move(progress); }
  const Progress& progress() const { return progress_; }

  /// The newest job has an answer, be it a first picture or a failure.
  bool answered() const { return answered_ == job_; }
  /// The newest job has ended: nothing more comes of it.
  bool settled() const { return settled_ == job_; }
  bool busy() const { return pending_ || !settled(); }
  bool failed() const { return answered() && !problem_.empty(); }
  /// Why there is no newer result: a sentence.
  const std::string& problem() const { return problem_; }
  void set_problem(std::string sentence) { problem_ = std::move(sentence); }

  // ---- results
  /// A result newer than the shown one; it is held until show().
  bool has_arrived() const { return arrived_.has_value(); }
  void show();
  void hide() { arrived_.reset(), shown_.reset(); }
  bool has_shown() const { return shown_.has_value(); }
  /// An empty result until one is shown.
  const protocol::Result& shown() const;
  /// The question that the shown result answers, which may be older than `asked`. Only if one is shown.
  const state::AppState& answers() const { return shown_->question; }
  /// The shown result was stopped before its end, or is older than what was stopped.
  void add_note(std::string sentence);

 private:
  struct Sent {
    std::uint32_t job = 0;
    state::AppState question;
    double at = 0;
  };
  struct Answer {
    state::AppState question;
    protocol::Result result;
  };

  std::string name_;
  std::optional<state::AppState> asked_;
  double asked_at_ = 0;
  bool pending_ = false;
  std::uint32_t job_ = 0, answered_ = 0, settled_ = 0;
  std::uint32_t ignored_ = 0;  // results of this job and of older ones do not matter any more
  std::vector<Sent> sent_;     // without an answer so far, oldest first
  double answered_at_ = 0;
  double took_ = 0;  // milliseconds from a question to its answer, the last time; 0: not known for such a question
  Progress progress_;
  std::string problem_;
  std::optional<Answer> arrived_, shown_;
};

}  // namespace helix::app
