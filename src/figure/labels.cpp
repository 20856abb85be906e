#include "figure/labels.h"

#include <algorithm>
#include <string_view>

#include "base/words.h"

namespace helix::figure {

namespace {

using Use = std::function<void(std::string&)>;

/// Whether what stands along this axis is a text's tokens: they stay as they are, even one that reads "layer".
bool is_of_tokens(std::string_view axis) {
  return axis == "position" || axis == "query" || axis == "key" || axis == "token" || axis == "item";
}

void each_of(Line& line, const Use& use) { use(line.name); }
void each_of(Points& points, const Use& use) {
  if (!is_of_tokens(points.axis)) std::ranges::for_each(points.labels, use);
}
void each_of(Bars& bars, const Use& use) { std::ranges::for_each(bars.texts, use); }
void each_of(Area&, const Use&) {}
void each_of(Cells&, const Use&) {}
void each_of(Rule& rule, const Use& use) { use(rule.label); }
void each_of(Arrow& arrow, const Use& use) { use(arrow.label); }
void each_of(Text& text, const Use& use) { use(text.text); }
void each_of(Callout& callout, const Use& use) { use(callout.text); }
void each_of(Words&, const Use&) {}
void each_of(Arcs&, const Use&) {}

void each_of(Scale& scale, const Use& use) {
  use(scale.title);
  use(scale.unit);
  if (!is_of_tokens(scale.axis)) std::ranges::for_each(scale.names, use);
}

void each_of(Plot& plot, const Use& use) {
  each_of(plot.x, use);
  each_of(plot.y, use);
  if (!plot.colour) return;
  use(plot.colour->title);
  use(plot.colour->missing);
  use(plot.colour->note);
}

void each_of(Space& space, const Use& use) {
  for (Space::Axis& axis : space.axes) use(axis.title), use(axis.note);
  use(space.index_name);
}

void each_of(Number&, const Use&) {}

void put(std::string& label) {
  if (!label.empty()) label = in_words(label);
}

template <class Content>
constexpr bool kHasMarks = requires(Content& content) { content.marks; };

}  // namespace

void each_label(Figure& figure, const Use& use) {
  for (Panel& panel : figure.panels) {
    use(panel.title);
    std::visit(
        [&](auto& content) {
          each_of(content, use);
          if constexpr (kHasMarks<decltype(content)>)
            for (Mark& mark : content.marks) std::visit([&](auto& m) { each_of(m, use); }, mark);
        },
        panel.content);
  }
}

void each_label(Reading& reading, const Use& use) {
  use(reading.title);
  for (std::string& line : reading.lines) {
    const std::size_t end = std::min(line.find("  "), line.size());
    std::string label = line.substr(0, end);
    use(label);
    line = label + line.substr(end);
  }
}

void put_into_words(Figure& figure) { each_label(figure, put); }
void put_into_words(Reading& reading) { each_label(reading, put); }

}  // namespace helix::figure
