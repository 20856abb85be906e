// Every short text of every figure, at its default and its presets, is in the words of each language.
#include <fstream>
#include <regex>
#include <set>

#include "base/built_in_words.h"
#include "base/edit_forms.h"
#include "base/text.h"
#include "base/words.h"
#include "figure/labels.h"
#include "state/fragment.h"
#include "studies/registry_compute.h"
#include "studies/registry_view.h"
#include "tests/planted.h"

namespace labels_test {

using namespace helix;
using namespace helix::testing;

namespace {

constexpr std::string_view kMark = "⟦";

/// While it lives, each sentence of the words begins with a mark: a text without it is no sentence.
class Marked {
 public:
  Marked() {
    std::string marked;
    for (const std::string& line : split(built_in_words(), '\n'))
      marked += (line.empty() || line.starts_with('#') ? "" : std::string(kMark)) + line + "\n";
    REQUIRE(load_words(marked));
  }
  ~Marked() { static_cast<void>(load_words(built_in_words())); }
};

std::set<std::string> labels_of(const std::string& language) {
  std::set<std::string> labels;
  std::ifstream file(in_repository("src/studies/labels." + language + ".md"));
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("## ")) labels.insert(line.substr(3));
  return labels;
}

/// "layer 6, “mat”" as "layer {1}, {2}".
std::string without_values(const std::string& text) {
  static const std::regex number("[0-9]+([.,][0-9]+)*|“[^”]*”");
  std::string out;
  auto from = text.begin();
  int n = 0;
  for (std::sregex_iterator it(text.begin(), text.end(), number), end; it != end; ++it) {
    out.append(from, text.begin() + it->position()).append("{" + std::to_string(++n) + "}");
    from = text.begin() + it->position() + it->length();
  }
  return out.append(from, text.end());
}

/// Whether it says anything in English: no number, no token of the planted vocabulary, no name of a tensor or an axis.
bool is_english(const std::string& label) {
  static const std::set<std::string> names{"he", "at", "\xC2\xB7the", "planted"};
  static const std::regex word("[A-Za-z]{2}"), name(".*(_|\\\\x|attn\\.|mlp\\.).*|PC[0-9]+");
  return label.find(kMark) == label.npos && std::regex_search(label, word) && !std::regex_match(label, name) &&
         !names.contains(label);
}

/// For each panel, a focus on the second entry of each axis that it runs over.
std::vector<ViewState> views_of(const figure::Figure& figure) {
  std::vector<ViewState> views;
  for (const figure::Panel& panel : figure.panels) {
    ViewState& view = views.emplace_back();
    const auto* plot = std::get_if<figure::Plot>(&panel.content);
    if (!plot) view.focus.set("position", 1);
    for (const figure::Scale* scale : plot ? std::vector{&plot->x, &plot->y} : std::vector<const figure::Scale*>())
      if (!scale->axis.empty()) view.focus.set(scale->axis, scale->first + 1);
  }
  return views;
}

/// Labels as they stand in figures, and those of them that say something, without their values.
struct Labels {
  std::set<std::string> seen, english;

  void add(const std::string& label) {
    if (seen.insert(label).second && is_english(label)) english.insert(without_values(label));
  }
};

void add_labels(const studies::ComputeStudy& study, const studies::ViewStudy& view, const std::string& fragment,
                Labels& labels) {
  state::AppState start;
  start.study = study.schema.id, start.params = defaults(study.schema);
  const auto applied = state::apply_fragment(start, fragment, {study.schema}, state::From::start);
  if (!applied) return;
  auto result = run_to_end(study.run(applied->state.params, planted_inputs()));
  if (!result) return;  // a preset for larger models
  for (const bool difference : {false, true}) {
    result->difference = difference;
    figure::Figure figure = view.view(*result, applied->state.params);
    const auto add = [&](const std::string& label) { labels.add(label); };
    figure::each_label(figure, add);
    if (difference) continue;
    for (const ViewState& focused : views_of(figure)) {
      figure::Reading reading = view.reading(*result, applied->state.params, focused);
      figure::each_label(reading, add);
    }
  }
}

}  // namespace

TEST_CASE("what stands at axes, lines and rules is in the words of each language", "[contract]") {
  Labels labels;
  const std::set<std::string>& shown = labels.english;
  {
    const Marked marked;
    for (std::size_t i = 0; i < studies::view_studies().size(); ++i) {
      const studies::ComputeStudy& study = studies::compute_studies()[i];
      if (study.schema.runs_others) continue;  // claims and their conventions are in English
      add_labels(study, studies::view_studies()[i], "", labels);
      for (const Preset& preset : study.schema.presets)
        add_labels(study, studies::view_studies()[i], preset.fragment, labels);
    }
  }
  REQUIRE(shown.size() > 100);
  for (const std::string language : {"de", "it"}) {
    const std::set<std::string> known = labels_of(language);
    for (const std::string& label : shown) {
      CAPTURE(language, label);
      CHECK(known.contains(label));
    }
  }
}

TEST_CASE("a token that reads like a label stays a token", "[contract]") {
  const auto names_of = [](const char* axis) {
    figure::Plot plot{figure::over(axis, 0, 1, {"layer"}), figure::quantity("share")};
    figure::Figure figure;
    figure.panels = {{"plot", "", std::move(plot)}};
    figure::each_label(figure, [](std::string& label) { label = "x" + label; });
    return std::get<figure::Plot>(figure.panels[0].content).x.names.front();
  };
  CHECK(names_of("key") == "layer");
  CHECK(names_of("removal") == "xlayer");
}

TEST_CASE("the label of an edit that is on is in the words of each language", "[contract]") {
  std::set<std::string> told;
  for (const EditForm& form : edit_forms()) {
    told.emplace(form.told);
    for (const EditField& field : form.fields) told.emplace(field.told.substr(field.told.starts_with(' ')));
  }
  for (const std::string language : {"de", "it"}) {
    const std::set<std::string> known = labels_of(language);
    for (const std::string& text : told) {
      CAPTURE(language, text);
      CHECK((known.contains(text) || !is_english(text)));
    }
  }
}

}  // namespace labels_test
