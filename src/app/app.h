// The page's side of the program, without a browser: one AppState, the actions that change it, the runs it asks for,
// and the figure of the newest result. The shell renders snapshots of it; the canvas draws its figure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/history.h"
#include "app/steady.h"
#include "figure/figure.h"
#include "figure/theme.h"
#include "protocol/messages.h"
#include "state/app_state.h"
#include "studies/registry_view.h"

namespace helix::app {

/// What the host (the page, or a test) does for the app.
struct Host {
  std::function<void(const protocol::Request&)> send = [](const protocol::Request&) {};
  std::function<void()> changed = [] {};             // a snapshot or a frame is due
  std::function<double()> now = [] { return 0.0; };  // milliseconds
};

/// A model the page can open, as models/index.json lists it.
struct ModelEntry {
  std::string name, sha256, config_json;
  std::uint64_t bytes = 0;
  std::vector<std::string> missing{};  // what predictions would need beyond it, as far as that is known
  std::vector<std::string> files{};    // what lies beside the weights
};

/// Whether a model has what a study of this kind reads, as far as the list tells.
bool suits(const ModelEntry& model, Reads reads);

/// While `dragging` a change is shown and run but leaves no entry in the history; `committed` makes one.
enum class Commit { dragging, committed };

class App {
 public:
  App(const std::vector<studies::ViewStudy>& studies, Host host);

  // ---- actions
  void open_link(std::string_view hash);
  /// The models there are; the first that has what the open study reads is the page's own choice. Called once at the start,
  /// and when one is added, which is then `choice`.
  void set_models(std::vector<ModelEntry> models, const std::string& choice = {});
  void choose_model(const std::string& name);
  /// A model's config.json, where it came after the list.
  void set_config(const std::string& name, const std::string& json);
  /// Another study, or the same one from its beginning.
  Expected<void> choose_study(const std::string& id);
  void set_param(const std::string& key, const std::string& text, Commit commit);
  /// Several at once, one run: a range, or a preset ("first=100&last=1023", the rest at their defaults).
  void set_params(const std::vector<std::pair<std::string, std::string>>& values, Commit commit);
  Expected<void> apply_preset(const std::string& id);
  void reset_params();
  /// What runs through the model; a text takes the place of token ids.
  void set_prompt(const std::string& text, Commit commit);
  void set_tokens(std::vector<std::int32_t> ids, Commit commit);
  void set_bos(bool on);
  void set_keep_last(bool on);
  void set_precision(Precision precision);
  void set_edits(std::vector<Edit> edits);
  void set_view(const ViewState& view, Commit commit);
  void set_theme(state::Theme theme);
  void undo();
  void redo();
  void retry();
  /// What runs ends here; what it has shown so far stays.
  void stop();
  void dismiss_failure();
  void dismiss_notices();
  /// The page's own sentence: something it could not do.
  void add_notice(std::string sentence);

  // ---- what the engine says
  void receive(const protocol::Reply& reply);
  /// The engine was replaced: everything it knew is said again.
  void engine_restarted();
  /// No engine is left: what waited fails with this sentence, and retry() starts another one.
  void engine_failed(const std::string& sentence);

  // ---- for whoever draws
  const state::AppState& state() const { return state_; }
  const StudySchema& schema() const { return study().schema; }
  const std::vector<StudySchema>& schemas() const { return schemas_; }
  const protocol::Result& result() const { return result_; }
  std::string link() const;
  /// The figure of the newest result, seen as the state says and kept steady while axes are refitted.
  const figure::Figure& figure();
  /// 0..1: how far the old picture fades while a new one is awaited; not at once, so that a drag does not flicker.
  float dim() const;
  /// Something moves by itself: another frame is due.
  bool animating() const;
  /// Until the last requested result is there and settled.
  bool busy() const;
  void set_reduced_motion(bool reduced) { steady_.reduced_motion = reduced; }

  // ---- for the snapshot
  struct Status {
    std::string phase;  // what the engine is doing
    double done = 0, total = 0;
    std::uint64_t have = 0, want = 0;  // bytes of weights
    std::optional<protocol::Failure> failure;
    std::vector<std::string> notices;
    std::optional<protocol::Opened> opened;
    std::optional<protocol::Hello> engine;
  };
  const Status& status() const { return status_; }
  const std::vector<ModelEntry>& models() const { return models_; }
  bool models_known() const { return models_known_; }
  const History& history() const { return history_; }

 private:
  const studies::ViewStudy& study() const;
  void go(state::AppState next, Commit commit);
  void adopt(state::AppState next);
  void set_subject(Subject subject, Commit commit);
  bool other_subject(const state::AppState& next) const;
  void open_model();
  bool settle_model();
  void stand_in();
  void set_values(ParamValues& values, const std::string& pairs, bool undo) const;
  void want_run(bool at_once);
  void run_now();
  void accept(const protocol::Finished& finished);
  void fail(const protocol::Failure& failure);
  void touch();

  const std::vector<studies::ViewStudy>& studies_;
  std::vector<StudySchema> schemas_;
  Host host_;
  state::AppState state_;
  History history_;
  std::vector<ModelEntry> models_;
  bool models_known_ = false, stands_in_ = false;
  bool dragged_ = false;  // a parameter has changed since the last commit
  std::string opened_model_;

  std::uint32_t last_job_ = 0, answered_job_ = 0, settled_job_ = 0;
  std::uint32_t stopped_job_ = 0;  // what is on its way of it comes too late
  bool run_pending_ = false;
  double asked_at_ = 0;
  protocol::Result result_;
  std::optional<figure::Figure> figure_;
  /// What `figure_` was made of, but for the focus.
  struct Made {
    std::string study;
    int result = 0;
    ParamValues params;
    ViewState view;
    bool operator==(const Made&) const = default;
  } made_;
  int result_number_ = 0;   // counts results
  bool stale_ = true;       // something has changed since `figure_` was made
  bool in_motion_ = false;  // `figure_` shows a moment of a turn
  Steady steady_;
  Status status_;
};

}  // namespace helix::app
