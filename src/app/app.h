// The page's side of the program, without a browser: one AppState, the actions that change it, the runs they need,
// and the figure of the newest result. The shell renders snapshots of it; the canvas draws its figure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/against.h"
#include "app/history.h"
#include "app/made_of.h"
#include "app/model_entry.h"
#include "app/status.h"
#include "app/steady.h"
#include "app/text_run.h"
#include "base/edit_forms.h"
#include "figure/figure.h"
#include "figure/theme.h"
#include "protocol/messages.h"
#include "state/app_state.h"
#include "studies/registry_view.h"

namespace helix::app {

/// What the host (the page, or a test) does for the app.
struct Host {
  std::function<void(const protocol::Request&)> send = [](const protocol::Request&) {};
  std::function<void()> changed = [] {};             // a snapshot and a frame are due
  std::function<double()> now = [] { return 0.0; };  // milliseconds
  std::function<void()> progressed = [] {};          // a snapshot is due: nothing on the canvas has changed
};

/// While `dragging`, a change is shown and run but adds no history entry; `committed` adds one.
enum class Commit { dragging, committed };

class App {
 public:
  App(const std::vector<studies::ViewStudy>& studies, Host host);

  // ---- actions
  void open_link(std::string_view hash);
  /// The available models; the default is the first that has what the open study reads. Called once at the start, and
  /// when a model is added, which is then `choice`.
  void set_models(std::vector<ModelEntry> models, const std::string& choice = {});
  void choose_model(const std::string& name);
  /// Adds a model that a run asked for to the list; the open model stays as it is.
  void add_model(ModelEntry model);
  /// A model that a run asked for cannot be loaded; `sentence` says why.
  void refuse_model(const std::string& name, const std::string& sentence);
  void set_config(const std::string& name, const std::string& json);
  Expected<void> choose_study(const std::string& id);
  void set_param(const std::string& key, const std::string& text, Commit commit);
  /// Sets several parameters with one run, for example both ends of a range.
  void set_params(const std::vector<std::pair<std::string, std::string>>& values, Commit commit);
  Expected<void> apply_preset(const std::string& id);
  /// The preset that gives the current state; empty: none does.
  std::string current_preset() const;
  /// Opens a declared claim where it is judged, in whichever study that is.
  Expected<void> show_claim(std::string_view id);
  /// Applies a part of a link (state/fragment) to the current state: used by presets, table rows and clicks.
  Expected<void> go_to(std::string_view fragment);
  void reset_params();
  /// `against`: a part of a link, applied to the state. If it cannot be read, returns an error and changes nothing.
  Expected<void> set_compare(state::Compare compare, const std::string& against);
  /// Sets the prompt; a text replaces token ids.
  void set_prompt(const std::string& text, Commit commit);
  void set_tokens(std::vector<std::int32_t> ids, Commit commit);
  void append_token(std::int32_t id, const std::string& bytes);
  void set_bos(bool on);
  void set_keep_last(bool on);
  void set_precision(Precision precision);
  void set_edits(std::vector<Edit> edits, Commit commit = Commit::committed);
  void set_view(const ViewState& view, Commit commit);
  void set_theme(state::Theme theme);
  void undo();
  void redo();
  void retry();
  void predict_text();
  /// Cancels what runs; what it has shown so far stays.
  void stop();
  void dismiss_failure();
  void dismiss_notices();
  /// Adds a notice from the page itself: something it could not do.
  void add_notice(std::string sentence);
  // ---- replies of the engine
  void receive(const protocol::Reply& reply);
  /// The engine was replaced: everything it knew is sent again.
  void engine_restarted();
  /// No engine is left: pending runs fail with this sentence, and retry() starts a new engine.
  void engine_failed(const std::string& sentence);
  // ---- for drawing
  const state::AppState& state() const { return state_; }
  const StudySchema& schema() const { return study().schema; }
  const std::vector<StudySchema>& schemas() const { return schemas_; }
  /// The result that is shown: of the main state, of the one it is compared with, or their difference.
  const protocol::Result& result() const;
  /// result(), with the arrays of both sides if two are shown side by side.
  protocol::Result exported() const;
  const Against& against() const { return against_; }
  /// The limits for edits: those of the open model, and the tokens of the newest result.
  EditRoom edit_room() const;
  std::string link() const;
  const figure::Figure& figure();
  figure::Reading reading() const;
  /// 0..1: how far the old picture fades while a new one is awaited; a drag does not flicker.
  float dim() const;
  /// Something is animated: another frame is due.
  bool animating() const;
  /// True until the last requested result has arrived and settled.
  bool busy() const;
  bool reduced_motion() const { return steady_.reduced_motion; }
  void set_reduced_motion(bool reduced) { steady_.reduced_motion = reduced; }
  TextShown text_shown() const;
  using Status = app::Status;
  const Status& status() const { return status_; }
  const std::vector<ModelEntry>& models() const { return models_; }
  bool models_known() const { return models_known_; }
  /// The requested model, if it lacks what the open study reads and another one stands in; nullptr otherwise.
  const ModelEntry* unsuited_model() const;
  const History& history() const { return history_; }

