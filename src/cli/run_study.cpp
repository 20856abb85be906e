#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <span>

#include "base/edit_forms.h"
#include "base/text.h"
#include "checkpoint/write_file.h"
#include "cli/claim_line.h"
#include "cli/cli.h"
#include "cli/opened.h"
#include "cli/python_script.h"
#include "figure/compare.h"
#include "figure/heading.h"
#include "figure/layout.h"
#include "figure/svg.h"
#include "figure/table.h"
#include "protocol/difference.h"
#include "protocol/export.h"
#include "protocol/messages.h"
#include "state/fragment.h"
#include "state/link_text.h"
#include "state/permalink.h"
#include "state/side_names.h"
#include "studies/known_model_compute.h"
#include "studies/registry_view.h"

namespace helix::cli {
namespace {

using helix::studies::ComputeStudy;
using state::AppState;
using state::Compare;

/// The study at its defaults, or at a preset of it, and what --set says.
Expected<AppState> asked_by(const StudySchema& schema, const Options& options) {
  const auto schemas = helix::studies::schemas_of(helix::studies::compute_studies());
  AppState app = state::default_state(schemas);
  app.study = schema.id, app.params = defaults(schema);
  if (const std::string id = options.get("preset"); !id.empty()) {
    const auto preset = std::ranges::find(schema.presets, id, &Preset::id);
    if (preset == schema.presets.end())
      return Error{"The study " + schema.id + " has no preset " + in_quotes(id) + "; helixscope studies lists them."};
    auto applied = state::apply_fragment(std::move(app), preset->fragment, schemas);
    if (!applied) return applied.error();
    app = std::move(applied->state);
  }
  for (const std::string& set : options.all("set")) {
    const std::size_t at = set.find('=');
    if (at == std::string::npos) return Error{"--set needs key=value, not " + in_quotes(set) + "."};
    const auto ok =
        set_value(*state::find_study(schemas, app.study), app.params, set.substr(0, at), set.substr(at + 1), true);
    if (!ok) return ok.error();
  }
  return app;
}

/// The parameter that names the models a study reads; null where it reads one model at most.
const ParamSpec* models_param(const StudySchema& schema) {
  const auto it = std::ranges::find(schema.params, Suggest::models, &ParamSpec::suggest);
  return it == schema.params.end() ? nullptr : &*it;
}

/// The options with only one model.
Options only_model(Options options, const std::string& path) {
  std::erase_if(options.values, [](const auto& value) { return value.first == "model" || value.first == "control"; });
  options.values.emplace_back("model", path);
  return options;
}

/// Where the run's own model is, the first of those that are given; where the run asks for a control, that of the model
/// it names, or of the first.
Expected<std::string> own_address(const std::vector<Opened>& models, const std::string& asked) {
  const checkpoint::ModelFile& first = *models.front().file;
  if (asked.empty() || first.name() == asked) return first.address();
  const Error not_given{"The model " + in_quotes(asked) + " was not given; add it with --model PATH."};
  if (!is_control(asked)) return not_given;
  auto control = parse_control(asked);
  if (!control) return control.error();
  for (const Opened& opened : models) {
    if (!control->base.empty() && opened.file->base_name() != control->base) continue;
    control->base = opened.file->path().string();
    return to_text(*control);
  }
  return not_given;
}

/// Opens the models that are given, the run's own first: the one that is asked for by its name, or the first.
Expected<std::vector<Opened>> open_models(const StudySchema& schema, const AppState& asked, const Options& options,
                                          std::size_t threads) {
  std::vector<Opened> models;
  const auto paths = model_paths(options);
  if (!paths) return paths.error();
  for (const std::string& path : *paths) {
    auto opened = open_model(path, asked.subject, Reads::weights);
    if (!opened) return opened.error();
    const auto same = [&](const Opened& other) { return other.file->name() == opened->file->name(); };
    if (std::ranges::any_of(models, same))
      return Error{"Two of the models are called " + in_quotes(opened->file->name()) + "; rename one of the folders."};
    const bool own = models.empty() || opened->file->name() == asked.model;
    models.insert(own ? models.begin() : models.end(), std::move(*opened));
  }
  if (!models.empty()) {
    const auto address = own_address(models, asked.model);
    if (!address) return address.error();
    auto own = open_model(only_model(options, *address), asked.subject, schema.reads, threads);
    if (!own) return own.error();
    models.front() = std::move(*own);
  }
  for (Opened& opened : models) {
    const auto sha256 = opened.file->sha256();
    if (!sha256) return sha256.error();
    opened.sha256 = sha256->substr(0, 12);
  }
  if (models.size() > 1 && !models_param(schema) && options.all("against").empty())
    return Error{"The study " + schema.id + " reads one model; give --model once."};
  return models;
}

/// A study of several models that were not named takes all that were given.
Expected<void> name_models(const StudySchema& schema, const std::vector<Opened>& models, ParamValues& params) {
  const ParamSpec* param = models_param(schema);
  if (!param || models.size() < 2 || !find_value(params, param->key)->empty()) return {};
  std::vector<std::string> names;
  for (const Opened& opened : models) names.push_back(opened.file->name());
  return set_value(schema, params, param->key, join(names, ","), true);
}

/// The result of a state; its parameters may be completed by what is given.
Expected<protocol::Result> run_state(AppState& asked, const std::vector<Subject>& more, const Options& options) {
  const ComputeStudy& study = *helix::studies::find_compute_study(asked.study);
  const auto threads = threads_from(options);
  if (!threads) return threads.error();
  auto models = open_models(study.schema, asked, options, *threads);
  if (!models) return models.error();
  if (const auto named = name_models(study.schema, *models, asked.params); !named) return named.error();
  auto inputs = inputs_for(study, asked.params, *models, *threads);
  if (!inputs) return inputs.error();
  for (const Subject& text : more) {
    inputs->more.push_back(text);
    inputs->more.back().edits = asked.subject.edits;  // those of this side of a comparison
  }
  auto result = run_to_end(helix::studies::run_judged(study, asked.params, std::move(*inputs)));
  if (result && asked.model.empty()) asked.model = result->provenance.model;
  return result;
}

/// What a run leaves: one result, or with `other` two, and what changed if they are compared by difference.
struct Ran {
  AppState asked;
  protocol::Result result;
  std::optional<protocol::Result> other{}, change{};
  state::SideNames names{};

