// A page whose figure the test defines, so that every feature of a figure can be tested on the canvas.
#pragma once

#include <functional>

#include "app/snapshot.h"
#include "tests/app/stage.h"

namespace helix::app::testing {

/// Makes the figure of the study "shown" from its parameters, and of "weights", which does not run the prompt; "elsewhere" has
/// the same parameters and shows nothing.
inline std::function<figure::Figure(const ParamValues&)> shown_figure;

inline int number_of(const ParamValues& params, const char* key) { return std::stoi(*find_value(params, key)); }

inline const std::vector<studies::ViewStudy>& shown_studies() {
  static const std::vector<studies::ViewStudy> studies = [] {
    StudySchema shown;
    shown.id = "shown", shown.title = "Shown", shown.reads = Reads::forward;
    for (const char* key : {"layer", "head", "first", "last", "step"}) {
      ParamSpec param;
      param.key = key, param.default_text = "0", param.min = -1, param.max = 99;
      shown.params.push_back(param);
    }
    shown.params[3].default_text = "9";  // last
    StudySchema elsewhere = shown;
    elsewhere.id = "elsewhere";
    const auto view = [](const protocol::Result&, const ParamValues& asked) { return shown_figure(asked); };
    const auto none = [](const protocol::Result&, const ParamValues&) { return figure::Figure(); };
    StudySchema weights = shown;
    weights.id = "weights", weights.reads = Reads::weights;
    return std::vector<studies::ViewStudy>{
        {shown, view, nullptr}, {elsewhere, none, nullptr}, {weights, view, nullptr}};
  }();
  return studies;
}

struct ShownStage : Stage {
  explicit ShownStage(std::function<figure::Figure(const ParamValues&)> make) : Stage(shown_studies()) {
    shown_figure = std::move(make);
    app.open_link("#v=1&model=gpt2&study=shown");
    models();
    reply();
    sent.clear();
  }
  explicit ShownStage(std::vector<figure::Panel> panels)
      : ShownStage([panels = std::move(panels)](const ParamValues&) {
          figure::Figure f;
          f.panels = panels;
          return f;
        }) {}
  void reply() {
    protocol::Result r;
    r.study = last_run().study, r.params = last_run().params;
    app.receive(protocol::Finished{last_run().job, "main", protocol::encode(r, app.schema())});
    frames();
  }
  figure::Point at(const char* id) const {
    const figure::Rect r = canvas.rect(id);
    CAPTURE(id);
    REQUIRE(r.w > 0);
    return middle(r);
  }
  const Focus& focus() const { return app.state().view.focus; }
};

/// A matrix of `down` x `across` cells over two axes.
inline figure::Plot matrix_over(const std::string& down_axis, int down, const std::string& across_axis, int across) {
  figure::Plot plot{figure::over(across_axis, 0, across), figure::over(down_axis, 0, down)};
  figure::Cells cells;
  cells.row_axis = down_axis, cells.col_axis = across_axis;
  const auto rows = static_cast<std::size_t>(down), cols = static_cast<std::size_t>(across);
  cells.cells = figure::pyramid_of(std::vector<double>(rows * cols, 0.5), rows, cols, {});
  plot.marks = {std::move(cells)};
  return plot;
}

/// A ranking: a list of horizontal bars.
inline figure::Plot ranking_of(int items) {
  figure::Bars bars{"item", 0, std::vector<double>(static_cast<std::size_t>(items), 1.0)};
  bars.across = true;
  figure::Plot plot{figure::quantity("score"), figure::over("item", 0, items)};
  plot.marks = {std::move(bars)};
  return plot;
}

}  // namespace helix::app::testing