 private:
  const studies::ViewStudy& study() const { return study_of(state_); }
  const studies::ViewStudy& study_of(const state::AppState& state) const;
  void go(state::AppState next, Commit commit);
  void adopt(state::AppState next);
  void set_subject(Subject subject, Commit commit);
  bool same_run(const state::AppState& a, const state::AppState& b) const;
  const ModelEntry* listed(std::string_view name) const;
  std::string model_for(const std::string& wish, Reads reads) const;
  std::string other_model(const std::string& wish, Reads reads) const;
  void open_model();
  bool settle_model();
  void stand_in();
  Expected<void> go_to(state::AppState from, std::string_view fragment);
  Expected<void> go_afresh(const StudySchema& schema, std::string_view fragment);
  void want_run(bool at_once);
  void mark_run();
  void launch(bool at_once);
  void run_now();
  void hear_need(const protocol::Need& need);
  void find_model(const std::string& name);
  void accept(const protocol::Finished& finished);
  void follow();
  bool accept_main(const protocol::Finished& finished);
  std::optional<state::AppState> text_state() const;
  void settle_text();
  void settle_text(TextSide& side, std::optional<state::AppState> asked);
  void launch_text();
  void take_text(TextSide& side, const protocol::Finished& finished);
  void stop_text();
  bool receive_progress(const protocol::Reply& reply);
  bool receive_text(const protocol::Reply& reply);
  void put_text_on(figure::Figure& figure) const;
  bool other_alone() const;
  bool comparing() const { return state_.compare != state::Compare::none; }
  bool fresh() const;
  void settle_against();
  void end_against();
  void run_other();
  bool accept_other(const protocol::Finished& finished);
  void other_failed(const std::string& sentence);
  void stop_other();
  bool show_arrived();
  void take_difference();
  figure::Figure make_figure() const;
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
  std::string opened_model_,
      wished_model_;  // wished by the link or the visitor; empty: the page chooses for each study

  std::uint32_t jobs_ = 0;  // counts the jobs of both sides
  std::uint32_t last_job_ = 0, answered_job_ = 0, settled_job_ = 0;
  std::uint32_t stopped_job_ = 0;  // its replies are ignored
  bool run_pending_ = false;
  double asked_at_ = 0;
  protocol::Result result_;
  std::optional<protocol::Result> arrived_;  // newer than `result_`; held until the other side has arrived too
  Against against_;
  TextRun text_;
  std::optional<protocol::Result> difference_;  // of `result_` and the other side, when comparing by difference
  std::optional<figure::Figure> figure_;
  MadeOf made_of_;          // what `figure_` was made of
  int result_number_ = 0;   // counts results
  bool stale_ = true;       // something has changed since `figure_` was made
  bool in_motion_ = false;  // `figure_` shows a moment of an animated rotation
  Steady steady_;
  Status status_;
};

}  // namespace helix::app