  const StudySchema& schema() const { return helix::studies::find_compute_study(result.study)->schema; }
  protocol::Result whole() const {
    return other ? protocol::together(schema(), result, *other, change ? &*change : nullptr) : result;
  }
};

/// The state alone, or compared with what --against makes of it.
Expected<Ran> run_compared(AppState asked, const std::vector<Subject>& more, const Options& options) {
  Ran ran{std::move(asked), {}};
  const auto schemas = helix::studies::schemas_of(helix::studies::compute_studies());
  std::optional<AppState> other;
  if (ran.asked.compare != Compare::none) {
    auto applied = state::against_state(ran.asked, schemas);
    if (!applied) return applied.error();
    if (!applied->notices.empty()) return Error{"The other side: " + applied->notices.front()};
    other = std::move(applied->state);
    if (other->model == ran.asked.model) {  // for edits that take values from the other side
      const Subject own = ran.asked.subject;
      ran.asked.subject.other = {other->subject}, other->subject.other = {own};
    }
  }
  auto result = run_state(ran.asked, more, options);
  if (!result) return result.error();
  ran.asked.subject.other.clear();  // the link says it as a comparison
  ran.result = std::move(*result);
  if (!other) return ran;
  auto against = run_state(*other, more, options);
  if (!against) return Error{"The other side: " + against.error().sentence, against.error().remedy};
  ran.other = std::move(*against);
  ran.names = state::side_names(ran.asked, *other, schemas);
  if (ran.asked.compare == Compare::beside) return ran;
  auto change = protocol::difference(ran.schema(), ran.result, *ran.other);
  if (!change) return change.error();
  ran.change = std::move(*change);
  return ran;
}

/// --against and --compare.
Expected<void> read_compare(const Options& options, AppState& asked) {
  const std::string mode = options.get("compare");
  if (options.all("against").empty()) {
    if (mode.empty()) return {};
    return Error{"--compare needs --against FRAGMENT: the part of a link to compare with."};
  }
  if (!mode.empty() && mode != "beside" && mode != "difference")
    return Error{"--compare takes beside or difference, not " + in_quotes(mode) + "."};
  asked.against = options.get("against");
  asked.compare = mode == "beside" ? Compare::beside : Compare::difference;
  return {};
}

figure::Figure figure_of(const Ran& ran) {
  const helix::studies::ViewStudy& study = *helix::studies::find_view_study(ran.result.study);
  if (!ran.other) return study.view(ran.result, ran.result.params);
  const helix::studies::Sides sides{ran.result, *ran.other, ran.change ? *ran.change : ran.result, ran.names.now,
                                    ran.names.other};
  if (ran.change) return figure_of_change(study, sides, ran.result.params);
  return figure::beside(study.view(ran.result, ran.result.params), study.view(*ran.other, ran.other->params),
                        sides.now_name, sides.other_name);
}

constexpr float kWidth = 960;  // of a standalone figure, in CSS pixels

std::string svg_of(const Ran& ran) {
  const figure::Figure fig = figure_of(ran);
  figure::Page page;
  page.width = kWidth;
  page.theme = figure::Theme::light();
  page.with_text = true;
  const protocol::Result whole = ran.whole();
  const std::string provenance = provenance_line(whole.provenance), prompt = protocol::prompt_line(whole);
  page.caption = prompt + (prompt.empty() ? "" : "\n") + provenance;
  page.height = figure::standalone_height(fig, page);
  const auto schemas = helix::studies::schemas_of(helix::studies::view_studies());
  return figure::to_svg(figure::layout(fig, ViewState(), page), fig.title, figure::spoken_summary(fig),
                        {{"link", state::encode(ran.asked, schemas)}, {"provenance", provenance}});
}

Expected<void> write_files(const Options& options, const Ran& ran) {
  const protocol::Result result = ran.whole();
  if (const std::string path = options.get("npz"); !path.empty()) {
    const auto bytes = protocol::to_npz(result);
    if (const auto ok = checkpoint::write_whole(path, std::as_bytes(std::span(bytes))); !ok) return ok;
  }
  if (const std::string path = options.get("svg"); !path.empty()) {
    const std::string svg = svg_of(ran);
    if (const auto ok = checkpoint::write_whole(path, std::as_bytes(std::span(svg))); !ok) return ok;
  }
  if (const std::string path = options.get("python"); !path.empty()) {
    const auto schemas = helix::studies::schemas_of(helix::studies::compute_studies());
    const auto script = python_script(result, ran.schema(), state::encode(ran.asked, schemas));
    if (!script) return script.error();
    if (const auto ok = checkpoint::write_whole(path, std::as_bytes(std::span(*script))); !ok) return ok;
  }
  if (const std::string folder = options.get("csv"); !folder.empty()) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) return Error{"The folder " + in_quotes(folder, 200) + " could not be made: " + error.message() + "."};
    for (const protocol::Array& array : result.arrays) {
      const std::string csv = protocol::to_csv(array);
      if (const auto ok = checkpoint::write_whole(folder + "/" + array.name + ".csv", std::as_bytes(std::span(csv)));
          !ok)
        return ok;
    }
  }
  return {};
}

