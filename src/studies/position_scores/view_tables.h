// The figure as tables, and what stands at a place of it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/view.h"
#include "figure/figure.h"
#include "studies/position_scores/view_scene.h"

namespace helix::studies::position_scores {

inline figure::Table::Column counted(std::string name, long long first, std::size_t count) {
  figure::Table::Column column{std::move(name), "", 0, {}};
  for (std::size_t i = 0; i < count; ++i) column.values.push_back(static_cast<double>(first) + static_cast<double>(i));
  return column;
}

inline figure::Table positions_table(const Scene& s) {
  const std::size_t n = s.out.query_score.rows();
  figure::Table t{"By position", {counted("position", 0, n), {"score with the query", "", 4, s.out.query_score.data}}};
  if (!s.has_pull()) return t;
  const auto column = [&](std::string name, auto value) {
    figure::Table::Column out{std::move(name), "", 4, {std::nan("")}};  // position 0 is not on the curve
    for (std::size_t i = 0; i < s.out.points.rows(); ++i) out.values.push_back(value(i));
    t.columns.push_back(std::move(out));
  };
  column("cosine of its own pull with the curve", [&](std::size_t i) { return s.out.along.data[i]; });
  column("with the outward direction", [&](std::size_t i) { return s.out.outward.data[i]; });
  for (std::size_t c = 0; c < 3; ++c)
    column("PC" + std::to_string(c + 1), [&](std::size_t i) { return s.out.points(i, c); });
  for (std::size_t c = 0; c < 3; ++c)
    column("pull, PC" + std::to_string(c + 1), [&](std::size_t i) { return s.out.pull(i, c); });
  return t;
}

inline std::vector<figure::Table> tables(const Scene& s) {
  figure::Table numbers{"Numbers",
                        {{"positions with s(i, i+1) > s(i, i−1)", "fraction", 4, {s.out.rising.value}},
                         {"heads where this holds everywhere", "heads", 0, {s.out.rising_heads.value}},
                         {"attention to the previous position", "fraction", 4, {s.out.previous.value}},
                         {"to itself", "fraction", 4, {s.out.self.value}},
                         {"to the first", "fraction", 4, {s.out.to_first.value}},
                         {"to the first, biases the other way", "fraction", 4, {s.out.to_first_other.value}},
                         {"of even attention, to each", "fraction", 4, {s.out.even.value}},
                         {"of the pull, in three components", "fraction", 4, {s.out.held.value}},
                         {"of that, along the curve", "fraction", 4, {s.out.along_share.value}},
                         {"of that, outward", "fraction", 4, {s.out.outward_share.value}}}};
  const std::size_t heads = s.out.rising_by_head.rows();
  figure::Table by_head{"By head", {counted("head", 0, heads), {"rising", "fraction", 4, s.out.rising_by_head.data}}};
  for (std::size_t h = 0; h < heads; ++h) by_head.go.push_back("from=here&head=" + std::to_string(h));
  by_head.help = say("hint.table");
  figure::Table by_lag{"By lag",
                       {counted("key − query", s.out.by_lag.first, s.out.by_lag.rows()),
                        {"mean score less that with itself", "", 4, s.out.by_lag.data},
                        {"standard deviation", "", 4, s.out.lag_spread.data}}};
  figure::Table chance{"Chance",
                       {counted("seed", 1, s.out.random_rising.rows()),
                        {"rising, random heads", "fraction", 4, s.out.random_rising.data},
                        {"random walks", "fraction", 4, s.out.walk_rising.data},
                        {"rows in random order", "fraction", 4, s.out.rows_rising.data}}};
  return {std::move(numbers), std::move(by_head), positions_table(s), std::move(by_lag), std::move(chance)};
}

inline std::string cell_text(const protocol::Grid& grid, std::size_t i, std::size_t j) {
  return number_text(grid(i, j), 4);
}

inline figure::Reading reading(const protocol::Result& result, const ParamValues&, const ViewState& view) {
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
    r.lines = {
        say("reading.rising", {{"share", percent_text(s.out.rising_by_head.data[static_cast<std::size_t>(head)], 1)}})};
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
