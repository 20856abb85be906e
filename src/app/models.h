// The models that the page offers, and what the engine knows of them.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/model_entry.h"
#include "protocol/messages.h"

namespace helix::app {

class Models {
 public:
  using Send = std::function<void(const protocol::Request&)>;
  explicit Models(Send send) : send_(std::move(send)) {}

  /// Until the list has come, nothing runs.
  bool known() const { return known_; }
  const std::vector<ModelEntry>& list() const { return list_; }
  void set(std::vector<ModelEntry> list);
  void add(ModelEntry model);
  /// The entry that a name means: its own, or that of the model a control is made from.
  const ModelEntry* find(std::string_view name) const;
  /// True if that has changed something.
  bool set_config(std::string_view name, const std::string& json);

  /// The model that the link or the visitor named; empty: the page chooses one for each study.
  const std::string& preferred() const { return preferred_; }
  void prefer(const std::string& name) { preferred_ = name; }
  /// The model a study runs on: the wished one if it has what the study reads, or a part that the study can judge, else
  /// the first that does; a control is made from that. There must be one.
  std::string for_study(const std::string& wish, const StudySchema& study) const;
  std::string for_study(const StudySchema& study) const { return for_study(preferred_, study); }
  /// The same, but of models whose files are not on another host; nullptr: none.
  const ModelEntry* near_for_study(const StudySchema& study) const;

  /// Opens a model of the list in the engine; if the list lacks it, the runs that need it get a sentence.
  void open(const std::string& name);
  /// The same, unless the engine has been asked to open it.
  void open_once(const std::string& name);
  void refuse(const std::string& name, const std::string& sentence);
  /// The next open_once() opens it again: a run of it has failed.
  void reopen(const std::string& name) { opened_.erase(name); }
  /// The engine that had opened models is gone.
  void lose_engine() { opened_.clear(); }

  void on_opened(const protocol::Opened& header);
  /// How many positions a model reads; 0 until its header has been read.
  std::size_t positions_of(std::string_view name) const;

 private:
  Send send_;
  std::vector<ModelEntry> list_;
  bool known_ = false;
  std::string preferred_;
  std::set<std::string, std::less<>> opened_;
  std::vector<protocol::Opened> headers_;
};

}  // namespace helix::app