std::string short_number(double x) {
  if (std::isnan(x)) return "–";
  return x == std::floor(x) ? to_text(x) : to_fixed(x, 6);
}

/// Words with the numbers that belong to them, a line for each entry of their axis: a token and its probability.
std::string listed(const protocol::Result& result, const std::string& axis) {
  std::vector<const protocol::Words*> words;
  for (const protocol::Words& w : result.words)
    if (w.axis == axis) words.push_back(&w);
  const std::size_t count = words.front()->data.size();
  long long first = 0;
  std::vector<const protocol::Array*> numbers;
  for (const protocol::Array& a : result.arrays)
    if (a.axes == std::vector{axis} && a.data.size() == count) numbers.push_back(&a), first = a.first;
  std::string out = axis;
  for (const auto* w : words) out += "  " + w->name;
  for (const auto* a : numbers) out += "  " + a->name;
  out += "\n";
  for (std::size_t i = 0; i < count; ++i) {
    out += std::to_string(first + static_cast<long long>(i));
    for (const auto* w : words) out += "  “" + (i < w->data.size() ? w->data[i] : std::string()) + "”";
    for (const auto* a : numbers) out += "  " + short_number(a->data[i]);
    out += "\n";
  }
  return out;
}

std::string for_reading(const protocol::Result& result, const StudySchema& schema) {
  std::string out;
  for (const protocol::Scalar& s : result.scalars)
    out += s.name + "  " + (std::isnan(s.value) ? "–" : to_text(s.value) + (s.unit.empty() ? "" : " " + s.unit)) +
           (s.note.empty() ? "" : "  (" + s.note + ")") + "\n";
  std::vector<std::string> axes;
  for (const protocol::Words& w : result.words)
    if (std::ranges::find(axes, w.axis) == axes.end()) axes.push_back(w.axis), out += listed(result, w.axis);
  for (const protocol::Claim& c : result.claims) out += claim_line(*schema.claim(c.id), c);
  for (const std::string& note : result.notes) out += "note: " + note + "\n";
  return out + provenance_line(result.provenance) + "\n";
}

