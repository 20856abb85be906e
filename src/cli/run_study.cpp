#include <filesystem>
#include <memory>

#include "base/target.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/opened.h"
#include "cli/write_file.h"
#include "figure/layout.h"
#include "figure/svg.h"
#include "protocol/export.h"
#include "protocol/messages.h"
#include "state/permalink.h"
#include "studies/registry_compute.h"
#include "studies/registry_view.h"

namespace helix::cli {
namespace {

using helix::studies::ComputeStudy;

Expected<ParamValues> params_from(const StudySchema& schema, const std::vector<std::string>& sets) {
  ParamValues values = defaults(schema);
  for (const std::string& set : sets) {
    const std::size_t at = set.find('=');
    if (at == std::string::npos) return Error{"--set needs key=value, not " + in_quotes(set) + "."};
    if (const auto ok = set_value(schema, values, set.substr(0, at), set.substr(at + 1), true); !ok) return ok.error();
  }
  return values;
}

/// Opens the model where one is given, and loads what the study needs of it.
Expected<helix::studies::Inputs> make_inputs(const ComputeStudy& study, const ParamValues& params,
                                             const Options& options) {
  const auto needs = study.needs(params);
  const Reads reads = study.schema.reads;
  const std::string path = options.get("model");
  if (path.empty()) {
    helix::studies::Inputs inputs;
    inputs.provenance.kernels = target_name();
    inputs.provenance.version = version_name();
    if (needs.empty() && reads == Reads::weights) return inputs;
    return Error{"This needs a model" + (needs.empty() ? "" : " (" + join(needs, ", ") + ")") +
                 ": give one with --model PATH."};
  }
  const auto subject = subject_from(options);
  if (!subject) return subject.error();
  const auto threads = threads_from(options);
  if (!threads) return threads.error();
  auto opened = open_model(options, *subject, reads, *threads);
  if (!opened) return opened.error();
  if (const auto loaded = opened->file->load(needs); !loaded) return loaded.error();
  const auto sha256 = opened->file->sha256();
  if (!sha256) return sha256.error();
  opened->inputs.provenance.sha256 = sha256->substr(0, 12);
  return opened->inputs;
}

std::string svg_of(const protocol::Result& result, const Subject& subject) {
  const auto* study = helix::studies::find_view_study(result.study);
  const figure::Figure fig = study->view(result, result.params, ViewState());
  figure::Page page;
  page.width = 960, page.height = 640;
  page.theme = figure::Theme::light();
  page.with_text = true;
  page.caption = provenance_line(result.provenance);
  const auto schemas = helix::studies::schemas_of(helix::studies::view_studies());
  state::AppState app = state::default_state(schemas);
  app.model = result.provenance.model, app.study = result.study, app.params = result.params;
  app.subject = subject;
  return figure::to_svg(figure::layout(fig, page), fig.title, fig.summary,
                        {{"link", state::encode(app, schemas)}, {"provenance", page.caption}});
}

Expected<void> write_files(const Options& options, const protocol::Result& result, const Subject& subject) {
  if (const std::string path = options.get("npz"); !path.empty()) {
    const auto bytes = protocol::to_npz(result);
    if (const auto ok = write_file(path, bytes.data(), bytes.size()); !ok) return ok;
  }
  if (const std::string path = options.get("svg"); !path.empty()) {
    const std::string svg = svg_of(result, subject);
    if (const auto ok = write_file(path, svg.data(), svg.size()); !ok) return ok;
  }
  if (const std::string folder = options.get("csv"); !folder.empty()) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) return Error{"The folder " + in_quotes(folder, 200) + " could not be made: " + error.message() + "."};
    for (const protocol::Array& array : result.arrays) {
      const std::string csv = protocol::to_csv(array);
      if (const auto ok = write_file(folder + "/" + array.name + ".csv", csv.data(), csv.size()); !ok) return ok;
    }
  }
  return {};
}

std::string for_reading(const protocol::Result& result) {
  std::string out;
  for (const protocol::Scalar& s : result.scalars)
    out += s.name + "  " + to_text(s.value) + (s.unit.empty() ? "" : " " + s.unit) +
           (s.note.empty() ? "" : "  (" + s.note + ")") + "\n";
  for (const protocol::Words& w : result.words) {
    out += w.name + "  ";
    for (const std::string& text : w.data) out += "“" + text + "” ";
    out.back() = '\n';
  }
  for (const protocol::Claim& c : result.claims)
    out += c.id + "  " + (c.holds ? *c.holds ? "holds" : "does not hold" : "shown") + ": " + c.text +
           (c.stated ? "  stated " + to_text(*c.stated) : "") +
           (c.here ? "  here " + to_text(*c.here) + " " + c.unit : "") + "  (" + c.convention + ")\n";
  for (const std::string& note : result.notes) out += "note: " + note + "\n";
  return out + provenance_line(result.provenance) + "\n";
}

}  // namespace

Outcome run_study(const Options& options) {
  if (options.words.size() != 1) return misuse("run needs one study; helixscope studies lists them.");
  const ComputeStudy* study = helix::studies::find_compute_study(options.words[0]);
  if (!study) return misuse("There is no study " + in_quotes(options.words[0]) + "; helixscope studies lists them.");
  const auto params = params_from(study->schema, options.all("set"));
  if (!params) return misuse(params.error().sentence);
  auto inputs = make_inputs(*study, *params, options);
  if (!inputs) return failure(inputs.error().sentence);
  const Subject subject = inputs->subject;
  auto result = run_to_end(study->run(*params, std::move(*inputs)));
  if (!result) return failure(result.error());
  if (const auto written = write_files(options, *result, subject); !written) return failure(written.error().sentence);
  if (options.has("json")) return {protocol::to_json(*result, study->schema) + "\n", "", 0};
  return {for_reading(*result), "", 0};
}

}  // namespace helix::cli
