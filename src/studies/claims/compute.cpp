// Runs the studies one after the other, each at the settings of its claims, on the first model that has what they read.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "base/source_text.h"
#include "base/text.h"
#include "checkpoint/convert.h"
#include "state/link_text.h"
#include "studies/claims/claims.h"
#include "studies/claims/models.h"
#include "studies/helix_compute.h"
#include "studies/judge_compute.h"
#include "studies/known_model_compute.h"
#include "studies/matrices_compute.h"

namespace helix::studies::claims {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

struct Row {
  const ClaimSpec* declared = nullptr;
  const ComputeStudy* study = nullptr;
  std::string fragment, model;
  protocol::Claim found;
  bool reproduces = false;
  std::string unit{};       // of the number, where the text leaves open which of several it means
  std::string precision{};  // of the weights it was computed on
  std::string arithmetic{};
};

/// The result of one visit, and the weights it was computed on: kept because the page is opened again and again.
struct Kept {
  std::shared_ptr<const checkpoint::WeightFile> weights;
  std::vector<Row> rows;
};
struct Memory {
  std::map<std::string, Kept> visits;                                     // by setting and model
  std::map<std::string, std::shared_ptr<std::shared_ptr<void>>> studies;  // the studies' own caches
};

/// Other models are requested only if the open one is known to lack something.
std::vector<ModelNeeds> needs(const ParamValues& values, const Known& known) {
  const auto params = read_params<Params>(values);
  const auto visits = visits_of(params);
  if (!visits) return {};
  std::vector<ModelNeeds> all{needs_of_model("", *visits, known)};
  const auto own = known.size("");
  if (!own || is_whole(own)) return all;
  for (const std::string& name : params.beside) all.push_back(needs_of_model(name, *visits, known));
  return all;
}

std::optional<ModelSize> size_of(const Inputs& inputs) {
  const auto config = config_of(inputs);
  if (!config) return std::nullopt;
  return ModelSize{config->n_layer, config->n_head, config->d_model, config->n_ctx, config->n_vocab};
}

/// The inputs of a study that runs for this table.
Inputs inputs_for(const Visit& visit, const ModelInputs& model, const Inputs& own, bool is_own) {
  Inputs inputs;
  inputs.weights = model.weights;
  inputs.provenance = own.provenance;
  inputs.provenance.model = model.name, inputs.provenance.sha256 = model.sha256;
  inputs.subject = visit.subject, inputs.subject.precision = own.subject.precision;
  inputs.tokenizer = model.tokenizer, inputs.no_tokenizer = model.no_tokenizer;
  inputs.network = model.network, inputs.no_network = model.no_network;
  inputs.session = model.session ? std::make_shared<model::Sessions>() : nullptr;  // the page's own holds its text
  inputs.store = own.store;
  inputs.size = is_own && own.size ? own.size : size_of(inputs);
  inputs.models = {model};
  auto& memory = memory_of<Memory>(own).studies[visit.study->schema.id];
  if (!memory) memory = std::make_shared<std::shared_ptr<void>>();
  inputs.memory = memory;
  return inputs;
}

/// The id of the open model if claims are about it; else nothing.
using OpenModel = std::optional<std::string>;

Task<OpenModel> open_model(Inputs inputs) {
  const ModelInputs& own = inputs.models.front();
  if (!own.weights) co_return std::nullopt;
  inputs.weights = own.weights;
  protocol::Provenance used;
  used.model = own.name;
  const checkpoint::Header* header = own.weights->header();
  if (header && header->find(kPositionTable) && own.weights->has(kPositionTable)) {
    const auto hash = co_await hash_tensor(inputs, kPositionTable);
    if (hash) used.tensors.push_back({kPositionTable, *hash});
    used.precision = checkpoint::precision_of(*own.weights->tensor(kPositionTable));
  }
  co_return which_model(inputs, used);
}

/// A claim that was not computed: it is about another model, or something is missing for it.
Row untested(const Visit& visit, const ClaimSpec& claim, const std::vector<std::string>& missing,
             const OpenModel& open) {
  Row row{&claim, visit.study, visit.fragment, "", {}};
  row.found.id = claim.id;
  row.found.elsewhere = open && !claim.about.empty() && claim.about != *open;
  if (!row.found.elsewhere) row.found.needs = missing;
  return row;
}

/// The untested claims of a study whose own setting this is.
std::vector<Row> untested(const Visit& visit, const std::vector<std::string>& missing, const OpenModel& open) {
  std::vector<Row> rows;
  for (const ClaimSpec& claim : visit.study->schema.claims)
    if (claim.fragment == visit.fragment) rows.push_back(untested(visit, claim, missing, open));
  return rows;
}

/// A row of what was computed, with the weights' precision and the arithmetic.
Row row_on(const Visit& visit, const ClaimSpec& claim, const protocol::Result& result) {
  Row row{&claim, visit.study, visit.fragment, result.provenance.model, {}};
  row.precision = result.provenance.precision, row.arithmetic = result.provenance.arithmetic;
  return row;
}

/// `missing`: what the open model lacks, where another one stands in for it. There a claim is judged at its own setting
/// alone, and one that was not judged needs the open model.
std::vector<Row> rows_of(const Visit& visit, const protocol::Result& result, const std::vector<std::string>& missing,
                         const OpenModel& open) {
  std::vector<Row> rows;
  for (const protocol::Claim& claim : result.claims) {
    const ClaimSpec* declared = visit.study->schema.claim(claim.id);
    if (!declared || (!missing.empty() && declared->fragment != visit.fragment)) continue;
    rows.push_back(row_on(visit, *declared, result)), rows.back().found = claim;
  }
  const std::vector<std::string> setting{"a setting that judges it on this model"};
  for (Row& row : untested(visit, missing.empty() ? setting : missing, open))
    if (std::ranges::none_of(rows, [&](const Row& other) { return other.declared == row.declared; }))
      rows.push_back(std::move(row));
  return rows;
}

/// One row: a convention's number, and whether it is the convention that the text states.
Row row_of(const Visit& visit, const ClaimSpec& claim, const std::string& name, const protocol::Result& result) {
  Row row = row_on(visit, claim, result);
  const auto judged = std::ranges::find(result.claims, claim.id, &protocol::Claim::id);
  if (judged != result.claims.end()) row.found = *judged;
  row.found.id = claim.id;
  const protocol::Scalar* number = result.scalar(name);
  if (number && numbers_of(claim).size() > 1) row.unit = number->unit;
  row.found.here = number_in(result, name);
  row.found.convention = result.provenance.convention;
  row.reproduces = row.found.here && !row.found.elsewhere && is_stated(claim, *row.found.here);
  return row;
}

/// A row for each number that the text may mean.
std::vector<Row> rows_of(const Visit& visit, const ClaimSpec& claim, const protocol::Result& result) {
  std::vector<Row> rows;
  for (const std::string& name : numbers_of(claim)) rows.push_back(row_of(visit, claim, name, result));
  return rows;
}

std::string precision_of(const Subject& subject) {
  return std::string(kPrecisionNames[static_cast<std::size_t>(subject.precision)]);
}

/// Runs a visit and judges its claims; a problem becomes a row too.
Task<std::vector<Row>> judge(Visit visit, const ClaimSpec* only, OpenModel open, Inputs inputs) {
  const auto problem = [&](const std::vector<std::string>& why) {
    return only ? std::vector<Row>{untested(visit, *only, why, open)} : untested(visit, why, open);
  };
  if (!visit.problem.empty()) co_return problem({visit.problem});
  if (const auto names = named_models(visit); !names.empty()) co_return problem(names);
  const std::vector<std::string> missing = missing_for(visit, inputs.models.front());
  const ModelInputs* on = model_for(visit, inputs.models, open.value_or(""));
  if (!on) co_return problem(missing);
  auto& memory = memory_of<Memory>(inputs);
  const bool runs = runs_model(visit.study->schema.reads);
  const std::string key = (only ? only->id + " " : "") + visit.study->schema.id + "?" + visit.fragment + " " +
                          on->name + (runs ? " " + precision_of(inputs.subject) : "");
  if (const auto kept = memory.visits.find(key); kept != memory.visits.end() && kept->second.weights == on->weights)
    co_return kept->second.rows;
  const auto result =
      co_await run_judged(*visit.study, visit.params, inputs_for(visit, *on, inputs, on == inputs.models.data()));
  if (!result) {  // on a model that stands in, the reason is not this model's: what the open one lacks is
    if (on != inputs.models.data() && !missing.empty()) co_return problem(missing);
    co_return problem({result.error().sentence});
  }
  const bool own = on == inputs.models.data();
  std::vector<Row> rows =
      only ? rows_of(visit, *only, *result) : rows_of(visit, *result, own ? std::vector<std::string>() : missing, open);
  memory.visits[key] = {on->weights, rows};
  co_return rows;
}

/// A claim judged at several settings keeps a row for each convention; one that was judged loses its untested rows.
void tidy(std::vector<Row>& rows) {
  std::vector<Row> out;
  const auto empty = [](const Row& row) { return row.found.convention.empty(); };
  for (Row& row : rows) {
    const auto same = [&](const Row& other) {
      return other.declared == row.declared &&
             (other.found.convention == row.found.convention || (empty(row) && !empty(other)));
    };
    if (std::ranges::any_of(out, same)) continue;
    if (!empty(row))
      std::erase_if(out, [&](const Row& other) { return other.declared == row.declared && empty(other); });
    out.push_back(std::move(row));
  }
  rows = std::move(out);
}

std::string link_of(const Row& row) {
  const std::string model = row.model.empty() ? "" : "model=" + state::percent_encode(row.model) + "&";
  return model + "study=" + row.study->schema.id + (row.fragment.empty() ? "" : "&" + row.fragment);
}

/// Whether a row passes the filters.
bool is_left(const Row& row, const Params& params) {
  if (params.holds != Verdict::any &&
      protocol::verdict(row.found) != kVerdicts[static_cast<std::size_t>(params.holds) - 1])
    return false;
  if (params.about == About::any) return true;
  return params.about == About::gpt2_small ? row.declared->about == kGpt2Small : row.declared->about.empty();
}

/// "wte.weight", or of many "h.0.ln_1.weight and 35 more tensors".
std::string needs_text(const std::vector<std::string>& needs) {
  constexpr std::size_t kMost = 6;
  if (needs.size() <= kMost) return join(needs, ", ");
  return needs.front() + " and " + std::to_string(needs.size() - 1) + " more tensors";
}

Output outputs_of(std::vector<Row> rows, const Params& params, std::size_t done, std::size_t visits) {
  Output out;
  const bool one_claim = !params.conventions.empty();
  if (!one_claim) tidy(rows);
  std::erase_if(rows, [&](const Row& row) { return !is_left(row, params); });
  std::map<std::string_view, double> count;
  double reproduced = 0;
  for (const Row& row : rows) {
    const std::string_view verdict = protocol::verdict(row.found);
    ++count[verdict], reproduced += row.reproduces;
    out.id.push_back(row.declared->id), out.verdict.emplace_back(verdict), out.text.push_back(row.declared->text);
    const std::string_view of = source_text(row.declared->id);
    out.source.emplace_back(of.empty() ? "Numbers of others" : of);
    out.unit.push_back(row.unit.empty() ? row.declared->unit : row.unit), out.about.push_back(row.declared->about);
    out.study.push_back(row.study->schema.id), out.fragment.push_back(row.fragment), out.model.push_back(row.model);
    out.how.push_back(row.found.convention), out.needs.push_back(needs_text(row.found.needs));
    out.link.push_back(link_of(row));
    out.stated.data.push_back(row.declared->stated.value_or(kNone));
    out.here.data.push_back(row.found.here.value_or(kNone));
    out.reproduces.data.push_back(row.reproduces ? 1 : 0);
  }
  out.setting.resize(rows.size());
  if (one_claim && !rows.empty()) out.setting = settings_text(rows.front().study->schema, out.fragment);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (!rows[i].unit.empty()) out.setting[i] += ", in " + rows[i].unit;
  for (protocol::Grid* grid : {&out.stated, &out.here, &out.reproduces}) grid->shape = {rows.size()};
  out.settings = {static_cast<double>(visits), ""}, out.done = {static_cast<double>(done), ""};
  const auto quantity = [&](const char* verdict) { return protocol::Quantity{count[verdict], ""}; };
  out.holds = quantity(kVerdicts[0]), out.fails = quantity(kVerdicts[1]), out.shown = quantity(kVerdicts[2]),
  out.elsewhere = quantity(kVerdicts[3]), out.untested = quantity(kVerdicts[4]);
  out.rows = {static_cast<double>(rows.size()), ""};
  out.judged = {out.holds.value + out.fails.value, "the other rows are shown, about another model, or not tested"};
  out.reproduced = {reproduced, "to the digits that are stated"};
  out.convention = one_claim ? "every convention that the text leaves open" : "each claim where its study judges it";
  out.complete = done == visits;
  return out;
}

/// The different ones among the rows' texts, in their order: "F32 and F32 as 8-bit integers".
template <class Which>
std::string listed(const std::vector<Row>& rows, std::string Row::* text, Which which) {
  std::vector<std::string> all;
  for (const Row& row : rows)
    if (which(row) && !(row.*text).empty() && std::ranges::find(all, row.*text) == all.end()) all.push_back(row.*text);
  return join(all, " and ");
}

/// Names every model that a row was computed on, in which precision, and every arithmetic.
void name_models(protocol::Provenance& provenance, const std::vector<Row>& rows, const Inputs& inputs) {
  std::vector<protocol::UsedModel> used;
  for (const ModelInputs& model : inputs.models) {
    const auto on_it = [&](const Row& row) { return row.model == model.name; };
    if (std::ranges::any_of(rows, on_it) && !model.name.empty())
      used.push_back({model.name, model.sha256, listed(rows, &Row::precision, on_it), {}});
  }
  set_models(provenance, used);
  const std::string arithmetic = listed(rows, &Row::arithmetic, [](const Row&) { return true; });
  if (!arithmetic.empty()) provenance.arithmetic = arithmetic;
}

const ClaimSpec* claim_of(const std::vector<Visit>& visits, const std::string& id) {
  return id.empty() || visits.empty() ? nullptr : visits.front().study->schema.claim(id);
}

Task<Expected<protocol::Result>> run(ParamValues values, Inputs inputs) {
  static const StudySchema schema = describe();
  const auto params = read_params<Params>(values);
  const auto visits = visits_of(params);
  if (!visits) co_return visits.error();
  if (inputs.models.empty()) inputs.models.emplace_back();  // claims that read no weights can still be judged
  const ClaimSpec* only = claim_of(*visits, params.conventions);
  const OpenModel open = co_await open_model(inputs);
  protocol::Provenance provenance = inputs.provenance;
  std::vector<Row> rows;
  for (std::size_t i = 0; i < visits->size(); ++i) {
    const auto part = co_await progress_part(static_cast<double>(i), 1, static_cast<double>(visits->size()), "claims");
    std::vector<Row> found = co_await judge((*visits)[i], only, open, inputs);
    for (Row& row : found)
      if (only || is_asked_for(row.declared->id, params.only)) rows.push_back(std::move(row));
    name_models(provenance, rows, inputs);
    if (i + 1 < visits->size())
      inputs.on_first_picture(to_result(schema, values, provenance, outputs_of(rows, params, i + 1, visits->size())));
  }
  co_return to_result(schema, values, provenance, outputs_of(rows, params, visits->size(), visits->size()));
}

}  // namespace

ComputeStudy compute_study() { return {describe(), needs, run}; }

}  // namespace helix::studies::claims
