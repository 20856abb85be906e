// The contract of every study, tested through the registries: nothing here knows a study's name.
#include <set>

#include "base/text.h"
#include "base/utf8.h"
#include "base/words.h"
#include "figure/svg.h"
#include "figure/table.h"
#include "protocol/messages.h"
#include "state/fragment.h"
#include "state/permalink.h"
#include "studies/registry_compute.h"
#include "studies/registry_view.h"
#include "tests/figure/drawings.h"
#include "tests/planted.h"
#include "tests/studies/golden.h"

namespace contract_test {

using namespace helix;
using namespace helix::testing;
using protocol::Result;
using state::AppState;
using studies::compute_studies;
using studies::view_studies;

namespace {

/// Whether add_words looks this id up by itself.
bool is_of_a_schema(const std::string& id) {
  for (const char* kind : {"setting.", "choice.", "number.", "view.", "next.", "claim."})
    if (id.starts_with(kind)) return true;
  return false;
}

AppState start_of(const StudySchema& schema) {
  AppState app;
  app.study = schema.id, app.params = defaults(schema);
  return app;
}

/// The panels that have a place in a box.
void add_panels(const figure::Box& box, std::vector<std::string>& panels) {
  if (box.kind == figure::Box::Kind::panel) panels.push_back(box.panel);
  for (const figure::Box& child : box.children) add_panels(child, panels);
}

/// Views of a figure: no focus, a focus, one that does not exist; windows that exist or not.
std::vector<ViewState> views() {
  std::vector<ViewState> all(5);
  for (ViewState& view : all) view.axes = {8, 1, 5};
  const int indices[] = {0, 5, 100'000};
  for (std::size_t i = 0; i < 3; ++i) all[i + 1].focus = {{{"position", indices[i]}}, true};
  for (const char* axis : {"position", "layer", "head", "query", "key", "component", "moment", "item", "model"}) {
    all[4].focus.set(axis, 2);
    all[4].show({axis, 2, 900});
  }
  return all;
}

/// Names of a scale are those of its places, one each.
void check_names(const figure::Figure& fig) {
  for (const figure::Panel& panel : fig.panels) {
    const auto* plot = std::get_if<figure::Plot>(&panel.content);
    for (const figure::Scale* scale : plot ? std::vector{&plot->x, &plot->y} : std::vector<const figure::Scale*>()) {
      CAPTURE(panel.id, scale->axis);
      if (!scale->names.empty()) CHECK(scale->names.size() == static_cast<std::size_t>(scale->count));
    }
  }
}

/// Whether one of the first entries of a hit has a reading; a cell of a map may be a gap.
bool has_reading(const studies::ViewStudy& study, const Result& result, const figure::Hit& hit) {
  for (int step = 0; step < 3; ++step) {
    ViewState view;
    for (const Place& place : places_of(hit, step)) view.focus.set(place.axis, place.index);
    if (view.focus.nothing() || !study.reading(result, result.params, view).title.empty()) return true;
  }
  return false;
}

/// Makes the figure, drawing, document and tables of a result, and checks that they are valid and not empty.
void draw(const studies::ViewStudy& study, const Result& result) {
  const figure::Figure fig = study.view(result, defaults(study.schema));
  CHECK(!fig.title.empty());
  check_sentence(fig.summary);
  check_names(fig);
  std::set<std::string> ids;
  for (const figure::Panel& panel : fig.panels) CHECK(ids.insert(panel.id).second);
  std::vector<std::string> placed;
  add_panels(fig.root, placed);
  CHECK(placed.size() == ids.size());  // each has one place
  CHECK(std::set(placed.begin(), placed.end()) == ids);
  for (const ViewState& state : views()) {
    for (const float width : {1280.0f, 390.0f}) {
      const figure::Drawing drawing = drawn(fig, width, 600, state);
      CHECK(drawing.blocks.size() == fig.panels.size());
      check_sane(drawing);
      const std::string svg = figure::to_svg(drawing, fig.title, fig.summary);
      CHECK(!says_nan(svg));
      CHECK(svg.find("inf\"") == std::string::npos);
    }
    const figure::Reading reading = study.reading(result, defaults(study.schema), state);
    if (state.focus.nothing()) CHECK(reading.title.empty());
    if (reading.title.empty()) CHECK(reading.lines.empty());
  }
  if (!result.difference && !(result.arrays.empty() && result.scalars.empty())) CHECK(!fig.tables.empty());
  std::set<std::string> titles;
  for (const figure::Table& table : fig.tables) {
    CHECK(!table.title.empty());
    CHECK(titles.insert(table.title).second);
    CHECK(figure::to_csv(table).ends_with("\r\n"));
    for (const auto& column : table.columns)
      for (std::size_t i = 0; i < figure::row_count(table); ++i) static_cast<void>(figure::cell(column, i));
  }
}

}  // namespace

TEST_CASE("both registries hold the same studies", "[contract]") {
  REQUIRE(!compute_studies().empty());
  REQUIRE(compute_studies().size() == view_studies().size());
  CHECK(protocol::schema_hash(studies::schemas_of(compute_studies())) ==
        protocol::schema_hash(studies::schemas_of(view_studies())));
  std::set<std::string> ids;
  for (std::size_t i = 0; i < compute_studies().size(); ++i) {
    const std::string& id = compute_studies()[i].schema.id;
    CHECK(ids.insert(id).second);
    CHECK(id == view_studies()[i].schema.id);
    CHECK(studies::find_compute_study(id) == &compute_studies()[i]);
    CHECK(studies::find_view_study(id) == &view_studies()[i]);
  }
  CHECK(studies::find_compute_study("no_such_study") == nullptr);
  CHECK(studies::find_view_study("") == nullptr);
}

TEST_CASE("the field lists' hash notices any change", "[contract]") {
  const auto schemas = studies::schemas_of(view_studies());
  const std::string hash = protocol::schema_hash(schemas);
  const auto changed = [&](auto change) {
    auto other = schemas;
    change(other[0]);
    return protocol::schema_hash(other) != hash;
  };
  CHECK(changed([](StudySchema& s) { s.id += "x"; }));
  CHECK(changed([](StudySchema& s) { s.params[0].key += "x"; }));
  CHECK(changed([](StudySchema& s) { s.params[1].default_text = "7"; }));
  CHECK(changed([](StudySchema& s) { s.params[1].max += 1; }));
  CHECK(changed([](StudySchema& s) { s.outputs[0].name += "x"; }));
  CHECK(changed([](StudySchema& s) { s.outputs.pop_back(); }));
  CHECK(!changed([](StudySchema& s) { s.title += "x"; }));  // texts may differ
}

TEST_CASE("no words of a schema are left that it does not use", "[contract]") {
  std::set<std::string> shared;
  for (const auto& study : compute_studies()) {
    const StudySchema& schema = study.schema;
    CAPTURE(schema.id);
    std::set<std::string> own;
    for (const ParamSpec& p : schema.params) {
      own.insert({"setting." + p.key, "setting." + p.key + ".help"});
      for (const Choice& c : p.choices) own.insert({"choice." + c.id, "choice." + p.key + "." + c.id});
    }
    for (const OutputSpec& o : schema.outputs) own.insert("number." + o.name);
    for (const Preset& p : schema.presets) own.insert({"view." + p.id, "view." + p.id + ".note"});
    for (const Preset& p : schema.leads) own.insert({"next." + p.id, "next." + p.id + ".note"});
    for (const ClaimSpec& c : schema.claims) own.insert("claim." + c.id);
    shared.insert(own.begin(), own.end());
    for (const std::string& id : ids_of_words(schema.id))
      if (is_of_a_schema(id)) CHECK(own.count(id) == 1);
  }
  for (const std::string& id : ids_of_words("studies"))
    if (is_of_a_schema(id)) CHECK(shared.count(id) == 1);
}

TEST_CASE("every study, parameter, output and preset says what it is", "[contract]") {
  const auto all_schemas = studies::schemas_of(compute_studies());
  for (const auto& study : compute_studies()) {
    const StudySchema& schema = study.schema;
    CAPTURE(schema.id);
    for (const std::string& text : {schema.id, schema.title, schema.group, schema.question, schema.source})
      CHECK(!text.empty());
    std::set<std::string> keys;
    for (const ParamSpec& p : schema.params) {
      CAPTURE(p.key);
      CHECK(keys.insert(p.key).second);
      CHECK(!p.label.empty());
      CHECK(p.help.ends_with('.'));
      for (const Choice& choice : p.choices) CHECK(!choice.label.empty());
      const auto value = canonical(p, p.default_text, true);
      REQUIRE(value);
      CHECK(*value == p.default_text);
      CHECK((p.type == ParamType::choice) == !p.choices.empty());
      CHECK((p.type == ParamType::names || p.type == ParamType::text) == (p.length > 0));
      if (p.logarithmic) CHECK((p.min > 0 || (p.min == 0 && p.smallest > 0 && p.smallest < p.max)));
      if (!p.counted_by.empty()) {
        REQUIRE(schema.find(p.counted_by));
        CHECK(schema.find(p.counted_by)->type == ParamType::integer);
      }
      if (!p.follows.empty()) CHECK(schema.find(p.follows) != nullptr);
      if (!p.shown_when.empty()) {
        const auto parts = split(p.shown_when, '=');
        REQUIRE(parts.size() == 2);
        REQUIRE(schema.find(parts[0]));
        CHECK(canonical(*schema.find(parts[0]), parts[1], true));
      }
    }
    std::set<std::string> outputs;
    CHECK(!schema.outputs.empty());
    for (const OutputSpec& o : schema.outputs) {
      CAPTURE(o.name);
      CHECK(outputs.insert(o.name).second);
      CHECK(!o.label.empty());
      if (o.axes.empty()) CHECK(!o.unit.empty());
      if (o.words) CHECK(o.axes.size() == 1);
    }
    std::set<std::string> presets;
    std::vector<Preset> all = schema.presets;
    if (!schema.without_model.fragment.empty()) {
      check_sentence(schema.without_model.note);
      all.push_back(schema.without_model);
      all.back().label = all.back().id = "without a model";
    }
    for (const Preset& preset : all) {
      CAPTURE(preset.id);
      CHECK(presets.insert(preset.id).second);
      CHECK(!preset.label.empty());
      CHECK(!preset.note.empty());
      const AppState at_defaults = start_of(schema);
      const auto applied = state::apply_fragment(at_defaults, preset.fragment, all_schemas);
      INFO((applied ? "" : applied.error().sentence));
      REQUIRE(applied);
      CHECK(applied->notices.empty());
      CHECK((applied->state == at_defaults) == preset.fragment.empty());
    }
  }
}

TEST_CASE("every claim is declared once, and leads to a place of its own study", "[contract]") {
  const auto schemas = studies::schemas_of(compute_studies());
  std::set<std::string> ids;
  for (const auto& study : compute_studies()) {
    for (const ClaimSpec& claim : study.schema.claims) {
      CAPTURE(claim.id);
      CHECK(ids.insert(claim.id).second);
      CHECK(claim.text.ends_with('.'));
      CHECK((claim.about.empty() || !model_title(claim.about).empty()));
      const auto applied = state::apply_fragment(start_of(study.schema), claim.fragment, schemas);
      REQUIRE(applied);
      CHECK(applied->notices.empty());
      CHECK(applied->state.study == study.schema.id);
    }
    for (const protocol::Claim& claim : golden(study).claims) CHECK(study.schema.claim(claim.id));
  }
}

TEST_CASE("the text beside a study is run by a study that reads the prompt, and each next step leads on",
          "[contract]") {
  const auto schemas = studies::schemas_of(compute_studies());
  for (const auto& study : compute_studies()) {
    CAPTURE(study.schema.id);
    const auto study_at = [&](const std::string& fragment) -> const StudySchema* {
      const auto applied = state::apply_fragment(start_of(study.schema), fragment, schemas);
      INFO((applied ? "" : applied.error().sentence));
      REQUIRE(applied);
      return state::find_study(schemas, applied->state.study);
    };
    for (const Preset& lead : study.schema.leads) study_at(lead.fragment);
    if (const std::string& run = study.schema.text_run; !run.empty()) CHECK(study_at(run)->reads == Reads::forward);
    if (const std::string& tokens = study.schema.text_tokens; !tokens.empty()) {
      CHECK(study_at(tokens)->reads == Reads::tokens);
      CHECK(!runs_prompt(study.schema.reads));
    }
  }
}

TEST_CASE("what stands in where no model is reads no weights", "[contract]") {
  for (const auto& study : compute_studies()) {
    const std::string& fragment = study.schema.without_model.fragment;
    if (fragment.empty()) continue;
    const auto applied =
        state::apply_fragment(start_of(study.schema), fragment, studies::schemas_of(compute_studies()));
    REQUIRE(applied);
    CHECK(applied->state.study == study.schema.id);
    const ParamValues& values = applied->state.params;
    CHECK(state::without(values, fragment, study.schema) == defaults(study.schema));
    const studies::Known nothing{[](const std::string&) { return std::nullopt; }};
    CHECK(studies::all_needs(study, values, "m", nothing).empty());
    CHECK(!studies::all_needs(study, defaults(study.schema), "m", nothing).empty());
  }
}

TEST_CASE("a study says that it reads nothing exactly if its numbers are of no model", "[contract]") {
  for (const auto& study : compute_studies()) {
    CAPTURE(study.schema.id);
    CHECK(golden(study).provenance.model.empty() == (study.schema.reads == Reads::nothing));
  }
}

TEST_CASE("defaults leave no trace in a link", "[contract]") {
  const auto schemas = studies::schemas_of(view_studies());
  for (const StudySchema& schema : schemas) {
    state::AppState app = state::default_state(schemas);
    app.study = schema.id, app.params = defaults(schema);
    CHECK(state::encode(app, schemas) == "#v=1&model=&study=" + schema.id);
  }
}

TEST_CASE("whatever a figure lets one point at has a reading", "[contract]") {
  for (const auto& study : view_studies()) {
    CAPTURE(study.schema.id);
    const Result& result = golden(*studies::find_compute_study(study.schema.id));
    const figure::Figure fig = study.view(result, result.params);
    std::set<std::string> mute;
    for (const figure::Hit& hit : drawn(fig, 1280).hits) {
      if (has_reading(study, result, hit)) continue;
      std::string axes;
      for (const Place& place : places_of(hit, 0)) axes += " " + place.axis;
      mute.insert(hit.panel + ":" + axes);
    }
    CHECK(mute == std::set<std::string>());
  }
}

TEST_CASE("the same inputs give the same bytes", "[contract]") {
  for (const auto& study : compute_studies()) {
    const auto a = protocol::encode(golden(study), study.schema);
    const auto b = protocol::encode(run_anew(study), study.schema);
    CHECK(a.header == b.header);
    CHECK(!a.data.empty());
    CHECK(std::memcmp(a.data.data(), b.data.data(), a.data.size() * sizeof(double)) == 0);
  }
}

TEST_CASE("a result holds what the study announced, in shape and order", "[contract]") {
  for (const auto& study : compute_studies()) {
    const Result& result = golden(study);
    CHECK(result.study == study.schema.id);
    CHECK(result.params == defaults(study.schema));
    CHECK(result.complete);
    CHECK(result.scalars.size() + result.arrays.size() + result.words.size() == study.schema.outputs.size());
    for (const OutputSpec& o : study.schema.outputs) {
      CAPTURE(o.name);
      if (o.axes.empty()) {
        REQUIRE(result.scalar(o.name));
        CHECK(result.scalar(o.name)->unit == o.unit);
      } else if (o.words) {
        REQUIRE(result.words_of(o.name));
        CHECK(result.words_of(o.name)->axis == o.axes[0]);
        for (const std::string& text : result.words_of(o.name)->data) CHECK(is_utf8(text));
      } else {
        REQUIRE(result.array(o.name));
        const protocol::Array& array = *result.array(o.name);
        CHECK(array.axes == o.axes);
        REQUIRE(array.shape.size() == o.axes.size());
        std::size_t size = 1;
        for (const std::size_t extent : array.shape) size *= extent;
        CHECK(array.data.size() == size);
      }
    }
  }
}

TEST_CASE("a job stops within one checkpoint of cancel", "[contract]") {
  for (const auto& study : compute_studies()) {
    CAPTURE(study.schema.id);
    int checkpoints = 0, pictures = 0;
    studies::Inputs inputs = planted_inputs();
    inputs.on_first_picture = [&](Result) { ++pictures; };
    auto job = std::make_unique<Job<Expected<Result>>>(study.run(defaults(study.schema), inputs));
    job->context().should_pause = [&] {
      ++checkpoints;
      return true;
    };
    REQUIRE(!job->step());  // it offers to stop before it is done
    CHECK(checkpoints == 1);
    REQUIRE(!job->step());
    CHECK(checkpoints == 2);
    const auto weights = inputs.weights;
    const long before = weights.use_count();
    job.reset();
    CHECK(checkpoints == 2);
    CHECK(pictures == 0);
    CHECK(weights.use_count() < before);  // and releases the weights
  }
}

TEST_CASE("a view draws whatever comes", "[contract]") {
  for (std::size_t i = 0; i < view_studies().size(); ++i) {
    const studies::ViewStudy& study = view_studies()[i];
    CAPTURE(study.schema.id);
    const Result& real = golden(compute_studies()[i]);
    SECTION("nothing") { draw(study, Result()); }
    SECTION("a real result") { draw(study, real); }
    SECTION("a difference of two") {
      Result difference = real;
      difference.difference = true;
      for (auto& a : difference.arrays)
        for (std::size_t k = 0; k < a.data.size(); k += 2) a.data[k] = -a.data[k];
      draw(study, difference);
    }
    SECTION("no number that is one") {
      for (const double value : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
        Result broken = real;
        for (auto& s : broken.scalars) s.value = value;
        for (auto& a : broken.arrays)
          for (double& x : a.data) x = value;
        draw(study, broken);
      }
    }
    SECTION("gaps") {
      Result gaps = real;
      for (auto& a : gaps.arrays)
        for (std::size_t k = 0; k < a.data.size(); k += 3) a.data[k] = std::nan("");
      draw(study, gaps);
    }
    SECTION("arrays of other shapes") {
      for (std::size_t which = 0; which < real.arrays.size(); ++which)
        for (const std::vector<std::size_t>& shape : std::vector<std::vector<std::size_t>>{
                 {}, {0}, {1}, {2, 0}, {0, 3}, {1, 1}, {3, 2}, {2, 3, 4}, {50, 9}, {100}}) {
          Result other = real;
          std::size_t size = 1;
          for (const std::size_t extent : shape) size *= extent;
          other.arrays[which].shape = shape;
          other.arrays[which].data.assign(size, 1.5);
          draw(study, other);
        }
    }
    SECTION("arrays or numbers missing") {
      Result no_arrays = real, no_numbers = real;
      no_arrays.arrays.clear(), no_numbers.scalars.clear();
      Result no_words = real, few_tokens = real;
      no_words.words.clear();
      if (!few_tokens.tokens.empty()) few_tokens.tokens.resize(1);
      for (auto& words : few_tokens.words) words.data.resize(1);
      draw(study, no_words);
      draw(study, few_tokens);
      draw(study, no_arrays);
      draw(study, no_numbers);
    }
  }
}

}  // namespace contract_test
