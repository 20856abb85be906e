// How figures of heads show what edits do to a head: in its cell, in the tables and in words; and what can be done to it.
#pragma once

#include <cmath>
#include <string>
#include <utility>

#include "base/shared_words.h"
#include "base/text.h"
#include "base/view.h"
#include "figure/figure.h"
#include "studies/scaled_heads.h"

namespace helix::studies {

/// "2", "−0.5"
inline std::string factor_number(const ScaledHead& head) {
  return (head.factor < 0 ? "−" : "") + to_text_f32(std::abs(head.factor));
}
/// "×2"
inline std::string factor_text(const ScaledHead& head) { return "×" + factor_number(head); }
/// "off", "×2"
inline std::string scaled_word(const ScaledHead& head) {
  return head.factor == 0 ? shared_words("head.off") : factor_text(head);
}

/// For a figure of one head; empty if that head is not among them.
inline std::string scaled_text(const std::vector<ScaledHead>& heads, std::size_t layer, std::size_t head) {
  for (const ScaledHead& h : heads) {
    if (h.layer != layer || h.head != head) continue;
    if (h.factor == 0) return shared_words("head.is_off", {{"head", h.name()}}) + " ";
    return shared_words("head.is_scaled", {{"head", h.name()}, {"factor", factor_number(h)}}) + " ";
  }
  return {};
}

/// Marks the heads in each matrix of layers and heads, adds a column to each table with a row for each head, and a sentence
/// to the summary.
inline void show_scaled_heads(figure::Figure& figure, const std::vector<ScaledHead>& heads) {
  if (heads.empty()) return;
  for (figure::Panel& panel : figure.panels) {
    auto* plot = std::get_if<figure::Plot>(&panel.content);
    if (!plot || plot->y.axis != "layer" || plot->x.axis != "head") continue;
    for (figure::Mark& mark : plot->marks)
      if (auto* cells = std::get_if<figure::Cells>(&mark))
        for (const ScaledHead& h : heads)
          cells->tags.push_back(
              {static_cast<int>(h.layer), static_cast<int>(h.head), h.factor == 0 ? "" : factor_text(h)});
  }
  for (figure::Table& table : figure.tables) {
    if (table.columns.empty() || table.columns[0].name != "head") continue;
    figure::Table::Column edits{"edit", "", 0, {}, {}};
    for (const std::string& name : table.columns[0].texts) {
      const auto found = std::ranges::find(heads, name, &ScaledHead::name);
      edits.texts.push_back(found == heads.end() ? "" : scaled_word(*found));
    }
    if (!edits.texts.empty()) table.columns.push_back(std::move(edits));
  }
  std::string list;
  for (const ScaledHead& h : heads) list += (list.empty() ? "" : ", ") + h.name() + " " + scaled_word(h);
  figure.summary +=
      std::string(figure.summary.ends_with('.') ? " " : ". ") + shared_words("head.list", {{"heads", list}});
}

/// To the reading of a head.
inline void add_scaled_line(figure::Reading& reading, const std::vector<ScaledHead>& heads, const ViewState& view) {
  if (reading.title.empty()) return;
  for (const ScaledHead& h : heads)
    if (view.focus.at("layer") == static_cast<int>(h.layer) && view.focus.at("head") == static_cast<int>(h.head))
      reading.lines.push_back(h.factor == 0 ? shared_words("head.off_by_edit")
                                            : shared_words("head.scaled_by_edit", {{"factor", factor_text(h)}}));
}

/// What can be done to the heads of a map: by a key, from the menu, or to all that are dragged over.
inline void add_head_acts(figure::Plot& plot) {
  const auto act = [](const char* text, const char* key, const std::string& label, const std::string& help) {
    figure::Gesture g{figure::Gesture::On::act, {"layer", "head"}, figure::Gesture::Effect::edit, text, help};
    g.key = key, g.label = label;
    return g;
  };
  plot.gestures.push_back(
      act("ablate_head:{layer}.{head}", "Delete", shared_words("head.switch_off"), shared_words("head.hint")));
  plot.gestures.push_back(act("scale_head:{layer}.{head}:2", "2", shared_words("head.double"), ""));
}

}  // namespace helix::studies