/// The figure of a change in words: its title, and its tables with both sides and the change in columns.
std::string change_for_reading(const Ran& ran) {
  const figure::Figure f = figure_of(ran);
  std::string out = f.title + "\n" + f.subtitle + "\n";
  for (const figure::Table& table : f.tables) out += "\n" + table.title + "\n" + figure::to_markdown(table);
  return out + "\n" + provenance_line(ran.whole().provenance) + "\n";
}

/// Where the study runs no prompt: that the edits do not act on it, and which run shows what they do. Empty where they act.
std::string idle_edits(const AppState& asked, const StudySchema& schema) {
  if (asked.subject.edits.empty() || runs_prompt(schema.reads)) return {};
  std::string text = "The study " + schema.id + " does not run the prompt, so edits do not act on it";
  const auto pairs = state::split_link(schema.text_run);
  if (const std::string* shows = pairs ? state::first_value(*pairs, "study") : nullptr)
    text += "; helixscope run " + *shows + " shows what they do";
  return text + ".\n";
}

/// Refuses an edit that cannot be read, also where no study would read it.
Expected<void> check_edits(const Subject& subject) {
  for (const Edit& edit : subject.edits)
    if (const auto parsed = parse_edit(edit.spec); !parsed) return parsed.error();
  return {};
}

}  // namespace

Outcome run_study(const Options& options) {
  if (options.words.size() != 1) return misuse("run needs one study; helixscope studies lists them.");
  const ComputeStudy* first = helix::studies::find_compute_study(options.words[0]);
  if (!first) return misuse("There is no study " + in_quotes(options.words[0]) + "; helixscope studies lists them.");
  auto asked = asked_by(first->schema, options);
  if (!asked) return misuse(asked.error().sentence);
  auto subjects = subjects_from(options, asked->subject);
  if (!subjects) return failure(subjects.error().sentence);
  if (const auto edits = check_edits(subjects->front()); !edits) return misuse(edits.error().sentence);
  if (subjects->size() > 1 && !helix::studies::find_compute_study(asked->study)->schema.many_texts)
    return misuse("The study " + asked->study +
                  " takes one text; give one of --prompt, --prompt-file and --tokens, once.");
  asked->subject = std::move(subjects->front());
  subjects->erase(subjects->begin());
  if (const auto compared = read_compare(options, *asked); !compared) return misuse(compared.error().sentence);
  if (!options.get("python").empty() && (!subjects->empty() || asked->compare != Compare::none))
    return misuse("--python recomputes one run: give one text, and leave --against out.");
  auto ran = run_compared(std::move(*asked), *subjects, options);
  if (!ran) return failure(ran.error());
  if (const auto written = write_files(options, *ran); !written) return failure(written.error().sentence);
  const StudySchema& schema = ran->schema();  // a preset may lead away
  const std::string idle = idle_edits(ran->asked, schema);
  if (options.has("json")) return {protocol::to_json(ran->whole(), schema) + "\n", idle, 0};
  if (ran->change) return {change_for_reading(*ran), idle, 0};
  return {for_reading(ran->whole(), schema), idle, 0};
}

}  // namespace helix::cli
