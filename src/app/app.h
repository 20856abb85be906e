// The page's side of the program, without a browser: one AppState, the actions that change it, the runs they need,
// and the figure of the newest result. The shell renders snapshots of it; the canvas draws its figure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/history.h"
#include "app/models.h"
#include "app/picture.h"
#include "app/runs.h"
#include "app/status.h"
#include "app/text_shown.h"
#include "base/edit_forms.h"
#include "figure/figure.h"
#include "figure/theme.h"
#include "protocol/messages.h"
#include "state/app_state.h"
#include "state/fragment.h"
#include "studies/registry_view.h"

namespace helix::app {

/// What the host (the page, or a test) does for the app.
struct Host {
  std::function<void(const protocol::Request&)> send = [](const protocol::Request&) {};
  std::function<void()> changed = [] {};             // a snapshot and a frame are due
  std::function<double()> now = [] { return 0.0; };  // milliseconds
  std::function<void()> progressed = [] {};          // a snapshot is due: nothing on the canvas has changed
  std::function<void()> turned{};                    // a frame is due, a snapshot soon; none: as changed
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
  /// A step of a lesson ("helix/3"; empty: none, and no seed of its questions), with the state that a fragment makes of a
  /// clean start, as one step of the history; without a fragment only the step changes. The fragment may name a seed.
  Expected<void> show_lesson(const std::string& at, const std::optional<std::string>& fragment = std::nullopt);
  /// Follows a part of a link (state/fragment). `start`: what it starts from, unless it says so itself.
  Expected<void> go_to(std::string_view fragment, state::From start = state::From::here);
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
  /// Moves the text along the table of positions, at most to where the model that reads it ends.
  void shift_text(std::size_t rows, Commit commit);
  void set_view(const ViewState& view, Commit commit);
  /// The camera while it is dragged, of which the page around the figure shows nothing but its link.
  void turn(const Camera& camera);
  void set_theme(state::Theme theme);
  /// Presenter's mode, as one step of the history.
  void present(bool on);
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
  /// What the other side of a comparison is called; "" where nothing is compared.
  std::string other_name() const;
  /// The run of the other side of a comparison, and the main one.
  const RunSlot& other_run() const { return runs_.other; }
  const RunSlot& main_run() const { return runs_.main; }
  /// The limits for edits: those of the open model, and the tokens of the newest result.
  EditRoom edit_room() const;
  std::string link() const;
  const figure::Figure& figure();
  /// The figure, or a moment on its way from the one before: what the canvas paints.
  const figure::Figure& drawn();
  figure::Reading reading() const;
  /// 0..1: how far the picture fades where it does not answer the newest question: a newer one is awaited, was stopped or
  /// has failed. A drag does not flicker.
  float dim() const;
  /// Something is animated: another frame is due.
  bool animating() const;
  /// The picture of the newest result is still moving there from the one before.
  bool on_the_way() const { return picture_.on_the_way(host_.now()); }
  /// True until the last requested result has arrived and settled.
  bool busy() const { return runs_.busy() || !models_.known(); }
  bool reduced_motion() const { return picture_.steady.reduced_motion; }
  void set_reduced_motion(bool reduced) { picture_.steady.reduced_motion = reduced; }
  TextShown text_shown() const;
  using Status = app::Status;
  const Status& status() const { return status_; }
  const Models& models() const { return models_; }
  /// The requested model, if it lacks what the open study reads and another one stands in; nullptr otherwise.
  const ModelEntry* unsuited_model() const;
  const History& history() const { return history_; }

 private:
  const studies::ViewStudy& study() const { return study_of(state_); }
  const studies::ViewStudy& study_of(const state::AppState& state) const;
  void go(state::AppState next, Commit commit);
  void go_with_text(state::AppState next, Commit commit);
  void go_back(const History::Step& step);
  void adopt(state::AppState next);
  Expected<void> go_to(state::AppState from, std::string_view fragment, state::From start);
  bool replace_model();
  void open_model();
  void ask(bool again = false);
  void ask_other(bool again);
  void ask_text(bool again = false);
  bool predicts(const state::AppState& question) const;
  void launch(bool at_once);
  void on_need(const protocol::Need& need);
  void on_finished(const protocol::Finished& finished);
  void on_failure(const protocol::Failure& failure);
  void fail_other(std::string sentence);
  bool show_arrived();
  void lose_engine();
  void take_difference();
  studies::Sides sides() const;
  bool other_alone() const;
  bool fades() const;
  figure::Figure make_figure() const;
  figure::Reading make_reading() const;
  void put_text_on(figure::Figure& figure) const;
  void touch();

  const std::vector<studies::ViewStudy>& studies_;
  std::vector<StudySchema> schemas_;
  Host host_;
  state::AppState state_;
  bool dragged_ = false;  // a parameter has changed since the last commit
  History history_;
  Models models_;
  Runs runs_;
  std::optional<protocol::Result> difference_;  // of both sides, when comparing by difference
  state::Compare compared_as_ = state::Compare::none;
  std::string predicted_;   // what follows the text beside the study, as a sentence
  bool stands_in_ = false;  // the study shows what it can without a model
  Picture picture_;
  Status status_;
};

}  // namespace helix::app
