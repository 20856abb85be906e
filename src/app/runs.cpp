#include "app/runs.h"

#include <algorithm>
#include <utility>

#include "app/questions.h"

namespace helix::app {

void Runs::ask(RunSlot& slot, std::optional<state::AppState> question, bool again) {
  if (!question) return clear(slot);
  const bool due = again || !slot.asked() || !same_run(*question, *slot.asked(), schemas_);
  slot.ask(std::move(*question), due, now_());
}

void Runs::start(RunSlot& slot) {
  models_.open_once(slot.asked()->model);
  send_(slot.start(++jobs_, now_()));
}

void Runs::launch(bool at_once) {
  if (!models_.known()) return;
  const double now = now_();
  if (at_once || (main.may_start(now) && other.may_start(now)))
    for (RunSlot* slot : {&main, &other})
      if (slot->pending()) start(*slot);
  if (main.busy()) return;
  for (RunSlot* slot : {&text, &before})
    if (slot->pending() && (at_once || slot->may_start(now))) start(*slot);
}

void Runs::clear(RunSlot& slot) {
  if (const std::uint32_t job = slot.clear()) send_(protocol::Cancel{job});
}

void Runs::stop(RunSlot& slot) {
  if (const std::uint32_t job = slot.stop()) send_(protocol::Cancel{job});
}

void Runs::lose_engine() {
  for (RunSlot* slot : all()) slot->lose();
  models_.lose_engine();
}

bool Runs::busy() const { return main.busy() || other.busy() || text.busy() || before.busy(); }

bool Runs::fresh(const RunSlot& slot) const {
  return !slot.has_shown() || (slot.asked() && same_run(slot.answers(), *slot.asked(), schemas_));
}

RunSlot* Runs::named(std::string_view name) {
  const auto slots = all();
  const auto slot = std::ranges::find_if(slots, [&](const RunSlot* s) { return s->name() == name; });
  return slot == slots.end() ? nullptr : *slot;
}

RunSlot* Runs::of(std::uint32_t job) {
  const auto slots = all();
  const auto slot = std::ranges::find_if(slots, [&](const RunSlot* s) { return job != 0 && s->job() == job; });
  return slot == slots.end() ? nullptr : *slot;
}

}  // namespace helix::app
