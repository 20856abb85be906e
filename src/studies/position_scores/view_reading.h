// What stands at a place of the figure.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/view.h"
#include "figure/figure.h"
#include "studies/position_scores/view_scene.h"
#include "studies/reading_view.h"

namespace helix::studies::position_scores {

inline std::string cell_text(const protocol::Grid& grid, std::size_t i, std::size_t j) {
  return number_text(grid(i, j), 4);
}

inline figure::Reading reading(const figure::Reading&, const protocol::Result& result, const ParamValues&,
                               const ViewState& view) {
  const Scene s = read(result);
  const auto& focus = view.focus;
  figure::Reading r;
  const auto within = [](int index, std::size_t count) {
    return index >= 0 && static_cast<std::size_t>(index) < count;
  };
  const int query = focus.at("query") - static_cast<int>(std::clamp<long long>(s.out.score.first, 0, 1'000'000)),
            key = focus.at("key"), head = focus.at("head"), position = focus.at("position");
  const int lag = focus.at("lag") - static_cast<int>(std::clamp<long long>(s.out.by_lag.first, -100'000, 0));
  if (focus.has("query") && focus.has("key") && s.has_maps() && within(query, s.out.score.rows()) &&
      within(key, s.out.score.cols())) {
    const auto i = static_cast<std::size_t>(query), j = static_cast<std::size_t>(key);
    r.title = "position " + std::to_string(focus.at("query")) + " → " + std::to_string(key);
    r.lines = {"score  " + cell_text(s.out.score, i, j), "attention  " + cell_text(s.out.pattern, i, j)};
  } else if (focus.has("head") && within(head, s.out.rising_by_head.rows())) {
    r.title = "head 0." + std::to_string(head);
    r.lines = {say("reading.rising") + "  " +
               share_or_change(s.difference, s.out.rising_by_head.data[static_cast<std::size_t>(head)], 1)};
  } else if (focus.has("lag") && within(lag, s.out.by_lag.rows())) {
    const auto i = static_cast<std::size_t>(lag);
    r.title = "lag " + std::to_string(focus.at("lag"));
    r.lines = {say("reading.lag") + "  " + number_text(s.out.by_lag.data[i], 4)};
  } else if (focus.has("position") && within(position, s.out.query_score.rows())) {
    const auto i = static_cast<std::size_t>(position);
    r.title = "position " + std::to_string(position);
    r.lines = {say("reading.score", {{"position", std::to_string(s.query)}}) + "  " +
               number_text(s.out.query_score.data[i], 4)};
    if (s.has_pull() && position >= 1) {
      r.lines.push_back(say("reading.along") + "  " + number_text(s.out.along.data[i - 1], 3));
      r.lines.push_back(say("reading.outward") + "  " + number_text(s.out.outward.data[i - 1], 3));
    }
  }
  return r;
}

}  // namespace helix::studies::position_scores
